// The account's request budget: a bucket that holds the requests of one second and fills evenly. A request that meets
// an empty bucket is answered with `Throttling`, which the SDK retries with backoff.

/** Milliseconds since the epoch. */
export type Clock = { nowMs(): number };

export type TokenBucket = { /** Takes one request out, or says false. */ take(): boolean };

/** A bucket of `perSecond` requests; null is a bucket that is never empty. */
export function tokenBucket(perSecond: number | null, clock: Clock): TokenBucket {
  if (perSecond === null) return { take: () => true };
  let tokens = perSecond;
  let filledAtMs = clock.nowMs();
  return {
    take: () => {
      const nowMs = clock.nowMs();
      tokens = Math.min(perSecond, tokens + (Math.max(0, nowMs - filledAtMs) * perSecond) / 1000);
      filledAtMs = nowMs;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
