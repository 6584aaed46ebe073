// Writes into the ledger what a run gives to another cluster of the same hosted zone, and wakes it. The other cluster's
// item has the record set as published before ours is forgotten: whoever dies between, no cluster deletes it.
import { sameContent } from '../../dns/record-set.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { abandonLease } from '../../record-sets/lease.ts';
import { changeRecordSetItem } from '../../record-sets/store.ts';
import { withGiven } from '../../record-sets/transitions.ts';
import type { Run } from './run.ts';
import type { Giving } from './settle-claims.ts';

/** How a run of publish gives away. */
export function givingOf({ deps, hostedZone }: Pick<Run, 'deps' | 'hostedZone'>): Giving {
  const { ledger, clock, queues } = deps;
  const woken = new Set<string>();
  const given = new Set<string>();
  const wake: Giving['wake'] = async ({ id }, name) => {
    await markDirty(ledger, id, name, clock.nowMs(), { retry: true });
    woken.add(id);
  };
  return {
    wake,
    finish: async () => {
      // The numbers of their guards lack what they were given: their next runs count again.
      for (const id of given) await abandonLease(ledger, id);
      for (const id of woken) await queues.publish(id);
      given.clear();
      woken.clear();
    },
    give: async ({ to, item, content, isReturnable }) => {
      const nowMs = clock.nowMs();
      const { cluster } = hostedZone;
      let isTheirs = false;
      await changeRecordSetItem(ledger, to.id, item, null, (now) => {
        isTheirs = sameContent(now.published, content);
        if (now.intent !== null || (now.published !== null && !isTheirs)) return null;
        if (isTheirs && !isReturnable) return null;
        const from = { cluster, atMs: nowMs, ...(!isReturnable && { stays: true as const }) };
        if (isTheirs) return { ...now, takenFrom: from };
        isTheirs = true;
        return withGiven(now, content, from);
      });
      if (!isTheirs) return false;
      given.add(to.id);
      await wake(to, item.name);
      return true;
    },
  };
}
