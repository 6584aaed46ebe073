// Names and values in Route 53's form, which has octal escapes where zone files have decimal ones.
import { canonicalOctets, octalEscape } from '../dns/names/name.ts';
import { inViewOf, realName } from '../dns/names/view.ts';
import { decimalToOctal, octalToDecimal } from '../dns/rdata/character-string.ts';
import { parseRdata } from '../dns/rdata/rdata.ts';

/** A name in Route 53's form: all but a-z, 0-9, "-", "_" and dots as `\ooo` ("DNS domain name format"). */
export function formatRoute53Name(name: string): string {
  return name.replace(/\\[0-7]{3}|[^a-z0-9._-]/g, (found) => (found.length === 4 ? found : octalEscape(found)));
}

/**
 * The canonical name for one from Route 53. Characters that zone53 never writes stay `\\ooo`. The mark of a view stays:
 * Route 53 itself never shows one.
 */
export function parseRoute53Name(text: string): string {
  const name = realName(text).replace(
    /\\([0-7]{3})|\\(.)|[^a-z0-9._*/-]/gsu,
    (found, octal?: string, escaped?: string) =>
      octal === undefined
        ? canonicalOctets(Buffer.from(escaped ?? found, 'utf8'))
        : canonicalOctets([Number.parseInt(octal, 8) & 0xff]),
  );
  return inViewOf(text, name.endsWith('.') ? name : `${name}.`);
}

/** The types with character strings, which have octal escapes in Route 53 and decimal ones in zone files. */
const WITH_STRINGS: ReadonlySet<string> = new Set(['CAA', 'HTTPS', 'NAPTR', 'SPF', 'SVCB', 'TXT']);

/** The value of a ResourceRecord for canonical rdata ("Supported DNS record types" of the developer guide). */
export function formatRoute53Rdata(type: string, rdata: string): string {
  return WITH_STRINGS.has(type) ? decimalToOctal(rdata) : rdata;
}

/** Canonical rdata for a value from Route 53. Never throws: a value that cannot be parsed is returned unchanged. */
export function parseRoute53Rdata(type: string, value: string): string {
  const text = WITH_STRINGS.has(type) ? octalToDecimal(value) : nameCharacters(value);
  const parsed = text === null ? null : parseRdata(type, text);
  return parsed?.ok === true ? parsed.rdata : value;
}

/** Replaces octal escapes of characters that need none in names, such as `\057` for "/". */
function nameCharacters(value: string): string {
  return value.replace(/\\([0-7]{3})/g, (found, octal: string) => {
    const character = String.fromCharCode(Number.parseInt(octal, 8));
    return /^[A-Za-z0-9_/-]$/.test(character) ? character : found;
  });
}
