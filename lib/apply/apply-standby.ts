// Makes a cluster standby, or active again, and moves the names that this moves. The ledger has it first: if the run
// dies then, whoever publishes a name next moves it, and so does the same command again.
import type { Context } from '../ports/context.ts';
import type { PublishDeps } from '../publish/run/run.ts';
import { setStandby } from '../record-sets/cluster-item.ts';
import { giveNames } from './apply-given.ts';
import { type AppliedHostedZone, type ApplyOptions, applyHostedZone, newPatience } from './apply-hosted-zone.ts';
import type { AskedStandby, PlannedStandby } from './plan-standby.ts';
import { publishInheriting, wakingDeps } from './publish-woken.ts';

/** Carries out a plan, and returns the outcome of each change. */
export async function applyStandby(
  context: Context,
  deps: PublishDeps,
  { cluster, standby }: AskedStandby,
  { giving, parts }: PlannedStandby,
  options: ApplyOptions,
): Promise<readonly AppliedHostedZone[]> {
  const { ledger, clock } = context;
  await setStandby(ledger, cluster, standby, clock.nowMs());
  const patience = newPatience(context, options);
  const woken = new Set<string>();
  const waking = wakingDeps(deps, woken);
  for (const [id, names] of giving) await giveNames(context, waking, id, names, options, patience);
  const applied: AppliedHostedZone[] = [];
  for (const { names, ...part } of parts) {
    const publishing = { names: { names, retryNames: new Set<string>() } };
    applied.push(await applyHostedZone(context, waking, part, { ...options, publishing }, patience));
  }
  await publishInheriting(waking, woken, () => true, options);
  return applied;
}
