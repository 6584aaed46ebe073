// With a real kube-apiserver: the API requests of one changed Record in clusters of 100 to 10,000 objects, counted by
// the transport, and the time from the API server's answer to a write until Route 53 has accepted the change.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KubernetesTransport } from '../lib/adapters/kubernetes/http/transport.ts';
import { kubernetesCluster } from '../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { systemClock } from '../lib/adapters/system/system-time.ts';
import { saveCluster } from '../lib/apply/save-cluster.ts';
import { inParallel } from '../lib/ports/in-parallel.ts';
import { publish } from '../lib/publish/run/publish-hosted-zone.ts';
import { report } from '../lib/report/report-object.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { KINDS } from '../lib/sources/source.ts';
import { applyCrds } from '../test/engines/kubernetes/apply.ts';
import { auditArgs } from '../test/engines/kubernetes/audit.ts';
import { type KubernetesEngine, startKubernetes } from '../test/engines/kubernetes/start.ts';
import { planCluster } from '../test/fakes/plan-cluster.ts';
import { publishWhole } from '../test/fakes/publish-whole.ts';
import { deliverReports, hintFor, reconcileWorld, through } from '../test/fakes/reconcile-world.ts';
import { measureLatencies, openAuditServer, transportOf } from './kubernetes-latency.ts';
import { atMost, type BenchResult } from './result.ts';

const SIZES = [100, 1_000, 10_000];
const RATIO_MAX = 1.3;
const MEDIAN_MS_MAX = 1_000;
const ZONE = { kind: 'Zone', namespace: 'default', name: 'example-org' } as const;
const CHANGED = { kind: 'Record', namespace: 'default', name: 'changed' } as const;

type Row = { readonly [column: string]: string | number };

/**
 * Limits: API requests equal within 1.3 times at all sizes; for each way of hearing of a change, the median change
 * accepted within a second.
 */
export async function benchKubernetes(): Promise<BenchResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-bench-'));
  const audit = await openAuditServer();
  const engine = await startKubernetes({ apiServerArgs: auditArgs(folder, audit.url) });
  const admin = transportOf(engine, 'admin');
  try {
    await applyCrds(engine);
    await write(admin, ZONE, { domainName: 'example.org.', delegations: [{ records: [{ pattern: '*' }] }] });
    const latencies = await measureLatencies(engine, audit, (sample) =>
      write(admin, CHANGED, recordSpec('changed', sample)),
    );
    const rows: Row[] = [];
    for (const size of SIZES) rows.push(...(await measureRequests(engine, admin, size)));
    const ratios = ['create', 'edit', 'delete'].map((change) => {
      const counts = rows
        .filter((row) => row.change === change)
        .map((row) => Number(row['to Route 53']) + Number(row['status back']));
      return atMost(`${change}: most API requests over fewest`, Math.max(...counts) / Math.min(...counts), RATIO_MAX);
    });
    return {
      name: 'kubernetes: API requests of one changed Record',
      rows,
      tables: [{ title: 'from the answer to a write until Route 53 accepted it, milliseconds', rows: latencies }],
      limits: [
        ...ratios,
        ...latencies.map((row) => atMost(`median milliseconds, ${row['heard by']}`, row.median, MEDIAN_MS_MAX)),
      ],
    };
  } finally {
    admin.close();
    await engine.stop();
    audit.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Ref =
  | typeof ZONE
  | typeof CHANGED
  | { readonly kind: 'Record'; readonly namespace: 'default'; readonly name: string };

/** Server-side apply: creates or edits. */
async function write(admin: KubernetesTransport, ref: Ref, spec: object): Promise<void> {
  const { kind, namespace, name } = ref;
  const resource = kind === 'Zone' ? 'zones' : 'records';
  await admin.send({
    action: `write ${name}`,
    method: 'PATCH',
    path: `/apis/kubi.zone/v1alpha1/namespaces/${namespace}/${resource}/${name}`,
    query: { fieldManager: 'bench', force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: 'kubi.zone/v1alpha1', kind, metadata: { name, namespace }, spec },
    rule: { group: 'kubi.zone', resource, verb: 'patch' },
  });
}

function recordSpec(name: string, last: number): object {
  return { domainName: `${name}.example.org.`, type: 'A', rdata: `192.0.2.${last}` };
}

/** API requests of a created, an edited and a deleted Record among `size` others. */
async function measureRequests(engine: KubernetesEngine, admin: KubernetesTransport, size: number): Promise<Row[]> {
  await remove(engine);
  await inParallel(
    Array.from({ length: size }, (_, index) => `r${index}`),
    16,
    (name) => write(admin, { kind: 'Record', namespace: 'default', name }, recordSpec(name, 1)),
  );
  const transport = transportOf(engine, 'zone53');
  const plain = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'example.org.' }] });
  const cluster = kubernetesCluster({
    kinds: KINDS,
    clusterId: plain.context.config.clusterId,
    transport,
    clock: systemClock,
  });
  const world = through(plain, { cluster });
  await saveCluster(world.context, await planCluster(world.context));
  await publishWhole(world.deps, 'Z1');
  await report(world.context, [ZONE]);
  const rows: Row[] = [];
  const measure = async (change: string) => {
    world.queued.reports.clear();
    const before = transport.requests.count;
    await reconcile(world.context, [hintFor(CHANGED)]);
    await publish(world.deps, 'Z1');
    const published = transport.requests.count;
    await deliverReports(world);
    const reported = transport.requests.count;
    rows.push({ records: size, change, 'to Route 53': published - before, 'status back': reported - published });
  };
  await write(admin, CHANGED, recordSpec('changed', 1));
  await measure('create');
  await write(admin, CHANGED, recordSpec('changed', 2));
  await measure('edit');
  await remove(engine);
  await measure('delete');
  transport.close();
  return rows;
}

async function remove(engine: KubernetesEngine): Promise<void> {
  await engine.kubectl(['delete', 'record', CHANGED.name, '--ignore-not-found']);
}
