// Answers of the fault proxy in place of Route 53's: refusals in both of Route 53's shapes, truncated texts, and
// invalid answers. The texts are those that other clients have reported.
import type { Answer } from './fault-proxy.ts';
import type { Random } from './seeded-random.ts';

const NAMESPACE = 'xmlns="https://route53.amazonaws.com/doc/2013-04-01/"';
const TRUNCATED = 'Message was too long, it was truncated.';

const refusal = (code: string, message: string, status = 400): Answer => ({
  status,
  headers: {},
  body: `<?xml version="1.0"?>\n<ErrorResponse ${NAMESPACE}><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>fault</RequestId></ErrorResponse>`,
});

export const throttling: Answer = refusal('Throttling', 'Rate exceeded');
export const busy: Answer = refusal(
  'PriorRequestNotComplete',
  'The request was rejected because Route 53 was still processing a prior request.',
);
export const denied: Answer = refusal('AccessDenied', 'User is not authorized to perform this', 403);
export const unknownCode: Answer = refusal('QuantumFluctuation', 'This code is in no documentation.');

/** An invalid answer, from which the client cannot tell whether the call was applied. */
export function malformed(random: Random): Answer {
  const status = random.pick([200, 200, 400]);
  const body = random.pick([
    '',
    '<html><body>captive portal</body></html>',
    '<?xml version="1.0"?>\n<ChangeResourceRecordSetsResponse',
    '<ChangeResourceRecordSetsResponse><ChangeInfo>',
    '{"Message":"not XML"}',
    '\u0000\u0001\u0002',
  ]);
  return { status, headers: {}, body };
}

/** A refusal that calls a record set of the batch malformed, although it may be valid. */
export function invalidChangeBatch(random: Random, batch: string): Answer {
  const names = [...batch.matchAll(/<Name>([^<]*)<\/Name>/g)].map((match) => match[1] ?? '');
  const name = names.length === 0 ? 'example.org.' : random.pick(names);
  const messages = [
    `RRSet with DNS name ${name} is not permitted by the moon`,
    `Invalid Resource Record: FATAL problem: Whim encountered with '${name}'`,
  ].slice(random.below(2));
  return reshape(random, messages.join(', '));
}

/** A refusal of Route 53, perhaps in its other shape, perhaps truncated. Other answers are unchanged. */
export function reshapeRefusal(random: Random, answer: Answer): Answer {
  const text = /<Code>InvalidChangeBatch<\/Code><Message>([\s\S]*?)<\/Message>/.exec(answer.body)?.[1];
  if (answer.status !== 400 || text === undefined || random.next() < 0.3) return answer;
  return reshape(random, text.replace(/^\[([\s\S]*)\]$/, '$1'));
}

function reshape(random: Random, text: string): Answer {
  const cut = random.next() < 0.3;
  const whole = cut ? `${TRUNCATED} [${cutText(random, text)}` : `[${text}]`;
  if (random.next() < 0.5) return refusal('InvalidChangeBatch', whole);
  return {
    status: 400,
    headers: {},
    body: `<?xml version="1.0"?>\n<InvalidChangeBatch ${NAMESPACE}><Messages><Message>${whole}</Message></Messages><RequestId>fault</RequestId></InvalidChangeBatch>`,
  };
}

/** Truncates the text anywhere except within an XML entity. */
function cutText(random: Random, text: string): string {
  return text.slice(0, random.below(text.length + 1)).replace(/&[^;]*$/, '');
}
