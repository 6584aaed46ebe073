// SOA (RFC 1035 §3.3.13): two names, the serial, and four timers in seconds. RNAME is a mailbox. Its first label may
// have any character that a mailbox may have; a dot in it is written as `\.` (RFC 1035 §8).
import { labelsOf, readName } from '../names/name.ts';
import { quote } from '../names/quote.ts';
import { escapeOctets, tokenOctets } from './character-string.ts';
import { joinFields, nameWire, type ParsedRdata, readHost, readNumber, splitFields } from './fields.ts';

/** Maximum seconds of a timer (RFC 2181 §8). */
const TIMER_SECONDS_MAX = 2 ** 31 - 1;
/** Maximum characters of a mailbox: 255 octets, each as an escape of four characters. */
const MAILBOX_CHARACTERS_MAX = 1020;
const TIMERS = ['refresh', 'retry', 'expire', 'minimum'];

export function parseSoa(text: string, problems: string[]): ParsedRdata | null {
  const expected = '<mname> <rname> <serial> <refresh> <retry> <expire> <minimum>';
  const fields = splitFields(text, expected, problems);
  if (fields === null) return null;
  const [mname, rname, serial, ...timers] = fields as [string, string, string, ...string[]];
  return joinFields([
    readHost(mname, 'mname', true, problems),
    readMailbox(rname, problems),
    readNumber(serial, 'serial', 4, problems),
    ...timers.map((timer, index) => readNumber(timer, TIMERS[index] as string, 4, problems, TIMER_SECONDS_MAX)),
  ]);
}

function readMailbox(text: string, problems: string[]): ParsedRdata | null {
  const mailbox =
    text.includes('\\') && text.length <= MAILBOX_CHARACTERS_MAX
      ? /^((?:[^\\.]|\\[0-9]{3}|\\[^0-9])+)\.(.+)$/su.exec(text)
      : null;
  if (mailbox === null) return readHost(text, 'rname', true, problems);
  const [, local, domain] = mailbox as unknown as [string, string, string];
  const octets = tokenOctets(local, 'rname', problems);
  if (octets === null) return null;
  const rest = readName(domain);
  if (!rest.ok || octets.length > 63 || octets.some((octet) => octet <= 32 || octet > 126)) {
    const why = rest.ok
      ? 'its first label is not a mailbox of at most 63 printable characters'
      : rest.problems.join('; ');
    problems.push(`rname ${quote(text)}: ${why}`);
    return null;
  }
  const lower = Buffer.from(Buffer.from(octets).toString('latin1').toLowerCase(), 'latin1');
  const wire = Buffer.concat([Buffer.from([lower.length]), lower, nameWire(rest.name)]);
  if (wire.length > 255) {
    problems.push(`rname ${quote(text)}: it is ${wire.length} octets long, more than 255`);
    return null;
  }
  const dot = labelsOf(rest.name).length === 0 ? '' : rest.name;
  return { text: `${escapeOctets(lower, '."();@$')}.${dot}`, octets: wire };
}
