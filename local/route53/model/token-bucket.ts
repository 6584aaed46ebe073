// The token buckets of an account since July 2026: of requests, of requests of some actions, and of record changes. A
// request that finds one of them empty takes from none, and is answered with `Throttling`, which does not say which it
// was. Source: Developer Guide, "Throttling for Amazon Route 53 API requests", with the table of single actions. The
// size of the bucket of changes is not published. Last verified 2026-11-29.

/** Milliseconds since the epoch. */
export type Clock = { nowMs(): number };

/** What a bucket holds at most, and how quickly it fills. */
type BucketLimit = { readonly perSecond: number; readonly size: number };

/** The limits of an account; null: none of that kind. Without a limit of requests, single actions have none either. */
export type Route53Limits = { readonly requests: BucketLimit | null; readonly changes: BucketLimit | null };

/** As in AWS, as far as it is known. */
export const DEFAULT_LIMITS: Route53Limits = { requests: { perSecond: 10, size: 50 }, changes: null };

/** Actions whose own bucket is smaller than that of the account. */
const ACTIONS: Readonly<Record<string, BucketLimit>> = {
  CreateHostedZone: { perSecond: 2, size: 40 },
  DeleteHostedZone: { perSecond: 5, size: 40 },
  AssociateVPCWithHostedZone: { perSecond: 5, size: 20 },
  DisassociateVPCFromHostedZone: { perSecond: 5, size: 10 },
  CreateHealthCheck: { perSecond: 0.5, size: 50 },
  DeleteHealthCheck: { perSecond: 3, size: 15 },
  GetHealthCheckStatus: { perSecond: 1, size: 4 },
};

export type Throttle = {
  /** Takes what a request of this action costs, or says false. */
  take(action: string, changes: number): boolean;
};

type Bucket = { readonly limit: BucketLimit; tokens: number; filledAtMs: number };

/** The buckets of an account, all full; null: no limits. */
export function throttle(limits: Route53Limits | null, clock: Clock): Throttle {
  const full = (limit: BucketLimit): Bucket => ({ limit, tokens: limit.size, filledAtMs: clock.nowMs() });
  const { requests = null, changes = null } = limits ?? {};
  const ofRequests = requests === null ? null : full(requests);
  const ofChanges = changes === null ? null : full(changes);
  const ofActions = new Map(Object.entries(requests === null ? {} : ACTIONS).map(([name, one]) => [name, full(one)]));
  const fill = (bucket: Bucket) => {
    const nowMs = clock.nowMs();
    const { perSecond, size } = bucket.limit;
    bucket.tokens = Math.min(size, bucket.tokens + (Math.max(0, nowMs - bucket.filledAtMs) * perSecond) / 1_000);
    bucket.filledAtMs = nowMs;
  };
  return {
    take: (action, count) => {
      const asked: readonly (readonly [Bucket | null | undefined, number])[] = [
        [ofRequests, 1],
        [ofActions.get(action), 1],
        [ofChanges, count],
      ];
      const costs = asked.flatMap(([bucket, cost]) => (bucket == null || cost === 0 ? [] : [{ bucket, cost }]));
      for (const { bucket } of costs) fill(bucket);
      if (costs.some(({ bucket, cost }) => bucket.tokens < cost)) return false;
      for (const { bucket, cost } of costs) bucket.tokens -= cost;
      return true;
    },
  };
}
