// Updates the desired record sets of one name, after something that they depend on has changed. It reads the name,
// applies the same rules as `render`, saves the record sets that differ, and marks the name dirty. Then it reads again,
// until nothing differs. So two runs at the same time end with the right result: the last one to write reads again.

import { saveAges } from '../directory/name-ages-item.ts';
import { type SavedPointers, savePointers } from '../directory/pointer-item.ts';
import { realName } from '../dns/names/view.ts';
import { isReverseName } from '../dns/rdata/reverse-name.ts';
import type { Stored } from '../ledger/item-codec.ts';
import { readableItems } from '../ledger/skip-unreadable.ts';
import { isAccountRefusal } from '../objects/account-refusal.ts';
import { findRef, formatRef, isZone, type ObjectRef, type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { hintAliasesOf } from '../observe/expand-hints.ts';
import { lostObjects } from '../observe/lost-objects.ts';
import { objectCodec, objectKey } from '../observe/object-item.ts';
import type { KeptObjects } from '../observe/save-object.ts';
import { type Config, clusterDnsOf, mayTakeEqual } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { Cause } from '../ports/queues.ts';
import { type DesiredName, touchDesired } from '../record-sets/desired-name.ts';
import { dirtyItemKey } from '../record-sets/dirty-mark.ts';
import type { HostedZoneName } from '../record-sets/hosted-zone-item.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { readName } from '../record-sets/store.ts';
import { tellOtherClusters } from '../record-sets/wake-hosted-zones.ts';
import { challengeOf, delegateChallenges, hostsOf } from '../zones/acme.ts';
import { type ClusterDns, isClusterName } from '../zones/cluster-names.ts';
import { delegatesRecord } from '../zones/delegation.ts';
import type { PlacedZone } from '../zones/place-zones.ts';
import { pointersOf, pointsBack } from '../zones/pointers.ts';
import { type ResolvedName, resolveName } from '../zones/resolve-name.ts';
import { sharedBy } from '../zones/share-record-sets.ts';
import { declaredNameServers } from '../zones/zone-cuts.ts';
import { type LoadedName, loadName } from './load-name.ts';

/** How often a name is updated while other runs change it, before the message is left to come back. */
const ROUNDS_MAX = 10;

export type UpdatedName = {
  /** Objects whose status may have changed. */
  readonly objects: readonly ObjectRef[];
  /** True if something was written, or must still be published. */
  readonly moved: boolean;
  /** The Zone whose apex name servers differ from those of the directory; null: they do not differ. */
  readonly apexMoved: ZoneKey | null;
  /** How many PTRs no Zone adopts. */
  readonly leftOut: number;
  /** A Zone above the name has its hosted zone in an account that refused us: a change is a reason to try again. */
  readonly isRefused: boolean;
};

/** Further circumstances of an update. */
export type UpdateNameOptions = {
  /** Hosted zones that may have record sets of the name from before. */
  readonly alsoIn?: readonly HostedZoneName[];
  /** Namespaces of the objects that changed: a Zone that gave them the name may have lost an entry. */
  readonly namespaces?: ReadonlySet<string>;
  /** The event that caused the update. */
  readonly cause?: Cause;
  /** An earlier run may have died after it marked the name dirty: the hosted zone is queued in any case. */
  readonly again?: boolean;
  /** Only hints that repeat others led here (`Hint.repeats`), and nothing was news. */
  readonly repeats?: boolean;
  /** Objects that are read once for many names. */
  readonly kept?: KeptObjects;
};

/** Updates a name, and what Zones derive from its addresses at other names: an ACME challenge, and PTRs. */
export async function updateName(context: Context, name: string, options: UpdateNameOptions): Promise<UpdatedName> {
  const { challenge, pointers, serves, ...updated } = await updateOneName(context, name, options);
  await tellOfNameServer(context, serves);
  const more: UpdatedName[] = [];
  if (challenge !== null) more.push(await updateOneName(context, challenge, options));
  for (const reverse of pointers.names) more.push(await updateOneName(context, reverse, { ...options, alsoIn: [] }));
  for (const stored of pointers.leaving) await context.ledger.remove(stored, stored.revision);
  if (more.length === 0) return updated;
  return {
    ...updated,
    objects: [...updated.objects, ...more.flatMap(({ objects }) => objects)],
    moved: updated.moved || more.some(({ moved }) => moved),
    isRefused: updated.isRefused || more.some(({ isRefused }) => isRefused),
  };
}

/** `challenge`: the name of the challenge to update too; null: none. `pointers`: the reverse names to update too. */
type UpdatedOne = UpdatedName & {
  readonly challenge: string | null;
  readonly pointers: SavedPointers;
  /** The Zones at or above the name that have it as a name server. */
  readonly serves: readonly string[];
};

/** Another cluster may delegate to this name server, and publish its address. */
async function tellOfNameServer(context: Context, zones: readonly string[]): Promise<void> {
  if (zones.length === 0) return;
  const all = await readableHostedZones(context.ledger, context.log);
  for (const fqdn of zones) await tellOtherClusters(context, fqdn, all);
}

const NO_POINTERS: SavedPointers = { wrote: false, names: [], leaving: [] };

async function updateOneName(context: Context, name: string, options: UpdateNameOptions): Promise<UpdatedOne> {
  const { namespaces = new Set<string>() } = options;
  let { alsoIn = [] } = options;
  let moves = false;
  let written: string | null = null;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const loaded = await loadName(context, name, round === 0, options.kept);
    // The ages are saved before what follows from them: who comes next must find them.
    if (!(await saveNameAges(context, loaded))) continue;
    const resolved = resolveName(loaded.name, loaded.adopted, loaded.zones, loaded.history);
    const desired = await withAskers(context, loaded, desiredOf(context.config, loaded, resolved, alsoIn));
    const pointers = await saveItsPointers(context, loaded, resolved);
    const text = JSON.stringify([desired, pointers.names]);
    const found = {
      objects: objectsAt(loaded, namespaces, clusterDnsOf(context.config)),
      apexMoved: apexMoved(loaded),
      leftOut: loaded.leftOut,
      isRefused: loaded.zones.chain.some(isInRefusedAccount),
      challenge: delegateChallenges(loaded.zones.chain) ? challengeOf(name) : null,
      pointers,
      serves: loaded.zones.chain.flatMap(({ live, nameServers }) =>
        nameServers.some(({ rdata }) => rdata === realName(name)) ? [live.fqdn] : [],
      ),
    };
    if (text === written && !pointers.wrote) return { ...found, moved: true };
    // Another cluster may wait until this one has nothing there, and in any hosted zone that no Zone has.
    moves ||= loaded.zones.chainOf(name).some(({ foreign }) => foreign?.ownedBy !== undefined);
    // Hosted zones where something is desired come first: a name that moves is then desired at its new place before it
    // is no longer desired at the old one.
    const [wanting, others] = [desired.filter(isWanting), desired.filter((one) => !isWanting(one))];
    const touch = (some: readonly DesiredName[]) =>
      Promise.all(
        some.map((one) => touchAndQueue(context, one, { ...options, moves }, loaded.recordSets?.get(one.hostedZoneId))),
      );
    const moved = [...(await touch(wanting)), ...(await touch(others))];
    // Nothing was written in any round, so there is no need to read again.
    if (written === null && !moved.includes(true) && !pointers.wrote) return { ...found, moved: false };
    written = text;
    // Hosted zones that were written to are read again, even if their Zones are gone by then.
    alsoIn = desired.map(({ hostedZoneId, apex }) => ({ id: hostedZoneId, apex }));
  }
  throw new Error(`Cannot update ${name}: it kept changing for ${ROUNDS_MAX} rounds`);
}

/** False if another run has written the ages meanwhile: then the name must be read again. */
function saveNameAges(
  { ledger, config }: Context,
  { name, history, storedAges: stored }: LoadedName,
): Promise<boolean> {
  return saveAges(ledger, config.clusterId, name, { stored, ages: history.ages });
}

/** True for a Zone that publishes nothing, as the account of its hosted zone refused us. */
function isInRefusedAccount({ target }: PlacedZone): boolean {
  return target.kind === 'none' && target.reason !== undefined && isAccountRefusal(target.reason);
}

function isWanting({ recordSets }: DesiredName): boolean {
  return recordSets.length > 0;
}

async function touchAndQueue(
  context: Context,
  desired: DesiredName,
  { cause = {}, again = false, repeats = false, moves }: UpdateNameOptions & { readonly moves: boolean },
  known: readonly Stored<RecordSetItem>[] | undefined,
): Promise<boolean> {
  const { ledger, clock, queues } = context;
  const { hostedZoneId, name } = desired;
  const lostOf = lostObjects(context);
  const touched = await touchDesired(ledger, desired, clock.nowMs(), {
    cause,
    moves: moves || desired.heir === null,
    lostOf,
    ...(known && { known }),
  });
  const raised = touched !== null;
  const isChanged = touched === 'changed';
  const left = !raised && again && (await ledger.get(dirtyItemKey(hostedZoneId, name))) !== null;
  if (raised || left) await queues.publish(hostedZoneId, 0, cause);
  if (isChanged || ((raised || again) && !repeats))
    await hintAliasesOf(context, name, { cause, again, repeats: !isChanged });
  return raised;
}

/** Saves which addresses the name has, if a Zone at or above it has PTRs. */
async function saveItsPointers(
  { ledger, config }: Context,
  { name, zones }: LoadedName,
  resolved: ResolvedName,
): Promise<SavedPointers> {
  if (!pointsBack(zones.chain) || isReverseName(name)) return NO_POINTERS;
  return savePointers(ledger, config.clusterId, name, pointersOf(name, resolved, zones.placeOf));
}

/** What the rules give for a name, for each hosted zone that may have record sets there. */
function desiredOf(
  config: Config,
  loaded: LoadedName,
  { recordSets }: ResolvedName,
  alsoIn: readonly HostedZoneName[],
): DesiredName[] {
  const { chain } = loaded.zones;
  const takeover = new Map(loaded.directory.map((item) => [item.key, item.takeover]));
  const targets = chain.flatMap(({ target }) =>
    target.kind === 'hosted' ? [{ id: target.hostedZoneId, apex: target.fqdn }] : [],
  );
  const byId = new Map([...alsoIn, ...targets].map((hostedZone) => [hostedZone.id, hostedZone]));
  const heirIn = (id: string) => {
    const zone = chain.find(({ target }) => target.kind === 'hosted' && target.hostedZoneId === id)?.target.zone;
    return zone === undefined ? null : { zone, takeover: takeover.get(zone) ?? false };
  };
  return [...byId.values()].map(({ id, apex }) => ({
    hostedZoneId: id,
    apex,
    name: loaded.name,
    heir: heirIn(id),
    asked: loaded.asked,
    recordSets: sharedBy(config, recordSets)
      .filter((set) => set.hostedZoneId === id)
      .map(({ hostedZoneId: _, lacksRegion: __, ...set }) => ({
        ...set,
        takeover: takeover.get(set.zone) ?? false,
        takesEqual: mayTakeEqual(config, set.objects),
      })),
  }));
}

/** Adds the objects that ask for the name, in the hosted zones whose Zones retain what nothing asks for. */
async function withAskers(
  { ledger, config }: Context,
  { directory, endpoints, name, recordSets }: LoadedName,
  desired: readonly DesiredName[],
): Promise<readonly DesiredName[]> {
  const retaining = new Set(directory.filter(({ retains }) => retains).map(({ key }) => key));
  if (retaining.size === 0) return desired;
  const own = endpoints.map(({ object }) => formatRef(object.ref));
  return Promise.all(
    desired.map(async (one) => {
      if (one.heir === null || !retaining.has(one.heir.zone)) return one;
      const items = recordSets?.get(one.hostedZoneId) ?? (await readName(ledger, one.hostedZoneId, name));
      const published = new Set(items.flatMap(({ item }) => item.publishedObjects));
      const zones = [...published].flatMap((object) => findRef(object) ?? []).filter(isZone);
      const stored = await Promise.all(zones.map((ref) => ledger.get(objectKey(config.clusterId, ref))));
      const there = readableItems(
        objectCodec,
        stored.filter((item) => item !== null),
      ).filter((item) => !item.deleted);
      return { ...one, askers: [...new Set([...own, ...there.map(({ ref }) => formatRef(ref))])].toSorted() };
    }),
  );
}

/**
 * Every object whose report this name may change: the objects that ask for it, the Zones that adopt them or did before,
 * the Zone at the name, and the parents of Zones whose NS or glue the name shows. Names of the cluster's own DNS are
 * entries of its Zone whatever that delegates.
 */
function objectsAt(
  { endpoints, zones: { chain }, name }: LoadedName,
  namespaces: ReadonlySet<string>,
  dns: ClusterDns | null,
): ObjectRef[] {
  const owners = new Map(endpoints.map(({ object }) => [formatRef(object.ref), object.ref]));
  const zones = new Set(endpoints.flatMap(({ adoption }) => adoption.parent?.key ?? []));
  const isChallenge = hostsOf(name).length > 0;
  const isReverse = isReverseName(name);
  for (const { live, nameServers } of chain) {
    if (isChallenge && live.spec.acme !== undefined) zones.add(live.key);
    if (isReverse) zones.add(live.key);
    if ([...namespaces].some((namespace) => delegatesRecord(live, name, null, namespace))) zones.add(live.key);
    if (dns !== null && live.fqdn === dns.zone && isClusterName(name, dns.zone)) zones.add(live.key);
    if (live.fqdn !== name && !nameServers.some(({ rdata }) => rdata === realName(name))) continue;
    zones.add(live.key);
    if (live.parent !== null) zones.add(live.parent);
  }
  return [...owners.values(), ...[...zones].map((key) => zoneOfKey(key))];
}

function apexMoved({ zones: { chain }, directory, adopted, name, history }: LoadedName): ZoneKey | null {
  const place = chain.at(-1);
  const item = directory.at(-1);
  if (place === undefined || item === undefined || place.live.fqdn !== name) return null;
  const zones = new Map([[place.live.key, place]]);
  const declared = declaredNameServers(adopted, zones, () => history).get(place.live.key) ?? [];
  return sameJson(declared, item.declared) ? null : place.live.key;
}
