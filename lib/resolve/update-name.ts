// Brings what is desired at one name up to date, after something that it depends on has changed. It reads the name,
// applies the same rules as `render`, saves the record sets that differ, and marks the name dirty. Then it reads again,
// until nothing differs. So two runs at once end right: the one that writes last has read after its write.

import type { Stored } from '../ledger/item-codec.ts';
import { formatRef, type ObjectRef, parseRef, type ZoneKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { tellWhoHasItsTypes } from '../observe/expand-hints.ts';
import type { KeptObjects } from '../observe/save-object.ts';
import type { Context } from '../ports/context.ts';
import type { Cause } from '../ports/queues.ts';
import { type DesiredName, touchDesired } from '../record-sets/desired-name.ts';
import { dirtyItemKey } from '../record-sets/dirty-mark.ts';
import type { HostedZoneName } from '../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { delegatesName } from '../zones/delegation.ts';
import { resolveName } from '../zones/resolve-name.ts';
import { declaredNameServers } from '../zones/zone-cuts.ts';
import { type LoadedName, loadName } from './load-name.ts';

/** Runs that contend for one name before we give up and let the message come back. */
const ROUNDS_MAX = 10;

/** What updating a name leads to. */
export type UpdatedName = {
  /** Objects whose status may have changed. */
  readonly objects: readonly ObjectRef[];
  /** Anything was written, or is yet to be published. */
  readonly moved: boolean;
  /** The Zone whose apex name servers are no longer those of the directory; null when they are. */
  readonly apexMoved: ZoneKey | null;
  /** PTRs of addresses that no Zone adopts. */
  readonly leftOut: number;
};

/** What else is known about why a name is updated. */
export type UpdateNameOptions = {
  /** Hosted zones that may hold record sets of it from before. */
  readonly alsoIn?: readonly HostedZoneName[];
  /** Namespaces of the objects that moved: a Zone that gives them the name may have lost an entry. */
  readonly namespaces?: ReadonlySet<string>;
  /** The event behind it. */
  readonly cause?: Cause;
  /** An earlier run may have died: one that raised a dirty mark, and never asked for a publish, is asked for now. */
  readonly again?: boolean;
  /** Objects that are read once for many names. */
  readonly kept?: KeptObjects;
};

/** Brings what is desired at one name up to date. */
export async function updateName(
  context: Context,
  name: string,
  options: UpdateNameOptions = {},
): Promise<UpdatedName> {
  const { namespaces = new Set<string>() } = options;
  let { alsoIn = [] } = options;
  let written: string | null = null;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const loaded = await loadName(context, name, round === 0, options.kept);
    const desired = desiredOf(loaded, alsoIn);
    const text = JSON.stringify(desired);
    const found = { objects: objectsAt(loaded, namespaces), apexMoved: apexMoved(loaded), leftOut: loaded.leftOut };
    if (text === written) return { ...found, moved: true };
    // Where something is wanted first: what moves is then noted where it goes before it is wanted no more where it was.
    const [wanting, others] = [desired.filter(isWanting), desired.filter((one) => !isWanting(one))];
    const touch = (some: readonly DesiredName[]) =>
      Promise.all(some.map((one) => touchAndQueue(context, one, options, loaded.recordSets?.get(one.hostedZoneId))));
    const moved = [...(await touch(wanting)), ...(await touch(others))];
    // Nothing was written, nor has been before: what we read is what stands, there is nothing to look at again.
    if (written === null && !moved.includes(true)) return { ...found, moved: false };
    written = text;
    // Where we wrote, we look again, also when the Zones that led us there are gone by then.
    alsoIn = desired.map(({ hostedZoneId, apex }) => ({ id: hostedZoneId, apex }));
  }
  throw new Error(`Cannot update ${name}: it kept changing for ${ROUNDS_MAX} rounds`);
}

function isWanting({ recordSets }: DesiredName): boolean {
  return recordSets.length > 0;
}

async function touchAndQueue(
  context: Context,
  desired: DesiredName,
  { cause = {}, again = false }: UpdateNameOptions,
  known: readonly Stored<RecordSetItem>[] | undefined,
): Promise<boolean> {
  const { ledger, clock, queues } = context;
  const { hostedZoneId, name } = desired;
  const raised = await touchDesired(ledger, desired, clock.nowMs(), { cause, ...(known && { known }) });
  const left = !raised && again && (await ledger.get(dirtyItemKey(hostedZoneId, name))) !== null;
  if (raised || left) await queues.publish(hostedZoneId, 0, cause);
  if (raised || again) await tellWhoHasItsTypes(context, name, { cause, again });
  return raised;
}

/** What the rules want at a name, one for each hosted zone that may hold anything there. */
function desiredOf(loaded: LoadedName, alsoIn: readonly HostedZoneName[]): DesiredName[] {
  const { chain, placeOf } = loaded.zones;
  const { recordSets } = resolveName(loaded.name, chain, loaded.adopted, placeOf);
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
    recordSets: recordSets
      .filter((set) => set.hostedZoneId === id)
      .map(({ hostedZoneId: _, ...set }) => ({ ...set, takeover: takeover.get(set.zone) ?? false })),
  }));
}

/**
 * Every object that has a say at this name: those that ask for it, the Zones that adopted them or may have had one that
 * left, the Zone at the name, and the parents of those that the name is of or serves, for they show NS and glue.
 */
function objectsAt({ endpoints, zones: { chain }, name }: LoadedName, namespaces: ReadonlySet<string>): ObjectRef[] {
  const owners = new Map(endpoints.map(({ object }) => [formatRef(object.ref), object.ref]));
  const zones = new Set(endpoints.flatMap(({ adoption }) => adoption.parent?.key ?? []));
  for (const { live, nameServers } of chain) {
    if ([...namespaces].some((namespace) => delegatesName(live, name, namespace))) zones.add(live.key);
    if (live.fqdn !== name && !nameServers.some(({ rdata }) => rdata === name)) continue;
    zones.add(live.key);
    if (live.parent !== null) zones.add(live.parent);
  }
  return [...owners.values(), ...[...zones].map((key) => parseRef(`Zone ${key}`))];
}

function apexMoved({ zones: { chain }, directory, adopted, name }: LoadedName): ZoneKey | null {
  const place = chain.at(-1);
  const item = directory.at(-1);
  if (place === undefined || item === undefined || place.live.fqdn !== name) return null;
  const declared = declaredNameServers(adopted, new Map([[place.live.key, place]])).get(place.live.key) ?? [];
  return sameJson(declared, item.declared) ? null : place.live.key;
}
