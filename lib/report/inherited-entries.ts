// What the Zones of a view that extends another one inherit, as entries: for zone files. A status has none of it.
import { afterExtended, type InheritingZone, inheritedNames } from '../directory/inherited-names.ts';
import type { Entry } from '../dns/entry.ts';
import { inView, inViewOf, PUBLIC, realName } from '../dns/names/view.ts';
import { keyText } from '../dns/own-text.ts';
import { sortRdata } from '../dns/rdata/rdata.ts';
import type { RecordSet, RecordSetContent } from '../dns/record-set.ts';
import { type Config, hostedZoneName } from '../ports/config.ts';
import { type HostedZoneItem, newHostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { newRecordSetItem, type RecordSetItem, storedContent } from '../record-sets/record-set-item.ts';
import type { ZoneOutput } from './describe-cluster.ts';

/** The entries that Zones inherit, by Zone; of Zones that inherit nothing there are none. */
export type InheritedEntries = ReadonlyMap<ZoneOutput, readonly Entry[]>;

/** A Zone with its entries, as if it were published into a hosted zone of its own. */
type Hosted = {
  readonly zone: ZoneOutput;
  readonly hostedZone: HostedZoneItem;
  readonly view: string;
  /** The id of its hosted zone, if the configuration has one. */
  readonly configuredId: string | null;
};

/** Finds out what the Zones inherit, if everything that they ask for is published. */
export async function inheritedEntries(zones: readonly ZoneOutput[], config: Config): Promise<InheritedEntries> {
  const inherited = new Map<ZoneOutput, readonly Entry[]>();
  if (Object.keys(config.extendedViews).length === 0) return inherited;
  const hosted = zones.flatMap((zone) => hostedOf(zone, config));
  const items = new Map<string, RecordSetItem[]>();
  const routings = new Map<string, Entry['routing']>();
  for (const one of hosted)
    for (const { item, routing } of itemsOf(one)) {
      const { hostedZone } = one;
      routings.set(`${realName(item.name)} ${item.setIdentifier}`, routing);
      const at = `${hostedZone.id} ${item.name}`;
      items.set(at, [...(items.get(at) ?? []), item]);
    }
  const named = hosted.map((one) => ({ name: one.hostedZone.name, one }));
  for (const { one } of afterExtended(named, config)) {
    const { zone, hostedZone, view } = one;
    const extended = config.extendedViews[view];
    if (extended === undefined) continue;
    const soa = zone.entries.find(({ type }) => type === 'SOA');
    const inheriting: InheritingZone = {
      ...{ hostedZone, extended, fellows: [], hostedZones: hosted.map((one) => one.hostedZone) },
      itemsAt: async (id, name) => items.get(`${id} ${name}`) ?? [],
      isUsed: async () => true,
      ttlSeconds: async () => soa?.ttl ?? 0,
    };
    const inheritedAt = inheritedNames(inheriting);
    const names = hosted.flatMap((other) => (other.view === extended ? [...namesOf(items, other)] : []));
    const sets: RecordSet[] = [];
    for (const name of new Set(names)) sets.push(...(await inheritedAt(inView(realName(name), view))).sets);
    for (const set of sets) {
      const at = `${hostedZone.id} ${set.name}`;
      items.set(at, [...(items.get(at) ?? []), { ...itemOf(set, set.content), inherits: true }]);
    }
    const entries = sets.flatMap((set) =>
      entriesOf(set, one).map((entry) => {
        const routing = routings.get(`${entry.fqdn} ${set.setIdentifier}`);
        return routing === undefined ? entry : { ...entry, routing };
      }),
    );
    if (entries.length > 0) inherited.set(zone, entries);
  }
  return inherited;
}

function hostedOf(zone: ZoneOutput, config: Config): readonly Hosted[] {
  const { fqdn, view = PUBLIC, namespace, name } = zone;
  if (fqdn === null || zone.entries.length === 0) return [];
  const configured = config.hostedZones.find((one) => hostedZoneName(one) === inView(fqdn, view));
  const isPrivate = view !== PUBLIC && configured?.visibility !== 'public';
  const key = `${namespace}/${name}`;
  const hostedZone = newHostedZoneItem({ id: key, name: inView(fqdn, view), zone: key, nameServers: [], isPrivate });
  return [{ zone, hostedZone, view, configuredId: configured?.id ?? null }];
}

function* namesOf(items: ReadonlyMap<string, unknown>, { hostedZone }: Hosted): Generator<string> {
  for (const at of items.keys()) if (at.startsWith(`${hostedZone.id} `)) yield at.slice(hostedZone.id.length + 1);
}

/** The record sets of a Zone's entries. An alias without a hosted zone id is one within the hosted zone. */
function itemsOf(one: Hosted): readonly { readonly item: RecordSetItem; readonly routing: Entry['routing'] }[] {
  const of = (entry: Entry) => keyText([entry.fqdn, ' ', entry.type, ' ', entry.routing?.setIdentifier ?? '']);
  return [...Map.groupBy(one.zone.entries, of).values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined || first.class !== 'IN') return [];
    const { type, routing } = first;
    const set = {
      name: inViewOf(one.hostedZone.name, first.fqdn),
      type,
      setIdentifier: routing?.setIdentifier ?? null,
    };
    return [{ item: itemOf(set, contentOf(all, one)), routing }];
  });
}

function itemOf(set: Omit<RecordSet, 'content'>, content: RecordSetContent): RecordSetItem {
  const stored = storedContent(content);
  return { ...newRecordSetItem(set), desired: stored, published: stored };
}

function contentOf(all: readonly Entry[], { hostedZone, configuredId }: Hosted): RecordSetContent {
  const [first] = all;
  if (first !== undefined && 'alias' in first) {
    const { target, hostedZoneId: id, evaluateTargetHealth } = first.alias;
    const isWithin = id === null || id === configuredId;
    const dnsName = isWithin ? inViewOf(hostedZone.name, target) : target;
    return { kind: 'alias', alias: { hostedZoneId: isWithin ? hostedZone.id : id, dnsName, evaluateTargetHealth } };
  }
  const values = all.flatMap((entry) => ('alias' in entry ? [] : entry.rdata));
  return { kind: 'values', ttlSeconds: first?.ttl ?? 0, values: sortRdata(first?.type ?? '', new Set(values)) };
}

function entriesOf({ name, type, content }: RecordSet, { hostedZone, configuredId }: Hosted): Entry[] {
  const entry = { fqdn: realName(name), type, class: 'IN' };
  if (content.kind === 'values') return content.values.map((rdata) => ({ ...entry, ttl: content.ttlSeconds, rdata }));
  const { hostedZoneId, dnsName, evaluateTargetHealth } = content.alias;
  const alias = { target: realName(dnsName), evaluateTargetHealth };
  const id = hostedZoneId === hostedZone.id ? configuredId : hostedZoneId;
  return [{ ...entry, ttl: null, alias: { ...alias, hostedZoneId: id } }];
}
