// Splits a Route 53 value into its fields at blanks. A quoted string stays whole, with its quotes, and so does `key="a
// b"` of an SVCB. Escapes stay until a field is read as a string of octets.

/** The fields of a value. Throws when a quote is left open. */
export function tokensOf(value: string): string[] {
  const tokens: string[] = [];
  const token = /\s*((?:"(?:\\.|[^"\\])*"|\\.|[^\s"\\])+)/gy;
  let end = 0;
  for (let match = token.exec(value); match !== null; match = token.exec(value)) {
    tokens.push(...splitAdjacent(match[1] ?? ''));
    end = token.lastIndex;
  }
  if (value.slice(end).trim() !== '') throw new Error('a quotation mark is left open');
  return tokens;
}

/** `"a""b"` is two strings, without a blank between them; `alpn="h2"` is one field. */
function splitAdjacent(token: string): string[] {
  return token.startsWith('"') ? (token.match(/"(?:\\.|[^"\\])*"|[^"]+/g) ?? []) : [token];
}

/** The octets of a field without its quotes. `\ooo` is an octal escape; any other `\c` is the character itself. */
export function octetsOfString(field: string): Buffer {
  const inner = field.startsWith('"') ? field.slice(1, -1) : field;
  const text = inner.replace(/\\(?:([0-3][0-7]{2})|(.))/g, (_, octal: string | undefined, char: string) =>
    octal === undefined ? char : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  if (/[^\0-\xff]/.test(text)) throw new Error('a character beyond octets must be escaped');
  return Buffer.from(text, 'latin1');
}
