// How long a compare-and-swap is tried, and what it ends in.
/** How often a compare-and-swap is tried before giving up: contention on one item is two or three writers, never fifty. */
export const SWAP_ATTEMPTS_MAX = 50;

/** A write that kept losing its compare-and-swap: the message is redelivered. */
export class LedgerContentionError extends Error {
  constructor(what: string) {
    super(`Cannot write ${what}: somebody else wrote it ${SWAP_ATTEMPTS_MAX} times meanwhile`);
    this.name = 'LedgerContentionError';
  }
}
