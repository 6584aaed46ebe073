// Which types a name has in DNS, for an alias that has the same types: those of the record sets that are desired or
// published there, in the hosted zone of the live Zone nearest to the name.
import { type DirectoryItem, directoryCodec, directoryKey } from '../../directory/directory-item.ts';
import { ancestorsOf } from '../../dns/names/name.ts';
import { NO_TYPES, type TypesOfName } from '../../objects/related.ts';
import type { Context } from '../../ports/context.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { readName } from '../../record-sets/store.ts';
import type { EndpointOutcome } from '../../zones/resolve-cluster.ts';

type Reading = Pick<Context, 'ledger' | 'config'>;

/** The types of a name by the ledger, desired or published. */
export async function typesInLedger(reading: Reading, fqdn: string): Promise<TypesOfName> {
  return typesOf(reading, fqdn, ({ desired, published }) => desired ?? published);
}

/** The types of a name by the ledger that are published, even if they are no longer desired. */
export async function typesPublished(reading: Reading, fqdn: string): Promise<TypesOfName> {
  return typesOf(reading, fqdn, ({ published }) => published);
}

async function typesOf(
  { ledger, config }: Reading,
  fqdn: string,
  contentOf: (item: RecordSetItem) => RecordSetItem['desired'],
): Promise<TypesOfName> {
  const zone = await nearestZone({ ledger, config }, fqdn);
  if (zone?.target.kind !== 'hosted') return NO_TYPES;
  const { hostedZoneId } = zone.target;
  const items = await readName(ledger, hostedZoneId, fqdn);
  const found = items.flatMap(({ item }) => {
    const content = contentOf(item);
    if (content === null) return [];
    const isOwn = content.kind === 'alias' && content.alias.hostedZoneId === hostedZoneId;
    return [{ type: item.type, target: isOwn ? content.alias.dnsName : null }];
  });
  return typesOfName(found);
}

/** A record set at a name. `target`: the target of an alias within the same hosted zone. */
type FoundType = { readonly type: string; readonly target: string | null };

/** Groups record sets by type. A type of which any record set has values does not count as an alias. */
function typesOfName(found: readonly FoundType[]): TypesOfName {
  const byType = Map.groupBy(found, ({ type }) => type);
  const types = [...byType.keys()].toSorted();
  const aliases = types.flatMap((type) => {
    const targets = byType.get(type)?.map(({ target }) => target) ?? [];
    const [target = null] = targets;
    return target === null || targets.includes(null) ? [] : [[type, target] as const];
  });
  return { types, aliases: Object.fromEntries(aliases) };
}

async function nearestZone({ ledger, config }: Reading, fqdn: string): Promise<DirectoryItem | null> {
  const stored = await Promise.all(
    [fqdn, ...ancestorsOf(fqdn)].map((at) => ledger.get(directoryKey(config.clusterId, at))),
  );
  const nearest = stored.find((item) => item !== null);
  return nearest == null ? null : directoryCodec.decode(nearest);
}

/** Reasons of endpoints that a Zone adopts and that zone53 never publishes. */
const NOT_IN_DNS: readonly unknown[] = ['Occluded', 'UnsupportedType', 'HostedElsewhere'];

/** The types of each name according to the resolved endpoints of a whole cluster. */
export function typesIn(outcomes: readonly EndpointOutcome[]): ReadonlyMap<string, TypesOfName> {
  const found = outcomes.flatMap(({ fqdn, parent, endpoint, programmed }) => {
    if (fqdn === null || parent === null || endpoint === null || NOT_IN_DNS.includes(programmed?.reason)) return [];
    const { type, alias } = endpoint;
    return [{ fqdn, type, target: alias?.hostedZoneId === null ? alias.target : null }];
  });
  const byName = Map.groupBy(found, ({ fqdn }) => fqdn);
  return new Map([...byName].map(([fqdn, list]) => [fqdn, typesOfName(list)]));
}

/** All types of both. For a type that both have, `wanted` gives the target. */
export function mergeTypes(wanted: TypesOfName, published: TypesOfName): TypesOfName {
  const types = [...new Set([...wanted.types, ...published.types])].toSorted();
  const aliases: Record<string, string> = {};
  for (const type of types) {
    const target = (wanted.types.includes(type) ? wanted : published).aliases[type];
    if (target !== undefined) aliases[type] = target;
  }
  return { types, aliases };
}
