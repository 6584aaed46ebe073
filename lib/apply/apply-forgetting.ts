// Carries out a plan of record sets to forget, with publish(): under the lease, with write intents, one batch a name.
// A run that died forgot nothing that it had not given away; the next one finds the TXT records and goes on.
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { type HostedZonePlan, NO_CHANGES } from '../publish/plan/plan-hosted-zone.ts';
import type { PublishDeps } from '../publish/run/run.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import {
  type AppliedHostedZone,
  type ApplyOptions,
  applyHostedZone,
  NOT_REACHED,
  newPatience,
} from './apply-hosted-zone.ts';
import type { PlannedForgetting } from './plan-forgetting.ts';

/** How many ledger writes are made at once: four requests of DynamoDB, one transaction of SQLite. */
const AT_ONCE = 100;
const CHANGED = 'It was not the same any more as in the plan, and stays with zone53: plan again.';
/** Forgets what is planned, and returns the outcome of each change. */
export async function applyForgetting(
  context: Context,
  deps: PublishDeps,
  all: readonly PlannedForgetting[],
  options: ApplyOptions,
): Promise<readonly AppliedHostedZone[]> {
  const patience = newPatience(context, options);
  const applied: AppliedHostedZone[] = [];
  for (const one of all) {
    const { hostedZone, changes, forgets } = one;
    const names = [...new Set(changes.map(({ name }) => name))];
    const publishing = { names: { names, retryNames: new Set<string>() }, forgets };
    const nothing = { drifts: [], differences: [], read: null, kept: new Map() };
    const planned = { hostedZone, pending: false, plan: planOf(one), ...nothing };
    // A run that dies leaves write intents, and only dirty names are read back. A later run removes the marks.
    await inParallel(names, AT_ONCE, (name) =>
      markDirty(context.ledger, hostedZone.id, name, context.clock.nowMs(), { retry: false }),
    );
    if (changes.length > 0)
      applied.push(withReasons(await applyHostedZone(context, deps, planned, { ...options, publishing }, patience)));
  }
  return applied;
}

/** Says of a record set to which no run came that the ledger has other content by now. */
function withReasons(applied: AppliedHostedZone): AppliedHostedZone {
  const outcomes = applied.outcomes.map((one) => (one.message === NOT_REACHED ? { ...one, message: CHANGED } : one));
  return { ...applied, outcomes };
}

/** The plan of a hosted zone in which nothing else changes. */
function planOf({ changes, digest }: PlannedForgetting): HostedZonePlan {
  return { ...NO_CHANGES, changes, digest, go: changes };
}
