// A limit of an account, as the proxy enforces it: a bucket of tokens that is full at first and refills evenly.

/** The refill a second, and what the bucket holds. */
export type BucketSize = { readonly perSecond: number; readonly size: number };

/** The function takes `count` tokens and returns true if the bucket has them at `atMs`, which must never decrease. */
export function tokenBucket({ perSecond, size }: BucketSize): (atMs: number, count?: number) => boolean {
  let tokens = size;
  let lastMs: number | null = null;
  return (atMs, count = 1) => {
    tokens = Math.min(size, tokens + ((atMs - (lastMs ?? atMs)) / 1_000) * perSecond);
    lastMs = atMs;
    if (tokens < count) return false;
    tokens -= count;
    return true;
  };
}
