// The Kubernetes DNS specification, question by question: Services on a real API server, EndpointSlices by Kubernetes'
// own endpoint slice controller, `zone53 local --context`, and dig. There are no kubelets, so the test writes the
// statuses of Pods. The expected answers are those of the specification; docs/service-discovery.md lists where zone53
// differs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithEngine, engine as enginePath } from '../engines/engines.ts';
import { applyCrds, eventually, succeed } from '../engines/kubernetes/apply.ts';
import { type Guard, openGuard } from '../engines/kubernetes/guard.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { type RunningLocal, startLocal } from '../support/running-local.ts';
import { zone53 } from '../support/zone53-command.ts';

const ZONE = 'cluster.prod-eu.internal.';
const SVC = `svc.${ZONE}`;
const CONFIG = `
roots: [{ zone: "*.internal." }, { zone: "*.in-addr.arpa." }, { zone: "*.ip6.arpa." }]
sources: { serviceDiscovery: { zone: ${ZONE}, pods: verified } }
`;

function zone(name: string, domainName: string, delegations: readonly object[]): object {
  const metadata = { name, namespace: 'shop' };
  return { apiVersion: 'kubi.zone/v1alpha1', kind: 'Zone', metadata, spec: { domainName, delegations } };
}

const PTRS = [{ records: [{ pattern: '*', types: ['PTR'] }] }];
const ZONES = [
  zone('cluster', ZONE, []),
  zone('reverse', '10.in-addr.arpa.', PTRS),
  zone('reverse6', '0.0.d.f.ip6.arpa.', PTRS),
];

function service(name: string, spec: object): object {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'shop' }, spec };
}

const DUAL = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] };
const PORTS = [
  { name: 'http', port: 80 },
  { name: 'dns', port: 53, protocol: 'UDP' },
];
const SERVICES = [
  service('web', { ...DUAL, clusterIP: '10.96.0.10', clusterIPs: ['10.96.0.10', 'fd00:96::10'], ports: PORTS }),
  service('single', { clusterIP: '10.96.0.11', ports: [{ port: 8080 }] }),
  service('balanced', { type: 'LoadBalancer', clusterIP: '10.96.0.12', ports: [{ name: 'https', port: 443 }] }),
  service('node-port', { type: 'NodePort', clusterIP: '10.96.0.13', ports: [{ name: 'https', port: 443 }] }),
  service('db', {
    ...DUAL,
    clusterIP: 'None',
    selector: { app: 'db' },
    ports: [
      { name: 'pg', port: 1, targetPort: 5432 },
      { name: 'metrics', port: 9187 },
    ],
  }),
  service('peers', {
    clusterIP: 'None',
    selector: { app: 'db' },
    publishNotReadyAddresses: true,
    ports: [{ port: 7 }],
  }),
  service('pair', { clusterIP: 'None', selector: { app: 'pair' }, ports: [{ name: 'http', port: 80 }] }),
  service('nobody', { clusterIP: 'None', selector: { app: 'nobody' }, ports: [{ name: 'http', port: 80 }] }),
  service('foo', { type: 'ExternalName', externalName: 'www.example.com' }),
];

type Pod = {
  readonly name: string;
  readonly app: string;
  readonly ips: readonly string[];
  readonly hostname?: string;
  readonly isReady: boolean;
};

const PODS: readonly Pod[] = [
  { name: 'db-0', app: 'db', ips: ['10.1.0.7', 'fd00:1::7'], hostname: 'db-0', isReady: true },
  { name: 'db-1', app: 'db', ips: ['10.1.0.8', 'fd00:1::8'], hostname: 'db-1', isReady: false },
  { name: 'db-x', app: 'db', ips: ['10.1.0.9', 'fd00:1::9'], isReady: true },
  { name: 'pair-0', app: 'pair', ips: ['10.1.0.20'], hostname: 'twin', isReady: true },
  { name: 'pair-1', app: 'pair', ips: ['10.1.0.21'], hostname: 'twin', isReady: true },
];

/** Name, type, and the answers of dig in text order; or the status if there is no answer. */
const QUESTIONS: Readonly<
  Record<string, readonly (readonly [string, string, readonly string[] | 'NXDOMAIN' | 'NODATA'])[]>
> = {
  '2.2 version of the schema': [[`dns-version.${ZONE}`, 'TXT', ['"1.1.0"']]],
  '2.3 a Service with ClusterIP': [
    [`kubernetes.default.${SVC}`, 'A', ['10.96.0.1']],
    [`_https._tcp.kubernetes.default.${SVC}`, 'SRV', [`0 100 443 kubernetes.default.${SVC}`]],
    ['1.0.96.10.in-addr.arpa.', 'PTR', [`kubernetes.default.${SVC}`]],
    [`web.shop.${SVC}`, 'A', ['10.96.0.10']],
    [`WEB.Shop.${SVC}`, 'A', ['10.96.0.10']],
    [`web.shop.${SVC}`, 'AAAA', ['fd00:96::10']],
    [`_HTTP._Tcp.web.shop.${SVC}`, 'SRV', [`0 100 80 web.shop.${SVC}`]],
    ['10.0.96.10.IN-ADDR.ARPA.', 'PTR', [`web.shop.${SVC}`]],
    [`_http._tcp.web.shop.${SVC}`, 'SRV', [`0 100 80 web.shop.${SVC}`]],
    [`_dns._udp.web.shop.${SVC}`, 'SRV', [`0 100 53 web.shop.${SVC}`]],
    [`_dns._tcp.web.shop.${SVC}`, 'SRV', 'NXDOMAIN'],
    ['10.0.96.10.in-addr.arpa.', 'PTR', [`web.shop.${SVC}`]],
    [`0.1.${'0.'.repeat(22)}6.9.0.0.0.0.d.f.ip6.arpa.`, 'PTR', [`web.shop.${SVC}`]],
    [`single.shop.${SVC}`, 'A', ['10.96.0.11']],
    [`single.shop.${SVC}`, 'AAAA', 'NODATA'],
    // The specification has no name for a port without a name.
    [`_8080._tcp.single.shop.${SVC}`, 'SRV', 'NXDOMAIN'],
    [`balanced.shop.${SVC}`, 'A', ['10.96.0.12']],
    [`_https._tcp.node-port.shop.${SVC}`, 'SRV', [`0 100 443 node-port.shop.${SVC}`]],
    [`nosuch.shop.${SVC}`, 'A', 'NXDOMAIN'],
    [`shop.${SVC}`, 'A', 'NODATA'],
    [`web.other.${SVC}`, 'A', 'NXDOMAIN'],
  ],
  '2.4 a headless Service': [
    [`db.shop.${SVC}`, 'A', ['10.1.0.7', '10.1.0.9']],
    [`db.shop.${SVC}`, 'AAAA', ['fd00:1::7', 'fd00:1::9']],
    [`db-0.db.shop.${SVC}`, 'A', ['10.1.0.7']],
    [`db-0.db.shop.${SVC}`, 'AAAA', ['fd00:1::7']],
    [`db-1.db.shop.${SVC}`, 'A', 'NXDOMAIN'],
    [`10-1-0-9.db.shop.${SVC}`, 'A', ['10.1.0.9']],
    [`fd00-1--9.db.shop.${SVC}`, 'AAAA', ['fd00:1::9']],
    [
      `_pg._tcp.db.shop.${SVC}`,
      'SRV',
      ['10-1-0-9', 'db-0', 'fd00-1--9'].map((hostname) => `0 100 5432 ${hostname}.db.shop.${SVC}`),
    ],
    [
      `_metrics._tcp.db.shop.${SVC}`,
      'SRV',
      ['10-1-0-9', 'db-0', 'fd00-1--9'].map((hostname) => `0 100 9187 ${hostname}.db.shop.${SVC}`),
    ],
    [`_7._tcp.peers.shop.${SVC}`, 'SRV', 'NXDOMAIN'],
    [`peers.shop.${SVC}`, 'A', ['10.1.0.7', '10.1.0.8', '10.1.0.9']],
    // One address of two Services has two names.
    ['7.0.1.10.in-addr.arpa.', 'PTR', [`10-1-0-7.peers.shop.${SVC}`, `db-0.db.shop.${SVC}`]],
    ['8.0.1.10.in-addr.arpa.', 'PTR', [`10-1-0-8.peers.shop.${SVC}`]],
    [`7.${'0.'.repeat(23)}1.0.0.0.0.0.d.f.ip6.arpa.`, 'PTR', [`db-0.db.shop.${SVC}`]],
    // "If there are multiple IP addresses for a given hostname, then there must be one such A record returned for each
    // IP."
    [`twin.pair.shop.${SVC}`, 'A', ['10.1.0.20', '10.1.0.21']],
    [`_http._tcp.pair.shop.${SVC}`, 'SRV', [`0 100 80 twin.pair.shop.${SVC}`]],
    ['20.0.1.10.in-addr.arpa.', 'PTR', [`twin.pair.shop.${SVC}`]],
    ['21.0.1.10.in-addr.arpa.', 'PTR', [`twin.pair.shop.${SVC}`]],
    // "If there are no ready endpoints for the headless Service, the answer should be NXDOMAIN."
    [`nobody.shop.${SVC}`, 'A', 'NXDOMAIN'],
    [`nobody.shop.${SVC}`, 'AAAA', 'NXDOMAIN'],
    [`_http._tcp.nobody.shop.${SVC}`, 'SRV', 'NXDOMAIN'],
  ],
  '2.5 an ExternalName': [
    [`foo.shop.${SVC}`, 'A', ['www.example.com.']],
    [`foo.shop.${SVC}`, 'CNAME', ['www.example.com.']],
  ],
  '2.6 deprecated names of Pods, verified': [
    [`10-1-0-7.shop.pod.${ZONE}`, 'A', ['10.1.0.7']],
    [`fd00-1--7.shop.pod.${ZONE}`, 'AAAA', ['fd00:1::7']],
    [`10-1-0-99.shop.pod.${ZONE}`, 'A', 'NXDOMAIN'],
  ],
};

describeWithEngine(['kube-apiserver', 'etcd', 'endpoint-slices', 'dig'], "a cluster's Services by dig", () => {
  let engine: KubernetesEngine;
  let controller: Guard;
  let folder: string;
  let local: RunningLocal;

  const put = (...items: readonly object[]) =>
    succeed(engine, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const say = async (pod: Pod) => {
    const condition = { type: 'Ready', status: pod.isReady ? 'True' : 'False' };
    const status = {
      phase: 'Running',
      podIP: pod.ips[0],
      podIPs: pod.ips.map((ip) => ({ ip })),
      conditions: [condition],
    };
    const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
    await succeed(engine, ['patch', 'pod', pod.name, '-n', 'shop', ...patch]);
  };
  const run = async (pod: Pod) => {
    const named = pod.hostname === undefined ? {} : { hostname: pod.hostname, subdomain: pod.app };
    const containers = [{ name: 'db', image: 'db', ports: [{ containerPort: 5432 }] }];
    const metadata = { name: pod.name, namespace: 'shop', labels: { app: pod.app } };
    await put({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...named, nodeName: 'n1', containers } });
    await say(pod);
  };
  const ask = async (name: string, type: string): Promise<readonly string[] | string> => {
    const answer = await local.dig(name, type);
    const [, status, count] = /status: (\w+)[\s\S]*ANSWER: (\d+)/.exec(answer) ?? [];
    if (status !== 'NOERROR') return status ?? answer;
    return count === '0' ? 'NODATA' : local.answers(name, type);
  };
  const until = async (name: string, type: string, expected: readonly string[] | string) => {
    const isTrue = async () => JSON.stringify(await ask(name, type)) === JSON.stringify(expected);
    await local.until(isTrue).catch(async (error: unknown) => {
      const slices = await succeed(engine, ['get', 'endpointslices,pods,zones', '-n', 'shop', '-o', 'wide']);
      const words = `${slices}\n${controller.logTail('endpoint-slices')}\n${String(error)}`;
      expect(await ask(name, type), `${name} ${type}\n${words}`).toEqual(expected);
    });
  };

  beforeAll(async () => {
    engine = await startKubernetes({ apiServerArgs: ['--service-cluster-ip-range=10.96.0.0/24,fd00:96::/112'] });
    controller = openGuard('zone53-endpoint-slices-');
    controller.start('endpoint-slices', enginePath('endpoint-slices') ?? '', [engine.kubeconfig]);
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-discovery-'));
    writeFileSync(path.join(folder, 'zone53.yaml'), CONFIG);
    await applyCrds(engine);
    const place = { folder, route53: 'http://127.0.0.1:9', env: { KUBECONFIG: engine.kubeconfig } };
    const rbac = await zone53(place, ['manifests-for-cluster', '--print', 'rbac']);
    expect(rbac.code, rbac.err).toBe(0);
    await succeed(engine, ['apply', '-f', '-'], rbac.out);
    await succeed(engine, ['create', 'namespace', 'shop']);
    local = await startLocal({ folder, env: { KUBECONFIG: engine.kubeconfig } }, '--context', 'zone53');
    // The endpoint slice controller omits a Pod whose Node does not exist.
    await put({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
    // The objects are created in an order in which each comes before what it needs.
    await put(...SERVICES);
    for (const pod of PODS) await run(pod);
    await put(...ZONES);
    await until(`db.shop.${SVC}`, 'A', ['10.1.0.7', '10.1.0.9']);
  }, 240_000);
  afterAll(async () => {
    await local?.stop();
    await controller?.end();
    await engine?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  describe.each(Object.entries(QUESTIONS))('%s', (_, questions) => {
    it.each(questions)('%s %s', async (name, type, expected) => {
      await until(name, type, expected);
    });
  });

  it('answers with the TTL of the source', async () => {
    expect(await local.dig('+noall', '+answer', `web.shop.${SVC}`, 'A')).toMatch(/\s5\s+IN\s+A\s+10\.96\.0\.10/);
  });

  it('follows a Pod that becomes ready, and one that goes', async () => {
    const [first, second] = PODS as readonly [Pod, Pod];
    await say({ ...second, isReady: true });
    await until(`db-1.db.shop.${SVC}`, 'A', ['10.1.0.8']);
    await until(`db.shop.${SVC}`, 'A', ['10.1.0.7', '10.1.0.8', '10.1.0.9']);
    await succeed(engine, ['delete', 'pod', first.name, '-n', 'shop', '--grace-period=0', '--force']);
    await until(`db-0.db.shop.${SVC}`, 'A', 'NXDOMAIN');
    await until('7.0.1.10.in-addr.arpa.', 'PTR', 'NXDOMAIN');
    await until(`10-1-0-7.shop.pod.${ZONE}`, 'A', 'NXDOMAIN');
  });

  it('follows a Service that changes its kind, and one that goes', async () => {
    await put(service('foo', { type: 'ExternalName', externalName: 'www.example.net' }));
    await until(`foo.shop.${SVC}`, 'CNAME', ['www.example.net.']);
    await put(service('foo', { type: 'ClusterIP', clusterIP: '10.96.0.14', ports: [{ name: 'http', port: 80 }] }));
    await until(`foo.shop.${SVC}`, 'A', ['10.96.0.14']);
    await until(`foo.shop.${SVC}`, 'CNAME', 'NODATA');
    await until(`_http._tcp.foo.shop.${SVC}`, 'SRV', [`0 100 80 foo.shop.${SVC}`]);
    await succeed(engine, ['delete', 'service', 'web', '-n', 'shop']);
    await until(`web.shop.${SVC}`, 'A', 'NXDOMAIN');
    await until('10.0.96.10.in-addr.arpa.', 'PTR', 'NXDOMAIN');
  });

  it('says on the Service that its names are published', async () => {
    const path = '{.status.conditions[?(@.type=="zone53.dev/Programmed")].status}';
    const read = () => succeed(engine, ['get', 'service', 'db', '-n', 'shop', '-o', `jsonpath=${path}`]);
    await eventually(async () => (await read()) === 'True');
  });
});
