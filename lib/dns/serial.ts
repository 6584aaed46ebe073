// SOA serials: YYYYMMDDnn (RFC 1912 §2.2) by the date in UTC. They are compared as in RFC 1982 and only increase. After
// more than 99 changes in a day they use numbers of the next days, until the date has caught up.

const SERIALS = 2 ** 32;

/** The serial after `previous` (null: none) at `nowMs`, milliseconds since the epoch. Always later than `previous`. */
export function nextSerial(previous: number | null, nowMs: number): number {
  const today = serialOfDate(nowMs);
  if (previous === null || compareSerials(previous, today) < 0) return today;
  return (previous + 1) % SERIALS;
}

/** Compares serials (RFC 1982 §3.2): <0, 0 or >0; NaN where the RFC leaves it undefined, 2^31 apart. */
export function compareSerials(a: number, b: number): number {
  if (a === b) return 0;
  const ahead = (b - a + SERIALS) % SERIALS;
  if (ahead === SERIALS / 2) return Number.NaN;
  return ahead < SERIALS / 2 ? -1 : 1;
}

function serialOfDate(nowMs: number): number {
  const date = new Date(nowMs);
  return (date.getUTCFullYear() * 1_000_000 + (date.getUTCMonth() + 1) * 10_000 + date.getUTCDate() * 100) % SERIALS;
}
