// The account's limit as the proxy keeps it: so many calls may be accepted in any second that slides; what comes above
// is turned away and not counted against the second.

const WINDOW_MS = 1_000;

/** True when one more call at that moment, in milliseconds, is within the limit; moments never go back. */
export function callWindow(callsPerSecond: number): (atMs: number) => boolean {
  const accepted: number[] = [];
  return (atMs) => {
    while (accepted.length > 0 && (accepted[0] ?? 0) <= atMs - WINDOW_MS) accepted.shift();
    if (accepted.length >= callsPerSecond) return false;
    accepted.push(atMs);
    return true;
  };
}
