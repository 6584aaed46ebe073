// In some seeds, several clusters publish into one hosted zone, with one ledger. Each has its own objects,
// configuration, messages and sweeps; queues, time and Route 53 are those of all. Few names, most of them wanted by
// more than one cluster: the claims meet.
import { hostedZonesInViews } from '../../../lib/adapters/route53/hosted-zones-in-views.ts';
import { hostedZonesByAccount } from '../../../lib/adapters/route53/hosted-zones-of-accounts.ts';
import { parseRootPattern } from '../../../lib/dns/names/pattern.ts';
import type { ObjectRef } from '../../../lib/objects/object-ref.ts';
import { shareIdOf, withoutShare } from '../../../lib/objects/share-id.ts';
import { type Config, DEFAULT_CONFIG } from '../../../lib/ports/config.ts';
import type { HostedZones } from '../../../lib/ports/hosted-zones.ts';
import { APEX } from '../names.ts';
import { type Random, randomOf } from '../random.ts';
import { REGRESSIONS } from '../regressions.ts';
import { type SimulatedCluster, simulatedCluster } from '../simulated-cluster.ts';
import type { Message } from '../simulated-queues.ts';
import type { Swarm } from '../swarm.ts';
import type { World } from '../world.ts';
import { ACCOUNTS, inAccount } from './accounts.ts';

/** One cluster: its objects, and the configuration with which functions serve it. */
export type Member = {
  readonly cluster: SimulatedCluster;
  readonly config: Config;
  /** The namespace of the Records of a label, if it is not `a`. */
  readonly namespaces?: ReadonlyMap<string, string>;
};

/** What an operator commands. */
export type Command =
  | { readonly kind: 'standby'; readonly cluster: string; readonly standby: boolean }
  | { readonly kind: 'retire'; readonly cluster: string; readonly retain: boolean };

/** `open`: the command that is not done yet. `standby`: what was commanded last for each cluster. */
type Operators = {
  readonly random: Random;
  readonly mayLeave: boolean;
  readonly standby: Map<string, boolean>;
  open: Command | null;
};

export type Fleet = {
  readonly random: Random;
  /** Who uses commands; null: nobody. */
  readonly operators: Operators | null;
  /** The cluster that has left the configuration; null: none has. */
  left: string | null;
  /** The clusters that are being retired, or are: they ask for nothing. */
  readonly gone: Set<string>;
  /** What stays in Route 53 of a cluster that was retired. */
  readonly retained: Map<string, { readonly name: string; readonly text: string }>;
  /** Where the hosted zone is not always in our own account; null: it is. `isRefused`: no role is accepted. */
  readonly accounts: { readonly random: Random; isRefused: boolean } | null;
  /** By the id of the cluster. */
  readonly members: Map<string, Member>;
  /** A cluster that never asks for less than before; null: there is none. */
  readonly quiet: string | null;
  /** How most names are shared that are; null: none is. */
  readonly sharing: 'weighted' | 'latency' | 'merge' | null;
};

/** The share of these worlds in which operators use commands. */
const OPERATORS_SHARE = 0.45;
/** The share in which the hosted zone is, at times, in another account. */
const ACCOUNTS_SHARE = 0.25;
const EVERY = 12;
const AT = 7;
const IDS: readonly string[] = ['eu', 'us', 'ap'];
const REGIONS: readonly string[] = ['eu-west-1', 'eu-west-1', 'us-east-1', 'ap-south-1'];
export const HOSTED = 'Z1';
/** In place of the number of a cluster: in values that all may have. */
export const SHARED = 9;
/** The Zone of each cluster. */
export const ZONE: ObjectRef = { kind: 'Zone', namespace: 'a', name: 'root' };

/** True for a seed whose world has several clusters. */
export function isFleet(seed: number): boolean {
  return seed % EVERY === AT && !REGRESSIONS.some((one) => one.seed === seed);
}

/** The random numbers of those who use commands; null: nobody does. */
function operatorsOf(seed: number): Random | null {
  const random = randomOf(Math.imul(seed, 49_979_687) + 3);
  return random.chance(OPERATORS_SHARE) ? random : null;
}

/** The clusters of a seed; null: it has only one. */
export function fleetOf(seed: number, swarm: Swarm, nowMs: () => number): Fleet | null {
  if (!isFleet(seed)) return null;
  const random = randomOf(Math.imul(seed, 86_028_121) + 29);
  const ids = IDS.slice(0, random.chance(0.2) ? 3 : 2);
  const pattern = parseRootPattern(APEX);
  if (!pattern.ok) throw new Error(pattern.problems.join());
  const standby = random.chance(0.2) ? [random.pick(ids)] : [];
  const sharing = random.chance(0.4) ? random.pick(['weighted', 'weighted', 'latency', 'merge'] as const) : null;
  const namespacesOf = () => new Map(['w', 'v', 't'].flatMap((label) => (random.chance(0.12) ? [[label, 'b']] : [])));
  const configOf = (clusterId: string): Config => ({
    ...DEFAULT_CONFIG,
    clusterId,
    region: sharing !== null && random.chance(0.8) ? random.pick(REGIONS) : null,
    standby,
    roots: [{ pattern: pattern.pattern, namespaces: [ZONE.namespace] }],
    soa: 'never',
    guard: { deletesMax: swarm.deletesMax, deletesShareMax: 1 },
  });
  const moves = randomOf(Math.imul(seed, 32_452_843) + 7);
  const accounts = moves.chance(ACCOUNTS_SHARE) ? { random: moves, isRefused: false } : null;
  const firstAccount = moves.pick(ACCOUNTS);
  const members = ids.map((id): [string, Member] => {
    const config = accounts === null ? configOf(id) : inAccount(configOf(id), firstAccount);
    const own = { cluster: simulatedCluster(nowMs), config };
    return [id, sharing !== null ? { ...own, namespaces: namespacesOf() } : own];
  });
  const commands = operatorsOf(seed);
  const operators = commands && { random: commands, mayLeave: commands.chance(0.5), standby: new Map(), open: null };
  const none = { accounts, left: null, gone: new Set<string>(), retained: new Map() };
  return {
    ...none,
    random,
    operators,
    members: new Map(members),
    quiet: random.chance(0.4) ? random.pick(ids) : null,
    sharing,
  };
}

/** What a world with several clusters has no need of. */
export function withoutOthers(swarm: Swarm): Swarm {
  return {
    ...swarm,
    strangers: false,
    hostedZonesVanish: false,
    takeover: false,
    createHostedZones: false,
    subZoneHosted: false,
    rejects: false,
    forges: false,
  };
}

/** The cluster that a function works for: that of its messages, or of the hosted zone that it publishes. */
export function memberFor(world: World, { work }: Pick<Message, 'work'>): Member {
  const { fleet, auditor } = world;
  if (fleet === null) return world;
  const [first] = fleet.members.keys();
  const noted = (id: string) => auditor.shadow.items.get(`hostedzones ${id}`)?.cluster;
  const id = work.kind === 'publish' ? noted(work.hostedZoneId) : work.cluster;
  return fleet.members.get(String(id ?? first)) ?? world;
}

/** The ledger's id for what a cluster publishes into the hosted zone; null: it has none yet. */
export function ledgerIdOf({ auditor }: Pick<World, 'auditor'>, cluster: string, hosted = HOSTED): string | null {
  const ids = [hosted, shareIdOf(hosted, cluster)];
  return ids.find((id) => auditor.shadow.items.get(`hostedzones ${id}`)?.cluster === cluster) ?? null;
}

/** The cluster of one of the ledger's ids for a hosted zone; null: it has none. */
export function clusterOfLedgerId({ auditor }: Pick<World, 'auditor'>, id: string): string | null {
  const noted = auditor.shadow.items.get(`hostedzones ${id}`)?.cluster;
  return typeof noted === 'string' ? noted : id === withoutShare(id) ? null : id.slice(withoutShare(id).length + 1);
}

/** The hosted zones as the functions of one cluster call them: a share of a cluster is in the ledger alone. */
export function shared(
  { own, others }: { readonly own: HostedZones; readonly others: ReadonlyMap<string, HostedZones> },
  { config }: Member,
): HostedZones {
  return hostedZonesInViews(hostedZonesByAccount(own, others, { config }), config);
}

/** What the messages of a cluster say of it. */
export function markOf({ fleet }: Pick<World, 'fleet'>, { config }: Member): { readonly cluster?: string } {
  return fleet === null ? {} : { cluster: config.clusterId };
}
