// Reads the related objects of all objects of a listing, each once. An alias that has the same types as another name
// depends on what the rest of the cluster asks for. So the cluster is first resolved without such aliases, then with
// the aliases that resulted, until nothing changes.
import { isZone } from '../objects/object-ref.ts';
import { NO_TYPES, type TypesOfName } from '../objects/related.ts';
import { sameJson } from '../objects/same-json.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import { type Config, clusterDnsOf, hostedZoneName } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { Hosting } from '../zones/place-zones.ts';
import { resolveCluster } from '../zones/resolve-cluster.ts';
import { NO_HISTORY, type ZoneHistory } from '../zones/resolve-zones.ts';
import type { Past } from '../zones/seniority.ts';
import {
  type InForce,
  inForce,
  NOTHING_GATHERED,
  relatedSourceOf,
  type ZoneMemory,
} from './in-force/last-valid-spec.ts';
import { declaredObject, declaredZone } from './object-item.ts';
import { type Gathered, gatherRelated } from './related/gather-related.ts';
import { bulkRelated, type RelatedReader } from './related/read-related.ts';
import { mergeTypes, typesIn, typesInLedger } from './related/types-at.ts';
import { zonesInForce } from './zone-objects.ts';

const OBJECTS_AT_ONCE = 16;
/**
 * The most rounds, each of which resolves the whole cluster. An alias to an alias to a name takes three. The running
 * system has no such limit, but a tenant must not make `plan` run for hours with a chain of aliases.
 */
const ROUNDS_MAX = 50;

/** Gives the related objects of an object of the listing. */
export type GatheredOf = (object: ClusterObject) => Gathered;

type Reader = Pick<Context, 'cluster' | 'sources'> & {
  readonly config: Pick<Config, 'roots' | 'sources' | 'hostedZones'>;
};

/**
 * What is remembered: the last valid spec of an object, which types of a name are published, and the hosted zones of
 * Zones, by fqdn, and of earlier times.
 */
export type Remembering = {
  readonly lastValidOf: (object: ClusterObject) => InForce | undefined;
  readonly memoryOf: (object: ClusterObject) => ZoneMemory | undefined;
  readonly typesPublished: (fqdn: string) => Promise<TypesOfName>;
  readonly hostings: () => Promise<ReadonlyMap<string, Hosting>>;
  readonly history: () => Promise<ZoneHistory>;
  /** Undefined: nothing is known of earlier times. */
  readonly past: () => Promise<Past | undefined>;
};

const REMEMBERS_NOTHING: Remembering = {
  lastValidOf: () => undefined,
  memoryOf: () => undefined,
  typesPublished: async () => NO_TYPES,
  hostings: async () => new Map(),
  history: async () => NO_HISTORY,
  past: async () => undefined,
};

/** The hosted zones that the configuration names; their name servers are not known. */
export function configuredHostings({ hostedZones }: Pick<Config, 'hostedZones'>): ReadonlyMap<string, Hosting> {
  return new Map(
    hostedZones.map((one) => [
      hostedZoneName(one),
      {
        id: one.id,
        nameServers: [],
        made: false,
        soa: false,
        ...(one.visibility === 'private' ? { isPrivate: true } : {}),
      },
    ]),
  );
}

export async function gatherAll(
  reader: Reader,
  objects: readonly ClusterObject[],
  { lastValidOf, memoryOf, typesPublished, hostings, history, past: readPast }: Remembering = REMEMBERS_NOTHING,
): Promise<GatheredOf> {
  const { sources, config } = reader;
  const asking = objects.flatMap((object) => {
    const source = relatedSourceOf(sources, object);
    return source === null ? [] : [{ object, source }];
  });
  if (asking.length === 0) return () => NOTHING_GATHERED;
  const related = bulkRelated(reader);
  let types: ReadonlyMap<string, TypesOfName> = new Map();
  for (let round = 1; ; round += 1) {
    const known = types;
    const gathered = new Map<ClusterObject, Gathered>();
    await inParallel(asking, OBJECTS_AT_ONCE, async ({ object, source }) => {
      const typesAt = async (fqdn: string) => mergeTypes(known.get(fqdn) ?? NO_TYPES, await typesPublished(fqdn));
      gathered.set(object, await gatherRelated(source, object, { reader: related, typesAt, note: async () => false }));
    });
    const gatheredOf: GatheredOf = (object) => gathered.get(object) ?? NOTHING_GATHERED;
    const asksTypes = [...gathered.values()].some(({ queries }) => queries.some(({ code }) => code === 'types'));
    if (!asksTypes || round === ROUNDS_MAX) return gatheredOf;
    const declared = objects.map((object) => {
      const { ref, uid, creationTimestamp, order } = object;
      const now = inForce(sources, object, gatheredOf(object), lastValidOf(object), memoryOf(object));
      return { ref, age: { uid, creationTimestamp, order }, ...now };
    });
    const past = await readPast();
    const resolved = resolveCluster({
      ...(past === undefined ? {} : { past }),
      zones: zonesInForce(declared.filter(({ ref }) => isZone(ref))).map(declaredZone),
      objects: declared.filter(({ ref }) => !isZone(ref)).map(declaredObject),
      roots: config.roots,
      clusterDns: clusterDnsOf(config),
      history: await history(),
      hostings: new Map([...configuredHostings(config), ...(await hostings())]),
    });
    types = typesIn([...resolved.objects.values()].flat());
    if (sameTypes(types, known)) return gatheredOf;
  }
}

/** Reads the related objects of one object only to compare them: the object is not noted as a dependent. */
export async function gatherToCompare(
  context: Pick<Context, 'ledger' | 'config' | 'sources'>,
  object: ClusterObject,
  reader: RelatedReader,
): Promise<Gathered> {
  const source = relatedSourceOf(context.sources, object);
  if (source === null) return NOTHING_GATHERED;
  const typesAt = (fqdn: string) => typesInLedger(context, fqdn);
  return gatherRelated(source, object, { reader, typesAt, note: async () => false });
}

function sameTypes(a: ReadonlyMap<string, TypesOfName>, b: ReadonlyMap<string, TypesOfName>): boolean {
  return a.size === b.size && [...a].every(([fqdn, types]) => sameJson(b.get(fqdn), types));
}
