// Patterns that match names, for delegations and roots:
//
//   ends in a dot | absolute               "*.example.org."
//   ends in "@"   | "@" is the Zone's fqdn "@", "www.@"; "*.@" matches names below it, not itself
//   otherwise     | the fqdn is appended   "www" is "www.@"
//
// A label that is only "*" matches exactly one label; as the first label it matches one or more. "*" inside a label
// matches zero or more characters of that label. Matching never backtracks.
import { foreignCharacter, LABEL_OCTETS_MAX, parseLabel } from './label.ts';
import { isAtOrBelow, labelsOf, NAME_OCTETS_MAX, nameOctets } from './name.ts';
import { cannotParse, quote } from './quote.ts';
import { realName } from './view.ts';

/** A valid pattern. `labels`: leftmost first, without those of the Zone. `text`: the pattern as written. */
export type Pattern = { readonly text: string; readonly absolute: boolean; readonly labels: readonly string[] };

export type PatternResult =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly problems: string[] };

/** Parses a pattern of a delegation, or returns all problems. */
export function parsePattern(text: string): PatternResult {
  if (text === '.') return { ok: true, pattern: { text, absolute: true, labels: [] } };
  const absolute = text.endsWith('.');
  const written = (absolute ? text.slice(0, -1) : text).split('.');
  const ofZone = !absolute && written.at(-1) === '@';
  return parseLabels(text, absolute, ofZone ? written.slice(0, -1) : written);
}

/** Parses a pattern of the operator's roots, or returns all problems. It is absolute, with or without the last dot. */
export function parseRootPattern(text: string): PatternResult {
  if (text === '' || text.endsWith('.')) return parsePattern(text);
  return parseLabels(text, true, text.split('.'));
}

function parseLabels(text: string, absolute: boolean, written: readonly string[]): PatternResult {
  if (text === '') return { ok: false, problems: cannotParse('pattern', text, ['it is empty']) };
  const problems: string[] = [];
  const labels = written.map((label, index) => parsePatternLabel(label, index, absolute, problems));
  const octets = nameOctets(`${labels.join('.').replaceAll('*', '')}.`);
  if (problems.length === 0 && octets > NAME_OCTETS_MAX) {
    problems.push(`it is ${octets} octets long, more than ${NAME_OCTETS_MAX}, so no name can match it`);
  }
  if (problems.length > 0) return { ok: false, problems: cannotParse('pattern', text, problems) };
  return { ok: true, pattern: { text, absolute, labels } };
}

function parsePatternLabel(text: string, index: number, absolute: boolean, problems: string[]): string {
  if (text.includes('@')) {
    const why = absolute ? 'which has no meaning in an absolute pattern' : 'which may only be the whole last label';
    problems.push(`label ${index + 1} has a "@", ${why}`);
    return text;
  }
  if (!text.includes('*')) {
    const parsed = parseLabel(text);
    if (parsed.ok) return parsed.label;
    problems.push(`label ${index + 1} ${parsed.detail}`);
    return text;
  }
  const bad = foreignCharacter(text, /[A-Za-z0-9_/*-]/);
  if (bad !== null) {
    problems.push(
      `label ${index + 1} ${quote(text)} has the character ${quote(bad)} beside a "*"; such a label may only have letters, digits, "-", "_", "/" and "*"`,
    );
  }
  const octets = text.replaceAll('*', '').length;
  if (octets > LABEL_OCTETS_MAX) {
    problems.push(
      `label ${index + 1} ${quote(text)} is ${octets} octets long without "*", more than ${LABEL_OCTETS_MAX}`,
    );
  }
  // Several stars mean the same as two. They must not become one, because a label that is only "*" has its own meaning.
  return text.toLowerCase().replace(/\*{3,}/g, '**');
}

/** The pattern of this Zone with its last dot, as an absolute one. */
export function patternMeaning({ absolute, labels }: Pattern, zoneFqdn: string): string {
  const below = labels.length === 0 ? '' : `${labels.join('.')}.`;
  return absolute || zoneFqdn === '.' ? below || '.' : `${below}${zoneFqdn}`;
}

/**
 * True when the pattern of the Zone `zoneFqdn` matches `fqdn`. Both names are canonical, and of one view: an absolute
 * pattern is of the view of its Zone.
 */
export function matchesPattern(pattern: Pattern, fqdn: string, zoneFqdn: string): boolean {
  if (!pattern.absolute && !isAtOrBelow(fqdn, zoneFqdn)) return false;
  const names = labelsOf(pattern.absolute ? realName(fqdn) : fqdn);
  if (!pattern.absolute) names.length -= labelsOf(zoneFqdn).length;
  const { labels } = pattern;
  const surplus = names.length - labels.length;
  if (surplus < 0 || (surplus > 0 && labels[0] !== '*')) return false;
  // A first label "*" matches the surplus labels, so every other label is compared with exactly one.
  return labels.every((label, index) => label === '*' || matchesLabel(label, names[index + surplus] as string));
}

/** Finds the pieces between stars from left to right. The first and the last must be at the ends. */
function matchesLabel(pattern: string, label: string): boolean {
  const pieces = pattern.split('*');
  if (pieces.length === 1) return pattern === label;
  const first = pieces[0] as string;
  const last = pieces[pieces.length - 1] as string;
  const end = label.length - last.length;
  if (end < first.length || !label.startsWith(first) || !label.endsWith(last)) return false;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = label.indexOf(piece, from);
    if (found < 0 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return true;
}
