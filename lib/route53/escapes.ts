// Names and values as Route 53 writes them: escapes in octal, where zone files write them in decimal.
import { canonicalOctets, octalEscape } from '../dns/names/name.ts';
import { decimalToOctal, octalToDecimal } from '../dns/rdata/character-string.ts';
import { parseRdata } from '../dns/rdata/rdata.ts';

/** Route 53's form: all but a-z, 0-9, "-", "_" and dots as octal `\ooo` ("DNS domain name format" of its guide). */
export function formatRoute53Name(name: string): string {
  return name.replace(/\\[0-7]{3}|[^a-z0-9._-]/g, (found) => (found.length === 4 ? found : octalEscape(found)));
}

/** The canonical name of what Route 53 shows, or of the same text unescaped. What we never write stays `\ooo`. */
export function parseRoute53Name(text: string): string {
  const name = text.replace(/\\([0-7]{3})|\\(.)|[^a-z0-9._*/-]/gsu, (found, octal?: string, escaped?: string) =>
    octal === undefined
      ? canonicalOctets(Buffer.from(escaped ?? found, 'utf8'))
      : canonicalOctets([Number.parseInt(octal, 8) & 0xff]),
  );
  return name.endsWith('.') ? name : `${name}.`;
}

/** Types with character strings, where Route 53 escapes in octal what zone files escape in decimal. */
const WITH_STRINGS: ReadonlySet<string> = new Set(['CAA', 'HTTPS', 'NAPTR', 'SPF', 'SVCB', 'TXT']);

/** The value of a ResourceRecord from canonical rdata ("Supported DNS record types" of the developer guide). */
export function formatRoute53Rdata(type: string, rdata: string): string {
  return WITH_STRINGS.has(type) ? decimalToOctal(rdata) : rdata;
}

/** Canonical rdata out of a value of Route 53. Never throws: what does not parse comes back as it stands. */
export function parseRoute53Rdata(type: string, value: string): string {
  const text = WITH_STRINGS.has(type) ? octalToDecimal(value) : nameCharacters(value);
  const parsed = text === null ? null : parseRdata(type, text);
  return parsed?.ok === true ? parsed.rdata : value;
}

/** Octal escapes of what names may hold unescaped, such as `\057` for "/". */
function nameCharacters(value: string): string {
  return value.replace(/\\([0-7]{3})/g, (found, octal: string) => {
    const character = String.fromCharCode(Number.parseInt(octal, 8));
    return /^[A-Za-z0-9_/-]$/.test(character) ? character : found;
  });
}
