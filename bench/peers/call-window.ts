// The account's limit of calls, as the proxy enforces it: at most so many accepted calls in any second (a sliding
// window). A call above the limit is refused and does not count.

const WINDOW_MS = 1_000;

/** The function returns true when one more call at `atMs` is within the limit. `atMs` must never decrease. */
export function callWindow(callsPerSecond: number): (atMs: number) => boolean {
  const accepted: number[] = [];
  return (atMs) => {
    while (accepted.length > 0 && (accepted[0] ?? 0) <= atMs - WINDOW_MS) accepted.shift();
    if (accepted.length >= callsPerSecond) return false;
    accepted.push(atMs);
    return true;
  };
}
