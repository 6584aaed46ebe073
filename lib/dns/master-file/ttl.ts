// A number of seconds as BIND writes it: digits alone, or with the units w, d, h, m and s, such as 1h30m.

const UNITS: Readonly<Record<string, number>> = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 };
const SECONDS = /^(?:[0-9]{1,10}|(?:[0-9]{1,10}[wdhms])+)$/i;
/** Longer texts are no numbers of seconds. */
const CHARACTERS_MAX = 40;

/** The seconds; null if it is no such number. It may be more than a TTL can be. */
export function parseSeconds(text: string): number | null {
  if (text.length > CHARACTERS_MAX || !SECONDS.test(text)) return null;
  if (/^[0-9]+$/.test(text)) return Number(text);
  const parts = text.toLowerCase().match(/[0-9]+[a-z]/g) ?? [];
  return parts.reduce((sum, part) => sum + Number(part.slice(0, -1)) * (UNITS[part.slice(-1)] ?? 0), 0);
}
