// The octets of a word of a master file, whose characters are octets, and the text that lib/dns/rdata reads: any octet
// outside printable ASCII as `\DDD`.

const ESCAPE = /\\(?:([0-9]{3})|([^0-9]))|[^\\]/gs;

/** The octets that a word means; null if it has a bad escape. */
export function octetsOf(word: string): readonly number[] | null {
  if (!word.includes('\\')) return Array.from(word, (character) => character.charCodeAt(0));
  const octets: number[] = [];
  let length = 0;
  for (const [found, decimal, escaped] of word.matchAll(ESCAPE)) {
    length += found.length;
    octets.push(decimal === undefined ? (escaped ?? found).charCodeAt(0) : Number(decimal));
  }
  return length === word.length && octets.every((octet) => octet <= 255) ? octets : null;
}

/** A word with each octet that is not printable ASCII as `\DDD`. Its own escapes stay. */
export function inAscii(word: string): string {
  return word.replace(/\\[ -~]|\\?[^ -~]/g, (found) => {
    const last = found.charCodeAt(found.length - 1);
    return last >= 32 && last <= 126 ? found : `\\${String(last).padStart(3, '0')}`;
  });
}

/** A word as people read it: a file is mostly UTF-8. */
export function shownText(word: string): string {
  return Buffer.from(word, 'latin1').toString('utf8');
}
