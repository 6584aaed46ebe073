// Which types a name has in DNS, for an alias that is to have the same: those of the record sets that are desired or
// published there, in the hosted zone of the live Zone nearest to the name.
import { type DirectoryItem, directoryCodec, directoryKey } from '../../directory/directory-item.ts';
import { ancestorsOf } from '../../dns/names/name.ts';
import { NO_TYPES, type TypesOfName } from '../../objects/related.ts';
import type { Context } from '../../ports/context.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { readName } from '../../record-sets/store.ts';
import type { EndpointOutcome } from '../../zones/resolve-cluster.ts';

type Reading = Pick<Context, 'ledger' | 'config'>;

/** Those that the ledger knows. */
export async function typesInLedger(reading: Reading, fqdn: string): Promise<TypesOfName> {
  return typesOf(reading, fqdn, ({ desired, published }) => desired ?? published);
}

/** Those that the ledger knows to be published, wanted or not. */
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

/** What stands at a name; `target`: where an alias of the same hosted zone leads. */
type Standing = { readonly type: string; readonly target: string | null };

/** A type that has an address at all, as one of several record sets, is no alias. */
function typesOfName(found: readonly Standing[]): TypesOfName {
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

/** Adopted, and never published. */
const NOT_IN_DNS: readonly unknown[] = ['Occluded', 'UnsupportedType'];

/** By what the rules make of a whole cluster: what stands at each name. */
export function typesIn(outcomes: Iterable<EndpointOutcome>): ReadonlyMap<string, TypesOfName> {
  const standing = new Map<string, Standing[]>();
  for (const { fqdn, parent, endpoint, programmed } of outcomes) {
    if (fqdn === null || parent === null || endpoint === null || NOT_IN_DNS.includes(programmed?.reason)) continue;
    const { type, alias } = endpoint;
    const target = alias?.hostedZoneId === null ? alias.target : null;
    standing.set(fqdn, [...(standing.get(fqdn) ?? []), { type, target }]);
  }
  return new Map([...standing].map(([fqdn, list]) => [fqdn, typesOfName(list)]));
}

/** The types that either has. Where both have one, `wanted` says where it leads. */
export function together(wanted: TypesOfName, published: TypesOfName): TypesOfName {
  const types = [...new Set([...wanted.types, ...published.types])].toSorted();
  const aliases: Record<string, string> = {};
  for (const type of types) {
    const target = (wanted.types.includes(type) ? wanted : published).aliases[type];
    if (target !== undefined) aliases[type] = target;
  }
  return { types, aliases };
}
