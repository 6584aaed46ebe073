// Forgets what is published in a hosted zone of another account that the configuration no longer lists. It stays in
// Route 53, and is foreign from then on; publish() changes nothing there (`leaves`). This runs under the lease, so no
// run is under way, and one that dies is repeated by the next update of the directory.
import { allItems } from '../ledger/pages.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { dirtyPartition } from '../record-sets/dirty-mark.ts';
import { guardPartition } from '../record-sets/guard-item.ts';
import { heldPartition } from '../record-sets/held-name.ts';
import { type HostedZoneItem, hostedZoneItemKey } from '../record-sets/hosted-zone-item.ts';
import { DEFAULT_LEASE_LIMITS, takeLease } from '../record-sets/lease.ts';
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
    const { id } = item;
    const taken = await takeLease({ ledger, clock, lease: DEFAULT_LEASE_LIMITS }, id, HOLDER);
    if (taken.kind !== 'taken') continue;
    for (const partition of [recordSetsPartition(id), dirtyPartition(id), heldPartition(id), guardPartition(item)])
      await inParallel(await allItems(ledger, partition), AT_ONCE, (one) => ledger.remove(one, one.revision));
    const stored = await ledger.get(hostedZoneItemKey(id));
    if (stored !== null) await ledger.remove(stored, stored.revision);
  }
}
