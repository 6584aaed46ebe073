// Which Zones are live, and what they adopt, by the same code as everywhere: of the objects that are read, or of those
// that the ledger remembers.
import { readDirectory, readHistory } from '../../lib/directory/read-directory.ts';
import { nameAsked } from '../../lib/inspect/name-asked.ts';
import { eachItem } from '../../lib/ledger/pages.ts';
import { readable } from '../../lib/ledger/skip-unreadable.ts';
import { formatRef, isZone } from '../../lib/objects/object-ref.ts';
import { mapping } from '../../lib/objects/plain.ts';
import { declaredBy, namedCodec, namesPartition } from '../../lib/observe/name-index.ts';
import { declaredZone } from '../../lib/observe/object-item.ts';
import { type ClusterReading, declaredIn } from '../../lib/observe/read-cluster.ts';
import { zoneObjects } from '../../lib/observe/zone-objects.ts';
import { clusterDnsOf } from '../../lib/ports/config.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { DeclaredObject } from '../../lib/zones/adopt-endpoint.ts';
import { type Adoptions, adoptAll, type JudgedEndpoint } from '../../lib/zones/resolve-cluster.ts';

/** What is adopted, and which name each endpoint asks for, also if it is not adopted; null: it cannot be told. */
export type Asked = { readonly adoptions: Adoptions; readonly nameOf: (judged: JudgedEndpoint) => string | null };

/** Resolves the Zones of a reading, or those that the ledger remembers, and adopts nothing. */
export function resolveZonesIn(context: Context, reading: ClusterReading | null): Adoptions | Promise<Adoptions> {
  if (reading === null) return adoptRemembered(context, []);
  const { zones, history } = reading;
  return adoptAll({ ...rulesOf(context), zones, history, objects: [] });
}

/** Adopts what the objects of a reading ask for. */
export function askedIn(context: Context, { listing, zones, history, objects }: ClusterReading): Asked {
  const adoptions = adoptAll({ ...rulesOf(context), zones, history, objects: declaredIn({ objects }) });
  const specs = new Map(listing.objects.flatMap(({ ref, spec }) => (isZone(ref) ? [] : [[formatRef(ref), spec]])));
  const fqdnOf = (zone: string) => adoptions.resolutions.get(zone)?.fqdn ?? null;
  const nameOf = ({ object: { ref }, endpoint, adoption: { fqdn } }: JudgedEndpoint) =>
    nameAsked({ fqdn, endpoint, ref }, mapping(specs.get(formatRef(ref))), fqdnOf);
  return { adoptions, nameOf };
}

/** Adopts what the ledger knows that is asked for by a full name. */
export async function askedByName(context: Context): Promise<Asked> {
  const { ledger, config, log } = context;
  const named: DeclaredObject[] = [];
  for await (const stored of eachItem(ledger, namesPartition(config.clusterId))) {
    const item = readable({ log }, namedCodec, stored);
    if (item !== null) named.push(declaredBy(item));
  }
  return { adoptions: await adoptRemembered(context, named), nameOf: ({ adoption }) => adoption.fqdn };
}

async function adoptRemembered(context: Context, objects: readonly DeclaredObject[]): Promise<Adoptions> {
  const { ledger, config, clock } = context;
  const directory = await readDirectory(ledger, config.clusterId);
  const { items } = await zoneObjects(context, directory);
  const history = await readHistory(ledger, config.clusterId, clock.nowMs(), directory);
  return adoptAll({ ...rulesOf(context), zones: items.map(declaredZone), history, objects });
}

function rulesOf({ config }: Context) {
  return { roots: config.roots, clusterDns: clusterDnsOf(config) };
}
