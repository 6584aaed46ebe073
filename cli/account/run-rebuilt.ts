// `zone53 clusters rebuilt`: the next reading of a cluster notes which one it is, and compares everything.
import { allItems } from '../../lib/ledger/pages.ts';
import { forgetUid } from '../../lib/record-sets/cluster-item.ts';
import { polledPartition } from '../../lib/sweep/poll-kinds.ts';
import { openLedger } from '../run/open-ledger.ts';
import type { RebuiltRequest } from './requests.ts';
import { requireKnown } from './run-standby.ts';

/** Has the ledger take the cluster that is read next for the one of this id. */
export async function runRebuilt({ store, cluster, configured, log }: RebuiltRequest): Promise<void> {
  const { ledger, close } = await openLedger(store, false);
  try {
    await requireKnown({ ledger, log }, { cluster, configured });
    // The versions of one API server mean nothing to another.
    for (const stored of await allItems(ledger, polledPartition(cluster))) await ledger.remove(stored, stored.revision);
    await forgetUid(ledger, cluster);
  } finally {
    await close();
  }
}
