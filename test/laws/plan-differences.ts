// How what `plan` says of a scripted world differs from what `apply` then does there.
import { describeApplied, describePlan } from '../../cli/print/describe-plan.ts';
import type { ChangeOutput } from '../../cli/print/output.ts';
import { applyCluster } from '../../lib/apply/apply-cluster.ts';
import { planCluster } from '../fakes/plan-cluster.ts';
import { HOSTED_ZONES, type Script, type ScriptedWorld, worldOf } from './scripted-world.ts';

export type Final = { readonly acknowledges: boolean; readonly refreshes: boolean };

/** The outcome that a planned change promises, in its fields or in its words. */
function promised({ outcome, held, standing, message = '' }: ChangeOutput): string {
  if (outcome !== undefined) return outcome;
  if (held) return 'held';
  const isTaken = /is replaced|becomes ours|is taken over|goes with|is deleted/.test(message);
  return (standing === 'foreign' || standing === 'equal') && !isTaken ? 'foreign' : 'published';
}

const keyOf = ({ action, name, type, setIdentifier }: ChangeOutput) => `${action} ${name} ${type} ${setIdentifier}`;

/** How plan and apply differ: a line for each difference. */
export async function differences(script: Script, { acknowledges, refreshes }: Final): Promise<readonly string[]> {
  const world = await worldOf(script);
  const { digest } = world.held;
  const acknowledged = acknowledges && digest !== null ? [digest] : [];
  const options = { reads: true, acknowledged, ...(refreshes && { refresh: () => {} }) };
  const plan = await planCluster(world.context, options);
  const said = describePlan(plan);
  const how = { ...options, only: () => true, progress: () => {} };
  const stood = recordSetsOf(world);
  const done = describeApplied(await applyCluster(world.context, world.deps, plan, how));
  const found: string[] = [];
  for (const planned of said.hostedZones) {
    const ended = done.hostedZones.find(({ name }) => name === planned.name);
    if (ended === undefined) {
      found.push(`${planned.name} planned, not applied`);
      continue;
    }
    if (planned.digest !== ended.digest) found.push(`digest ${planned.name}`);
    if (JSON.stringify(planned.holds) !== JSON.stringify(ended.holds)) found.push(`holds ${planned.name}`);
    if (planned.heldDigest !== ended.heldDigest) found.push(`held digest ${planned.name}`);
    // What was acknowledged before goes, so apply says nothing of it here.
    const reasons = planned.reasons.filter((reason) => !reason.includes('acknowledged before and will be sent'));
    if (planned.heldDigest !== undefined && reasons.join(' ') !== ended.reasons.join(' '))
      found.push(`reasons ${planned.name}: ${reasons.join(' ')} | ${ended.reasons.join(' ')}`);
    const outcomes = new Map(ended.changes.map((change) => [keyOf(change), change]));
    for (const change of planned.changes) {
      const key = keyOf(change);
      const now = outcomes.get(key);
      outcomes.delete(key);
      if (now?.outcome === 'rejected' && change.name === `${world.refused.name}.e.`)
        found.push(`refused by Route 53 now: ${key}`);
      else if (now?.outcome !== promised(change))
        found.push(`${key}: promised ${promised(change)}, ended ${now?.outcome} | ${change.message} | ${now?.message}`);
      // Apply adds what Route 53 said, if it asked once more.
      else if (change.outcome !== undefined && now?.message?.startsWith(change.message ?? '') !== true)
        found.push(`words ${key} ${change.outcome}: ${change.message} | ${now?.message}`);
    }
    for (const key of outcomes.keys()) found.push(`${key}: not planned`);
  }
  const shown = said.hostedZones.flatMap(({ changes }) =>
    changes.flatMap((change) => [change, ...(change.also ?? [])]),
  );
  const names = new Set(shown.map(({ name, type }) => `${name} ${type}`));
  const stands = recordSetsOf(world);
  for (const line of stood.symmetricDifference(stands))
    if (!names.has(line.split(' ').slice(1, 3).join(' '))) found.push(`changed without being shown: ${line}`);
  return found;
}

/** What Route 53 has, a line for each record set. */
function recordSetsOf({ route53 }: ScriptedWorld): ReadonlySet<string> {
  return new Set(
    HOSTED_ZONES.flatMap(({ id }) =>
      route53.recordSets(id).map(({ name, type, ...rest }) => `${id} ${name} ${type} ${JSON.stringify(rest)}`),
    ),
  );
}
