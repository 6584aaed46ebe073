// The regexp of a NAPTR is a substitution expression (RFC 3402 §3.2): delimiter, extended regular expression,
// delimiter, replacement, delimiter, flags. BIND refuses a whole zone for one that is not, so the same is checked here:
// the three delimiters, the flags, its brackets and repetitions, and backreferences to groups that exist.

/** An escape, a bracket expression, a bound, or any one character. */
const TOKENS = /\\.|\[\^?\]?(?:\[[:.=][^\]]*\]|[^\]])*\]|\{[0-9]+(?:,[0-9]*)?\}|./gs;

/** What is wrong with a substitution expression, its octets as Latin-1; null when nothing is. Empty is "none". */
export function wrongSubstitution(text: string): string | null {
  if (text === '') return null;
  const delimiter = text[0] as string;
  if (/[0-9\\i\0]/.test(delimiter)) return `begins with ${JSON.stringify(delimiter)}, which cannot be its delimiter`;
  const parts = splitAt(text.slice(1), delimiter);
  const [expression, replacement, flags] = parts;
  if (parts.length !== 3 || expression === undefined || replacement === undefined || flags === undefined) {
    return `must have its delimiter ${JSON.stringify(delimiter)} three times, as in !expression!replacement!`;
  }
  if (text.includes('\0')) return 'has a zero octet';
  if (!/^i*$/.test(flags)) return `has the flags "${flags}"; the only one there is, is "i"`;
  const groups = countGroups(expression);
  if (groups === null) return 'has an expression that is not an extended regular expression';
  const used = Math.max(0, ...[...replacement.matchAll(/\\(.)/gs)].map(([, digit]) => Number(digit) || 0));
  return used > groups ? `refers to group ${used}, and its expression has ${groups}` : null;
}

/** Pieces between delimiters that no backslash stands before. */
function splitAt(text: string, delimiter: string): string[] {
  const pieces = [''];
  for (const token of text.match(/\\.|./gs) ?? []) {
    if (token === delimiter) pieces.push('');
    else pieces.push(`${pieces.pop() ?? ''}${token}`);
  }
  return pieces;
}

/**
 * Groups of an extended regular expression (POSIX 1003.1 §9.4); null where it is none: brackets left open, an empty
 * branch, a repetition of nothing or of a repetition. A bracket expression may begin with "]" and hold [:classes:].
 * What POSIX leaves undefined is let through, as BIND does: "()", and ")" or "{" standing for themselves.
 */
function countGroups(expression: string): number | null {
  let [groups, open] = [0, 0];
  let before: 'nothing' | 'group' | 'atom' | 'done' = 'nothing';
  for (const token of expression.match(TOKENS) ?? []) {
    const repeats = /^(?:[*+?]|\{.+)$/s.test(token);
    if (token === '[' || token === '\\' || (repeats && before !== 'atom')) return null;
    if (token === '(') {
      groups += 1;
      open += 1;
    }
    if (token === ')' && open > 0) {
      if (before === 'nothing') return null;
      open -= 1;
    }
    if (token === '|' && (before === 'nothing' || before === 'group')) return null;
    before = stateAfter(token, repeats);
  }
  return open === 0 && before !== 'nothing' ? groups : null;
}

function stateAfter(token: string, repeats: boolean): 'nothing' | 'group' | 'atom' | 'done' {
  if (token === '(') return 'group';
  if (token === '|') return 'nothing';
  return repeats || token === '^' || token === '$' ? 'done' : 'atom';
}
