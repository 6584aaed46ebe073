// Which types a name has in DNS, for an alias that is to have the same: those of the record sets that are desired or published
// there, in the hosted zone of the live Zone nearest to the name.
import { type DirectoryItem, directoryCodec, directoryKey } from '../../directory/directory-item.ts';
import { ancestorsOf } from '../../dns/names/name.ts';
import type { Context } from '../../ports/context.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { readName } from '../../record-sets/store.ts';
import type { EndpointOutcome } from '../../zones/resolve-cluster.ts';

type Reading = Pick<Context, 'ledger' | 'config'>;

/** Those that the ledger knows. */
export async function typesInLedger(reading: Reading, fqdn: string): Promise<readonly string[]> {
  return typesOf(reading, fqdn, ({ desired, published }) => desired !== null || published !== null);
}

/** Those that the ledger knows to be published, wanted or not. */
export async function typesPublished(reading: Reading, fqdn: string): Promise<readonly string[]> {
  return typesOf(reading, fqdn, ({ published }) => published !== null);
}

async function typesOf(
  { ledger, config }: Reading,
  fqdn: string,
  counts: (item: RecordSetItem) => boolean,
): Promise<readonly string[]> {
  const zone = await nearestZone({ ledger, config }, fqdn);
  if (zone?.target.kind !== 'hosted') return [];
  const items = await readName(ledger, zone.target.hostedZoneId, fqdn);
  return sorted(items.filter(({ item }) => counts(item)).map(({ item }) => item.type));
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

/** By what the rules make of a whole cluster: of each name, the types that stand there. */
export function typesIn(outcomes: Iterable<EndpointOutcome>): ReadonlyMap<string, readonly string[]> {
  const types = new Map<string, string[]>();
  for (const { fqdn, parent, endpoint, programmed } of outcomes) {
    if (fqdn === null || parent === null || endpoint === null || NOT_IN_DNS.includes(programmed?.reason)) continue;
    types.set(fqdn, [...(types.get(fqdn) ?? []), endpoint.type]);
  }
  return new Map([...types].map(([fqdn, list]) => [fqdn, sorted(list)]));
}

/** The types that either has. */
export function together(some: readonly string[], others: readonly string[]): readonly string[] {
  return sorted([...some, ...others]);
}

function sorted(types: readonly string[]): readonly string[] {
  return [...new Set(types)].toSorted();
}
