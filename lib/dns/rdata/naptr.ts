// NAPTR (RFC 3403 §4.1): order, preference, three character strings (flags, services, regexp), and a replacement name.
// Exactly one of regexp and replacement is used. The other one is empty: "" or ".".
import { quote } from '../names/quote.ts';
import { formatString, STRING_OCTETS_MAX, splitTokens, stringWire, tokenOctets } from './character-string.ts';
import { joinFields, type ParsedRdata, readHost, readNumber } from './fields.ts';
import { wrongSubstitution } from './naptr-regexp.ts';

const EXPECTED = '<order> <preference> <flags> <services> <regexp> <replacement>';

export function parseNaptr(text: string, problems: string[]): ParsedRdata | null {
  const tokens = splitTokens(text, problems);
  if (tokens === null) return null;
  if (tokens.length !== 6) {
    problems.push(`expected ${quote(EXPECTED)}`);
    return null;
  }
  const [order, preference, flags, services, regexp, replacement] = tokens as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const before = problems.length;
  const fields = [
    readNumber(order, 'order', 2, problems),
    readNumber(preference, 'preference', 2, problems),
    readFlags(flags, problems),
    readString(services, 'services', problems),
    readRegexp(regexp, problems),
    readHost(replacement, 'replacement', true, problems),
  ];
  if (problems.length === before) checkOneOf(fields[4]?.text === '""', fields[5]?.text === '.', problems);
  return problems.length > before ? null : joinFields(fields);
}

function readFlags(token: string, problems: string[]): ParsedRdata | null {
  const flags = readString(token, 'flags', problems);
  if (flags === null || /^"[A-Za-z0-9]*"$/.test(flags.text)) return flags;
  problems.push(`flags ${quote(token)} must have only letters and digits`);
  return null;
}

function readRegexp(token: string, problems: string[]): ParsedRdata | null {
  const regexp = readString(token, 'regexp', problems);
  if (regexp === null) return null;
  const wrong = wrongSubstitution(Buffer.from(regexp.octets.subarray(1)).toString('latin1'));
  if (wrong === null) return regexp;
  problems.push(`regexp ${quote(token)} ${wrong} (RFC 3402 §3.2)`);
  return null;
}

function readString(token: string, field: string, problems: string[]): ParsedRdata | null {
  const octets = tokenOctets(token, field, problems);
  if (octets === null) return null;
  if (octets.length <= STRING_OCTETS_MAX) return { text: formatString(octets), octets: stringWire(octets) };
  problems.push(`${field} ${quote(token)} is ${octets.length} octets long, more than ${STRING_OCTETS_MAX}`);
  return null;
}

function checkOneOf(noRegexp: boolean, noReplacement: boolean, problems: string[]): void {
  if (noRegexp && noReplacement) problems.push('it has neither a regexp nor a replacement; one of them is required');
  if (!noRegexp && !noReplacement) {
    problems.push('it has both a regexp and a replacement; write "" as the regexp or "." as the replacement');
  }
}
