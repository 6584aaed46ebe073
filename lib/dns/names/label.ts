// Parses one label of a domain name: its characters, its length, its form in ASCII. A label with characters outside
// ASCII is converted by the WHATWG URL rules (UTS #46). The result must be exactly one label.
import { domainToASCII } from 'node:url';
import { quote } from './quote.ts';

/** Maximum octets of a label (RFC 1035 §2.3.4). */
export const LABEL_OCTETS_MAX = 63;

export type LabelResult =
  | { readonly ok: true; readonly label: string }
  | { readonly ok: false; readonly detail: string };

const LETTERS_DIGITS = 'letters, digits, "-", "_" and "/"';

/** Parses one label to its canonical form. `detail` completes a sentence such as "label 2 …". */
export function parseLabel(text: string): LabelResult {
  if (text === '') return refused('is empty');
  return /^\p{ASCII}*$/u.test(text) ? parseAsciiLabel(text) : parseUnicodeLabel(text);
}

function parseAsciiLabel(text: string): LabelResult {
  const bad = foreignCharacter(text, /[A-Za-z0-9_/-]/);
  if (bad !== null)
    return refused(`${quote(text)} has the character ${quote(bad)}; a label may only have ${LETTERS_DIGITS}`);
  return fitting(text, text.toLowerCase());
}

/** The first character of `text` that `allowed` does not match; null if all are allowed. */
export function foreignCharacter(text: string, allowed: RegExp): string | null {
  for (const character of text) if (!allowed.test(character)) return character;
  return null;
}

function parseUnicodeLabel(text: string): LabelResult {
  // domainToASCII parses a URL host and silently stops at "/" or "#", so the ASCII characters are checked first.
  const bad = foreignCharacter(text, /[A-Za-z0-9_-]|\P{ASCII}/u);
  if (bad !== null) {
    return refused(
      `${quote(text)} has the character ${quote(bad)} and characters outside ASCII; such a label may only have letters, digits, "-" and "_"`,
    );
  }
  // Node leaves some sequences unnormalised, such as "ê" with a dot below of its own; UTS #46 wants NFC. A host that
  // ends in a number would be parsed as an IPv4 address. The added label "a" prevents that.
  const ascii = text.isWellFormed() ? domainToASCII(`${text.normalize('NFC')}.a`) : '';
  const label = ascii.endsWith('.a') ? ascii.slice(0, -2) : '';
  if (label === '') return refused(`${quote(text)} is not a valid internationalised label (WHATWG URL, UTS #46)`);
  if (label.includes('.'))
    return refused(`${quote(text)} has a character that counts as a dot; write "." between labels`);
  const left = foreignCharacter(label, /[a-z0-9_-]/);
  if (left !== null) return refused(`${quote(text)} becomes ${quote(label)}, which has the character ${quote(left)}`);
  return fitting(text, label);
}

function fitting(text: string, label: string): LabelResult {
  if (label.length <= LABEL_OCTETS_MAX) return { ok: true, label };
  const became = label === text.toLowerCase() ? '' : ` as ${quote(label)}`;
  return refused(`${quote(text)} is ${label.length} octets long${became}, more than ${LABEL_OCTETS_MAX}`);
}

function refused(detail: string): LabelResult {
  return { ok: false, detail };
}
