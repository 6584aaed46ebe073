// What the fault proxy answers instead of Route 53: refusals in both of Route 53's shapes, texts that it cut, and
// answers that are none. The texts are those that reference clients have met in the wild.
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

/** An answer that makes no sense; nobody can tell from it what became of the call. */
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

/** A refusal that names a record set of the batch as malformed, though it may be sound. */
export function invalidChangeBatch(random: Random, batch: string): Answer {
  const names = [...batch.matchAll(/<Name>([^<]*)<\/Name>/g)].map((match) => match[1] ?? '');
  const name = names.length === 0 ? 'example.org.' : random.pick(names);
  const messages = [
    `RRSet with DNS name ${name} is not permitted by the moon`,
    `Invalid Resource Record: FATAL problem: Whim encountered with '${name}'`,
  ].slice(random.below(2));
  return reshape(random, messages.join(', '));
}

/** A refusal that Route 53 gave, perhaps in its other shape, perhaps cut. Anything else as it is. */
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

/** Cut anywhere but within an XML entity. */
function cutText(random: Random, text: string): string {
  return text.slice(0, random.below(text.length + 1)).replace(/&[^;]*$/, '');
}
