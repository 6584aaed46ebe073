// One sweep in a process of its own, so that its peak memory is its own. It sweeps a synthetic cluster (`synthetic
// RECORDS`), or a real API server with the ledger and Route 53 in another process (`cluster KUBECONFIG URL`), or all
// kinds of sources with all three in another process (`sources URL NOW`). Prints one JSON line.

import { kubeconfigContext } from '../lib/adapters/kubernetes/access/access.ts';
import { kubernetesTransport } from '../lib/adapters/kubernetes/http/transport.ts';
import { kubernetesCluster } from '../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { keepHeapSmall } from '../lib/adapters/system/small-heap.ts';
import { systemClock } from '../lib/adapters/system/system-time.ts';
import type { Cluster } from '../lib/ports/cluster.ts';
import { DEFAULT_CONFIG } from '../lib/ports/config.ts';
import type { Context } from '../lib/ports/context.ts';
import { NO_QUEUES } from '../lib/ports/queues.ts';
import { KINDS, sourcesOn } from '../lib/sources/source.ts';
import { sweepPiece } from '../lib/sweep/sweep-cluster.ts';
import { countingLedger } from '../test/fakes/counting-ledger.ts';
import { ALL_SOURCES, SETTINGS } from './all-sources.ts';
import { remotePort } from './remote-ports.ts';
import { syntheticWorld } from './sweep-synthetic.ts';

/** What one sweep took. */
export type SweepCost = {
  readonly pieces: number;
  readonly hints: number;
  readonly clusterPages: number;
  /** Requests to the API server, retries included; 0 where there is no real one. */
  readonly requests: number;
  readonly route53Pages: number;
  readonly itemsRead: number;
  readonly itemsWritten: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Peak of the whole process: live objects, garbage that is not yet collected, code, stacks. */
  readonly peakMib: number;
  /** The most live heap, measured after a collection every LOOK_EVERY pieces. */
  readonly liveMib: number;
};

/** Pieces between two measurements of the live heap. */
const LOOK_EVERY = 50;

async function measure(context: Context, requests: () => number): Promise<SweepCost> {
  const counted = countingLedger(context.ledger);
  const counts = { pieces: 0, hints: 0, clusterPages: 0, route53Pages: 0 };
  const { cluster, account, queues } = context;
  const measured: Context = {
    ...context,
    ledger: counted.port,
    cluster: {
      ...cluster,
      listPage: (...args) => {
        counts.clusterPages += 1;
        return cluster.listPage(...args);
      },
    },
    account: {
      ...account,
      hostedZones: {
        ...account.hostedZones,
        readPage: (...args) => {
          counts.route53Pages += 1;
          return account.hostedZones.readPage(...args);
        },
      },
    },
    queues: {
      ...queues,
      hint: async (hints) => {
        counts.hints += hints.length;
      },
    },
  };
  const began = performance.now();
  const cpu = process.cpuUsage();
  // Piece by piece, as if each ran in an invocation of its own.
  let liveMib = 0;
  for (let whole = false; !whole; counts.pieces += 1) {
    if (counts.pieces % LOOK_EVERY === 0) liveMib = Math.max(liveMib, lives());
    ({ whole } = await sweepPiece(measured, 0));
  }
  const { user, system } = process.cpuUsage(cpu);
  const { itemsRead, itemsWritten } = counted.take();
  return {
    ...counts,
    requests: requests(),
    itemsRead,
    itemsWritten,
    seconds: (performance.now() - began) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    peakMib: process.resourceUsage().maxRSS / 1_024,
    liveMib,
  };
}

/** The live heap in MiB: what is left after a collection. */
function lives(): number {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc');
  globalThis.gc();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function measureSynthetic(records: number): Promise<SweepCost> {
  return syntheticWorld(records).then(({ context }) => measure(context, () => 0));
}

function measureCluster(kubeconfig: string, url: string): Promise<SweepCost> {
  const transport = kubernetesTransport({ access: kubeconfigContext('zone53', kubeconfig) });
  const context: Context = {
    ledger: remotePort(url, 'ledger'),
    account: { hostedZones: remotePort(url, 'hostedZones') },
    cluster: kubernetesCluster({ kinds: KINDS, clusterId: DEFAULT_CONFIG.clusterId, transport, clock: systemClock }),
    queues: NO_QUEUES,
    clock: systemClock,
    config: DEFAULT_CONFIG,
    sources: sourcesOn({}),
    log: () => {},
  };
  return measure(context, () => transport.requests.count).finally(() => transport.close());
}

/** `now`: the clock of the process that made the world, in milliseconds. */
function measureSources(url: string, now: string): Promise<SweepCost> {
  const remote = remotePort(url, 'cluster');
  const cluster: Cluster = {
    ...remote,
    clusterId: DEFAULT_CONFIG.clusterId,
    list: () => Promise.reject(new Error('a sweep lists page by page')),
    // JSON has no sets: `unreadable` arrives as an empty object.
    listPage: async (...args) => {
      const page = await remote.listPage(...args);
      return page === null ? null : { ...page, unreadable: new Set() };
    },
    report: async () => {},
  };
  const context: Context = {
    ledger: remotePort(url, 'ledger'),
    account: { hostedZones: remotePort(url, 'hostedZones') },
    cluster,
    queues: NO_QUEUES,
    clock: { nowMs: () => Number(now) },
    // The configuration that the world was made with. Under another one, every Zone and its names would change.
    config: { ...DEFAULT_CONFIG, soa: 'always', sources: SETTINGS },
    sources: ALL_SOURCES,
    log: () => {},
  };
  return measure(context, () => 0);
}

// Standard input ends when the process that started this one is gone.
process.stdin.resume().on('end', () => process.exit(1));
// As functions/sweep.ts does.
keepHeapSmall();
const [what, first = '', second = ''] = process.argv.slice(2);
const measures = {
  synthetic: () => measureSynthetic(Number(first)),
  cluster: () => measureCluster(first, second),
  sources: () => measureSources(first, second),
};
const cost = await measures[what as keyof typeof measures]();
process.stdout.write(`${JSON.stringify(cost)}\n`, () => process.exit(0));
