// Has other clusters give the record sets that a plan takes from them, before it is published. Their runs publish these
// names alone. A plan that died before or after is made again, and continues.
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { NO_CHANGES } from '../publish/plan/plan-hosted-zone.ts';
import type { PublishDeps } from '../publish/run/run.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import { readHostedZone } from '../record-sets/lease.ts';
import { type ApplyOptions, applyHostedZone, type newPatience, type PublishedPlan } from './apply-hosted-zone.ts';

/** How many ledger writes are made at once: four requests of DynamoDB, one transaction of SQLite. */
const AT_ONCE = 100;

/** Publishes these names of a hosted zone, or of a share of one, so that its cluster gives what it is to give. */
export async function giveNames(
  context: Context,
  deps: PublishDeps,
  id: string,
  names: readonly string[],
  options: ApplyOptions,
  patience: ReturnType<typeof newPatience>,
): Promise<void> {
  const stored = await readHostedZone(context.ledger, id);
  if (stored === null || names.length === 0) return;
  await inParallel(names, AT_ONCE, (name) =>
    markDirty(context.ledger, id, name, context.clock.nowMs(), { retry: false }),
  );
  const nothing = { pending: false, drifts: [], differences: [], read: null, kept: new Map() };
  const planned = { hostedZone: stored.item, plan: NO_CHANGES, ...nothing };
  const publishing = { names: { names, retryNames: new Set<string>() } };
  await applyHostedZone(context, deps, planned, { ...options, publishing }, patience);
}

/** Has other clusters give what these plans take. */
export async function haveGiven(
  context: Context,
  deps: PublishDeps,
  all: readonly PublishedPlan[],
  options: ApplyOptions,
  patience: ReturnType<typeof newPatience>,
): Promise<void> {
  for (const { taken = [] } of all)
    for (const [id, ofOne] of Map.groupBy(taken, ({ from }) => from.id)) {
      const names = [...new Set(ofOne.map(({ item }) => item.name))];
      await giveNames(context, deps, id, names, options, patience);
    }
}
