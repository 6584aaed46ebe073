// A whole sweep, piece by piece, in a process of its own: of a synthetic settled cluster of 10,000 to 1,000,000
// Records, and of 50,000 Records on a real kube-apiserver with the ledger and Route 53 in another process. Memory must
// not grow with the cluster. A sweep that finds no difference writes only its progress.

import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { kubeconfigTransport } from '../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import { kubernetesCluster } from '../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { systemClock } from '../lib/adapters/system/system-time.ts';
import type { RecordSet } from '../lib/dns/record-set.ts';
import type { Cluster } from '../lib/ports/cluster.ts';
import type { HostedZones } from '../lib/ports/hosted-zones.ts';
import { inParallel } from '../lib/ports/in-parallel.ts';
import { compareRoute53Names } from '../lib/route53/listing-order.ts';
import { KINDS } from '../lib/sources/source.ts';
import { loadCluster } from '../local/pipeline.ts';
import { applyCrds } from '../test/engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../test/engines/kubernetes/start.ts';
import { publishWhole } from '../test/fakes/publish-whole.ts';
import { type ReconcileWorld, reconcileWorld, through } from '../test/fakes/reconcile-world.ts';
import { servePorts } from './remote-ports.ts';
import { atMost, type BenchResult } from './result.ts';
import type { SweepCost } from './sweep-process.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const QUICK_SIZES = [10_000, 100_000];
const CLUSTER_RECORDS = 50_000;
/** Heap limit of the process that sweeps, so that Node collects garbage before the heap is larger than this. */
const HEAP_MIB = 64;
const GROWTH_MAX = 1.3;
const PEAK_MIB_MAX = 512;
const PAGE_RECORD_SETS = 300;

const run = promisify(execFile);

/**
 * Limits: live memory equal within 1.3 times from 10,000 Records on; peak memory within 512 MiB, also for 50,000
 * Records on a real API server; no hint where nothing changed.
 */
export async function benchSweep({ quick }: { readonly quick: boolean }): Promise<BenchResult> {
  const costs: { readonly cluster: string; readonly records: number; readonly cost: SweepCost }[] = [];
  for (const records of quick ? QUICK_SIZES : SIZES)
    costs.push({ cluster: 'synthetic', records, cost: await sweepOnce('synthetic', String(records)) });
  const lives = costs.map(({ cost }) => cost.liveMib);
  const peaks = costs.map(({ cost }) => cost.peakMib);
  const real = await sweepCluster(quick ? CLUSTER_RECORDS / 10 : CLUSTER_RECORDS);
  costs.push(real);
  return {
    name: 'sweep: a whole one of a settled cluster, piece by piece',
    rows: costs.map(({ cluster, records, cost }) => ({
      cluster,
      records,
      pieces: cost.pieces,
      'API pages': cost.clusterPages,
      'API requests': cost.requests,
      'Route 53 pages': cost.route53Pages,
      'items read': cost.itemsRead,
      'items written': cost.itemsWritten,
      hints: cost.hints,
      seconds: Math.round(cost.seconds),
      'CPU s': Math.round(cost.cpuSeconds),
      'live MiB': Math.round(cost.liveMib),
      'peak MiB': Math.round(cost.peakMib),
    })),
    notes: [
      `The process that sweeps has a heap limit of ${HEAP_MIB} MiB. Live memory is the heap after a collection, measured every 50 pieces. The peak is of the whole process: Node and the modules take about 170 MiB of it, and garbage that is not yet collected takes some more.`,
      'Of the names, one sweep resolves only a part again, those of some 800 Records; everything else is compared whole. Reading Route 53 is not slowed to the quota here: at the eight calls a second of the default budget, 3,334 pages take 7 minutes.',
    ],
    limits: [
      atMost('synthetic: most live memory over least', Math.max(...lives) / Math.min(...lives), GROWTH_MAX),
      atMost('synthetic: peak MiB of the process', Math.max(...peaks), PEAK_MIB_MAX),
      atMost('API server: peak MiB', real.cost.peakMib, PEAK_MIB_MAX),
      atMost('hints where nothing moved', Math.max(...costs.map(({ cost }) => cost.hints)), 0),
    ],
  };
}

async function sweepOnce(...args: string[]): Promise<SweepCost> {
  const file = path.join(import.meta.dirname, 'sweep-process.ts');
  const { stdout } = await run(process.execPath, ['--expose-gc', `--max-old-space-size=${HEAP_MIB}`, file, ...args]);
  return JSON.parse(stdout) as SweepCost;
}

/** Records on a real API server, all of them published and reported, and then one sweep. */
async function sweepCluster(
  records: number,
): Promise<{ readonly cluster: string; readonly records: number; readonly cost: SweepCost }> {
  const engine = await startKubernetes();
  try {
    await applyCrds(engine);
    await fill(engine, records);
    const transport = kubeconfigTransport('zone53', engine.kubeconfig);
    const plain = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'example.org.' }] });
    const cluster = kubernetesCluster({
      kinds: KINDS,
      clusterId: plain.context.config.clusterId,
      transport,
      clock: systemClock,
    });
    const world = through(plain, { cluster });
    process.stderr.write('sweep: first sync ...\n');
    const told = through(plain, { cluster: { ...cluster, report: reporter(engine, cluster) } });
    await loadCluster(told.context, async () => {
      await publishWhole(world.deps, 'Z1');
      // `loadCluster()` reports all objects after this.
      told.queued.reports.clear();
    });
    transport.close();
    process.stderr.write('sweep: sweeping ...\n');
    const ports = await servePorts({ ledger: world.ledger, hostedZones: listedOnce(world) });
    const cost = await sweepOnce('cluster', engine.kubeconfig, ports.url);
    ports.close();
    return { cluster: 'kube-apiserver', records, cost };
  } finally {
    await engine.stop();
  }
}

/** One Zone, and Records below it. */
async function fill(engine: KubernetesEngine, records: number): Promise<void> {
  const admin = kubeconfigTransport('admin', engine.kubeconfig);
  const create = (kind: 'Zone' | 'Record', name: string, spec: object) => {
    const resource = kind === 'Zone' ? 'zones' : 'records';
    const labels = kind === 'Zone' ? {} : { 'kubi.zone/parent-zone': 'example-org.default' };
    return admin.send({
      action: `create ${name}`,
      method: 'POST',
      path: `/apis/kubi.zone/v1alpha1/namespaces/default/${resource}`,
      body: { apiVersion: 'kubi.zone/v1alpha1', kind, metadata: { name, labels }, spec },
      rule: { group: 'kubi.zone', resource, verb: 'create' },
    });
  };
  process.stderr.write(`sweep: creating ${records} Records ...\n`);
  await create('Zone', 'example-org', { domainName: 'example.org.', delegations: [{ records: [{ pattern: '*' }] }] });
  const names = Array.from({ length: records }, (_, index) => `r${index}`);
  await inParallel(names, 32, async (name) => {
    await create('Record', name, { domainName: `${name}.example.org.`, type: 'A', rdata: '192.0.2.1' });
  });
  admin.close();
}

/** Writes a status in one request, without Events. A real report takes five requests for a new object. */
function reporter(engine: KubernetesEngine, cluster: Cluster): Cluster['report'] {
  const admin = kubeconfigTransport('admin', engine.kubeconfig);
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return async (ref, status, before) => {
    if (ref.kind === 'Zone') return cluster.report(ref, status, before);
    const conditions = status.conditions.map((condition) => ({ ...condition, lastTransitionTime }));
    await admin.send({
      action: `report ${ref.name}`,
      method: 'PATCH',
      path: `/apis/kubi.zone/v1alpha1/namespaces/${ref.namespace}/records/${ref.name}/status`,
      contentType: 'application/merge-patch+json',
      body: { status: { fqdn: status.fqdn, conditions } },
      rule: { group: 'kubi.zone', resource: 'records', verb: 'patch' },
    });
  };
}

/** The account as it is now, sorted once. */
export function listedOnce({ route53 }: ReconcileWorld): HostedZones {
  const all = route53.recordSets('Z1').sort((a, b) => compareRoute53Names(a.name, b.name));
  const at = new Map(all.map((set, index) => [`${set.name} ${set.type}`, index]));
  return {
    ...route53.port,
    readPage: async (_id, from) => {
      const begin = from === null ? 0 : (at.get(`${from.name} ${from.type}`) ?? all.length);
      const recordSets: readonly RecordSet[] = all.slice(begin, begin + PAGE_RECORD_SETS);
      const next = all[begin + PAGE_RECORD_SETS] ?? null;
      return { recordSets, next };
    },
  };
}
