// Thousands of Records deleted by one command, on a real API server: only deletes that the guard allows are sent, the
// Zone says what is held, and its status, the log, the requests and the memory stay small. The Records are deleted one
// by one (`kubectl delete --all`), all at once (`deletecollection`), and with one hint for all of them.
//
//   ZONE53_DELETES=5000   Records of each command; default 120

import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ListHostedZonesCommand, Route53Client } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import type { KubernetesTransport } from '../../lib/adapters/kubernetes/http/transport.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { inParallel } from '../../lib/ports/in-parallel.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import { KINDS } from '../../lib/sources/source.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { applyCrds, read, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { deliverHints, reconcileWorld, saveAll, through } from '../fakes/reconcile-world.ts';
import { startZone53 } from '../support/zone53-command.ts';

const DELETES = Number(process.env.ZONE53_DELETES ?? 120);
/** On a busy machine everything that is done for one Record takes half a second. */
const TEST_MS = 180_000 + DELETES * 1_000;
/** When nothing has changed for this long, everything is done. */
const QUIET_MS = 5_000;
const PEAK_MIB_MAX = 1_536;
/** The number of deletes that the guard allows within an hour, by deletesMax and deletesShareMax. */
const LET_GO_MAX = Math.min(100, Math.floor(0.3 * DELETES));
const FQDN = { one: 'one.example.', two: 'two.example.' } as const;
type Namespace = keyof typeof FQDN;

describeWithEngine(['kube-apiserver', 'etcd'], `${DELETES} Records deleted by one command`, () => {
  let engine: KubernetesEngine;
  let admin: KubernetesTransport;
  let folder: string;
  let child: ChildProcess;
  let ended: Promise<{ readonly code: number | null }>;
  let said = '';
  let route53: Route53Client;

  const create = (namespace: string, kind: 'Zone' | 'Record', name: string, spec: object) => {
    const resource = kind === 'Zone' ? 'zones' : 'records';
    return admin.send({
      action: `create ${name}`,
      method: 'POST',
      path: `/apis/kubi.zone/v1alpha1/namespaces/${namespace}/${resource}`,
      body: { apiVersion: 'kubi.zone/v1alpha1', kind, metadata: { name }, spec },
      rule: { group: 'kubi.zone', resource, verb: 'create' },
    });
  };
  const record = (namespace: string, fqdn: string, name: string) =>
    create(namespace, 'Record', name, { domainName: `${name}.${fqdn}`, type: 'A', rdata: '192.0.2.1' });
  const fill = async (namespace: string, fqdn: string) => {
    await succeed(engine, ['create', 'namespace', namespace]);
    await create(namespace, 'Zone', 'zone', { domainName: fqdn, delegations: [{ records: [{ pattern: '*' }] }] });
    const names = Array.from({ length: DELETES }, (_, index) => `r${index}`);
    await inParallel(names, 32, async (name) => {
      await record(namespace, fqdn, name);
    });
  };
  /** The number of our record sets in Route 53, without SOA and NS. */
  const published = async (namespace: Namespace): Promise<number> => {
    const { HostedZones = [] } = await route53.send(new ListHostedZonesCommand({}));
    return (HostedZones.find(({ Name }) => Name === FQDN[namespace])?.ResourceRecordSetCount ?? 2) - 2;
  };
  const zone = (namespace: Namespace) => read(engine, 'zone/zone', namespace);
  const programmed = async (namespace: Namespace) =>
    (await zone(namespace)).status?.conditions?.find(({ type }) => type === 'Programmed');
  const until = async (isTrue: () => Promise<boolean> | boolean) => {
    const deadline = performance.now() + TEST_MS;
    while (!(await isTrue())) {
      if (child.exitCode !== null) throw new Error(`zone53 local ended:\n${said.slice(-4_000)}`);
      if (performance.now() > deadline) throw new Error(`it did not come true:\n${said.slice(-4_000)}`);
      await sleep(250);
    }
  };
  const untilQuiet = async (namespace: Namespace) => {
    let [last, sinceMs] = ['', performance.now()];
    await until(async () => {
      const now = `${said.length} ${(await zone(namespace)).metadata.resourceVersion}`;
      if (now !== last) sinceMs = performance.now();
      last = now;
      return performance.now() - sinceMs > QUIET_MS;
    });
  };

  beforeAll(async () => {
    engine = await startKubernetes();
    await applyCrds(engine);
    admin = kubeconfigTransport('admin', engine.kubeconfig);
    await fill('one', FQDN.one);
    await fill('two', FQDN.two);
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-mass-'));
    // Its writes of statuses would come among those that are counted here.
    writeFileSync(path.join(folder, 'zone53.yaml'), 'propagation: false\n');
    const place = { folder, route53: 'http://127.0.0.1:9', env: { KUBECONFIG: engine.kubeconfig } };
    ({ child, ended } = startZone53(place, ['local', '--context', 'zone53', '--dns-port', '0', '--route53-port', '0']));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
      });
    }
    await until(() => /^Watching/m.test(said));
    route53 = new Route53Client({
      endpoint: /^Route 53 +(\S+)/m.exec(said)?.[1] ?? '',
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    });
    const reasons = [
      'get',
      'records',
      '-A',
      '-o',
      'jsonpath={.items[*].status.conditions[?(@.type=="Programmed")].reason}',
    ];
    await until(
      async () =>
        (await succeed(engine, reasons)).split(' ').filter((one) => one === 'Published').length === 2 * DELETES,
    );
    await Promise.all([untilQuiet('one'), untilQuiet('two')]);
  }, TEST_MS);
  afterAll(async () => {
    child?.kill('SIGINT');
    const code = await ended?.then((ran) => ran.code);
    route53?.destroy();
    admin?.close();
    await engine?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    expect(code).toBe(0);
  });

  it.each([
    ['one by one', 'one', ['delete', 'records', '--all', '--wait=false', '-n', 'one']],
    ['as a collection', 'two', ['delete', '--raw', '/apis/kubi.zone/v1alpha1/namespaces/two/records']],
  ] as const)('%s: held, until it is acknowledged', { timeout: TEST_MS }, async (_how, namespace, command) => {
    expect(await published(namespace)).toBe(DELETES);
    const [before, lines, startedMs] = [await requestsOf(engine), countLines(said), performance.now()];
    await succeed(engine, command);
    await until(async () => (await programmed(namespace))?.reason === 'HeldByGuard');
    // A Zone with held deletes still publishes everything else.
    await record(namespace, FQDN[namespace], 'new');
    await until(async () => (await programmedOf(engine, namespace, 'new')) === 'Published');
    // The status of a large Zone is written rarely.
    const whole = `${DELETES} record sets would be deleted within an hour`;
    await until(async () => (await programmed(namespace))?.message?.includes(whole) === true);
    await untilQuiet(namespace);
    const seconds = (performance.now() - startedMs) / 1_000;
    const left = (await published(namespace)) - 1;
    expect(left).toBeGreaterThanOrEqual(DELETES - LET_GO_MAX);
    const message = (await programmed(namespace))?.message ?? '';
    const made = subtract(await requestsOf(engine), before);
    const peak = peakMib(child);
    console.log(
      `${namespace}: quiet after ${seconds.toFixed(0)} s, ${left} of ${DELETES} left, ${countLines(said) - lines} lines, peak ${peak} MiB, requests ${JSON.stringify(made)}`,
    );
    // Each object that is gone is read once, and again where its batch of hints lost a race for an item of the ledger.
    // The last test of this file has the exact bound.
    expect(made['GET records 404'] ?? 0, said.slice(-4_000)).toBeLessThanOrEqual(DELETES * 1.5);
    expect(made['LIST records 200'] ?? 0).toBeLessThan(10);
    expect(made['APPLY zones/status 200'] ?? 0).toBeLessThanOrEqual(seconds + 2);
    expect(made['APPLY records/status 200'] ?? 0).toBeLessThan(10);
    expect(countLines(said) - lines).toBeLessThanOrEqual(60 + 3 * seconds);
    expect(peak).toBeLessThan(PEAK_MIB_MAX);

    const acknowledged = `zone53.dev/acknowledge-plan=${/[0-9a-f]{64}/.exec(message)?.[0]}`;
    await succeed(engine, ['annotate', 'zone/zone', '-n', namespace, acknowledged]);
    await until(async () => (await published(namespace)) === 1);
    await until(async () => (await programmed(namespace))?.reason === 'Published');
    await untilQuiet(namespace);
    expect((await zone(namespace)).status.entries).toHaveLength(2);
    const { resourceVersion } = (await zone(namespace)).metadata;
    await sleep(2_000);
    expect((await zone(namespace)).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('by one hint for all: page by page, with one read of each object that is gone, and held', {
    timeout: TEST_MS,
  }, async () => {
    await fill('three', 'three.example.');
    const client = kubeconfigTransport('zone53', engine.kubeconfig);
    let crds = 0;
    const transport: typeof client = {
      ...client,
      send: (request) => {
        if (request.path.includes('/customresourcedefinitions/')) crds += 1;
        return client.send(request);
      },
    };
    const plain = reconcileWorld({ hostedZones: [{ id: 'Z3', name: 'three.example.' }] });
    const { clusterId } = plain.context.config;
    const cluster = kubernetesCluster({ kinds: KINDS, clusterId, transport, clock: systemClock });
    // Their statuses are not checked here.
    const world = through(plain, { cluster: { ...cluster, report: async () => {} } });
    await saveAll(world);
    await publish(world.deps, 'Z3');
    expect(world.route53.recordSets('Z3').filter(({ type }) => type === 'A')).toHaveLength(DELETES);
    await succeed(engine, ['delete', '--raw', '/apis/kubi.zone/v1alpha1/namespaces/three/records']);
    const before = client.requests.count;
    world.queued.hints.push({ kind: 'Record', namespace: 'three', name: null });
    await deliverHints(world);
    expect(client.requests.count - before - crds).toBeLessThanOrEqual(DELETES + 10 + DELETES / 500);
    // Names that are updated at the same time share a reading of the CRD, made after their objects were gone.
    expect(crds).toBeGreaterThan(0);
    expect(crds).toBeLessThanOrEqual(DELETES / 2);
    const result = await publish(world.deps, 'Z3');
    expect(result).toMatchObject({ kind: 'done', held: { count: DELETES } });
    expect(world.route53.recordSets('Z3').filter(({ type }) => type === 'A')).toHaveLength(DELETES);
    client.close();
  });
});

function countLines(text: string): number {
  return text.split('\n').length;
}

/** The peak of resident memory in MiB; 0 on a system without /proc. */
function peakMib({ pid }: ChildProcess): number {
  try {
    return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024);
  } catch {
    return 0;
  }
}

async function programmedOf(engine: KubernetesEngine, namespace: string, name: string): Promise<string | undefined> {
  const { status } = await read(engine, `record/${name}`, namespace);
  return status?.conditions?.find(({ type }) => type === 'Programmed')?.reason;
}

type Requests = Readonly<Record<string, number>>;

/** The number of requests to the API server so far, by its own metrics, with keys such as `GET records 404`. */
async function requestsOf(engine: KubernetesEngine): Promise<Requests> {
  const counts: Record<string, number> = {};
  for (const line of (await succeed(engine, ['get', '--raw', '/metrics'])).split('\n')) {
    const found = /^apiserver_request_total\{(.*)\} (\S+)$/.exec(line);
    if (found === null) continue;
    const labels = Object.fromEntries(
      [...(found[1] as string).matchAll(/(\w+)="([^"]*)"/g)].map((one) => one.slice(1, 3)),
    );
    if (labels.group !== 'kubi.zone') continue;
    const { verb, resource, subresource, code } = labels as Record<string, string>;
    const key = `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`} ${code}`;
    counts[key] = (counts[key] ?? 0) + Number(found[2]);
  }
  return counts;
}

function subtract(after: Requests, before: Requests): Requests {
  const made = Object.entries(after).map(([key, count]): [string, number] => [key, count - (before[key] ?? 0)]);
  return Object.fromEntries(made.filter(([, count]) => count > 0));
}
