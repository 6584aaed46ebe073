// What stands in Route 53 at the key of an item, and what follows from it for the item.
//
//   we hold it published | what stands        | it is                          then
//   no                   | nothing            | free                           create
//   no                   | what a late write of ours says | ours               published, go on from there
//   no                   | anything else      | foreign, even if equal         ForeignRecord, or taken over
//   yes                  | what we published  | ours                           go on
//   yes                  | nothing            | gone                           create, or nothing left to delete
//   yes                  | what is desired, or a late write of ours says | ours  published, go on from there
//   yes                  | anything else      | edited by somebody             Drifted, or taken over
import { type RecordSetContent, sameContent } from '../dns/record-set.ts';
import { OUTSIDER } from './flap-damping.ts';
import type { HostedZoneItem } from './hosted-zone-item.ts';
import { takesOver } from './ownership.ts';
import type { RecordSetItem } from './record-set-item.ts';
import { hasOldLate, recentLate } from './retention.ts';
import { samePublishing } from './same-content.ts';
import { isOurs, type Moment, withoutIntent, withPublished, withRefusal } from './transitions.ts';

/** The hosted zone as far as it says whether foreign content is taken over. */
export type Owner = Pick<HostedZoneItem, 'takeover' | 'zone'>;

export type Standing = 'free' | 'ours' | 'foreign' | 'gone' | 'drifted';

/** What stands at the key of an item, in the words of the table above. */
export function judgeStanding(
  item: {
    readonly published: RecordSetContent | null;
    readonly desired: RecordSetContent | null;
    readonly late: RecordSetItem['late'];
  },
  actual: RecordSetContent | null,
): Standing {
  const ours = actual !== null && isOurs(item, actual);
  if (item.published === null) return actual === null ? 'free' : ours ? 'ours' : 'foreign';
  if (actual === null) return 'gone';
  return ours || sameContent(actual, item.published) || sameContent(actual, item.desired) ? 'ours' : 'drifted';
}

/** What was meant to be written by a run that died, and is or is not there. */
function afterCrash(at: Moment, item: RecordSetItem, actual: RecordSetContent | null, objects: readonly string[]) {
  if (sameContent(actual, item.intent?.content ?? null)) {
    return withPublished(at, item, actual, { objects, deleted: actual === null });
  }
  const left = withoutIntent(at, item, true);
  // Nothing, or what an earlier run had written and nobody saw land.
  return actual === null || isOurs(item, actual) ? withPublished(at, left, actual, { objects }) : left;
}

/** The item where nothing of ours stands or is in the way; null when it says so already. */
function looked(item: RecordSetItem): RecordSetItem | null {
  return item.refusal === null ? null : { ...item, refusal: null };
}

/** The refusal of an item where somebody else's content stands; null where the item says so already. */
function standsInTheWay(
  { nowMs }: Moment,
  item: RecordSetItem,
  standing: 'foreign' | 'drifted',
  actual: RecordSetContent | null,
) {
  const reason = standing === 'foreign' ? ('ForeignRecord' as const) : ('Drifted' as const);
  const equal = sameContent(actual, item.desired) ? ', though it says exactly what is wanted' : '';
  const message = `${showContent(actual)} ${standing === 'foreign' ? 'stands here and is not ours' : 'stands here now, not what we published'}${equal}.`;
  const known = item.refusal?.reason === reason && sameContent(item.refusal.content, item.desired);
  if (known) return null;
  return withRefusal(item, { reason, message, content: item.desired, atMs: nowMs });
}

/**
 * The item after somebody looked while nobody was writing; null when there is nothing to note. What a run that died meant to
 * write is settled; what is ours, gone, free or in the way is noted, so that the plan starts from what stands. `sinceMs`: when
 * the look began.
 */
export function afterLook(
  at: Moment,
  hostedZone: Owner,
  item: RecordSetItem,
  actual: RecordSetContent | null,
  sinceMs: number,
): RecordSetItem | null {
  const seen = judged(at, hostedZone, item, actual);
  // What could land no more when we looked has not landed.
  return hasOldLate(seen ?? item, sinceMs) ? { ...(seen ?? item), late: recentLate(seen ?? item, sinceMs) } : seen;
}

function judged(
  at: Moment,
  hostedZone: Owner,
  item: RecordSetItem,
  actual: RecordSetContent | null,
): RecordSetItem | null {
  const objects = item.objects.length > 0 ? item.objects : item.publishedObjects;
  if (item.intent !== null) return afterCrash(at, item, actual, objects);
  const standing = judgeStanding(item, actual);
  const takeover = takesOver(item, hostedZone);
  // Where an outsider wrote what is wanted there is nothing left to publish: from now on it is its objects'.
  const authors = sameContent(actual, item.desired) ? objects : [OUTSIDER];
  switch (standing) {
    case 'free':
      return looked(item);
    case 'gone':
      return withPublished(at, item, null, { objects });
    case 'ours': {
      const known = item.refusal === null && sameContent(item.published, actual);
      return known ? null : withPublished(at, item, actual, { objects });
    }
    case 'foreign':
      // Where nothing is wanted nobody is in the way.
      if (item.desired === null) return looked(item);
      if (takeover) return withPublished(at, item, actual, { objects: authors, tookOver: true });
      return standsInTheWay(at, item, standing, actual);
    case 'drifted':
      // Taking over begins with calling it ours: the plan then goes from there to what is desired.
      if (takeover) return withPublished(at, item, actual, { objects: authors, tookOver: true });
      return standsInTheWay(at, item, standing, actual);
  }
}

/**
 * What stands in Route 53 against what we hold published, for the sweep and `--refresh`. An intent is publish's to resolve, the SOA is
 * compared by its timers. `lost`: gone, or an SOA of other timers, published again; `drifted`: changed by somebody, left as it
 * stands unless the Zone takes over; `retried`: what stood in the way is gone, or a late write of ours has landed.
 */
export function compareStanding(
  item: RecordSetItem,
  actual: RecordSetContent | null,
): 'fine' | 'lost' | 'drifted' | 'retried' {
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

/** Content in a sentence. */
export function showContent(content: RecordSetContent | null): string {
  if (content === null) return 'nothing';
  if (content.kind === 'alias') return `an alias to ${content.alias.dnsName}`;
  return `${content.values.join(', ')} (TTL ${content.ttlSeconds})`;
}
