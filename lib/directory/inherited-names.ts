// Reads what a view that extends another one inherits at its names: what the other view has published there, and this
// one does not ask for itself (lib/record-sets/inherit.ts).

import { isAtOrBelow, labelsOf, reversedKey } from '../dns/names/name.ts';
import { inView, inViewOf, PUBLIC, realName, viewOf } from '../dns/names/view.ts';
import { type RecordSet, recordSetId, sameContent } from '../dns/record-set.ts';
import { readItem, UnreadableItemError } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import type { Config } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import { once, oncePerKey } from '../ports/once.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import { type Fellow, fellowsOf } from '../record-sets/fellows.ts';
import { type HostedZoneItem, hostedZoneIdOf, isOfDnsRecords } from '../record-sets/hosted-zone-item.ts';
import {
  type AliasTarget,
  type Inherited,
  inherit,
  type PublishedElsewhere,
  targetsWithin,
} from '../record-sets/inherit.ts';
import { readHostedZone } from '../record-sets/lease.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import {
  type RecordSetItem,
  recordSetCodec,
  recordSetOfSortKey,
  recordSetsPartition,
} from '../record-sets/record-set-item.ts';
import { isBegun } from '../record-sets/state.ts';
import { type NameReader, nameReader } from '../record-sets/store.ts';
import { directoryCodec, directoryKey, placedZone } from './directory-item.ts';
import { readResponsibleZone } from './responsible-zone.ts';

/** Which view extends which other one. */
export type ExtendedViews = Readonly<Record<string, string>>;

/** A hosted zone of a view that extends another one, and what is read for it. */
export type InheritingZone = {
  readonly hostedZone: HostedZoneItem;
  /** The view that its view extends. */
  readonly extended: string;
  /** The other clusters' ids of the hosted zone. */
  readonly fellows: readonly Pick<Fellow, 'id'>[];
  /** All hosted zones, with their shares. */
  readonly hostedZones: readonly HostedZoneItem[];
  readonly itemsAt: NameReader;
  /** True if a Zone of any cluster has the hosted zone as its own. */
  readonly isUsed: (hostedZone: HostedZoneItem) => Promise<boolean>;
  /** The TTL of the Zone of the hosted zone, in seconds. */
  readonly ttlSeconds: () => Promise<number>;
};

/**
 * The view that a hosted zone's view extends; null: none. Of the clusters in one hosted zone, the first that is not
 * retired has what is inherited, whichever of them has a Zone there.
 */
export async function extendedOf(
  ledger: Ledger,
  { id, name, retired }: Pick<HostedZoneItem, 'id' | 'name' | 'retired'>,
  views: ExtendedViews,
): Promise<string | null> {
  const extended = views[viewOf(name)] ?? null;
  const firstId = hostedZoneIdOf(id);
  if (extended === null || retired) return null;
  if (id === firstId) return extended;
  const first = await readHostedZone(ledger, firstId);
  if (first === null || !first.item.retired) return null;
  for (const share of first.item.shares ?? []) {
    if (share === id) return extended;
    const other = await readHostedZone(ledger, share);
    if (other !== null && !other.item.retired) return null;
  }
  return null;
}

/** Hosted zones in the order in which they are planned and published: a view that extends another comes after that. */
export function afterExtended<One extends { readonly name: string }>(
  all: readonly One[],
  { extendedViews }: Pick<Config, 'extendedViews'>,
): readonly One[] {
  const depthOf = ({ name }: One) => {
    let depth = 0;
    for (let view = extendedViews[viewOf(name)]; view !== undefined; view = extendedViews[view]) depth += 1;
    return depth;
  };
  return all.toSorted((a, b) => depthOf(a) - depthOf(b));
}

/** How the ledger is read for so many names of a hosted zone whose view extends this one. */
export async function inheritingZone(
  { ledger, log }: { readonly ledger: Ledger; readonly log: Log },
  hostedZone: HostedZoneItem,
  extended: string,
  names: number,
): Promise<InheritingZone> {
  const hostedZones = await usableHostedZones(ledger, log);
  const usedBy = usersOf(hostedZones, async (one) => (await readResponsibleZone(ledger, one))?.isOwn === true);
  return {
    ...{ hostedZone, extended, hostedZones },
    fellows: await fellowsOf(ledger, hostedZone),
    ttlSeconds: once(async () => zoneTtl(ledger, (await usedBy(hostedZone)) ?? hostedZone)),
    itemsAt: nameReader(ledger, names),
    isUsed: async (one) => (await usedBy(one)) !== null,
  };
}

/**
 * Finds the first of the clusters in a hosted zone that has a Zone for it: the hosted zone itself, or a share of it;
 * null: none has. `isUsed`: whether its own cluster has one.
 */
export function usersOf(
  hostedZones: readonly HostedZoneItem[],
  isUsed: (one: HostedZoneItem) => boolean | Promise<boolean>,
): (hostedZone: HostedZoneItem) => Promise<HostedZoneItem | null> {
  return oncePerKey(
    ({ id }) => id,
    async (hostedZone) => {
      const id = hostedZoneIdOf(hostedZone.id);
      const shares = hostedZones.filter((one) => one.id !== hostedZone.id && hostedZoneIdOf(one.id) === id);
      for (const one of [hostedZone, ...shares]) if (await isUsed(one)) return one;
      return null;
    },
  );
}

/** The hosted zones of the ledger that are in Route 53, and that Zones publish into. */
export async function usableHostedZones(ledger: Ledger, log: Log): Promise<readonly HostedZoneItem[]> {
  const all = await readableHostedZones(ledger, log);
  return all.filter(({ id, gone, retired }) => !gone && !retired && !isOfDnsRecords(id));
}

/** How many names are judged at once. */
const NAMES_AT_ONCE = 8;

/** `targets`: the names of this hosted zone that aliases of the other view at the name would be to. */
export type InheritedName = Inherited & { readonly targets: readonly AliasTarget[] };

export const NOTHING_INHERITED: InheritedName = { sets: [], leftOut: [], targets: [] };

/** Says of names of the view what it inherits there. `ownAt`: the view's own items, as the caller knows them. */
export function inheritedNames(
  { hostedZone, extended, fellows, hostedZones, itemsAt, isUsed, ttlSeconds }: InheritingZone,
  ownAt: (name: string) => readonly RecordSetItem[] | undefined = () => undefined,
): (name: string) => Promise<InheritedName> {
  const deepestFirst = hostedZones.toSorted((a, b) => labelsOf(b.name).length - labelsOf(a.name).length);
  const at = (name: string) => deepestFirst.filter((one) => isAtOrBelow(name, one.name));
  const isHere = async (name: string) => {
    for (const one of at(name))
      if (one.id === hostedZone.id || (await isUsed(one)))
        return hostedZoneIdOf(one.id) === hostedZoneIdOf(hostedZone.id);
    return false;
  };
  const ownTypesAt = async (name: string): Promise<ReadonlySet<string>> => {
    const own = ownAt(name) ?? (await itemsAt(hostedZone.id, name));
    const others = await Promise.all(fellows.map(({ id }) => itemsAt(id, name)));
    return new Set([...own, ...others.flat()].filter(isOwn).map(({ type }) => type));
  };
  const elsewhere = async (name: string): Promise<readonly PublishedElsewhere[]> => {
    const there = inView(realName(name), extended);
    const byHostedZone = Map.groupBy(at(there), ({ id }) => hostedZoneIdOf(id));
    for (const [hostedZoneId, shares] of byHostedZone) {
      const items = (await Promise.all(shares.map(({ id }) => itemsAt(id, there)))).flat();
      const sets = items.flatMap((item) => publishedIn(item, hostedZoneId));
      if (sets.length > 0) return sets;
    }
    return [];
  };
  /** `open`: the names that are being judged. An alias that leads back to one of them is not inherited as such. */
  const judge = async (name: string, open: ReadonlySet<string>): Promise<InheritedName> => {
    if (!(await isHere(name))) return NOTHING_INHERITED;
    const published = await elsewhere(name);
    if (published.length === 0) return NOTHING_INHERITED;
    const standing = new Set<string>();
    const targets: AliasTarget[] = [];
    for (const { name: target, type } of targetsWithin(published)) {
      const to = inView(realName(target), viewOf(name));
      if (open.has(to) || !(await isHere(to))) continue;
      targets.push({ name: to, type });
      const there = await judge(to, new Set([...open, to]));
      for (const own of await ownTypesAt(to)) standing.add(`${own} ${to}`);
      for (const set of there.sets) standing.add(`${set.type} ${to}`);
    }
    const { isPrivate } = hostedZone;
    const inherited = inherit(published, {
      ...{ name, isPrivate, isApex: name === hostedZone.name, hostedZoneId: hostedZoneIdOf(hostedZone.id) },
      ownTypes: await ownTypesAt(name),
      ttlSeconds: published.some(({ content }) => content.kind === 'alias') ? await ttlSeconds() : 0,
      stands: (to, type) => standing.has(`${type} ${to}`),
    });
    return { ...inherited, targets };
  };
  return (name) => judge(name, new Set([name]));
}

/** The names at or below one of the view that the hosted zone inherits, or has inherited; default: all of them. */
export async function namesToInherit(
  ledger: Ledger,
  { hostedZone, extended, hostedZones }: InheritingZone,
  below = hostedZone.name,
): Promise<Set<string>> {
  const there = inView(realName(below), extended);
  const names = new Set<string>();
  for (const { id, name } of hostedZones) {
    if (!isAtOrBelow(name, there) && !isAtOrBelow(there, name)) continue;
    for await (const stored of eachItem(ledger, recordSetsPartition(id), reversedKey(there)))
      names.add(inViewOf(below, realName(recordSetOfSortKey(stored.sort).name)));
  }
  for await (const stored of eachItem(ledger, recordSetsPartition(hostedZone.id), reversedKey(below))) {
    const item = recordSetCodec.read(stored);
    if (!(item instanceof UnreadableItemError) && item.inherits === true) names.add(item.name);
  }
  return names;
}

type Marking = Pick<Context, 'ledger' | 'log' | 'clock' | 'config' | 'queues'>;

/** Marks the names at or below one dirty where the hosted zones of its view have not what the view inherits there. */
export async function markInheritedBelow(context: Marking, below: string): Promise<void> {
  if (context.config.extendedViews[viewOf(below)] === undefined) return;
  for (const hostedZone of await usableHostedZones(context.ledger, context.log))
    if (isAtOrBelow(below, hostedZone.name)) await markInherited(context, hostedZone, below);
}

/** The same for one hosted zone. Reads all of its names. */
export async function markInherited(
  context: Marking,
  hostedZone: HostedZoneItem,
  below = hostedZone.name,
): Promise<void> {
  const { ledger, config, clock, queues } = context;
  if (viewOf(hostedZone.name) === PUBLIC) return;
  const extended = await extendedOf(ledger, hostedZone, config.extendedViews);
  // A view that does not extend another one any more may have inherited names.
  const of = extended ?? viewOf(hostedZone.name);
  const zone = await inheritingZone(context, hostedZone, of, Number.POSITIVE_INFINITY);
  const isLeft = extended === null || !(await zone.isUsed(hostedZone));
  const inheritedAt = isLeft ? async () => NOTHING_INHERITED : inheritedNames(zone);
  let any = false;
  await inParallel(await namesToInherit(ledger, zone, below), NAMES_AT_ONCE, async (name) => {
    const { sets } = await inheritedAt(name);
    const items = (await zone.itemsAt(hostedZone.id, name)).filter((item) => item.inherits === true);
    const has = items.filter(({ desired }) => desired !== null);
    const isWanted = (set: RecordSet) =>
      has.some((item) => recordSetId(item) === recordSetId(set) && sameContent(item.desired, set.content));
    if (has.length === sets.length && sets.every(isWanted)) return;
    await markDirty(ledger, hostedZone.id, name, clock.nowMs());
    any = true;
  });
  if (any) await queues.publish(hostedZone.id);
}

/** True for what objects of the view ask for, or asked for until they were lost with their CRD. */
export function isOwn({ desired, inherits, lost }: RecordSetItem): boolean {
  return (desired !== null && inherits === undefined) || lost !== undefined;
}

function publishedIn(item: RecordSetItem, hostedZoneId: string): readonly PublishedElsewhere[] {
  const { name, type, setIdentifier, published } = item;
  // Of a takeover that was only begun, somebody else's is published.
  return published === null || isBegun(item) ? [] : [{ name, type, setIdentifier, content: published, hostedZoneId }];
}

/** The TTL of the Zone that has a hosted zone, in seconds; 0: none has. */
export async function zoneTtl(ledger: Ledger, { cluster, name }: HostedZoneItem): Promise<number> {
  const zone = await readItem(ledger, directoryKey(cluster, name), directoryCodec);
  return zone === null ? 0 : placedZone(zone.item).live.spec.ttl;
}
