// What objects of sources cost: one changed Ingress among many, a Node that is added to 1,000, a sweep of 50,000 mixed
// objects. The limits are counts and memory, so that they hold on any machine. Ledger, cluster and Route 53 are in
// memory; for the sweep they are in another process.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../infra/build-functions.ts';
import { publish } from '../lib/publish/run/publish-hosted-zone.ts';
import { report } from '../lib/report/report-object.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { hintFor } from '../test/fakes/reconcile-world.ts';
import { servePorts } from './remote-ports.ts';
import { atMost, type BenchResult } from './result.ts';
import { APEX, HOSTED_ZONE, publishWhole, refOf, type SourceWorld, sourceWorld, syncWhole } from './source-world.ts';
import { median, rounded } from './statistics.ts';
import { listedOnce } from './sweep.ts';
import type { SweepCost } from './sweep-process.ts';

type Options = { readonly quick: boolean };

const SIZES = [100, 1_000, 10_000];
const QUICK_SIZES = [100, 1_000];
const EDITS = 20;
const RATIO_MAX = 1.3;
/** Between two edits. The item of a record set that changes more often also holds its latest changes, and is larger. */
const PAUSE_MS = 600_000;
const NODES = 1_000;
const NODE_PORTS = 200;
const MIXED = 50_000;
const SWEEP_MIB_MAX = 256;
/** Heap limit of the process that sweeps. */
const HEAP_MIB = 64;
const run = promisify(execFile);

/**
 * Limits: the counts of one Ingress equal within 1.3 times from 100 to 10,000 Ingresses; a bounded number of requests
 * for a new Node; a sweep within 256 MiB.
 */
export async function benchSources({ quick }: Options): Promise<BenchResult> {
  const edits: EditCost[] = [];
  for (const ingresses of quick ? QUICK_SIZES : SIZES) edits.push(await measureEdits(ingresses));
  const node = await measureNode(quick ? NODES / 10 : NODES, quick ? NODE_PORTS / 10 : NODE_PORTS);
  const sweep = await sweepMixed(quick ? MIXED / 10 : MIXED);
  const ratio = (what: string, value: (cost: EditCost) => number) => {
    const values = edits.map(value);
    return atMost(`one Ingress, ${what}: most over fewest`, Math.max(...values) / Math.min(...values), RATIO_MAX);
  };
  return {
    name: `sources: what objects of sources cost${quick ? ' (quick: small sizes)' : ''}`,
    rows: edits,
    tables: [
      { title: 'A Node is added', rows: [node] },
      { title: 'A sweep of mixed objects', rows: [sweep] },
    ],
    notes: [
      'One changed Ingress, from its hint to its status: each count is the highest of 20 edits; CPU is their median.',
      'A Node is added: half of the NodePort Services publish all Nodes, half only the Nodes with their endpoints. The counts are of all that follows from one hint.',
      `The sweep runs in a process with a heap limit of ${HEAP_MIB} MiB, bundled as a function is. Records, Ingresses, Services, HTTPRoutes and DNSEndpoints are a fifth each. The cluster, the ledger and Route 53 are in another process.`,
    ],
    limits: [
      ratio('ledger items read', (cost) => cost['items read']),
      ratio('ledger items written', (cost) => cost['items written']),
      ratio('API requests', (cost) => cost['API requests']),
      atMost('one Ingress, Route 53 calls', Math.max(...edits.map((cost) => cost['Route 53 calls'])), 1),
      atMost('a Node, API requests for a Service', node['API requests'] / node.Services, 4),
      atMost('a sweep of mixed objects, peak MiB of the process', sweep['peak MiB'], SWEEP_MIB_MAX),
      atMost('hints where nothing moved', sweep.hints, 0),
    ],
  };
}

type EditCost = Awaited<ReturnType<typeof measureEdits>>;

async function measureEdits(ingresses: number) {
  const made = sourceWorld();
  const { world, cluster, ledger } = made;
  for (let index = 0; index < ingresses; index += 1) putIngress(made, index, '192.0.2.1');
  await syncWhole(made);
  const most = { 'items read': 0, 'items written': 0, 'API requests': 0, 'Route 53 calls': 0 };
  const cpuMs: number[] = [];
  const ref = refOf('Ingress', 'i7');
  for (let edit = 0; edit < EDITS; edit += 1) {
    world.clock.ms += PAUSE_MS;
    putIngress(made, 7, `198.51.100.${edit}`);
    ledger.take();
    cluster.take();
    const calls = world.route53.calls.length;
    const cpu = process.cpuUsage();
    await reconcile(world.context, [hintFor(ref)]);
    await publish(world.deps, HOSTED_ZONE);
    world.queued.reports.clear();
    await report(world.context, [ref]);
    const { user, system } = process.cpuUsage(cpu);
    cpuMs.push((user + system) / 1_000);
    const { itemsRead, itemsWritten } = ledger.take();
    const { gets, lists, reports } = cluster.take();
    const cost = {
      'items read': itemsRead,
      'items written': itemsWritten,
      'API requests': gets + lists + reports,
      'Route 53 calls': world.route53.calls.length - calls,
    };
    for (const what of Object.keys(most) as (keyof typeof most)[]) most[what] = Math.max(most[what], cost[what]);
  }
  return { Ingresses: ingresses, ...most, 'CPU ms': rounded(median(cpuMs), 1) };
}

function putIngress({ cluster }: SourceWorld, index: number, address: string): void {
  cluster.put(refOf('Ingress', `i${index}`), {
    spec: { rules: [{ host: `i${index}.${APEX}` }] },
    status: { loadBalancer: { ingress: [{ ip: address }] } },
  });
}

async function measureNode(nodes: number, services: number) {
  const made = sourceWorld();
  const { world, cluster, ledger } = made;
  for (let index = 0; index < nodes; index += 1) putNode(made, index);
  for (let index = 0; index < services; index += 1) {
    const isLocal = index % 2 === 1;
    const spec = {
      type: 'NodePort',
      externalTrafficPolicy: isLocal ? 'Local' : 'Cluster',
      ports: [{ nodePort: 30_000 + index }],
    };
    const annotations = { 'external-dns.kubernetes.io/hostname': `s${index}.${APEX}` };
    cluster.put(refOf('Service', `s${index}`), { spec, annotations });
    cluster.put(refOf('EndpointSlice', `s${index}-x`), {
      labels: { 'kubernetes.io/service-name': `s${index}` },
      spec: { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.0.1'], nodeName: `n${index % nodes}` }] },
    });
  }
  await syncWhole(made);
  world.clock.ms += PAUSE_MS;
  ledger.take();
  cluster.take();
  const calls = world.route53.calls.length;
  const cpu = process.cpuUsage();
  putNode(made, nodes);
  world.queued.hints.push({ kind: 'Node', namespace: '', name: `n${nodes}` });
  let runs = 0;
  let mostRequests = 0;
  let requests = 0;
  for (; world.queued.hints.length > 0; runs += 1) {
    await reconcile(world.context, world.queued.hints.splice(0, 10));
    const { gets, lists, reports } = cluster.take();
    mostRequests = Math.max(mostRequests, gets + lists + reports);
    requests += gets + lists + reports;
  }
  await publishWhole(world);
  const { user, system } = process.cpuUsage(cpu);
  const { itemsRead, itemsWritten } = ledger.take();
  return {
    Nodes: nodes,
    Services: services,
    'runs of reconcile': runs,
    'API requests': requests,
    'most of a run': mostRequests,
    'items read': itemsRead,
    'items written': itemsWritten,
    'Route 53 calls': world.route53.calls.length - calls,
    'CPU s': rounded((user + system) / 1e6, 1),
  };
}

function putNode({ cluster }: SourceWorld, index: number): void {
  const address = `10.0.${Math.floor(index / 250)}.${1 + (index % 250)}`;
  const facts = { metadata: {}, spec: {}, status: { addresses: [{ type: 'InternalIP', address }] } };
  cluster.put({ kind: 'Node', namespace: '', name: `n${index}` }, { spec: facts });
}

async function sweepMixed(objects: number) {
  const made = sourceWorld();
  putGateway(made);
  for (let index = 0; index < objects; index += 1) putMixed(made, index);
  process.stderr.write(`sources: first sync of ${objects} mixed objects ...\n`);
  await syncWhole(made);
  const { world } = made;
  world.clock.ms += PAUSE_MS;
  const ports = await servePorts({
    ledger: world.ledger,
    hostedZones: listedOnce(world),
    cluster: world.context.cluster,
  });
  // One bundled JavaScript file, as a function is deployed, because stripping types takes memory. It is inside the
  // checkout, because Node looks for packages from there.
  const folder = mkdtempSync(path.join(import.meta.dirname, '..', 'node_modules', '.zone53-sweep-'));
  await bundle(path.join(import.meta.dirname, 'sweep-process.ts'), folder);
  const file = path.join(folder, 'index.mjs');
  const args = ['--expose-gc', `--max-old-space-size=${HEAP_MIB}`, file, 'sources', ports.url, String(world.clock.ms)];
  const { stdout } = await run(process.execPath, args).finally(() => {
    ports.close();
    rmSync(folder, { recursive: true });
  });
  const cost = JSON.parse(stdout) as SweepCost;
  return {
    objects,
    pieces: cost.pieces,
    'API pages': cost.clusterPages,
    'Route 53 pages': cost.route53Pages,
    'items read': cost.itemsRead,
    'items written': cost.itemsWritten,
    hints: cost.hints,
    'CPU s': rounded(cost.cpuSeconds, 1),
    'live MiB': Math.round(cost.liveMib),
    'peak MiB': Math.round(cost.peakMib),
  };
}

function putGateway({ cluster }: SourceWorld): void {
  cluster.put(refOf('Gateway', 'gateway'), {
    spec: {
      metadata: { annotations: {} },
      spec: { listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
      status: { addresses: [{ type: 'IPAddress', value: '192.0.2.9' }] },
    },
  });
}

function putMixed({ cluster }: SourceWorld, index: number): void {
  const name = `m${index}`;
  const host = `${name}.${APEX}`;
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
  const parentRef = { name: 'gateway' };
  const parents = [{ parentRef, controllerName: 'c', conditions: [{ type: 'Accepted', status: 'True' }] }];
  const objects = {
    Record: { spec: { domainName: host, type: 'A', rdata: '192.0.2.1' } },
    Ingress: { spec: { rules: [{ host }] }, status },
    Service: { spec: { type: 'LoadBalancer' }, annotations: { 'external-dns.kubernetes.io/hostname': host }, status },
    HTTPRoute: { spec: { parentRefs: [parentRef], hostnames: [host] }, status: { parents } },
    DNSEndpoint: { spec: { endpoints: [{ dnsName: host, recordType: 'A', targets: ['192.0.2.1'] }] } },
  };
  const [kind, written] = Object.entries(objects)[index % 5] as [string, (typeof objects)[keyof typeof objects]];
  cluster.put(refOf(kind, name), written);
}
