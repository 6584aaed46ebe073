// The screen "Who may": the Zones with their delegations, and whether a namespace may have a name.
import { type DirectoryItem, directoryCodec, directoryPartition } from '../../lib/directory/directory-item.ts';
import { compareText } from '../../lib/dns/names/compare-text.ts';
import { ancestorsOf, reversedKey } from '../../lib/dns/names/name.ts';
import { allItems } from '../../lib/ledger/pages.ts';
import { readableItems } from '../../lib/ledger/skip-unreadable.ts';
import { zoneOfKey } from '../../lib/objects/object-ref.ts';
import { clusterDnsOf } from '../../lib/ports/config.ts';
import { adoptEndpoint } from '../../lib/zones/adopt-endpoint.ts';
import { delegatingRule, type LiveZone } from '../../lib/zones/delegation.ts';
import type { Delegation } from '../../lib/zones/parse-zone.ts';
import type { ZoneResolution } from '../../lib/zones/resolve-zones.ts';
import { resolveZonesIn } from './adoptions.ts';
import type { DelegationRule, MayAnswer, ZoneRow, ZonesAnswer } from './answers.ts';
import { pageOf } from './page-of-rows.ts';
import type { ConsoleWorld } from './world.ts';

/** The Zones, each behind the one that adopted it. */
export async function zonesAnswerOf(
  world: ConsoleWorld,
  asked: { readonly limit?: number | undefined; readonly after?: string | undefined },
): Promise<ZonesAnswer> {
  const { context } = world;
  const { ledger, config } = context;
  const { resolutions } = await resolveZonesIn(world.context, world.hasSource ? await world.reading() : null);
  const directory = readableItems(directoryCodec, await allItems(ledger, directoryPartition(config.clusterId)));
  const placed = new Map(directory.map((item) => [item.key, item]));
  const sorted = [...resolutions.values()]
    .map((zone) => ({ zone, key: `${reversedKey(zone.fqdn ?? '.')}/${zone.key}` }))
    .toSorted((a, b) => compareText(a.key, b.key));
  const { rows, after } = pageOf(sorted, ({ key }) => key, asked);
  return { zones: rows.map(({ zone }) => zoneRowOf(config.clusterId, zone, placed)), after };
}

function zoneRowOf(
  cluster: string,
  { key, fqdn, live, verdict }: ZoneResolution,
  placed: ReadonlyMap<string, DirectoryItem>,
): ZoneRow {
  const { namespace, name } = zoneOfKey(key);
  const target = placed.get(key)?.target;
  const { reason, message } = verdict;
  return {
    ...{ namespace, name, fqdn },
    parent: live?.parent ?? null,
    live: live !== null,
    accepted: { reason, message },
    cluster,
    hostedZone: target?.kind === 'hosted' ? { id: target.hostedZoneId, name: target.fqdn } : null,
    delegations: (live?.spec.delegations ?? []).map(ruleOf),
  };
}

function ruleOf({ clusters, namespaces, shared, zones, records }: Delegation): DelegationRule {
  return {
    ...(clusters !== undefined && { clusters: [...clusters] }),
    namespaces: namespaces === null ? null : [...namespaces],
    shared,
    zones: zones.map(({ text }) => text),
    records: records.map(({ pattern, types }) => ({ pattern: pattern.text, types: [...types] })),
  };
}

/** Whether the namespace may have the name with that type, by the code that adopts. */
export async function mayAnswerOf(
  world: ConsoleWorld,
  { namespace, name, type }: { readonly namespace: string; readonly name: string; readonly type: string },
): Promise<MayAnswer> {
  const { resolutions, live } = await resolveZonesIn(world.context, world.hasSource ? await world.reading() : null);
  const liveAt = new Map(live.map((zone) => [zone.fqdn, zone]));
  const lookup = {
    byKey: (key: string) => resolutions.get(key),
    liveAt: (fqdn: string) => liveAt.get(fqdn),
    clusterDns: clusterDnsOf(world.context.config),
  };
  const object = {
    ref: { kind: 'Record', namespace, name: 'asked' },
    age: { creationTimestamp: null, uid: null, order: '' },
    spec: null,
    problems: [],
  };
  const endpoint = {
    ...{ domainName: { kind: 'full' as const, fqdn: name }, zoneRef: null, type },
    ...{ class: 'IN', ttl: null, values: [] },
  };
  const { parent, verdict } = adoptEndpoint(object, endpoint, lookup);
  const decides = parent ?? covering(liveAt, name, type);
  const index = parent === null ? null : delegatingRule(parent, name, type, namespace);
  const rule = index === null ? undefined : parent?.spec.delegations[index];
  return {
    allowed: parent !== null,
    zone: decides?.key ?? null,
    rule: rule === undefined || index === null ? null : { ...ruleOf(rule), index },
    ...verdict,
  };
}

/** The nearest live Zone, whose rules say no. That of a DS is above its name. */
function covering(liveAt: ReadonlyMap<string, LiveZone>, name: string, type: string): LiveZone | null {
  const names = type === 'DS' ? ancestorsOf(name) : [name, ...ancestorsOf(name)];
  for (const fqdn of names) {
    const zone = liveAt.get(fqdn);
    if (zone !== undefined) return zone;
  }
  return null;
}
