// A name of a master file: "@", absolute with its last dot, or relative to the origin (RFC 1035 §5.1), with escapes.
import { canonicalOctets, readName } from '../names/name.ts';
import { quote } from '../names/quote.ts';
import { octetsOf, shownText } from './octets.ts';

/** What relative names are completed with; null: unknown. */
export type Origin = string | null;

/** Longer words are no names: 255 octets, each as an escape of four characters. */
const NAME_CHARACTERS_MAX = 1_020;

/** The canonical name, or what is wrong. Octets that no label of a Record has are a problem. */
export function completeName(
  word: string,
  origin: Origin,
): { readonly ok: true; readonly name: string } | { readonly ok: false; readonly problem: string } {
  const refused = (detail: string) => ({
    ok: false as const,
    problem: `Cannot parse name ${quote(shownText(word))}: ${detail}`,
  });
  if (word.length > NAME_CHARACTERS_MAX) return refused('it is longer than any name');
  const whole = absolute(word, origin);
  if (whole === null) return refused('it is relative, and the origin is not known; write $ORIGIN or --origin');
  if (whole === '.') return { ok: true, name: '.' };
  const read: string[] = [];
  for (const label of splitLabels(whole)) {
    const octets = octetsOf(label);
    if (octets === null) return refused('it has a bad escape; write "\\" with three digits, from \\000 to \\255');
    read.push(canonicalOctets(octets));
  }
  const name = readName(read.join('.'), { wildcard: true });
  if (name.ok) return name;
  return refused(hint(word) ?? name.problems.join('; '));
}

/** True for a name with its last dot, which is no part of an escape. */
export function isAbsolute(word: string): boolean {
  const [, backslashes = ''] = /(\\*)\.$/.exec(word) ?? [];
  return word.endsWith('.') && backslashes.length % 2 === 0;
}

function absolute(word: string, origin: Origin): string | null {
  if (word === '@') return origin;
  if (isAbsolute(word)) return word;
  return origin === null ? null : `${word}.${origin === '.' ? '' : origin}`;
}

/** The labels between dots without a backslash; the last one is empty. */
function splitLabels(name: string): readonly string[] {
  return name.includes('\\') ? name.split(/(?<=(?:^|[^\\])(?:\\\\)*)\./) : name.split('.');
}

/** How to write a name with characters outside ASCII; null if it has none, or is no name in any form. */
function hint(word: string): string | null {
  if (!/[^ -~]/.test(word)) return null;
  const name = readName(shownText(word), { wildcard: true });
  return name.ok ? `a master file has octets, and no characters outside ASCII; write ${name.name.slice(0, -1)}` : null;
}
