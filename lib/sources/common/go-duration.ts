// Parses durations of Go: numbers with units, such as 1m30s or 1.5h (Go documentation, time.ParseDuration).

const UNIT_NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const SECOND = UNIT_NANOSECONDS.s as bigint;

const PART = /([0-9]*)(?:\.([0-9]*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
/** The most characters of a duration. No duration that somebody writes is longer. */
const CHARACTERS_MAX = 100;

/** Whole seconds, rounded down; null for a text that is not a duration, or a negative one. */
export function parseDurationSeconds(text: string): number | null {
  const body = text.startsWith('+') ? text.slice(1) : text;
  if (body === '0') return 0;
  if (body === '' || body.length > CHARACTERS_MAX) return null;
  let nanoseconds = 0n;
  for (let index = 0; index < body.length; ) {
    PART.lastIndex = index;
    const part = PART.exec(body);
    if (part === null) return null;
    const [whole, units = '', fraction = '', unit] = part as unknown as [string, string?, string?, string?];
    if (units === '' && fraction === '') return null;
    const size = UNIT_NANOSECONDS[unit as string] as bigint;
    nanoseconds += BigInt(units === '' ? '0' : units) * size;
    if (fraction !== '') nanoseconds += (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
    index += whole.length;
  }
  return Number(nanoseconds / SECOND);
}
