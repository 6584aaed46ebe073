// A world for the tests of publish: a ledger and an account in memory, a clock that only the test moves, and queues
// that record messages. `want` writes what reconcile would write for a name.

import { type MemoryLedger, memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { type DirectoryItem, directoryCodec, directoryKey } from '../../lib/directory/directory-item.ts';
import { buildRecordSet } from '../../lib/dns/build-record-set.ts';
import type { RecordSet, RecordSetContent, RecordSetKey } from '../../lib/dns/record-set.ts';
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';
import type { JsonObject, Ledger } from '../../lib/ports/ledger.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { FollowedChange, Queues } from '../../lib/ports/queues.ts';
import { DEFAULT_PUBLISH_CONFIG, publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import type { PublishConfig, PublishDeps, PublishOptions } from '../../lib/publish/run/run.ts';
import { type DesiredRecordSet, touchDesired } from '../../lib/record-sets/desired-name.ts';
import { annotatedWith, type HostedZoneItem, newHostedZoneItem } from '../../lib/record-sets/hosted-zone-item.ts';
import { changeHostedZone, readHostedZone } from '../../lib/record-sets/lease.ts';
import type { RecordSetItem } from '../../lib/record-sets/record-set-item.ts';
import { readName } from '../../lib/record-sets/store.ts';
import { type MemoryHostedZones, type MemoryHostedZonesOptions, memoryHostedZones } from './memory-hosted-zones.ts';

export const ZONE_ID = 'Z1';
export const APEX = 'example.org.';
export const WWW = `www.${APEX}`;

export type PublishWorld = {
  readonly ledger: Ledger;
  readonly route53: MemoryHostedZones;
  readonly deps: PublishDeps;
  readonly logged: Parameters<Log>[];
  readonly reported: ObjectRef[];
  readonly queued: { readonly hostedZoneId: string; readonly delaySeconds: number }[];
  readonly followed: { readonly change: FollowedChange; readonly delaySeconds: number }[];
  clock: { ms: number };
  /** Another world in the same state: for what is tried many times from there. */
  copy(): PublishWorld;
};

/** The content of a record set with these values. */
export function values(ttlSeconds: number, ...rdata: string[]): RecordSetContent {
  return { kind: 'values', ttlSeconds, values: rdata };
}

export function wanted(
  name: string,
  type: string,
  rdata: readonly string[],
  more: Partial<DesiredRecordSet> = {},
): DesiredRecordSet {
  const set = buildRecordSet(
    name,
    type,
    rdata.map((one) => ({ ttl: 300, rdata: one })),
  );
  return { ...set, objects: [`Record default/${name.split('.')[0]}`], zone: 'default/zone', ...more };
}

/** The A that is wanted at a name. */
export const A = (address: string, name = WWW) => wanted(name, 'A', [address]);

/** The key of a record set without routing. */
export const key = (name: string, type: string) => ({ name, type, setIdentifier: null });

export type WorldOptions = MemoryHostedZonesOptions & {
  readonly config?: Partial<PublishConfig>;
  readonly hostedZone?: Partial<HostedZoneItem>;
};

/** One hosted zone, example.org., known to the ledger and empty but for its apex NS and SOA. */
export async function publishWorld(options: WorldOptions = {}): Promise<PublishWorld> {
  const world = worldOf(memoryLedger(), Date.parse('2026-01-01T00:00:00Z'), options);
  const base = newHostedZoneItem({ id: ZONE_ID, name: APEX, zone: 'default/zone', nameServers: [] });
  await changeHostedZone(world.ledger, ZONE_ID, () => ({ ...base, ...options.hostedZone }));
  await world.ledger.put(directoryKey('default', APEX), directoryCodec.encode(LIVE), null);
  return world;
}

function worldOf(ledger: MemoryLedger, nowMs: number, options: WorldOptions, holdersBefore = 0): PublishWorld {
  const route53 = memoryHostedZones([{ id: ZONE_ID, name: APEX }], options);
  const clock = { ms: nowMs };
  const reported: ObjectRef[] = [];
  const queued: { hostedZoneId: string; delaySeconds: number }[] = [];
  const followed: { change: FollowedChange; delaySeconds: number }[] = [];
  const logged: Parameters<Log>[] = [];
  const queues: Queues = {
    hint: async () => {},
    publish: async (hostedZoneId, delaySeconds = 0) => {
      queued.push({ hostedZoneId, delaySeconds });
    },
    report: async (refs) => {
      reported.push(...refs);
    },
    follow: async (change, delaySeconds) => {
      followed.push({ change, delaySeconds });
    },
  };
  let holders = holdersBefore;
  const deps: PublishDeps = {
    ledger,
    hostedZones: route53.port,
    clock: {
      nowMs: () => clock.ms,
      sleep: async (ms) => {
        clock.ms += ms;
      },
    },
    queues,
    config: { ...DEFAULT_PUBLISH_CONFIG, guard: { deletesMax: 100, deletesShareMax: 1 }, ...options.config },
    newHolder: () => `holder-${++holders}`,
    log: (...line) => {
      logged.push(line);
    },
  };
  const copy = () => {
    const other = worldOf(ledger.copy(), clock.ms, options, holders);
    for (const set of route53.recordSets(ZONE_ID)) other.route53.edit(ZONE_ID, set, set.content);
    other.logged.push(...logged);
    other.reported.push(...reported);
    other.queued.push(...queued);
    return other;
  };
  return { ledger, route53, deps, logged, reported, queued, followed, clock, copy };
}

const LIVE: DirectoryItem = {
  key: 'default/zone',
  fqdn: APEX,
  parent: null,
  spec: { domainName: APEX, delegations: [{ zones: ['*'], records: [{ pattern: '*' }, { pattern: '@' }] }] },
  declared: [],
  nameServers: [],
  hosting: { id: ZONE_ID, nameServers: [], made: true, soa: true },
  cut: true,
  group: 'default/zone',
  target: { kind: 'hosted', hostedZoneId: ZONE_ID, zone: 'default/zone', fqdn: APEX },
  takeover: false,
};

/** Sets the digest in the Zone's annotation that acknowledges deletes; null: no annotation. */
export async function annotate({ ledger }: PublishWorld, digest: string | null): Promise<void> {
  await changeHostedZone(ledger, ZONE_ID, (item) => {
    if (item === null) return null;
    return { ...item, acknowledgements: [...annotatedWith(digest, item)] };
  });
}

/** Sets everything that is desired at one name, as reconcile would. */
export async function want(world: PublishWorld, name: string, ...recordSets: DesiredRecordSet[]): Promise<boolean> {
  const wanted = { hostedZoneId: ZONE_ID, apex: APEX, name, recordSets, heir: null };
  return (await touchDesired(world.ledger, wanted, world.clock.ms)) !== null;
}

export function run(world: PublishWorld, options: PublishOptions = {}) {
  return publish(world.deps, ZONE_ID, options);
}

/** The record sets in Route 53 as lines, without SOA and NS of the apex. */
export function standing(world: PublishWorld): string[] {
  const own = world.route53
    .recordSets(ZONE_ID)
    .filter((set) => !(set.name === APEX && ['NS', 'SOA'].includes(set.type)));
  return own.map(line);
}

export function line(set: RecordSet): string {
  const text = set.content.kind === 'values' ? `${set.content.values.join(',')} ${set.content.ttlSeconds}` : 'alias';
  return `${set.name} ${set.type} ${text}`;
}

export async function itemAt(
  world: PublishWorld,
  key: Pick<RecordSetKey, 'name' | 'type'>,
): Promise<RecordSetItem | null> {
  const items = await readName(world.ledger, ZONE_ID, key.name);
  return items.find((one) => one.item.type === key.type)?.item ?? null;
}

export async function hostedZone(world: PublishWorld): Promise<HostedZoneItem> {
  const stored = await readHostedZone(world.ledger, ZONE_ID);
  if (stored === null) throw new Error('the world lost its hosted zone');
  return stored.item;
}

/** All items of a partition. */
export async function partition(world: PublishWorld, name: string): Promise<JsonObject[]> {
  return (await world.ledger.query(name)).items.map((item) => item.body);
}

/** The same deps; every call of a port goes through `around`, which may throw before or after the call. */
export function intercepted(
  deps: PublishDeps,
  around: <T>(port: string, method: string, call: () => Promise<T>) => Promise<T>,
): PublishDeps {
  const wrap = <T extends Ledger | HostedZones | Queues>(port: string, target: T): T =>
    new Proxy(target, {
      get: (of, method) => {
        const member = Reflect.get(of, method) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => around(port, String(method), () => member.apply(of, args) as Promise<never>);
      },
    });
  return {
    ...deps,
    ledger: wrap('ledger', deps.ledger),
    hostedZones: wrap('hostedZones', deps.hostedZones),
    queues: wrap('queues', deps.queues),
  };
}

/** Runs publish and returns a line for each change. Throws when the run was not done. */
export async function outcomes(world: PublishWorld): Promise<string[]> {
  const result = await run(world);
  if (result.kind !== 'done') throw new Error(`expected a run that is done, got ${result.kind}`);
  return result.outcomes.map((one) => `${one.change.action} ${one.change.name} ${one.change.type}: ${one.outcome}`);
}

/** Calls of ChangeResourceRecordSets so far. */
export function changeCalls({ route53 }: Pick<PublishWorld, 'route53'>): number {
  return route53.calls.filter((call) => call.method === 'change').length;
}

/** The names that wait to be published. */
export async function dirtyNames(world: PublishWorld): Promise<unknown[]> {
  return (await partition(world, `dirty#${ZONE_ID}`)).map((body) => body.name);
}
