// Compares one page of the cluster with the same range of the ledger. Both are sorted by `namespace/name`, bytewise, so
// no more than a page of either is held in memory. An object that has changed, is unsettled or is missing becomes a
// hint, and only the read behind that hint decides. New objects become hints, too, or are saved as listed. So a page
// that is short, stale or out of order costs reads and deletes nothing but old tombstones.

import { compareText } from '../dns/names/compare-text.ts';
import { eachBetween } from '../ledger/pages.ts';
import { readable } from '../ledger/skip-unreadable.ts';
import { isOlder, keyOf, type ObjectKind, type ObjectRef, refOfKey } from '../objects/object-ref.ts';
import { jsonOf, mapping } from '../objects/plain.ts';
import { relatedKindsOf } from '../objects/source.ts';
import type { ClusterObject, ClusterPage } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import type { Hint } from '../ports/queues.ts';
import { isForgotten, isTombstone } from './former-names.ts';
import { gatherToCompare } from './gather-all.ts';
import { isRead } from './in-force/last-valid-spec.ts';
import { noteOverwritten } from './mark-status-stale.ts';
import { asksNothing, objectCodec, objectKey, objectsPartition } from './object-item.ts';
import { noteListed } from './observe-object.ts';
import { itemAsObserved } from './read-cluster.ts';
import { bulkRelated, type RelatedReader } from './related/read-related.ts';
import { isUnreported, showsReported, statusCodec, statusesPartition, statusKey } from './status-item.ts';

/** How many items of the ledger one step compares. A whole namespace that is gone may take several steps. */
const ITEMS_MAX = 1_000;
/** How many new objects are noted at once. */
const NOTED_AT_ONCE = 16;

/** All objects of a kind, in one namespace or (null) in all. */
export type Wide = { readonly kind: ObjectKind; readonly namespace: string | null };

/** How far the comparison has come: through the object `after`. `token` reads the next page. */
export type ObjectsCursor = { readonly token: string | null; readonly after: string | null };

/**
 * What is done about new objects. `hint`: each gets a hint, and is read. `note`: if most of a page are new, they are
 * saved as listed. `note all`: they are saved as listed in any case. `noted`: this listing began after they were saved,
 * so an object that it shows in the saved version need not be read.
 */
export type OfNew = 'hint' | 'note' | 'note all' | 'noted';

/** The result of comparing a page. `next` null: it was the last. */
export type Compared = {
  /** Objects were saved as listed, so the kind must be listed once more. */
  readonly notedNew: boolean;
  readonly hints: readonly (Hint & ObjectRef)[];
  /** The items of the page's objects, by `keyOf()`. */
  readonly known: ReadonlyMap<string, LedgerItem>;
  /** Objects whose status or label is not what was last reported. */
  readonly reports: readonly ObjectRef[];
  readonly next: ObjectsCursor | null;
};

/** Compares the page at `cursor`. Throws if the page cannot be read: then nothing was decided. */
export async function compareObjects(
  context: Context,
  wide: Wide,
  cursor: ObjectsCursor,
  ofNew: OfNew = 'hint',
): Promise<Compared> {
  const { kind } = wide;
  const page = await pageAt(context, wide, cursor.token);
  if (page === null) return startOver(cursor);
  if (page.objects.length === 0 && page.next !== null)
    return { ...NOTHING, next: { token: page.next, after: cursor.after } };
  const listed = new Map(page.objects.map((object) => [keyOf(object.ref), object]));
  const { known, through } = await knownObjects(context, wide, cursor.after, lastOf(page, listed, cursor.after));
  const statuses = await knownStatuses(context, wide, { after: cursor.after, through }, listed);
  const isHere = (key: string) =>
    (cursor.after === null || compareText(key, cursor.after) > 0) &&
    (through === null || compareText(key, through) <= 0);
  const related = bulkRelated(context);
  const here = [...listed].filter(([key]) => isHere(key));
  const unknown = here.flatMap(([key, object]) => (known.has(key) ? [] : [object]));
  const notedNew = isToNote(ofNew, unknown.length, page, cursor);
  if (notedNew) await inParallel(unknown, NOTED_AT_ONCE, (object) => noteListed(context, object, related));
  const hints: (Hint & ObjectRef)[] = [];
  const reports: ObjectRef[] = [];
  for (const [key, object] of here) {
    if (notedNew && !known.has(key)) continue;
    const verdict = await judge(context, object, known.get(key) ?? null, statuses.get(key) ?? null, related);
    if (verdict === 'unsettled') hints.push({ ...object.ref, ...(ofNew === 'noted' && { noted: object.version }) });
    if (verdict === 'changed') hints.push({ ...object.ref });
    if (verdict === 'misreported') reports.push(object.ref);
  }
  for (const [key, stored] of known) {
    if (listed.has(key)) continue;
    if (isForgotten(stored, context.clock.nowMs())) await context.ledger.remove(stored, stored.revision);
    else if (await mayBeGone(context, page, stored)) hints.push({ ...refOfKey(kind, key) });
  }
  return { hints, known, reports, notedNew, next: nextCursor(page, cursor, through) };
}

/**
 * Compares objects of a kind, as a watch has just shown them, with the ledger. If other objects may ask for them, each
 * gets a hint: whether it matters is seen there.
 */
export async function compareShown(
  context: Context,
  kind: ObjectKind,
  objects: readonly ClusterObject[],
): Promise<Pick<Compared, 'hints' | 'reports'>> {
  const isRelated = relatedKindsOf(context.sources).some((one) => one.kind === kind);
  if (isRelated || !isRead(context.sources, { kind }))
    return { hints: objects.map(({ ref }) => ({ ...ref })), reports: [] };
  const { ledger, config } = context;
  const related = bulkRelated(context);
  const hints: (Hint & ObjectRef)[] = [];
  const reports: ObjectRef[] = [];
  await inParallel(objects, NOTED_AT_ONCE, async (object) => {
    const [stored, status] = await Promise.all([
      ledger.get(objectKey(config.clusterId, object.ref)),
      ledger.get(statusKey(config.clusterId, object.ref)),
    ]);
    const verdict = await judge(context, object, stored, status, related);
    if (verdict === 'changed' || verdict === 'unsettled') hints.push({ ...object.ref });
    if (verdict === 'misreported') reports.push(object.ref);
  });
  return { hints, reports };
}

const NOTHING = { hints: [], known: new Map(), reports: [], notedNew: false } as const;

/** True if new objects are saved as listed: listing the kind once more is cheaper than reading each of them. */
function isToNote(ofNew: OfNew, unknown: number, { objects, next }: ClusterPage, { token }: ObjectsCursor): boolean {
  if (unknown === 0) return false;
  if (ofNew !== 'note') return ofNew === 'note all';
  // The last of many pages does not count, since it may be short.
  return unknown > objects.length / 2 && (next !== null || token === null);
}

/** The page at the token. For a kind that no source reads any more it is empty, so that its items are removed. */
async function pageAt(
  { cluster, sources }: Context,
  { kind, namespace }: Wide,
  token: string | null,
): Promise<ClusterPage | null> {
  if (isRead(sources, { kind })) return cluster.listPage(kind, namespace, token);
  return { objects: [], next: null, unreadable: new Set() };
}

function startOver({ token }: ObjectsCursor): Compared {
  if (token === null)
    throw new Error('Cannot list the cluster: the API server says that the first page of a list has expired');
  return { ...NOTHING, next: { token: null, after: null } };
}

/** The key that a page reaches to; null: to the end. */
function lastOf(page: ClusterPage, listed: ReadonlyMap<string, unknown>, after: string | null): string | null {
  if (page.next === null) return null;
  let last = after ?? '';
  for (const key of listed.keys()) if (compareText(key, last) > 0) last = key;
  return last;
}

/** The next cursor. If one step could not compare all items of the ledger, the same page is read again. */
function nextCursor(page: ClusterPage, { token }: ObjectsCursor, through: string | null): ObjectsCursor | null {
  const reached = page.objects.every(({ ref }) => through === null || compareText(keyOf(ref), through) <= 0);
  if (through === null) return null;
  return page.next !== null && reached ? { token: page.next, after: through } : { token, after: through };
}

/** The items of the ledger within the page's range, and how far they reach if they are too many for one step. */
async function knownObjects(
  { ledger, config }: Context,
  { kind, namespace }: Wide,
  after: string | null,
  through: string | null,
): Promise<{ readonly known: ReadonlyMap<string, LedgerItem>; readonly through: string | null }> {
  const known = new Map<string, LedgerItem>();
  const range = { prefix: prefixOf(namespace), after, through };
  for await (const item of eachBetween(ledger, objectsPartition(config.clusterId, kind), range)) {
    known.set(item.sort, item);
    if (known.size >= ITEMS_MAX) return { known, through: item.sort };
  }
  return { known, through };
}

/** The statuses of the page's objects. */
async function knownStatuses(
  { ledger, config }: Context,
  { kind, namespace }: Wide,
  range: { readonly after: string | null; readonly through: string | null },
  listed: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, LedgerItem>> {
  const found = new Map<string, LedgerItem>();
  const partition = statusesPartition(config.clusterId, kind);
  for await (const item of eachBetween(ledger, partition, { ...range, prefix: prefixOf(namespace) })) {
    if (listed.has(item.sort)) found.set(item.sort, item);
  }
  return found;
}

function prefixOf(namespace: string | null): string {
  return namespace === null ? '' : `${namespace}/`;
}

/** `unsettled`: the object has not changed since it was saved, but its consequences are not all written. */
type Verdict = 'fine' | 'changed' | 'unsettled' | 'misreported';

async function judge(
  context: Context,
  object: ClusterObject,
  stored: LedgerItem | null,
  status: LedgerItem | null,
  related: RelatedReader,
): Promise<Verdict> {
  if (stored === null) return 'changed';
  const before = readable(context, objectCodec, stored);
  if (before === null) return 'fine';
  const isOther = before.uid !== object.uid || before.version !== object.version;
  if (before.deleted || (before.unsettled && isOther)) return 'changed';
  if (before.uid === object.uid && isOlder(object.version, before.version)) return 'fine';
  const gathered = await gatherToCompare(context, object, related);
  if (itemAsObserved(context.config.clusterId, context.sources, object, { gathered }, before).digest !== before.digest)
    return 'changed';
  if (before.unsettled) return 'unsettled';
  const reported = status === null ? null : readable(context, statusCodec, status);
  if (asksNothing(before) && isUnreported(reported, object)) return 'fine';
  if (reported === null || reported.uid !== object.uid) return 'misreported';
  if (showsReported(object, reported) && reported.overwritten !== true) return 'fine';
  return (await noteOverwritten(context, { kind: 'present', object }, before)) ? 'misreported' : 'fine';
}

/**
 * True if an object that a page lacks is to be read. While a file cannot be read in full, the object may be in it, in
 * whatever file it was before. Then only the item of that very object decides (ADR 4).
 */
async function mayBeGone(context: Context, page: ClusterPage, stored: LedgerItem): Promise<boolean> {
  const item = readable(context, objectCodec, stored);
  if (item === null || isTombstone(item)) return false;
  if (item.deleted || page.unreadable.size === 0) return true;
  return (await context.cluster.get(item.ref, item.file)).kind !== 'absent';
}

/** The hint that continues a wide hint at `next`. `readWideCursor()` reads its cursor. */
export function continueWide(wide: Wide, next: ObjectsCursor): Hint {
  return { ...wide, name: null, cursor: JSON.stringify(next) };
}

/** Where to continue a wide hint; at the beginning if the cursor cannot be read. */
export function readWideCursor({ cursor }: Hint): ObjectsCursor {
  const { token = null, after = null } = mapping(jsonOf(cursor ?? '')) as Partial<ObjectsCursor>;
  return { token, after };
}
