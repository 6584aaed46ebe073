// What stands in Route 53 against what the ledger holds as published: for the sweep, which heals what differs, and for `plan --refresh`, which shows it.
//
//   fine      as published, or nobody's business
//   lost      what we published is gone, or the SOA's timers are others: published again
//   drifted   somebody changed what we published: left as it stands, unless the Zone takes over
//   retried   what stood in the way is gone, or a late write of ours has landed: tried again
import { type RecordSetContent, sameContent } from '../dns/record-set.ts';
import type { RecordSetItem } from './record-set-item.ts';
import { samePublishing } from './same-content.ts';

export type StandingVerdict = 'fine' | 'lost' | 'drifted' | 'retried';

/** What stands in Route 53 against what we know: an intent is publish's to resolve, the SOA is compared by its timers. */
export function compareStanding(item: RecordSetItem, actual: RecordSetContent | null): StandingVerdict {
  if (item.intent !== null) return 'fine';
  // A write of ours whose answer was lost has landed since anybody looked: publish knows it again.
  if (!samePublishing(item.type, actual, item.published) && item.late.some((one) => sameContent(one.content, actual)))
    return actual === null ? 'lost' : 'retried';
  if (item.refusal?.reason === 'ForeignRecord' && actual === null) return 'retried';
  if (item.refusal?.reason === 'Drifted')
    return actual === null || samePublishing(item.type, actual, item.desired) ? 'retried' : 'fine';
  if (item.published === null || samePublishing(item.type, actual, item.published)) return 'fine';
  return actual === null || item.type === 'SOA' ? 'lost' : 'drifted';
}
