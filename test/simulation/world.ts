// One simulated world: the cluster, the account, the ledger and the queues in memory, one real time, and functions with
// clocks of their own. Every call that a function makes of a port waits at a gate until the director (simulate.ts)
// releases it with the fate that the director chose. The auditor (auditor.ts) sees the effect of each call at the
// instant when it happens.
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { parseRootPattern } from '../../lib/dns/names/pattern.ts';
import type { RecordSet, RecordSetChange } from '../../lib/dns/record-set.ts';
import { type Config, DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { type MemoryHostedZones, memoryHostedZones } from '../fakes/memory-hosted-zones.ts';
import { accountConfig, accountsOf } from './accounts.ts';
import { type Propagations, statusOfChange } from './audit-propagation.ts';
import { type Auditor, newAuditor } from './auditor.ts';
import type { Sabotage } from './bend.ts';
import { type ChangeBucket, changeBucketOf } from './change-buckets.ts';
import { type Crds, crdsOf } from './crds.ts';
import { type Denials, denialsOf } from './denials.ts';
import { CLUSTER_HOSTED, type Discovery, discoveryOf, discoveryRoots, REVERSE_HOSTED } from './discovery/world.ts';
import { fleetAuditor } from './fleet/audit.ts';
import { type Fleet, fleetOf, type Member, withoutOthers } from './fleet/world.ts';
import { freeTextsOf } from './free-texts.ts';
import { hostileOf } from './hostile.ts';
import { type Leaving, leavingOf } from './leaving-namespaces.ts';
import { longNamesOf } from './long-names.ts';
import { movingZones } from './moved-names.ts';
import { APEX, DEEP_ZONE, FORBIDDEN, REJECTED, SUB_ZONE } from './names.ts';
import { type OtherKinds, otherKindsOf } from './other-kinds.ts';
import { type Overtaken, overtakenOf, withoutSweeps } from './overtaken-records.ts';
import { hasPointers, POINTED_HOSTED, pointedRoot } from './pointed-addresses.ts';
import { type Protections, protectionsOf } from './protections.ts';
import { type Random, randomOf } from './random.ts';
import { hasGoneCheck, type Routed, routedOf } from './routed-records.ts';
import { sharedTextsOf } from './shared-texts.ts';
import { type SimulatedCluster, simulatedCluster } from './simulated-cluster.ts';
import { type Message, type SimulatedQueues, simulatedQueues } from './simulated-queues.ts';
import { type SlowWrites, slowWritesOf } from './slow-writes.ts';
import { type Fate, type Swarm, swarmOf } from './swarm.ts';

/** One invocation of a function: its clock, the messages that it received, and whether it died. */
export type FunctionRun = {
  readonly id: string;
  readonly kind: 'reconcile' | 'report' | 'publish' | 'sweep' | 'follow' | 'command';
  /** The cluster that it works for. */
  readonly member: Member;
  readonly messages: readonly Message[];
  /** How often each message has been received, this time included. */
  readonly receives: readonly number[];
  readonly skewMs: number;
  /** True for a newer version of the code, which writes fields that the others do not know. */
  readonly newer: boolean;
  /** The time of the invocation. Until then, its message belonged to no run. */
  readonly startedAtMs: number;
  dead: boolean;
  ended: boolean;
};

/** A call that waits at its gate. */
export type Call = {
  readonly run: FunctionRun;
  readonly port: 'ledger' | 'hostedZones' | 'cluster' | 'queues' | 'clock';
  readonly method: string;
  readonly detail: string;
  notBeforeMs: number;
  /** Makes the call, or not, as the fate says. */
  readonly release: (fate: Fate | null) => void;
};

/** A batch whose answer was lost, and which Route 53 applies later nevertheless. */
type LateBatch = {
  readonly id: string;
  readonly changes: readonly RecordSetChange[];
  readonly run: FunctionRun;
};

export type World = {
  readonly seed: number;
  readonly swarm: Swarm;
  readonly movingZones: readonly string[];
  /** True when the operator configured no roots. */
  readonly isOpen: boolean;
  readonly random: Random;
  readonly time: { ms: number };
  readonly cluster: SimulatedCluster;
  /** The clusters, if there are several: then `cluster` has nothing. */
  readonly fleet: Fleet | null;
  /** Related objects, such as EndpointSlices, in the form that the sources read. */
  readonly around: SimulatedCluster;
  readonly ledger: Ledger;
  readonly route53: MemoryHostedZones;
  readonly propagations: Propagations;
  readonly queues: SimulatedQueues;
  readonly config: Config;
  readonly auditor: Auditor;
  readonly calls: Call[];
  readonly running: Set<FunctionRun>;
  readonly late: LateBatch[];
  readonly slowWrites: SlowWrites | null;
  /** Who deletes a Record while a run writes its record sets; null: nobody. */
  readonly overtaken: Overtaken | null;
  /** The random numbers of a tenant whose Records are refused; null: there is no such tenant. */
  readonly hostile: Random | null;
  /** What Route 53 denies for a while; null: nothing. */
  readonly denials: Denials | null;
  /** What somebody protects in Route 53 for a while; null: nothing. */
  readonly protections: Protections | null;
  /** The record changes that the account takes at once; null: any number. */
  readonly changeBucket: ChangeBucket | null;
  readonly otherKinds: OtherKinds | null;
  /** The random numbers of names that are too long; null: there are no such names. */
  readonly longNames: Random | null;
  /** The random numbers of a tenant who writes any characters; null: there is no such tenant. */
  readonly freeTexts: Random | null;
  /** The CRD that is deleted and installed anew; null: none is. */
  readonly crds: Crds | null;
  readonly leaving: Leaving | null;
  readonly routed: Routed | null;
  /** The accounts of hosted zones that are not in our own, by id; null: all are in our own. */
  readonly accounts: Map<string, string> | null;
  /** The random numbers of TXT records that name the owner of two record sets; null: there are none. */
  readonly sharedTexts: Random | null;
  /** The cluster's own DNS; null: it is not published. */
  readonly discovery: Discovery | null;
  /** The time of the next free turn for a call of Route 53. */
  readonly budget: { nextMs: number };
  readonly sabotage: Sabotage | null;
  /** How often each situation was reached (coverage.ts). */
  readonly seen: Map<string, number>;
  readonly trace: string[] | null;
  /** True when faults are over: calls run in their order, and one function runs at a time. */
  direct: boolean;
  /** Why only a sweep can mend the world; null: no sweep is needed. */
  needsSweep: string | null;
  hostedZonesMade: number;
  functions: number;
  /** Hosted zones in which a run died, failed or was overtaken by a second delivery, so that its lease may last on. */
  readonly busyExcused: Set<string>;
  /** How many versions the sabotage of stale readings has invented. */
  versions: number;
};

export type WorldOptions = {
  readonly sabotage?: Sabotage | null;
  readonly trace?: boolean;
  readonly swarm?: (swarm: Swarm) => Swarm;
};

/** One seed in this many copies and freezes what is written to the ledger, so that only a put can change an item. */
const FROZEN_EVERY = 10;
/** One seed in this many configures no roots. There, the oldest Zone keeps the names below it. */
const OPEN_EVERY = 14;
const OPEN_AT = 2;
const START_MS = Date.parse('2026-03-01T10:00:00Z');

/** The world of a seed. It has the account's hosted zones and nothing else. */
export function newWorld(seed: number, options: WorldOptions = {}): World {
  const random = randomOf(seed);
  const drawnFirst = swarmOf(random);
  const time = { ms: START_MS + random.whole(0, 3_600_000) };
  const fleet = fleetOf(seed, drawnFirst, () => time.ms);
  const all = fleet === null ? drawnFirst : withoutOthers(drawnFirst);
  /** What a world with several clusters does not have. */
  const unlessFleet = <Of>(of: (seed: number) => Of | null): Of | null => (fleet === null ? of(seed) : null);
  const hostile = unlessFleet(hostileOf);
  const overtaken = unlessFleet(overtakenOf);
  const drawn = overtaken?.alone === true ? withoutSweeps(all) : hostile === null ? all : { ...all, rejects: true };
  const swarm = options.swarm?.(drawn) ?? drawn;
  const isOpen = fleet === null && seed % OPEN_EVERY === OPEN_AT;
  // Without roots, a Zone that nobody delegates may be a root and take a moving name with it.
  const moving = isOpen || fleet !== null ? [] : movingZones(seed, swarm);
  const ids: { id: string; name: string; nameServers?: string[] }[] = [
    { id: 'Z1', name: APEX, nameServers: ['ns-1.awsdns-01.org.', 'ns-2.awsdns-01.com.'] },
    { id: 'ZBANK', name: FORBIDDEN },
    ...(swarm.subZoneHosted
      ? [{ id: 'Z2', name: SUB_ZONE, nameServers: ['ns-3.awsdns-02.org.', 'ns-4.awsdns-02.com.'] }]
      : []),
    ...(moving.includes(DEEP_ZONE)
      ? [{ id: 'Z3', name: DEEP_ZONE, nameServers: ['ns-5.awsdns-03.org.', 'ns-6.awsdns-03.com.'] }]
      : []),
  ];
  const reject = ({ content }: RecordSet) => {
    if (hasGoneCheck(content)) return 'No health check found with id: gone';
    const isRefused = swarm.rejects && content.kind === 'values' && content.values.includes(REJECTED);
    return isRefused ? `Invalid Resource Record: FATAL problem: ${REJECTED}` : null;
  };
  const discovery = unlessFleet(discoveryOf);
  if (discovery !== null) ids.push(CLUSTER_HOSTED, REVERSE_HOSTED);
  if (hasPointers({ seed, discovery })) ids.push(POINTED_HOSTED);
  const accounts = unlessFleet(() => accountsOf(seed, swarm));
  let revisions = 0;
  const nextRevision = () => {
    revisions += 1;
    return String(revisions);
  };
  const world: World = {
    seed,
    swarm,
    movingZones: moving,
    random,
    time,
    cluster: simulatedCluster(() => time.ms),
    fleet,
    around: simulatedCluster(() => time.ms),
    ledger: memoryLedger({ nextRevision, trusting: seed % FROZEN_EVERY !== 0 }),
    route53: memoryHostedZones(ids, { reject, changeStatus: (changeId) => statusOfChange(world, changeId) }),
    propagations: { insyncMs: new Map(), changes: new Map() },
    queues: simulatedQueues({
      fifo: options.sabotage?.queues?.fifo ?? true,
      redelivery: options.sabotage?.queues?.redelivery ?? true,
    }),
    isOpen,
    config: {
      ...configOf(seed, swarm, isOpen || (options.sabotage?.noRoots ?? false), discovery),
      ...accountConfig(accounts),
    },
    auditor: null as unknown as Auditor,
    calls: [],
    running: new Set(),
    late: [],
    slowWrites: unlessFleet(slowWritesOf),
    overtaken,
    hostile,
    denials: unlessFleet(denialsOf),
    protections: unlessFleet(protectionsOf),
    changeBucket: unlessFleet(changeBucketOf),
    otherKinds: unlessFleet(otherKindsOf),
    longNames: unlessFleet(longNamesOf),
    freeTexts: unlessFleet(freeTextsOf),
    crds: unlessFleet(crdsOf),
    leaving: unlessFleet(leavingOf),
    routed: unlessFleet(routedOf),
    accounts,
    sharedTexts: unlessFleet(sharedTextsOf),
    discovery,
    budget: { nextMs: 0 },
    sabotage: options.sabotage ?? null,
    seen: new Map(),
    trace: options.trace === true ? [] : null,
    direct: false,
    needsSweep: null,
    hostedZonesMade: 0,
    functions: 0,
    versions: 0,
    busyExcused: new Set(),
  };
  Object.assign(world, { auditor: fleet === null ? newAuditor(world) : fleetAuditor(world, fleet) });
  return world;
}

/** In these seeds, namespace a takes over what already is as it wants it, and strangers write such record sets. */
const EQUAL_EVERY = 24;
const EQUAL_AT = 15;
const TAKES_EQUAL = { namespaces: ['a'], equal: true };

function configOf(seed: number, swarm: Swarm, noRoots: boolean, discovery: Discovery | null): Config {
  const pattern = parseRootPattern(APEX);
  if (!pattern.ok) throw new Error(pattern.problems.join());
  return {
    ...DEFAULT_CONFIG,
    roots: noRoots
      ? null
      : [
          { pattern: pattern.pattern, namespaces: ['a'] },
          ...(discovery === null ? [] : discoveryRoots()),
          ...(hasPointers({ seed, discovery }) ? [pointedRoot()] : []),
        ],
    sources: discovery === null ? {} : { serviceDiscovery: discovery.settings },
    createHostedZones: swarm.createHostedZones ? 'all' : 'never',
    soa: seed % 3 === 0 ? 'created' : 'always',
    guard: { deletesMax: swarm.deletesMax, deletesShareMax: 1 },
    takeover: { ...DEFAULT_CONFIG.takeover, ...(seed % EQUAL_EVERY === EQUAL_AT && TAKES_EQUAL) },
  };
}

/** Counts that a situation was reached. */
export function sawThat(world: World, what: string): void {
  world.seen.set(what, (world.seen.get(what) ?? 0) + 1);
}

/** Adds a line to the trace. */
export function tell(world: World, line: () => string): void {
  world.trace?.push(`${((world.time.ms - START_MS) / 1000).toFixed(2).padStart(10)} ${line()}`);
}
