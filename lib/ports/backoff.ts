// The pauses between tries: the one formula of them.

/** The pause after so many failures: `first` after one, doubled with each further one, at most `max`; in its unit. */
export function backoff(first: number, max: number): (failures: number) => number {
  return (failures) => Math.min(max, first * 2 ** Math.max(0, failures - 1));
}
