// Quotes untrusted text for messages: in double quotes, on one line, and shortened. Each problem of lib/dns says the
// action, the quoted value, and the detail: `Cannot parse name "a..b.": label 2 is empty`.

/** Maximum characters of a text in a message. */
const SHOWN_CHARACTERS_MAX = 100;

/** At most 100 characters of the text, in double quotes, with control characters escaped. */
export function quote(text: string): string {
  const shown = text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX - 3)}...`;
  return `"${escapeControls(shown)}"`;
}

/** The text on one line, with line ends and control characters escaped. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeCharacter);
}

/** `problems` as messages about one value: `Cannot parse <what> "<text>": <problem>`. */
export function cannotParse(what: string, text: string, problems: readonly string[]): string[] {
  return problems.map((problem) => `Cannot parse ${what} ${quote(text)}: ${problem}`);
}

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
