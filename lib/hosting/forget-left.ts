// Forgets what the ledger has of a hosted zone: of another account, that the configuration no longer lists, or of a
// cluster that was retired. What is published there stays in Route 53, and is foreign from then on. This runs under the
// lease, so no run is under way, and one that dies is repeated: by the next update of the directory, or the command.
import { allItems } from '../ledger/pages.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { dirtyPartition } from '../record-sets/dirty-mark.ts';
import { guardPartition } from '../record-sets/guard-item.ts';
import { heldPartition } from '../record-sets/held-name.ts';
import {
  type HostedZoneItem,
  hostedZoneIdOf,
  hostedZoneItemKey,
  retiredHostedZone,
} from '../record-sets/hosted-zone-item.ts';
import { changeHostedZone, DEFAULT_LEASE_LIMITS, takeLease } from '../record-sets/lease.ts';
import { recordSetsPartition } from '../record-sets/record-set-item.ts';

/** The holder of the lease: two that forget the same do no harm. */
const HOLDER = 'forgetting';
const AT_ONCE = 32;

/** Forgets these hosted zones. One that is being published is left to the next update. */
export async function forgetLeft(
  { ledger, clock }: Pick<Context, 'ledger' | 'clock'>,
  left: readonly HostedZoneItem[],
): Promise<void> {
  for (const item of left) {
    if (!(await emptied({ ledger, clock }, item, HOLDER))) continue;
    const stored = await ledger.get(hostedZoneItemKey(item.id));
    if (stored !== null) await ledger.remove(stored, stored.revision);
  }
}

type Deps = Pick<Context, 'ledger' | 'clock'>;

/**
 * Forgets a hosted zone of a cluster that is retired, or its share of one. The item stays, for the shares of others and
 * for the history. False: it is being published, and nothing was done.
 */
export async function forgetRetired(deps: Deps, item: HostedZoneItem, holder: string): Promise<boolean> {
  const { id } = item;
  if (!(await emptied(deps, item, holder))) return false;
  const first = hostedZoneIdOf(id);
  if (first !== id)
    await changeHostedZone(deps.ledger, first, (one) => {
      if (one?.shares?.includes(id) !== true) return null;
      const { shares, ...rest } = one;
      const others = shares.filter((share) => share !== id);
      return others.length === 0 ? rest : { ...rest, shares: others };
    });
  await changeHostedZone(deps.ledger, id, (one) => one && retiredHostedZone(one));
  return true;
}

/** Takes the lease, and removes all that the ledger has in the hosted zone. False: another run has the lease. */
async function emptied({ ledger, clock }: Deps, item: HostedZoneItem, holder: string): Promise<boolean> {
  const { id } = item;
  const taken = await takeLease({ ledger, clock, lease: DEFAULT_LEASE_LIMITS }, id, holder);
  if (taken.kind !== 'taken') return false;
  for (const partition of [recordSetsPartition(id), dirtyPartition(id), heldPartition(id), guardPartition(item)])
    await inParallel(await allItems(ledger, partition), AT_ONCE, (one) => ledger.remove(one, one.revision));
  return true;
}
