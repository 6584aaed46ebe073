// How a text that is not ours stands in a message: in double quotes, on one line, and short. Every problem of lib/dns
// says the action, the quoted value, then the detail: `Cannot parse name "a..b.": label 2 is empty`.

/** Characters of a foreign text that a message shows at most. */
const SHOWN_CHARACTERS_MAX = 100;

/** The text in double quotes, control characters escaped, at most 100 characters of it. */
export function quote(text: string): string {
  const shown = text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX - 3)}...`;
  return `"${shown.replace(/\p{C}/gu, escapeCharacter)}"`;
}

/** `problems` as messages about one value: `Cannot parse <what> "<text>": <problem>`. */
export function cannotParse(what: string, text: string, problems: readonly string[]): string[] {
  return problems.map((problem) => `Cannot parse ${what} ${quote(text)}: ${problem}`);
}

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
