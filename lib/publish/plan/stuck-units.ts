// What publish learns from a refusal, a plan knows from what it has read: changes that are tied (tied-changes.ts) wait
// for the one of them that Route 53 will refuse, because of what somebody else put there or changed. Pure.
import type { Change } from '../../dns/plan-changes.ts';
import type { Refusal } from '../../record-sets/record-set-item.ts';
import { followersOf, unitsOf } from '../../route53/tied-changes.ts';
import type { HostedZonePlan } from './plan-hosted-zone.ts';
import { refusalIn, type Withheld } from './withheld.ts';

/** Why a change will be refused; null: nothing is known that speaks against it. */
type Stuck = (change: Change) => Omit<Refusal, 'content' | 'unit'> | null;

/** The plan without the changes that wait for one that is stuck: they are among the refused. */
export function withoutStuck(plan: HostedZonePlan, stuckBy: Stuck): HostedZonePlan {
  const refused: Withheld[] = [];
  const go: Change[] = [];
  for (const unit of unitsOf(plan.go, (change) => stuckBy(change)?.reason === 'Drifted')) {
    const followers = unit.length === 1 ? [] : followersOf(unit);
    const guilty =
      unit.length === 1 ? undefined : unit.find((one) => !followers.includes(one) && stuckBy(one) !== null);
    const refusal = guilty === undefined ? null : stuckBy(guilty);
    if (guilty === undefined || refusal === null) go.push(...unit);
    else for (const change of unit) refused.push({ change, refusal: refusalIn(unit, change, refusal, guilty) });
  }
  return refused.length === 0 ? plan : { ...plan, go, refused: [...plan.refused, ...refused] };
}
