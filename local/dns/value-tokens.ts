// A Route 53 value cut into its fields: at blanks, quoted strings kept whole with their quotes, and `key="a b"` of an
// SVCB kept together. Escapes are left in until a field is read as a string of octets.

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

/** `"a""b"` is two strings without a blank between; `alpn="h2"` is one field. */
function splitAdjacent(token: string): string[] {
  return token.startsWith('"') ? (token.match(/"(?:\\.|[^"\\])*"|[^"]+/g) ?? []) : [token];
}

/** The octets of a field, its quotes (if any) and escapes taken away: `\ooo` octal, else the character after it. */
export function octetsOfString(field: string): Buffer {
  const inner = field.startsWith('"') ? field.slice(1, -1) : field;
  const text = inner.replace(/\\(?:([0-3][0-7]{2})|(.))/g, (_, octal: string | undefined, char: string) =>
    octal === undefined ? char : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  if (/[^\0-\xff]/.test(text)) throw new Error('a character beyond octets must be escaped');
  return Buffer.from(text, 'latin1');
}
