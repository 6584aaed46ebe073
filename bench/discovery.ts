// A headless Service of 500 Pods is rolled, 25 at a time: how many Route 53 calls does that cost, and how long does it
// take until each new address is published and each old one is gone? The clock is virtual: it moves with the Pods, with
// delayed messages, and by 50 ms for each call, so the figures depend on the engine and not on this machine. Every
// endpoint has a name of its own and a PTR; a resolver asks ten times a second.

import { parseConfig } from '../lib/adapters/config/config-file.ts';
import { parseRef } from '../lib/objects/object-ref.ts';
import type { HostedZones } from '../lib/ports/hosted-zones.ts';
import type { JsonObject } from '../lib/ports/ledger.ts';
import { DELETES_QUIET_MS, publish } from '../lib/publish/run/publish-hosted-zone.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { sourcesOn } from '../lib/sources/source.ts';
import { hintFor, type ReconcileWorld, reconcileWorld } from '../test/fakes/reconcile-world.ts';
import { growthOf } from './discovery-growth.ts';
import { atMost, type BenchResult } from './result.ts';
import { inSeconds, median } from './statistics.ts';

const PODS = 500;
const WAVE = 25;
const SLICE = 100;
/** Between two Pods of a wave, and between two waves. */
const POD_MS = 200;
const WAVE_MS = 10_000;
const ASK_MS = 100;
const CALL_MS = 50;
/** From sending a message to a queue until its delivery. */
const MESSAGE_MS = 20;
const CALLS_PER_SECOND_MAX = 2;
const SERVICE = 'web.shop.svc.k.';
const CHANGE_RATIO_MAX = 1.3;

/** Rolls a Service, with and without PTRs. */
export async function benchDiscovery({ quick }: { readonly quick: boolean }): Promise<BenchResult> {
  const pods = quick ? 100 : PODS;
  const rows = [await roll(pods, false), await roll(pods, true)];
  const growth = [await growthOf(100), await growthOf(1_000), await growthOf(quick ? 2_000 : 10_000)];
  const changes = growth.map((row) => row['ledger calls of one change']);
  const ratio = Math.max(...changes) / Math.min(...changes);
  return {
    name: `discovery: a headless Service of ${pods} Pods rolled, ${WAVE} at a time`,
    rows,
    tables: [{ title: 'headless Services of 10 endpoints each: first sync, and one endpoint more', rows: growth }],
    limits: [
      ...rows.map((row) => atMost(`calls a second, PTRs ${row.PTRs}`, row['calls a second'], CALLS_PER_SECOND_MAX)),
      atMost("one endpoint's change: most ledger calls over fewest", ratio, CHANGE_RATIO_MAX),
    ],
  };
}

type Timeline = {
  at(ms: number, run: () => Promise<void>): void;
  run(untilMs: number): Promise<void>;
};

/** Runs events in order of time. `clock` is at the time of the current event, or later where that event took time. */
function timeline(clock: { ms: number }): Timeline {
  const coming: { readonly atMs: number; readonly order: number; readonly run: () => Promise<void> }[] = [];
  let order = 0;
  return {
    at: (atMs, run) => {
      order += 1;
      const entry = { atMs, order, run };
      const index = coming.findLastIndex((one) => one.atMs <= atMs);
      coming.splice(index + 1, 0, entry);
    },
    run: async (untilMs) => {
      for (let next = coming[0]; next !== undefined && next.atMs <= untilMs; next = coming[0]) {
        coming.shift();
        clock.ms = Math.max(clock.ms, next.atMs);
        await next.run();
      }
    },
  };
}

async function roll(pods: number, reverse: boolean) {
  const { sources } = parseConfig(`sources: { serviceDiscovery: { zone: k, reverse: ${reverse} } }`, 'zone53.yaml');
  const hostedZones = [
    { id: 'Z1', name: 'k.' },
    { id: 'Z2', name: '10.in-addr.arpa.' },
  ];
  const world = reconcileWorld({ hostedZones, config: { sources }, sources: sourcesOn(sources) });
  const { clock } = world;
  const line = timeline(clock);
  const calls: number[] = [];
  const context = { ...world.context, queues: queuesOn(line, world, calls) };
  const tell = (id: string) => line.at(clock.ms, () => reconcile(context, [hintFor(parseRef(id))]));
  world.cluster.put(parseRef('Zone p/k'), { domainName: 'k.', delegations: [] });
  world.cluster.put(parseRef('Zone p/r'), {
    domainName: '10.in-addr.arpa.',
    delegations: [{ records: [{ pattern: '*' }] }],
  });
  world.cluster.put(parseRef('Service shop/web'), { clusterIP: 'None' });
  const addresses: (string | null)[] = Array.from({ length: pods + WAVE }, (_, index) =>
    index < pods ? addressOf(index) : null,
  );
  const writeSlice = (slice: number) => {
    const endpoints = addresses
      .slice(slice * SLICE, (slice + 1) * SLICE)
      .flatMap((one) => (one === null ? [] : [{ addresses: [one] }]));
    const ref = parseRef(`EndpointSlice shop/web-${slice}`);
    world.cluster.put(
      ref,
      { addressType: 'IPv4', endpoints, ports: [{ name: 'http', port: 80 }] } satisfies JsonObject,
      {},
      0,
      { 'kubernetes.io/service-name': 'web' },
    );
    return `EndpointSlice shop/web-${slice}`;
  };
  for (let slice = 0; slice * SLICE < addresses.length; slice += 1) writeSlice(slice);
  for (const id of ['Zone p/k', 'Zone p/r', 'Service shop/web']) tell(id);
  await line.run(clock.ms + 60_000);
  const begunMs = clock.ms + 60_000;
  clock.ms = begunMs;
  calls.length = 0;
  const watch = watched(world);
  const change = (index: number, address: string | null) => {
    watch.expects(addresses[index] ?? null, address, clock.ms);
    addresses[index] = address;
    tell(writeSlice(Math.floor(index / SLICE)));
  };
  // A new Pod takes the free place. When it is ready, an old Pod goes, and the old Pod's place becomes free.
  let free = pods;
  for (let pod = 0; pod < pods; pod += 1) {
    const atMs = begunMs + Math.floor(pod / WAVE) * WAVE_MS + (pod % WAVE) * POD_MS;
    line.at(atMs, async () => change(free, addressOf(pods + pod)));
    line.at(atMs + POD_MS / 2, async () => {
      change(pod, null);
      free = pod;
    });
  }
  const endMs = begunMs + Math.ceil(pods / WAVE) * WAVE_MS;
  for (let atMs = begunMs; atMs < endMs; atMs += ASK_MS) line.at(atMs, async () => watch.ask(clock.ms));
  await line.run(endMs);
  const seconds = (endMs - begunMs) / 1_000;
  const perSecond =
    Math.max(
      ...Map.groupBy(calls, (atMs) => Math.floor((atMs - begunMs) / WAVE_MS))
        .values()
        .map((some) => some.length),
    ) /
    (WAVE_MS / 1_000);
  return {
    PTRs: reverse ? 'yes' : 'no',
    'rolled in s': seconds,
    calls: calls.length,
    'calls a second': Math.round(perSecond * 100) / 100,
    ...watch.figures(),
  };
}

function addressOf(index: number): string {
  return `10.1.${index >> 8}.${index & 255}`;
}

/** Queues that deliver by the timeline. As with a FIFO queue, a hosted zone has one publisher at a time. */
function queuesOn(line: Timeline, world: ReconcileWorld, calls: number[]): ReconcileWorld['context']['queues'] {
  const { clock, deps } = world;
  const due = new Map<string, number>();
  const port: HostedZones = {
    ...deps.hostedZones,
    change: async (...call) => {
      clock.ms += CALL_MS;
      calls.push(clock.ms);
      return deps.hostedZones.change(...call);
    },
  };
  const queues: ReconcileWorld['context']['queues'] = {
    hint: async (hints, delaySeconds = 0) => {
      line.at(clock.ms + MESSAGE_MS + delaySeconds * 1_000, () => reconcile({ ...world.context, queues }, hints));
    },
    publish: async (id, delaySeconds = 0) => {
      const atMs = clock.ms + MESSAGE_MS + delaySeconds * 1_000;
      const before = due.get(id);
      if (before !== undefined && before <= atMs) return;
      due.set(id, atMs);
      line.at(atMs, async () => {
        if (due.get(id) === atMs) due.delete(id);
        const config = { ...deps.config, deletesQuietMs: DELETES_QUIET_MS };
        await publish({ ...deps, queues, hostedZones: port, config }, id);
      });
    },
    report: async () => {},
    follow: async () => {},
  };
  return queues;
}

/** What a resolver sees of the Service, and how late. */
function watched(world: ReconcileWorld) {
  const toCome = new Map<string, number>();
  const toGo = new Map<string, number>();
  const came: number[] = [];
  const went: number[] = [];
  let stale = 0;
  let asked = 0;
  const ask = (nowMs: number) => {
    const sets = world.route53.recordSets('Z1');
    const named = new Set(
      sets.flatMap(({ name, content }) =>
        name.endsWith(`.${SERVICE}`) && content.kind === 'values' ? content.values : [],
      ),
    );
    const own = sets.find(({ name, type }) => name === SERVICE && type === 'A')?.content;
    asked += 1;
    if (own?.kind === 'values' && own.values.some((value) => toGo.has(value))) stale += 1;
    settleThose(toCome, came, nowMs, (address) => named.has(address));
    settleThose(toGo, went, nowMs, (address) => !named.has(address));
  };
  return {
    ask,
    expects: (before: string | null, after: string | null, nowMs: number) => {
      if (before !== null) toGo.set(before, nowMs);
      if (after !== null) toCome.set(after, nowMs);
    },
    figures: () => ({
      'published after s, median': inSeconds(median(came)),
      slowest: slowest(came),
      'gone after s, median': inSeconds(median(went)),
      'slowest gone': slowest(went),
      open: toCome.size + toGo.size,
      'stale answers of 100': Math.round((100 * stale) / asked),
    }),
  };
}

function settleThose(
  open: Map<string, number>,
  waits: number[],
  nowMs: number,
  isDone: (address: string) => boolean,
): void {
  for (const [address, sinceMs] of open) {
    if (!isDone(address)) continue;
    waits.push(nowMs - sinceMs);
    open.delete(address);
  }
}

function slowest(waits: readonly number[]): number {
  return inSeconds(Math.max(...waits));
}
