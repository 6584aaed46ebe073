// Looking at what stands in Route 53, and what follows from it. Only names in doubt are ever looked at: after a crash, after
// an answer that never came, after a refusal that says that what stands there is not what we thought.
//
//   we hold it published | what stands        | it is                          then
//   no                   | nothing            | free                           create
//   no                   | what a late write of ours says | ours               published, go on from there
//   no                   | anything else      | foreign, even if equal         ForeignRecord, or taken over
//   yes                  | what we published  | ours                           go on
//   yes                  | nothing            | gone                           create, or nothing left to delete
//   yes                  | what is desired, or a late write of ours says | ours  published, go on from there
//   yes                  | anything else      | edited by somebody             Drifted, or taken over
import { sameContent } from '../../dns/record-set.ts';
import type { HostedZones, RecordSet, RecordSetContent } from '../../ports/cluster.ts';
import { recordSetId } from '../../record-sets/desired-name.ts';
import { OUTSIDER } from '../../record-sets/flap-damping.ts';
import type { HostedZoneItem, RecordSetItem } from '../../record-sets/record-set-item.ts';
import { hasOldLate, recentLate } from '../../record-sets/retention.ts';
import { isPublishable, takesOver } from '../plan/plan-hosted-zone.ts';
import {
  eachOf,
  isOurs,
  type Moment,
  momentOf,
  type Run,
  settleItem,
  withoutIntent,
  withPublished,
  withRefusal,
} from './run.ts';

/** Record sets on a page of Route 53's listing. */
const PAGE_RECORD_SETS = 300;

/** The hosted zone as far as it says whether foreign content is taken over. */
type Owner = Pick<HostedZoneItem, 'takeover' | 'zone'>;

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

/**
 * Everything that stands at these names, by record set id; null when the hosted zone is gone. Many names are read in pages
 * of the whole hosted zone where that takes fewer calls.
 */
export async function readStanding(
  hostedZones: HostedZones,
  { id, publishedCount }: Pick<HostedZoneItem, 'id' | 'publishedCount'>,
  names: readonly string[],
): Promise<Map<string, RecordSet> | null> {
  const found = new Map<string, RecordSet>();
  const pages = 2 + publishedCount / PAGE_RECORD_SETS;
  if (names.length <= Math.max(10, pages)) {
    for (const name of names) {
      const recordSets = await hostedZones.readName(id, name);
      if (recordSets === null) return null;
      for (const set of recordSets) found.set(recordSetId(set), set);
    }
    return found;
  }
  const wanted = new Set(names);
  let from: Parameters<typeof hostedZones.readPage>[1] = null;
  do {
    const page: Awaited<ReturnType<typeof hostedZones.readPage>> = await hostedZones.readPage(id, from);
    if (page === null) return null;
    for (const set of page.recordSets) if (wanted.has(set.name)) found.set(recordSetId(set), set);
    from = page.next;
  } while (from !== null);
  return found;
}

/** The same for a run's own hosted zone. */
export function readNames(run: Run, names: readonly string[]): Promise<Map<string, RecordSet> | null> {
  return readStanding(run.deps.hostedZones, run.hostedZone, names);
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

/** True for an item of which it is not known what stands in Route 53, or that we are asked to look at again. */
function isDoubtful(run: Run, item: RecordSetItem, retryNames: ReadonlySet<string>): boolean {
  if (!isPublishable(item, run.hostedZone.name)) return false;
  if (item.intent !== null || retryNames.has(item.name)) return true;
  return item.refusal?.reason === 'Drifted' && !sameContent(item.refusal.content, item.desired);
}

/** Looks at the names of all items in doubt, and notes what stands there. Only those names are read. */
export async function resolveDoubts(run: Run, retryNames: ReadonlySet<string>): Promise<void> {
  const items = [...run.items.values()].map((stored) => stored.item);
  // What a later lease means to write is not ours to judge: it has not died, we were overtaken.
  if (items.some(({ intent }) => intent !== null && intent.epoch > run.lease.epoch)) {
    run.stop = { kind: 'lost', message: 'Another run has taken over the hosted zone.' };
    return;
  }
  const doubtful = items.filter((item) => isDoubtful(run, item, retryNames));
  if (doubtful.length === 0) return;
  const sinceMs = run.deps.clock.nowMs();
  const actual = await readNames(run, [...new Set(doubtful.map((item) => item.name))]);
  if (actual === null) {
    run.stop = { kind: 'gone', message: 'The hosted zone is gone.' };
    return;
  }
  await eachOf(doubtful, async (item) => {
    const content = actual.get(recordSetId(item))?.content ?? null;
    if (afterLook(momentOf(run), run.hostedZone, item, content, sinceMs) === null) return;
    await settleItem(run, item, (now) => afterLook(momentOf(run), run.hostedZone, now, content, sinceMs) ?? now);
  });
}

/** Content in a sentence. */
export function showContent(content: RecordSetContent | null): string {
  if (content === null) return 'nothing';
  if (content.kind === 'alias') return `an alias to ${content.alias.dnsName}`;
  return `${content.values.join(', ')} (TTL ${content.ttlSeconds})`;
}
