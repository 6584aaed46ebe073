// Two clusters at once: two real API servers, two zone53, one Route 53 with a private hosted zone for each in one VPC,
// and dig. When one cluster loses its names, the other keeps its own.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DnsServer, startDns } from '../../local/dns/server.ts';
import { type Route53Server, startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State } from '../../local/route53/model/state.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { applyCrds, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { type Running, startZone53, zone53 } from '../support/zone53-command.ts';

const VPC = { id: 'vpc-0123456789abcdef0', region: 'eu-west-1' };
const WAIT_MS = 60_000;
const run = promisify(execFile);

type Region = { readonly name: 'eu' | 'us'; readonly network: string; readonly ids: readonly [string, string] };
const REGIONS: readonly Region[] = [
  { name: 'eu', network: '10.1', ids: ['ZEU', 'ZEUR'] },
  { name: 'us', network: '10.2', ids: ['ZUS', 'ZUSR'] },
];

const zoneOf = ({ name }: Region) => `cluster.prod-${name}.internal.`;
const reverseOf = ({ network }: Region) => `${network.split('.').toReversed().join('.')}.in-addr.arpa.`;
const svcOf = (region: Region) => `shop.svc.${zoneOf(region)}`;

function configurationOf(region: Region): string {
  const [own, reverse] = region.ids;
  return `
clusterId: prod-${region.name}
roots: [{ zone: ${zoneOf(region)}, namespaces: [shop] }, { zone: ${reverseOf(region)}, namespaces: [shop] }]
sources: { serviceDiscovery: { zone: ${zoneOf(region)} } }
hostedZones:
  - { zone: ${zoneOf(region)}, id: ${own}, visibility: private }
  - { zone: ${reverseOf(region)}, id: ${reverse}, visibility: private }
`;
}

function objectsOf(region: Region): readonly object[] {
  const { network } = region;
  const metadata = (name: string, labels = {}) => ({ name, namespace: 'shop', labels });
  const zone = (name: string, domainName: string, delegations: readonly object[]) => ({
    apiVersion: 'kubi.zone/v1alpha1',
    kind: 'Zone',
    metadata: metadata(name),
    spec: { domainName, delegations },
  });
  const service = (name: string, spec: object) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(name),
    spec: { ports: [{ name: 'http', port: 80 }], ...spec },
  });
  return [
    zone('cluster', zoneOf(region), []),
    zone('reverse', reverseOf(region), [{ records: [{ pattern: '*', types: ['PTR'] }] }]),
    service('web', { clusterIP: `${network}.0.10` }),
    service('db', { clusterIP: 'None' }),
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: metadata('db-1', { 'kubernetes.io/service-name': 'db' }),
      addressType: 'IPv4',
      ports: [{ name: 'pg', port: 5432 }],
      endpoints: [{ addresses: [`${network}.9.7`], hostname: 'db-0', conditions: { ready: true } }],
    },
  ];
}

/** Every name of a cluster with its answer. */
function answersOf(region: Region): readonly (readonly [string, string, string])[] {
  const { network } = region;
  const [svc, octets] = [svcOf(region), network.split('.').toReversed().join('.')];
  return [
    [`web.${svc}`, 'A', `${network}.0.10`],
    [`_http._tcp.web.${svc}`, 'SRV', `0 100 80 web.${svc}`],
    [`10.0.${octets}.in-addr.arpa.`, 'PTR', `web.${svc}`],
    [`db.${svc}`, 'A', `${network}.9.7`],
    [`db-0.db.${svc}`, 'A', `${network}.9.7`],
    [`_pg._tcp.db.${svc}`, 'SRV', `0 100 5432 db-0.db.${svc}`],
    [`7.9.${octets}.in-addr.arpa.`, 'PTR', `db-0.db.${svc}`],
    [`kubernetes.default.svc.${zoneOf(region)}`, 'A', `${network}.0.1`],
    [`dns-version.${zoneOf(region)}`, 'TXT', '"1.1.0"'],
  ];
}

type Cluster = {
  readonly region: Region;
  readonly engine: KubernetesEngine;
  readonly folder: string;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  readonly command: (...argv: string[]) => ReturnType<typeof zone53>;
  readonly said: () => string;
};

async function openCluster(region: Region, route53: string, base: string): Promise<Cluster> {
  const engine = await startKubernetes({ apiServerArgs: [`--service-cluster-ip-range=${region.network}.0.0/24`] });
  const folder = path.join(base, region.name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'zone53.yaml'), configurationOf(region));
  const place = { folder, route53, env: { KUBECONFIG: engine.kubeconfig } };
  await applyCrds(engine);
  const rbac = await zone53(place, ['manifests-for-cluster', '--print', 'rbac']);
  expect(rbac.code, rbac.err).toBe(0);
  await succeed(engine, ['apply', '-f', '-'], rbac.out);
  await succeed(engine, ['create', 'namespace', 'shop']);
  let running: Running | null = null;
  let said = '';
  const start = () => {
    running = startZone53(place, ['local', '--context', 'zone53', '--route53', 'aws']);
    for (const stream of [running.child.stdout, running.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
      });
    }
  };
  const stop = async () => {
    running?.child.kill('SIGINT');
    await running?.ended;
    running = null;
  };
  return { region, engine, folder, start, stop, command: (...argv) => zone53(place, argv), said: () => said };
}

describeWithEngine(['kube-apiserver', 'etcd', 'dig'], 'two clusters in one VPC', () => {
  const base = mkdtempSync(path.join(tmpdir(), 'zone53-clusters-'));
  const [EU, US] = REGIONS as readonly [Region, Region];
  let server: Route53Server;
  let dns: DnsServer;
  let eu: Cluster;
  let us: Cluster;

  const put = (cluster: Cluster, items: readonly object[]) =>
    succeed(cluster.engine, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const ask = async (name: string, type: string) => {
    const where = ['@127.0.0.1', '-p', String(dns.port), '+norecurse', '+nocookie', '+tries=2', '+time=5'];
    return (await run('dig', [...where, '+short', name, type])).stdout.trim();
  };
  const until = async (isTrue: () => Promise<boolean>) => {
    const deadline = performance.now() + WAIT_MS;
    while (!(await isTrue())) {
      if (performance.now() > deadline) throw new Error(`it did not come true:\n${eu.said()}\n${us.said()}`);
      await sleep(100);
    }
  };
  const expectAll = async (region: Region) => {
    for (const [name, type, answer] of answersOf(region)) {
      await until(async () => (await ask(name, type)) === answer).catch(async (error: unknown) => {
        expect(await ask(name, type), `${name} ${type}: ${String(error)}`).toBe(answer);
      });
    }
  };
  const standing = (id: string) => server.state.zones().find((zone) => zone.id === id)?.recordSets.length ?? 0;

  beforeAll(async () => {
    const state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random, processingMs: 20 });
    for (const region of REGIONS) {
      for (const [index, name] of [zoneOf(region), reverseOf(region)].entries()) {
        const id = region.ids[index] as string;
        state.createHostedZone({ id, name, callerReference: id, comment: '', vpc: VPC });
      }
    }
    server = await startRoute53({ state, limits: null });
    dns = await startDns({ zones: () => state.zones() });
    state.onChange(() => dns.reload());
    [eu, us] = (await Promise.all(REGIONS.map((region) => openCluster(region, server.url, base)))) as [
      Cluster,
      Cluster,
    ];
    for (const cluster of [eu, us]) {
      await put(cluster, objectsOf(cluster.region));
      cluster.start();
    }
  }, 240_000);
  afterAll(async () => {
    for (const cluster of [eu, us]) {
      await cluster?.stop();
      await cluster?.engine.stop();
    }
    await dns?.close();
    await server?.close();
    rmSync(base, { recursive: true, force: true });
  });

  it('answer, each with its own names', { timeout: 2 * WAIT_MS }, async () => {
    await expectAll(EU);
    await expectAll(US);
    expect(await ask(`web.shop.svc.${zoneOf(EU).replace('eu', 'us')}`, 'A')).toBe('10.2.0.10');
  });

  it("keep the names of one when the other's Zone is deleted; an acknowledgement deletes that one's names", {
    timeout: 4 * WAIT_MS,
  }, async () => {
    const before = [standing('ZUS'), standing('ZUSR')];
    await succeed(eu.engine, ['delete', 'zone', '-n', 'shop', 'cluster']);
    // No name of this cluster would be left, so the guard holds the deletes. The other cluster is not affected.
    await until(async () => /guard|held/i.test(eu.said()));
    await eu.stop();
    await expectAll(US);
    expect(await ask(`web.${svcOf(EU)}`, 'A')).toBe('10.1.0.10');
    const plan = await eu.command('plan', '--context', 'zone53', '--state', '.zone53/local', '-o', 'json');
    const held = JSON.parse(plan.out) as { hostedZones: { held: boolean; digest: string }[] };
    const digests = held.hostedZones.flatMap((one) => (one.held ? [one.digest] : []));
    expect(digests.length, plan.out).toBeGreaterThan(0);
    const acknowledged = digests.flatMap((digest) => ['--acknowledge', digest]);
    const applied = await eu.command(
      'apply',
      '--context',
      'zone53',
      '--state',
      '.zone53/local',
      '--yes',
      ...acknowledged,
    );
    expect(applied.code, applied.err + applied.out).toBe(0);
    for (const [name, type] of answersOf(EU)) expect(await ask(name, type), `${name} ${type}`).toBe('');
    await expectAll(US);
    expect([standing('ZUS'), standing('ZUSR')]).toEqual(before);
  });

  it('answer again when the Zone is back', { timeout: 2 * WAIT_MS }, async () => {
    await put(eu, objectsOf(EU));
    eu.start();
    await expectAll(EU);
    await expectAll(US);
  });
});
