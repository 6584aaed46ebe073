// What tenants and operators do in a world with several clusters. Each cluster has a few Records, most of them at names
// that the others ask for too, and with values that are the cluster's own, or those of all.
import { formatRef, type ObjectRef } from '../../../lib/objects/object-ref.ts';
import type { ClusterObject } from '../../../lib/ports/cluster.ts';
import { delayOf } from '../gated-ports.ts';
import { APEX } from '../names.ts';
import { sawThat, tell, type World } from '../world.ts';
import { lookAgain } from './audit.ts';
import { type Fleet, type Member, SHARED, ZONE } from './world.ts';

const STANDBY_ANNOTATION = 'zone53.dev/standby';
const SHARING_ANNOTATION = 'zone53.dev/sharing';
const WEIGHT_ANNOTATION = 'zone53.dev/weight';
/** Where names are shared, of the types of a Record at most so many: few CNAME. */
const SHARED_TYPES = 2;
/** Of all actions where names are shared, the share that says anew how. */
const SHARE_SHARE = 0.2;

/** In place of the id of the cluster in a label. */
const OWN = 'own';

/** The Records of each cluster: the label, and the types of each. No two of one cluster exclude each other. */
const RECORDS: readonly { readonly name: string; readonly label: string; readonly types: readonly string[] }[] = [
  { name: 'w', label: 'w', types: ['A', 'A', 'CNAME'] },
  { name: 'w6', label: 'w', types: ['AAAA'] },
  { name: 'v', label: 'v', types: ['A', 'A', 'CNAME'] },
  { name: 't', label: 't', types: ['TXT'] },
  { name: 'u', label: 't', types: ['A', 'AAAA'] },
  // Names that no other cluster asks for.
  { name: 'o', label: OWN, types: ['A'] },
  { name: 'p', label: `p-${OWN}`, types: ['TXT'] },
];

type LabelledRecord = (typeof RECORDS)[number];

function refOf({ namespaces }: Member, { name, label }: LabelledRecord): ObjectRef {
  return { kind: 'Record', namespace: namespaces?.get(label) ?? 'a', name };
}

/** Values of the cluster alone, or of all. */
function rdataOf({ random, members }: Fleet, { config }: Member, type: string): string {
  const own = [...members.keys()].indexOf(config.clusterId) + 1;
  const of = random.chance(0.3) ? SHARED : own;
  const one = of === SHARED ? 9 : random.whole(1, 2);
  if (type === 'A') return `192.0.2.${of}${one}`;
  if (type === 'AAAA') return `2001:db8::${of}${one}`;
  return type === 'CNAME' ? `c${of}.n.` : `"${of}"`;
}

/** A spec that stands beside the other Records of the cluster; null: there is none. */
function specOf(fleet: Fleet, member: Member, record: LabelledRecord): object | null {
  const { name, label, types } = record;
  const beside = RECORDS.filter((one) => one.label === label && one.name !== name);
  const has = beside.flatMap((one) => member.cluster.find(refOf(member, one)) ?? []);
  const typeOf = ({ spec }: ClusterObject) => (spec as { readonly type: string }).type;
  const former = member.cluster.find(refOf(member, record));
  const isBound = former !== null && member.config.clusterId === fleet.quiet;
  const open = fleet.sharing === null ? types : types.slice(0, SHARED_TYPES);
  const fitting = open.filter((type) => (isBound ? type === typeOf(former) : has.length === 0 || type !== 'CNAME'));
  if (fitting.length === 0 || has.some((one) => typeOf(one) === 'CNAME')) return null;
  const type = fleet.random.pick(fitting);
  const ttl = fleet.random.chance(0.2) ? { ttl: 120 } : {};
  const own = label.replace(OWN, member.config.clusterId);
  return { domainName: `${own}.${APEX}`, type, rdata: rdataOf(fleet, member, type), ...ttl };
}

function hintAbout(world: World, { config }: Member, ref: ObjectRef): void {
  const { swarm, random, queues, time } = world;
  if (swarm.lostHints && random.chance(0.3)) {
    world.needsSweep ??= 'a lost hint';
    sawThat(world, 'a hint was lost');
    return;
  }
  const work = { kind: 'hint', hint: ref, cluster: config.clusterId } as const;
  queues.send(work, time.ms + delayOf(world, true), null);
  if (swarm.duplicates && random.chance(0.2)) queues.send(work, time.ms + delayOf(world, true), null);
}

/** The clusters at the beginning: each has its Zone, and some of its Records. */
export function populateFleet(world: World, fleet: Fleet): void {
  const { random, members } = fleet;
  for (const member of members.values()) {
    member.cluster.put(ZONE, { spec: { domainName: APEX, delegations: [{ records: [{ pattern: '*' }] }] } });
    for (const record of RECORDS) {
      const spec = random.chance(0.5) ? specOf(fleet, member, record) : null;
      if (spec !== null) member.cluster.put(refOf(member, record), { spec });
    }
    if (fleet.sharing !== null) {
      if (random.chance(0.9)) share(fleet, member, ZONE);
      for (const record of RECORDS) if (random.chance(0.15)) share(fleet, member, refOf(member, record));
    }
    for (const { ref } of member.cluster.objects()) {
      const work = { kind: 'hint', hint: ref, cluster: member.config.clusterId } as const;
      world.queues.send(work, world.time.ms + random.whole(0, 1_000), null);
    }
  }
}

/** Sets the annotation, or removes it. */
function toggleStandby(member: Member, ref: ObjectRef): string | null {
  const object = member.cluster.find(ref);
  if (object === null) return null;
  const { [STANDBY_ANNOTATION]: now, ...others } = object.annotations;
  const annotations = now === undefined ? { ...others, [STANDBY_ANNOTATION]: 'true' } : others;
  member.cluster.put(ref, { annotations });
  return now === undefined ? 'put on standby' : 'made active';
}

/** What the annotations on sharing may say. */
const SHARINGS = ['weighted', 'latency', 'merge', 'exclusive', undefined];
const WEIGHTS = ['0', '5', undefined];

/** Says anew how an object, or a whole Zone, shares its names. */
function share({ random, sharing }: Fleet, { cluster }: Member, ref: ObjectRef): string | null {
  const object = cluster.find(ref);
  if (object === null) return null;
  const how = random.chance(0.85) ? (sharing ?? undefined) : random.pick(SHARINGS);
  const said = { [SHARING_ANNOTATION]: how, [WEIGHT_ANNOTATION]: random.pick(WEIGHTS) };
  const annotations = Object.entries({ ...object.annotations, ...said }).filter(([, text]) => text !== undefined);
  cluster.put(ref, { annotations: Object.fromEntries(annotations) as Record<string, string> });
  return 'shared anew';
}

/** One action of a tenant of one of the clusters. */
export function fleetActs(world: World, fleet: Fleet): void {
  const { random, members } = fleet;
  const member = random.pick([...members.values()].filter(({ config }) => config.clusterId !== fleet.left));
  const record = random.pick(RECORDS);
  const dice = random.next();
  const ref = dice < 0.05 ? ZONE : refOf(member, record);
  const isShared = fleet.sharing !== null && random.chance(SHARE_SHARE);
  const done = isShared ? share(fleet, member, ref) : act(fleet, member, record, dice);
  if (done === null) return;
  lookAgain(world);
  sawThat(world, `a cluster of several: ${done}`);
  tell(world, () => {
    const { spec, annotations } = member.cluster.find(ref) ?? {};
    return `${member.config.clusterId}: ${formatRef(ref)} ${done}: ${JSON.stringify(spec)} ${JSON.stringify(annotations)}`;
  });
  hintAbout(world, member, ref);
}

function act(fleet: Fleet, member: Member, record: LabelledRecord, dice: number): string | null {
  const { cluster } = member;
  const ref = refOf(member, record);
  if (dice < 0.05) return toggleStandby(member, ZONE);
  if (dice < 0.2) return toggleStandby(member, ref);
  if (dice < 0.4 && cluster.find(ref) !== null && member.config.clusterId !== fleet.quiet) {
    cluster.remove(ref);
    return 'deleted';
  }
  const spec = specOf(fleet, member, record);
  if (spec === null) return null;
  cluster.put(ref, { spec });
  return 'written';
}

/** What the guard holds now, by the ledger's id of each cluster in the hosted zone. */
export function heldIn({ auditor }: World): readonly { readonly id: string; readonly digest: string }[] {
  return [...auditor.shadow.items].flatMap(([key, { held }]) => {
    if (!key.startsWith('hostedzones ') || held == null) return [];
    return [{ id: key.slice('hostedzones '.length), digest: (held as { readonly digest: string }).digest }];
  });
}
