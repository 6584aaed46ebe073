// The regexp of a NAPTR is a substitution expression (RFC 3402 §3.2): delimiter, extended regular expression,
// delimiter, replacement, delimiter, flags. BIND refuses a whole zone if one is invalid, so the same is checked here:
// the three delimiters, the flags, brackets and repetitions, and that backreferences are to groups that exist.

/** An escape, a bracket expression, a bound, or any one character. */
const TOKENS = /\\.|\[\^?\]?(?:\[[:.=][^\]]*\]|[^\]])*\]|\{[0-9]+(?:,[0-9]*)?\}|./gs;

/** What is wrong with a substitution expression (octets as Latin-1); null if it is valid. An empty one is valid. */
export function wrongSubstitution(text: string): string | null {
  if (text === '') return null;
  const delimiter = text[0] as string;
  if (/[0-9\\i\0]/.test(delimiter)) return `begins with ${JSON.stringify(delimiter)}, which cannot be a delimiter`;
  const parts = splitAt(text.slice(1), delimiter);
  const [expression, replacement, flags] = parts;
  if (parts.length !== 3 || expression === undefined || replacement === undefined || flags === undefined) {
    return `must have its delimiter ${JSON.stringify(delimiter)} three times, as in !expression!replacement!`;
  }
  if (text.includes('\0')) return 'has a zero octet';
  if (!/^i*$/.test(flags)) return `has the flags "${flags}"; the only flag is "i"`;
  const groups = countGroups(expression);
  if (groups === null) return 'has an expression that is not an extended regular expression';
  const used = Math.max(0, ...[...replacement.matchAll(/\\(.)/gs)].map(([, digit]) => Number(digit) || 0));
  return used > groups ? `refers to group ${used}, but the number of groups in its expression is ${groups}` : null;
}

/** Splits at delimiters that have no backslash before them. */
function splitAt(text: string, delimiter: string): string[] {
  const pieces = [''];
  for (const token of text.match(/\\.|./gs) ?? []) {
    if (token === delimiter) pieces.push('');
    else pieces.push(`${pieces.pop() ?? ''}${token}`);
  }
  return pieces;
}

/**
 * The number of groups of an extended regular expression (POSIX 1003.1 §9.4). Null if it is invalid: a bracket is not
 * closed, a branch is empty, or a repetition follows nothing or another repetition. A bracket expression may begin with
 * "]" and may have [:classes:]. As in BIND, what POSIX leaves undefined is valid: "()", and a literal ")" or "{".
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
