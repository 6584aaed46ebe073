// Counts the guard's numbers of a hosted zone again, from the items of its record sets. This is needed when a run died
// or was overtaken, and may not have added its part (`recount` of the hosted zone's item).
import { recordSetId } from '../../dns/record-set.ts';
import { eachItem } from '../../ledger/pages.ts';
import type { GuardLimits } from '../../ports/guard-limits.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { countedNamespace, isUncounted } from '../../record-sets/guarded.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { type RecordSetItem, recordSetsPartition } from '../../record-sets/record-set-item.ts';
import { deletedAtMs } from '../../record-sets/retention.ts';
import { type Counted, minuteOf } from './deletions.ts';
import type { NamespaceCounts } from './namespaces.ts';
import { countsByService } from './services.ts';

type CountedAnew = {
  /** The hosted zone's item with the new counts. */
  readonly hostedZone: HostedZoneItem;
  /** What each record set was counted for, by its id. */
  readonly counted: ReadonlyMap<string, Counted>;
  readonly namespaces: NamespaceCounts;
};

/**
 * Counts the record sets that are published, and those that were deleted within the hour and are still gone, by any
 * run. The item of a record set stays for as long as the guard counts its deletion (`isSpent`).
 */
export async function countAnew(
  ledger: Ledger,
  { services }: GuardLimits,
  hostedZone: HostedZoneItem,
  nowMs: number,
): Promise<CountedAnew> {
  const counted = new Map<string, Counted>();
  for await (const { body } of eachItem(ledger, recordSetsPartition(hostedZone.id))) {
    // An item of an unknown version counts as far as its fields can be read.
    const known = body as Partial<RecordSetItem> & Pick<RecordSetItem, 'name' | 'type'>;
    const { published = null, desired = null, isAsked = false, deleted = null, intent = null, late } = known;
    const publishedObjects = listIn(known.publishedObjects);
    const objects = listIn(known.objects);
    if (isUncounted({ type: known.type, publishedObjects, objects })) continue;
    const isApart = countsByService(services, { ...known, published, desired, isAsked });
    const item = { published, deleted, intent, late: listIn(late) };
    counted.set(recordSetId(body as unknown as RecordSetItem), {
      namespace: countedNamespace({ publishedObjects, objects }),
      isPublished: published !== null,
      deletedAtMs: isApart ? null : deletedAtMs(item, nowMs),
      ...(deleted?.publishedCount !== undefined && { before: deleted.publishedCount }),
    });
  }
  const publishedCount = [...counted.values()].filter(({ isPublished }) => isPublished).length;
  const deletions = deletionsAnew([...counted.values()], hostedZone, publishedCount);
  return { hostedZone: { ...hostedZone, publishedCount, deletions }, counted, namespaces: byNamespace(counted) };
}

/** The list, if it is one. */
function listIn<T>(list: readonly T[] | undefined): readonly T[] {
  return Array.isArray(list) ? list : [];
}

/** The numbers of each namespace. Before its deletions it had as many more as it deleted. */
function byNamespace(counted: ReadonlyMap<string, Counted>): NamespaceCounts {
  const all = Map.groupBy(counted.values(), ({ namespace }) => namespace);
  return new Map(
    [...all].map(([namespace, own]) => {
      const publishedCount = own.filter(({ isPublished }) => isPublished).length;
      const gone = own.flatMap(({ deletedAtMs: atMs }) => (atMs === null ? [] : [atMs]));
      const published = publishedCount + gone.length;
      return [namespace, { publishedCount, deletions: gone.map((atMs) => ({ atMs, count: 1, published })) }];
    }),
  );
}

/**
 * The deletions, each with how many record sets there were before it. Runs have noted that, in the hosted zone's item
 * or, if they died before, in those of the record sets. Before a delete that is not known to have landed there were as
 * many as noted last, or, if something was created since, as are published now or were deleted without a note.
 */
function deletionsAnew(
  counted: readonly Counted[],
  { publishedCount: lastCount, deletions }: HostedZoneItem,
  publishedCount: number,
): HostedZoneItem['deletions'] {
  const all = counted.flatMap(({ deletedAtMs: atMs, ...one }) => (atMs === null ? [] : [{ ...one, atMs }]));
  const minutes = [...Map.groupBy(all, ({ atMs }) => minuteOf(atMs))].map(([minute, ofMinute]) => {
    const noted = deletions.filter(({ atMs }) => minuteOf(atMs) === minute);
    const unknown = ofMinute.filter(({ before }) => before === undefined);
    const others = Math.min(unknown.length, ofMinute.length - noted.reduce((sum, { count }) => sum + count, 0));
    const gone = unknown.filter(({ isPublished }) => !isPublished).length;
    const known = [...noted.map(({ published }) => published), ...ofMinute.map(({ before = 0 }) => before)];
    return { ofMinute, known, others, gone: Math.min(gone, others) };
  });
  const gone = minutes.reduce((sum, minute) => sum + Math.max(0, minute.gone), 0);
  const beforeOthers = Math.max(lastCount, publishedCount + gone);
  return minutes.flatMap(({ ofMinute, known, others }) => {
    const published = Math.max(0, ...known, ...(others > 0 ? [beforeOthers] : []));
    return ofMinute.map(({ atMs }) => ({ atMs, count: 1, published }));
  });
}
