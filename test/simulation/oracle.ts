// The expected result, computed from the cluster alone: every object by its last valid spec, the account's hosted
// zones, and the pure rules that `render` applies. Two things are taken from the ledger: which of the earlier valid
// specs of an invalid object was seen last (the oracle checks that it is one of them), and which roots were live.

import { readAllAges } from '../../lib/directory/name-ages-item.ts';
import { readDirectory, readHistory } from '../../lib/directory/read-directory.ts';
import { formatRef, isZone, keyOf } from '../../lib/objects/object-ref.ts';
import { type InForce, inForce, NOTHING_GATHERED } from '../../lib/observe/in-force/last-valid-spec.ts';
import { declaredObject, declaredZone } from '../../lib/observe/object-item.ts';
import { zonesInForce } from '../../lib/observe/zone-objects.ts';
import type { ClusterObject } from '../../lib/ports/cluster.ts';
import { clusterDnsOf } from '../../lib/ports/config.ts';
import type { HostedZone } from '../../lib/ports/hosted-zones.ts';
import { resolveByAge } from '../../lib/resolve/standing.ts';
import type { Hosting } from '../../lib/zones/place-zones.ts';
import {
  type ResolvedCluster as Rendered,
  type ResolvedZone,
  resolveCluster,
} from '../../lib/zones/resolve-cluster.ts';
import { textOf } from './record-set-texts.ts';
import { leans, relatedIn, sourcesIn } from './related-objects.ts';
import type { World } from './world.ts';

export type Truth = { readonly rendered: Rendered; readonly hostedZones: readonly HostedZone[] };

/** Computes the expected result for the present state. */
export async function truthOf(world: World): Promise<Truth> {
  const hostedZones = await Promise.all((await world.route53.port.list()).map(({ id }) => world.route53.port.get(id)));
  const present = hostedZones.flatMap((one) => (one === null || 'unreadable' in one ? [] : [one]));
  const hostings = new Map<string, Hosting>(present.map((one) => [one.name, hostingOf(world, one)]));
  const gathered = { ...NOTHING_GATHERED, related: relatedIn(world) };
  const declared = world.cluster.objects().map((object) => {
    const { ref, uid, creationTimestamp, order } = object;
    return {
      ref,
      age: { uid, creationTimestamp, order },
      ...inForce(sourcesIn(world), object, gathered, lastValidOf(world, object)),
    };
  });
  const zones = zonesInForce(declared.filter(({ ref }) => isZone(ref))).map(declaredZone);
  const objects = declared.filter(({ ref }) => !isZone(ref)).map(declaredObject);
  const clusterDns = clusterDnsOf(world.config);
  const { roots, clusterId } = world.config;
  // Which roots were live before, and the ages of names, are the facts that no object tells.
  const directory = await readDirectory(world.ledger, clusterId);
  const history = await readHistory(world.ledger, clusterId, world.time.ms, directory);
  const remembered = { ages: await readAllAges(world.ledger, clusterId), nowMs: world.time.ms };
  const input = { zones, objects, roots, hostings, clusterDns, history };
  const build = () => resolveByAge(world, remembered, (past) => resolveCluster({ ...input, past }));
  const first = await build();
  const idle = world.config.createHostedZones === 'all' ? [...first.zones.values()].flatMap(madeForNothing) : [];
  for (const fqdn of idle) hostings.delete(fqdn);
  return { rendered: idle.length === 0 ? first : await build(), hostedZones: present };
}

/** The name of a sub-zone for which a hosted zone was made before it was known that its NS Records lead elsewhere. */
function madeForNothing({ placed }: ResolvedZone): string[] {
  if (placed?.hosting?.made !== true || placed.live.parent === null) return [];
  const { hosting, nameServers, live } = placed;
  const declared = nameServers.filter(({ objects }) => objects.some((object) => !object.startsWith('Zone ')));
  const leadsHere = declared.some(({ rdata }) => hosting.nameServers.includes(rdata));
  return declared.length > 0 && !leadsHere ? [live.fqdn] : [];
}

/** The last valid spec that a run saw; undefined when there was none. */
function lastValidOf(world: World, object: ClusterObject): InForce | undefined {
  const { ref, uid } = object;
  const item = world.auditor.shadow.items.get(`objects#${world.config.clusterId}#${ref.kind} ${keyOf(ref)}`);
  if (item === undefined || item.uid !== uid) return undefined;
  const seen = item as unknown as InForce;
  // Its endpoints also depend on related objects, as they were at some time.
  if (leans(ref)) return seen;
  const versions = (world.cluster.history.get(formatRef(ref)) ?? []).flatMap((version) => version.object ?? []);
  const own = versions.filter((version) => version.uid === uid).map((version) => inForce(sourcesIn(world), version));
  const had = isZone(ref)
    ? [seen, ...(seen.former === undefined ? [] : [seen.former])].every(
        ({ spec }) => spec === null || own.some((one) => textOf(one.spec) === textOf(spec)),
      )
    : isSubset(saidBy(seen), new Set(own.flatMap(saidBy))) &&
      isSubset(newerIn(seen), new Set([...own.flatMap(openIn), ...openIn(seen)]));
  if (!had) world.auditor.fail('Q5', `${formatRef(ref)} is in force as ${JSON.stringify(seen)}, which it never said`);
  return seen;
}

/**
 * The endpoints that stand, as text. One object may keep some of before beside those of now, and where the Zones decide
 * whether those of now are valid, those that would stand in for them: each of them is one that it said once.
 */
function saidBy({ endpoints }: InForce): readonly string[] {
  return (endpoints ?? []).flatMap(({ flaw, standsInFor: _, ...endpoint }) =>
    flaw?.isInForce === false ? [] : [JSON.stringify(endpoint)],
  );
}

/** The endpoints that are newer than those that stand in for them, as text. */
function newerIn({ endpoints }: InForce): readonly string[] {
  return (endpoints ?? []).flatMap(({ standsInFor = [] }) => standsInFor.map(textOf));
}

/** The aliases and partial names that are valid or not depending on the Zones. */
function openIn({ endpoints }: InForce): readonly string[] {
  return (endpoints ?? []).flatMap(({ domainName, zoneRef, type, alias, standsInFor }) => {
    const target = alias?.hostedZoneId === null ? alias.target : null;
    const isOpen = target !== null || domainName.kind === 'partial';
    return isOpen && standsInFor === undefined ? [textOf({ domainName, zoneRef, type, target })] : [];
  });
}

function isSubset(some: readonly string[], all: ReadonlySet<string>): boolean {
  return some.every((one) => all.has(one));
}

/** zone53's own hosted zones have ids of their own in these accounts. */
function hostingOf({ config }: World, { id, nameServers }: HostedZone): Hosting {
  const made = id.startsWith('Zzone53:');
  return { id, nameServers, made, soa: config.soa === 'always' || (config.soa === 'created' && made) };
}
