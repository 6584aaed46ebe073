// The order of sort keys: DynamoDB compares strings by their UTF-8 octets, JavaScript by UTF-16 code units. The two
// differ where a character beyond U+FFFF (a surrogate pair) meets one of U+E000 to U+FFFF, and only there.

/** Compares two strings by their UTF-8 octets, without encoding them. Lone surrogates sort above all else. */
export function compareSortKeys(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return octetRank(left) - octetRank(right);
  }
  return a.length - b.length;
}

/** Moves surrogates above U+E000 to U+FFFF, as the octets of the characters that they are halves of are. */
function octetRank(codeUnit: number): number {
  if (codeUnit < 0xd800) return codeUnit;
  return codeUnit >= 0xe000 ? codeUnit - 0x800 : codeUnit + 0x2000;
}
