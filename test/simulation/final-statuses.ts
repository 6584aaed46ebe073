// Q2: the status of every object is true. Accepted, names, entries and hash equal those of `render`. Programmed is True
// exactly if Route 53 has what the object asks for and it is ours, and it is never Pending in the end.

import { sameContent } from '../../lib/dns/record-set.ts';
import { asksForTakeover } from '../../lib/objects/annotations.ts';
import type { Condition } from '../../lib/objects/conditions.ts';
import { formatRef } from '../../lib/objects/object-ref.ts';
import type { ObjectStatus } from '../../lib/ports/cluster.ts';
import { describeCluster, withRefusedTakeover } from '../../lib/report/describe-cluster.ts';
import type { ResolvedZone } from '../../lib/zones/resolve-cluster.ts';
import { verdictOfTarget } from '../../lib/zones/unpublished-reasons.ts';
import type { Truth } from './oracle.ts';
import { standingKey } from './record-set-texts.ts';
import { PARENT_LABEL } from './simulated-cluster.ts';
import type { World } from './world.ts';

const REFUSALS = ['ForeignRecord', 'Drifted', 'Rejected', 'HeldByGuard'];

/** Checks every object's status. */
export function checkStatuses(world: World, truth: Truth, when: string): void {
  const output = describeCluster(
    truth.rendered,
    { objects: [], problems: [] },
    {
      serialOf: () => 0,
      zoneProgrammed: () => null,
      endpointProgrammed: () => null,
    },
  );
  const fail = (message: string) => world.auditor.fail('Q2', `${when}: ${message}`);
  for (const plain of output.zones) {
    const ref = { kind: 'Zone', namespace: plain.namespace, name: plain.name };
    const takeover = asksForTakeover({ annotations: world.cluster.find(ref)?.annotations ?? {} });
    const zone = withRefusedTakeover(world.config, { ref, takeover }, plain);
    const id = formatRef(ref);
    const status = checkOne(world, id, zone, fail);
    if (status === null) continue;
    if ((status.zone?.hash ?? null) !== zone.hash) fail(`${id} shows another hash`);
    const noted = world.auditor.shadow.items.get(
      `statuses#${world.config.clusterId}#Zone ${zone.namespace}/${zone.name}`,
    );
    if (zone.hash !== null && status.zone?.serial !== noted?.serial)
      fail(`${id} shows serial ${status.zone?.serial}, and has ${String(noted?.serial)}`);
    const bare = (entries: typeof zone.entries) =>
      JSON.stringify(entries.filter(({ type, fqdn }) => !(type === 'SOA' && fqdn === zone.fqdn)));
    if (bare(status.zone?.entries ?? []) !== bare(zone.entries)) fail(`${id} shows other entries`);
    const resolved = truth.rendered.zones.get(`${zone.namespace}/${zone.name}`);
    if (resolved !== undefined) checkZoneProgrammed(world, truth, resolved, status, fail);
  }
  for (const record of output.records) {
    const id = `Record ${record.namespace}/${record.name}`;
    const status = checkOne(world, id, record, fail);
    if (status !== null) checkProgrammed(world, truth, id, status, fail);
  }
}

type Shown = {
  readonly fqdn: string | null;
  readonly parent: string | null;
  readonly conditions: readonly Condition[];
};

function checkOne(world: World, id: string, wanted: Shown, fail: (message: string) => void): ObjectStatus | null {
  const status = world.cluster.statuses.get(id);
  const object = world.cluster.objects().find(({ ref }) => formatRef(ref) === id);
  if (status === undefined || object === undefined) {
    fail(`nothing was reported of ${id}`);
    return null;
  }
  if (status.fqdn !== wanted.fqdn || status.parent !== wanted.parent)
    fail(`${id} shows ${status.fqdn} of ${status.parent}, and is ${wanted.fqdn} of ${wanted.parent}`);
  const label = wanted.parent === null ? undefined : wanted.parent.split('/').reverse().join('.');
  if (object.labels[PARENT_LABEL] !== label)
    fail(`${id} is labelled as of ${object.labels[PARENT_LABEL]}, and is of ${label}`);
  const accepted = wanted.conditions.find(({ type }) => type === 'Accepted');
  const shown = status.conditions.find(({ type }) => type === 'Accepted');
  if (shown?.reason !== accepted?.reason || shown?.message !== accepted?.message || shown?.status !== accepted?.status)
    fail(
      `${id} shows Accepted ${shown?.reason} (${shown?.message}), and is ${accepted?.reason} (${accepted?.message})`,
    );
  for (const condition of status.conditions) {
    if (condition.observedGeneration !== object.generation)
      fail(
        `${id} shows ${condition.type} of generation ${condition.observedGeneration}, and stands at ${object.generation}`,
      );
    if (condition.reason === 'Pending') fail(`${id} is shown as Pending`);
    if (/Route 53 denies changes|Hosted zone \S+ is full/.test(condition.message ?? ''))
      fail(`${id} says what is over: ${condition.message}`);
  }
  return status;
}

/**
 * A Zone with a hosted zone is Programmed if its delegation is in Route 53, and if nothing is left in its own hosted
 * zone that could not be deleted.
 */
function checkZoneProgrammed(
  world: World,
  truth: Truth,
  zone: ResolvedZone,
  status: ObjectStatus,
  fail: (message: string) => void,
): void {
  const id = formatRef(zone.ref);
  const shown = status.conditions.find(({ type }) => type === 'Programmed') ?? null;
  const { placed } = zone;
  if (placed === null) {
    if (shown !== null) fail(`${id} is not live, and shows Programmed ${shown.reason}`);
    return;
  }
  const { target } = placed;
  const unhosted = verdictOfTarget(placed);
  if (target.kind !== 'hosted' || unhosted !== null) {
    if (shown?.reason !== unhosted?.reason) fail(`${id} shows Programmed ${shown?.reason}, and is ${unhosted?.reason}`);
    return;
  }
  const isDelegation = ({ type, name, objects }: (typeof truth.rendered.recordSets)[number]) =>
    type === 'NS' && (objects.includes(id) || (name === zone.fqdn && placed.cut));
  const isDelegated = truth.rendered.recordSets.filter(isDelegation).every((set) => stands(world, set));
  const hasLeftovers =
    target.zone === zone.key &&
    [...world.auditor.shadow.items].some(
      ([key, { desired, refusal }]) =>
        key.startsWith(`recordsets#${target.hostedZoneId} `) && desired === null && refusal !== null,
    );
  if ((isDelegated && !hasLeftovers) !== (shown?.status === 'True'))
    fail(`${id} shows Programmed ${shown?.status} ${shown?.reason} (${shown?.message})`);
}

/** True if Route 53 has the record set, and it is ours. */
function stands(world: World, set: Truth['rendered']['recordSets'][number]): boolean {
  const key = standingKey(set.hostedZoneId, set);
  const found = world.route53
    .recordSets(set.hostedZoneId)
    .find((other) => standingKey(set.hostedZoneId, other) === key);
  const isOurs = world.auditor.shadow.standing.get(key)?.writer === 'us';
  return isOurs && found !== undefined && sameContent(found.content, set.content);
}

function checkProgrammed(
  world: World,
  truth: Truth,
  id: string,
  status: ObjectStatus,
  fail: (message: string) => void,
): void {
  const record = truth.rendered.objects.get(id)?.[0];
  const shown = status.conditions.find(({ type }) => type === 'Programmed') ?? null;
  if (record === undefined || record.parent === null) {
    if (shown !== null) fail(`${id} is not accepted, and shows Programmed ${shown.reason}`);
    return;
  }
  if (record.programmed !== null) {
    if (shown?.reason !== record.programmed.reason)
      fail(`${id} shows Programmed ${shown?.reason}, and is ${record.programmed.reason}`);
    return;
  }
  const sets = truth.rendered.recordSets.filter((set) => set.objects.includes(id));
  const isThere = sets.every((set) => stands(world, set));
  if (isThere !== (shown?.status === 'True'))
    fail(
      `${id} shows Programmed ${shown?.status} ${shown?.reason}, and what it asks for ${isThere ? 'stands' : 'does not stand'} in Route 53`,
    );
  if (!isThere && !REFUSALS.includes(shown?.reason ?? '')) fail(`${id} shows ${shown?.reason} and does not stand`);
}
