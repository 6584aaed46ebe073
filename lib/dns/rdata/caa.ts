// CAA (RFC 8659 §4.1): flags, a tag of letters and digits, and a value, with or without quotes. The canonical form has
// quotes. The value is not a character string: it may be longer than 255 octets.
import { quote } from '../names/quote.ts';
import { formatString, isQuoted, splitTokens, tokenOctets } from './character-string.ts';
import { joinFields, type ParsedRdata, readNumber } from './fields.ts';

/** Maximum characters of a tag: its length field has 8 bits. */
const TAG_OCTETS_MAX = 255;

export function parseCaa(text: string, problems: string[]): ParsedRdata | null {
  const tokens = splitTokens(text, problems);
  if (tokens === null) return null;
  const [flags, tag, value, ...more] = tokens;
  if (flags === undefined || tag === undefined || value === undefined || more.length > 0) {
    problems.push('expected "<flags> <tag> <value>"; a value with spaces needs quotes');
    return null;
  }
  return joinFields([readNumber(flags, 'flags', 1, problems), readTag(tag, problems), readValue(value, problems)]);
}

function readTag(tag: string, problems: string[]): ParsedRdata | null {
  if (isQuoted(tag) || !/^[A-Za-z0-9]+$/.test(tag) || tag.length > TAG_OCTETS_MAX) {
    problems.push(
      `tag ${quote(tag)} must be 1 to ${TAG_OCTETS_MAX} letters and digits, such as issue, issuewild or iodef`,
    );
    return null;
  }
  // The case of a tag does not matter (RFC 8659 §4.1), so the canonical form is lower case.
  const text = tag.toLowerCase();
  return { text, octets: Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]) };
}

function readValue(value: string, problems: string[]): ParsedRdata | null {
  const octets = tokenOctets(value, 'value', problems);
  return octets === null ? null : { text: formatString(octets), octets };
}
