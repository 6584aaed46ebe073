// I28: small buckets. A crowd of names is created, then changed, through an account that takes few requests and record
// changes at once, and of which a rival takes a part. The budget is the real one (call-budget.ts), so that it learns.
// Nothing else fails, so what is counted is what the limits alone cost.
import { callBudget } from '../../lib/adapters/route53/call-budget.ts';
import type { RecordSetChange } from '../../lib/dns/record-set.ts';
import { DEFAULT_BUDGET } from '../../lib/ports/budget-limits.ts';
import type { BatchOutcome, HostedZones } from '../../lib/ports/hosted-zones.ts';
import { throttle } from '../../local/route53/model/token-bucket.ts';
import {
  APEX,
  dirtyNames,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  want,
  wanted,
} from '../fakes/publish-world.ts';
import type { Violation } from './auditor.ts';
import { type Random, randomOf } from './random.ts';

/** One seed in so many. */
const EVERY = 120;
const AT = 5;
/** The bucket's size, and the most names: their changes are some more than the bucket holds. */
const BUCKETS = [
  { size: 1, names: 12 },
  { size: 50, names: 90 },
  { size: 500, names: 400 },
  { size: 1_000, names: 600 },
  { size: null, names: 300 },
] as const;
/** Calls that find out the size, besides those that the changes need. */
const FINDING_MAX = 10;
/** A run is repeated after its pause, so often. */
const RUNS_MAX = 100;
const REQUESTS = { perSecond: 10, size: 50 };

type Limits = {
  readonly random: Random;
  readonly size: number | null;
  readonly perSecond: number;
  /** What the rival takes of the refill. */
  readonly rivalShare: number;
  readonly names: number;
};

/** Null for the seeds that have none. */
export function limitsOf(seed: number): Limits | null {
  if (seed % EVERY !== AT) return null;
  const random = randomOf(Math.imul(seed, 49_979_687) + 31);
  const { size, names } = random.pick(BUCKETS);
  const perSecond = (size ?? 0) * random.pick([0.2, 1, 5]);
  return { random, size, perSecond, rivalShare: random.pick([0, 0, 0.3]), names: random.whole(1, names) };
}

/** Runs the crowd of one seed; null: it has none, or all is well. `bend`: what a sabotage makes of an outcome. */
export async function simulateLimits(
  seed: number,
  bend: (outcome: BatchOutcome) => BatchOutcome = (outcome) => outcome,
): Promise<Violation | null> {
  const limits = limitsOf(seed);
  if (limits === null) return null;
  const fail = (invariant: string, message: string): Violation => ({ invariant, message });
  const world = await publishWorld({ config: { guard: { deletesMax: 1_000, deletesShareMax: 1 } } });
  const account = limitedAccount(world, limits, bend);
  const own = { ...world, deps: { ...world.deps, hostedZones: account.hostedZones } };
  for (const last of [1, 2]) {
    await wantAll(world, limits, last);
    const wrong = (await runAll(own, limits, last)) ?? tooMany(account.calls, limits);
    if (wrong !== null) return fail('I28', `${JSON.stringify({ ...limits, random: undefined })}: ${wrong}`);
  }
  return null;
}

const nameOf = (index: number) => `h${index}.${APEX}`;

/** The second time, all names change, and every tenth from A to CNAME. */
async function wantAll(world: PublishWorld, { names }: Limits, last: number): Promise<void> {
  for (let index = 0; index < names; index += 1) {
    const name = nameOf(index);
    const isAlias = last === 2 && index % 10 === 0;
    await want(
      world,
      name,
      isAlias ? wanted(name, 'CNAME', ['x.example.net.']) : wanted(name, 'A', [`192.0.2.${last}`]),
    );
  }
}

async function runAll(world: PublishWorld, { names }: Limits, last: number): Promise<string | null> {
  for (let runs = 0; (await dirtyNames(world)).length > 0; runs += 1) {
    if (runs === RUNS_MAX) return `names are still dirty after ${RUNS_MAX} runs`;
    const result = await run(world);
    if (result.kind !== 'done') return `a run is ${result.kind}`;
    world.clock.ms += 1_000 * (result.retryAfterSeconds ?? 1);
  }
  const there = standing(world).filter((line) => line.includes(' CNAME ') || line.includes(` 192.0.2.${last} `));
  return there.length === names ? null : `${there.length} of ${names} names are as wanted`;
}

type Calls = { sent: number; changes: number };

/** At most twice the changes, divided by what the account takes at once, or in a second if that is less; and ten. */
function tooMany({ sent, changes }: Calls, { size, perSecond, rivalShare }: Limits): string | null {
  if (size === null) return null;
  const most = (2 * changes) / Math.min(size, perSecond * (1 - rivalShare)) + FINDING_MAX;
  return sent <= most ? null : `${sent} calls for ${changes} changes, at most ${most.toFixed(1)} are allowed`;
}

/** The account of the world behind limits, as the adapter calls it. */
function limitedAccount(world: PublishWorld, limits: Limits, bend: (outcome: BatchOutcome) => BatchOutcome) {
  const { clock } = world.deps;
  const changes = limits.size === null ? null : { perSecond: limits.perSecond, size: limits.size };
  const at = { ms: clock.nowMs() };
  const buckets = throttle({ requests: REQUESTS, changes }, { nowMs: () => at.ms });
  const budget = callBudget({ ...DEFAULT_BUDGET, clock, sleep: clock.sleep });
  const calls: Calls = { sent: 0, changes: 0 };
  const rivalCount = Math.ceil((limits.size ?? 1) / 10);
  const rivalEveryMs = (1_000 * rivalCount) / (limits.perSecond * limits.rivalShare);
  let rivalAtMs = at.ms;
  const rivalTakes = () => {
    while (rivalAtMs < clock.nowMs()) {
      at.ms = rivalAtMs;
      buckets.take('ChangeResourceRecordSets', rivalCount);
      rivalAtMs += rivalEveryMs * (0.5 + limits.random.next());
    }
    at.ms = clock.nowMs();
  };
  const send = async (batch: readonly RecordSetChange[], apply: () => Promise<BatchOutcome>): Promise<BatchOutcome> => {
    rivalTakes();
    calls.sent += 1;
    if (!buckets.take('ChangeResourceRecordSets', batch.length))
      return { kind: 'throttled', message: 'Rate exceeded', isOfAccount: true };
    calls.changes += batch.length;
    return apply();
  };
  const hostedZones: HostedZones = {
    ...world.route53.port,
    change: async (id, batch, ...rest) => {
      await budget.take(rest[1], { changes: batch.length });
      const sentAtMs = clock.nowMs();
      const outcome = bend(await send(batch, () => world.route53.port.change(id, batch, ...rest)));
      await clock.sleep(limits.random.whole(20, 60));
      const isThrottled = outcome.kind === 'throttled';
      if (!isThrottled || outcome.isOfAccount === true)
        await budget.learn?.({ changes: batch.length, isThrottled, sentAtMs });
      return outcome;
    },
    ...(budget.changesAtOnce !== undefined && { changesAtOnce: budget.changesAtOnce }),
  };
  return { hostedZones, calls };
}
