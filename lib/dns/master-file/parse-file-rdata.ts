// Canonical rdata for the words of a master file: names become absolute, seconds lose their units, and each word of a
// text becomes one string.
import { STRING_OCTETS_MAX } from '../rdata/character-string.ts';
import { parseRdata } from '../rdata/rdata.ts';
import { completeName, isAbsolute, type Origin } from './complete-name.ts';
import { isGeneric, readGeneric } from './generic-rdata.ts';
import { inAscii, octetsOf } from './octets.ts';
import { type Field, layoutOf } from './rdata-layout.ts';
import type { Word } from './split-entries.ts';
import { parseSeconds } from './ttl.ts';

export type FileRdata =
  | { readonly ok: true; readonly rdata: string }
  | { readonly ok: false; readonly problem: string };

/** The rdata of `type`, one that Route 53 has. */
export function parseFileRdata(type: string, words: readonly Word[], origin: Origin): FileRdata {
  const cannot = (problem: string) => ({ ok: false as const, problem: `Cannot parse ${type} rdata: ${problem}` });
  if (words.length === 0) return cannot('it is missing');
  const problems: string[] = [];
  const text = rdataText(type, words, origin, problems);
  if (problems.length > 0 || text === null) return cannot(problems.join('; '));
  const parsed = parseRdata(type, text);
  return parsed.ok ? parsed : { ok: false, problem: parsed.problems.join('; ') };
}

function rdataText(type: string, words: readonly Word[], origin: Origin, problems: string[]): string | null {
  if (isGeneric(words[0])) {
    const generic = readGeneric(type, words.slice(1));
    if (!generic.ok) problems.push(generic.problem);
    return generic.ok ? generic.text : null;
  }
  const layout = layoutOf(type);
  const last = layout.at(-1);
  return words
    .map((word, index) => {
      const field = layout[Math.min(index, layout.length - 1)] ?? 'rest';
      // A parameter of SVCB is one word: alpn="h2".
      const space = index === 0 || (last === 'params' && word.glued) ? '' : ' ';
      return `${space}${wordText(field, word, origin, problems)}`;
    })
    .join('');
}

function wordText(field: Field, word: Word, origin: Origin, problems: string[]): string {
  const { text, quoted } = word;
  if (field === 'name' && !quoted) return nameText(text, origin, problems);
  if (field === 'time' && !quoted) return String(parseSeconds(text) ?? text);
  const ascii = inAscii(text);
  if (field !== 'strings') return quoted ? `"${ascii}"` : ascii;
  const octets = octetsOf(text)?.length ?? 0;
  if (octets > STRING_OCTETS_MAX) problems.push(`a string has ${octets} octets, more than ${STRING_OCTETS_MAX}`);
  return `"${ascii}"`;
}

/** A name that no host has stays as it is, with its escapes: it may be a mailbox, or the type says what is wrong. */
function nameText(text: string, origin: Origin, problems: string[]): string {
  const name = completeName(text, origin);
  if (name.ok) return name.name;
  if (text.includes('\\') && isAbsolute(text)) return inAscii(text);
  if (text.includes('\\') && origin !== null) return `${inAscii(text)}.${origin === '.' ? '' : origin}`;
  problems.push(name.problem);
  return text;
}
