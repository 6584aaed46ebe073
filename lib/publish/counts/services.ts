// Finds the Services that the guard must know of before names of a cluster's own DNS are deleted (guard-services.ts). A
// Service exists as long as its own name has an address or a CNAME. Services are read from the hosted zone until there
// are enough to show that only a small share is deleted. So the deletion of one Service costs a few reads, in a zone of
// any size.
import { directoryCodec, directoryKey } from '../../directory/directory-item.ts';
import { isAtOrBelow, reversedKey } from '../../dns/names/name.ts';
import { serviceName, servicesBehind } from '../../dns/names/service-name.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { type RecordSetContent, recordSetId } from '../../dns/record-set.ts';
import { UnreadableItemError } from '../../ledger/item-codec.ts';
import { readableItems } from '../../ledger/skip-unreadable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GuardLimits, ServiceLimits } from '../../ports/guard-limits.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { hostedZonesOf } from '../../record-sets/list-hosted-zones.ts';
import { type RecordSetItem, recordSetCodec, recordSetsPartition } from '../../record-sets/record-set-item.ts';
import { readNameItems } from '../../record-sets/store.ts';
import type { ServicesView } from '../plan/guard-services.ts';

/** The types that a Service's own name can have. */
const OWN_TYPES: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME']);
const READS_AT_ONCE = 25;
/** Up to so many Services are read one by one. For more, whole pages are read. */
const ONE_BY_ONE_MAX = 50;
const PAGE_ITEMS = 1_000;
/** Sorts behind everything that can follow a reversed name. */
const BEHIND_ALL = '~';

export type ServicesQuestion = {
  readonly ledger: Ledger;
  readonly limits: ServiceLimits;
  /** The hosted zone whose deletes are judged. */
  readonly hostedZone: HostedZoneItem;
  /** Whether a Service is still desired, if the ledger does not say so yet; absent: the ledger says it. */
  readonly isWanted: ((service: string) => boolean) | undefined;
  readonly nowMs: number;
};

/** The Services that a record set belongs to; null: it is not part of the cluster's own DNS. */
function behind(limits: ServiceLimits, key: Pick<Change, 'name' | 'type'>, content: RecordSetContent | null) {
  return servicesBehind(key, content?.kind === 'values' ? content.values : [], limits.zone);
}

/** True for a record set whose deletes count by Services. Its published content decides, else the desired one. */
export function countsByService(
  limits: ServiceLimits | undefined,
  {
    name,
    type,
    published,
    desired,
    isAsked,
  }: Pick<RecordSetItem, 'name' | 'type' | 'published' | 'desired' | 'isAsked'>,
): boolean {
  return !isAsked && limits !== undefined && behind(limits, { name, type }, published ?? desired) !== null;
}

/** The parts of a run of publish that are needed here. */
type ReadingRun = Pick<ServicesQuestion, 'hostedZone'> & {
  readonly deps: { readonly ledger: Ledger; readonly clock: Clock; readonly config: { readonly guard: GuardLimits } };
  readonly items: ReadonlyMap<string, { readonly item: RecordSetItem }>;
};

/**
 * The Services behind the record sets that a run of publish would delete, of all items that it has read. Null if there
 * are none, if no hosted zone is known to have their names, or if no cluster's DNS is published.
 */
export async function servicesOfRun(
  { deps: { ledger, config, clock }, hostedZone, items }: ReadingRun,
  isWanted?: ServicesQuestion['isWanted'],
): Promise<ServicesView | null> {
  const limits = config.guard.services;
  if (limits === undefined) return null;
  const question = { ledger, limits, hostedZone, isWanted, nowMs: clock.nowMs() };
  const deletes = [...items.values()]
    .map(({ item }) => item)
    .filter(({ desired, published }) => desired === null && published !== null);
  const found = deletes.flatMap((item) => behind(limits, item, item.published) ?? []);
  const isOwn = deletes.some(({ name }) => serviceName(name, limits.zone) !== null);
  if (found.length === 0 && !deletes.some((item) => countsByService(limits, item))) return null;
  const home = isOwn ? hostedZone : await hostedZoneOfNames(question);
  if (home === null) return null;
  const states = await statesOf(question, home, new Set(found));
  const going = ofState(states, 'going');
  const kept = ofState(states, 'stays');
  const sinceMs = question.nowMs - limits.windowMs;
  const listed = home.servicesGone.filter(({ atMs }) => atMs > sinceMs).map(({ service }) => service);
  const gone = new Set(listed).union(ofState(states, 'gone')).difference(kept).difference(going);
  const view = {
    limits,
    gone,
    asked: new Set(deletes.filter(({ isAsked }) => isAsked).map(recordSetId)),
    behind: (change: Pick<Change, 'name' | 'type' | 'before'>) => behind(limits, change, change.before),
  };
  if (going.size === 0) return { ...view, going, staying: 0 };
  const others = await findOthers(question, home, going.union(gone).size);
  return { ...view, going: going.union(others.going), staying: others.staying };
}

/** The Services that lost all names within the window: those noted before, corrected by the items of a run. */
export function servicesGone(
  limits: ServiceLimits | undefined,
  before: HostedZoneItem['servicesGone'],
  items: Iterable<RecordSetItem>,
  nowMs: number,
): HostedZoneItem['servicesGone'] {
  if (limits === undefined) return [];
  const gone = new Map(before.map(({ service, atMs }) => [service, atMs]));
  const own = [...items].filter(({ name, type }) => OWN_TYPES.has(type) && serviceName(name, limits.zone) === name);
  for (const [service, ofService] of Map.groupBy(own, ({ name }) => name)) {
    const atMs = ofService.some(({ published }) => published !== null) ? null : lastDeletedMs(ofService);
    if (atMs === null) gone.delete(service);
    else gone.set(service, atMs);
  }
  return [...gone].filter(([, atMs]) => atMs > nowMs - limits.windowMs).map(([service, atMs]) => ({ service, atMs }));
}

function lastDeletedMs(items: readonly RecordSetItem[]): number | null {
  const times = items.flatMap(({ deleted }) => deleted?.atMs ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

/** The hosted zone of the names below `svc.<zone>`: that of the live Zone, else the one with the longest name above. */
async function hostedZoneOfNames({ ledger, limits, hostedZone }: ServicesQuestion): Promise<HostedZoneItem | null> {
  const { cluster } = hostedZone;
  const stored = await ledger.get(directoryKey(cluster, limits.zone));
  const live = stored === null ? null : directoryCodec.read(stored);
  const all = await hostedZonesOf(ledger, cluster, () => {});
  if (live !== null && !(live instanceof UnreadableItemError) && live.target.kind === 'hosted') {
    const { hostedZoneId } = live.target;
    return all.find(({ id }) => id === hostedZoneId) ?? null;
  }
  const above = all.filter(({ name }) => isAtOrBelow(limits.zone, name));
  return above.toSorted((a, b) => b.name.length - a.name.length)[0] ?? null;
}

type State = 'stays' | 'going' | 'gone' | 'unknown';

function ofState(states: ReadonlyMap<string, State>, state: State): ReadonlySet<string> {
  return new Set([...states].flatMap(([service, one]) => (one === state ? [service] : [])));
}

async function statesOf(
  question: ServicesQuestion,
  { id }: HostedZoneItem,
  services: ReadonlySet<string>,
): Promise<ReadonlyMap<string, State>> {
  const states = new Map<string, State>();
  await inParallel(services, READS_AT_ONCE, async (service) => {
    const items = await readNameItems(question.ledger, id, service);
    states.set(service, stateOfService(question, service, readableItems(recordSetCodec, items)));
  });
  return states;
}

function stateOfService(
  { limits, isWanted, nowMs }: ServicesQuestion,
  service: string,
  items: readonly RecordSetItem[],
): State {
  const own = items.filter(({ type }) => OWN_TYPES.has(type));
  if (isWanted?.(service) ?? own.some(({ desired }) => desired !== null)) return 'stays';
  if (own.some(({ published }) => published !== null)) return 'going';
  const goneMs = lastDeletedMs(own);
  return goneMs !== null && goneMs > nowMs - limits.windowMs ? 'gone' : 'unknown';
}

/** Finds Services besides the `lost` ones: enough to show that the lost share is allowed, or all that there are. */
async function findOthers(
  question: ServicesQuestion,
  { id }: HostedZoneItem,
  lost: number,
): Promise<{ readonly going: ReadonlySet<string>; readonly staying: number }> {
  const { ledger, limits } = question;
  const enough = limits.shareMax === 0 ? Number.POSITIVE_INFINITY : Math.ceil(lost / limits.shareMax) - lost;
  const oneByOne = enough <= ONE_BY_ONE_MAX;
  const staying = new Set<string>();
  const going = new Set<string>();
  const prefix = reversedKey(limits.zone === '.' ? 'svc.' : `svc.${limits.zone}`);
  let after: string | null = prefix;
  while (after !== null && staying.size < enough) {
    const page = await ledger.query(recordSetsPartition(id), { prefix, after, limit: oneByOne ? 1 : PAGE_ITEMS });
    after = page.next;
    for (const { item, service } of named(readableItems(recordSetCodec, page.items), limits)) {
      const items = oneByOne
        ? readableItems(recordSetCodec, await readNameItems(ledger, id, service))
        : item.name === service
          ? [item]
          : [];
      const exists = items.some(({ type, published }) => OWN_TYPES.has(type) && published !== null);
      if (exists) (stateOfService(question, service, items) === 'stays' ? staying : going).add(service);
      if (oneByOne && after !== null) after = `${reversedKey(service)}${BEHIND_ALL}`;
    }
  }
  return { going: going.difference(staying), staying: staying.size };
}

function named(items: readonly RecordSetItem[], { zone }: ServiceLimits) {
  return items.flatMap((item) => {
    const service = serviceName(item.name, zone);
    return service === null ? [] : [{ item, service }];
  });
}
