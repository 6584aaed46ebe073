// What should be, computed from scratch and from the cluster alone: every object by its last valid spec, the account's
// hosted zones as they are, and the pure rules that `render` applies. The one thing taken from the ledger is which of the
// valid specs that an invalid object once had was seen last; that it is one of them is checked.

import type { RecordSpec } from '../../lib/objects/endpoint.ts';
import { type Declared, formatRef, keyOf } from '../../lib/objects/object-ref.ts';
import { declareRecord, declareZone } from '../../lib/observe/last-valid-spec.ts';
import type { ClusterObject } from '../../lib/ports/cluster.ts';
import type { HostedZone } from '../../lib/ports/hosted-zones.ts';
import type { ZoneSpec } from '../../lib/zones/parse-zone.ts';
import type { Hosting } from '../../lib/zones/place-zones.ts';
import { buildWorld, type World as Rendered } from '../../lib/zones/resolve-cluster.ts';
import type { World } from './world.ts';

export type Truth = { readonly rendered: Rendered; readonly hostedZones: readonly HostedZone[] };

/** What should be now. */
export async function truthOf(world: World): Promise<Truth> {
  const hostedZones = await Promise.all((await world.route53.port.list()).map(({ id }) => world.route53.port.get(id)));
  const present = hostedZones.filter((one) => one !== null);
  const hostings = new Map<string, Hosting>(present.map((one) => [one.name, hostingOf(world, one)]));
  const zones: Declared<ZoneSpec>[] = [];
  const records: Declared<RecordSpec>[] = [];
  for (const object of world.cluster.objects()) {
    const lastValid = lastValidOf(world, object);
    if (object.ref.kind === 'Zone') zones.push(declareZone(object, lastValid).declared);
    else records.push(declareRecord(object, lastValid).declared);
  }
  return { rendered: buildWorld({ zones, records, roots: world.config.roots, hostings }), hostedZones: present };
}

/** The last valid spec that anybody saw, null when none was. */
function lastValidOf(world: World, object: ClusterObject): unknown {
  const { ref, uid } = object;
  const item = world.auditor.shadow.items.get(`objects#${world.config.clusterId}#${ref.kind} ${keyOf(ref)}`);
  if (item === undefined || item.uid !== uid) return null;
  const spec = JSON.stringify(item.spec);
  const had = (world.cluster.history.get(formatRef(ref)) ?? []).some(
    (version) => version.object?.uid === uid && JSON.stringify(version.object.spec) === spec,
  );
  if (item.spec !== null && !had)
    world.auditor.fail('Q5', `${formatRef(ref)} is in force as ${spec}, which it never said`);
  return item.spec;
}

/** zone53's own hosted zones have ids of their own in these accounts. */
function hostingOf({ config }: World, { id, nameServers }: HostedZone): Hosting {
  const made = id.startsWith('Zzone53:');
  return { id, nameServers, made, soa: config.soa === 'always' || (config.soa === 'created' && made) };
}
