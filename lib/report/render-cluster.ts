// The use case behind `zone53 render`: applies the rules of lib/zones to a listing, from scratch, without reading or
// writing anything else. It is also the oracle of the tests: the running system must end with the same result.
import { nextSerial } from '../dns/serial.ts';
import type { ProgrammedReason, Verdict } from '../objects/conditions.ts';
import { isZone } from '../objects/object-ref.ts';
import type { Source } from '../objects/source.ts';
import { configuredHostings, type GatheredOf } from '../observe/gather-all.ts';
import { inForce, NOTHING_GATHERED } from '../observe/in-force/last-valid-spec.ts';
import { declaredObject, declaredZone } from '../observe/object-item.ts';
import type { ClusterObject, Listing } from '../ports/cluster.ts';
import { type Config, clusterDnsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { Log } from '../ports/log.ts';
import { leftOutMessage } from '../zones/cluster-names.ts';
import { type EndpointOutcome, type ResolvedCluster, resolveCluster } from '../zones/resolve-cluster.ts';
import { type ClusterOutput, describeCluster } from './describe-cluster.ts';

/**
 * Renders a listing at `nowMs` (UTC, for the serials). `gatheredOf` gives the related objects (`gatherAll`). `noted`
 * may add notes that no status has.
 */
export function renderCluster(
  listing: Listing,
  { sources, config }: Pick<Context, 'sources' | 'config'>,
  nowMs: number,
  gatheredOf: GatheredOf = () => NOTHING_GATHERED,
  log: Log = () => {},
  noted: (resolved: ResolvedCluster) => ResolvedCluster = (resolved) => resolved,
): ClusterOutput {
  const resolved = declaredWorld(listing.objects, sources, config, gatheredOf);
  if (resolved.leftOut > 0) log('warn', leftOutMessage(resolved.leftOut));
  return describeCluster(noted(resolved), listing, {
    serialOf: () => nextSerial(null, nowMs),
    zoneProgrammed: () => null,
    endpointProgrammed: knownWithoutRoute53,
  });
}

/** What objects declare, each judged without its last valid spec. */
function declaredWorld(
  objects: readonly ClusterObject[],
  sources: readonly Source[],
  config: Config,
  gatheredOf: GatheredOf,
): ResolvedCluster {
  const declared = objects.map((object) => {
    const { ref, uid, creationTimestamp, order } = object;
    return { ref, age: { uid, creationTimestamp, order }, ...inForce(sources, object, gatheredOf(object)) };
  });
  return resolveCluster({
    zones: declared.filter(({ ref }) => isZone(ref)).map(declaredZone),
    objects: declared.filter(({ ref }) => !isZone(ref)).map(declaredObject),
    roots: config.roots,
    clusterDns: clusterDnsOf(config),
    hostings: configuredHostings(config),
  });
}

/** The Programmed verdict that needs no answer of Route 53: these two reasons are never published. */
function knownWithoutRoute53({ programmed }: EndpointOutcome): Verdict<ProgrammedReason> | null {
  return programmed?.reason === 'Occluded' || programmed?.reason === 'UnsupportedType' ? programmed : null;
}
