// Sources on a real API server, with the CRDs of the Gateway API and of external-dns. `zone53 local --context` reads
// the configured kinds, follows their related objects, and reports on each object. The test writes the statuses that a
// controller would write.
import type { ChildProcess } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine, engine as enginePath } from '../engines/engines.ts';
import { apply, applyCrds, eventually, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { type CommandPlace, serving, startZone53, zone53 } from '../support/zone53-command.ts';

const HOSTNAME = 'external-dns.alpha.kubernetes.io/hostname';
const CONFIG = `
roots: [{ zone: example.org. }]
sources: { services: {}, ingresses: {}, dnsEndpoints: {}, gatewayRoutes: { kinds: [HTTPRoute, TCPRoute] } }
`;

type Standing = {
  readonly metadata: { readonly resourceVersion: string; readonly generation?: number; readonly labels?: object };
  readonly spec: unknown;
  readonly status?: Readonly<Record<string, unknown>>;
};
type Condition = { readonly type: string; readonly status: string; readonly reason: string };

describeWithEngine(['kube-apiserver', 'etcd', 'source-crds'], 'sources on an API server', () => {
  let engine: KubernetesEngine;
  let folder: string;
  let child: ChildProcess | null = null;
  let ended: Promise<unknown> | null = null;
  let said = '';
  let dns: Resolver;

  const place = (): CommandPlace => ({
    folder,
    route53: 'http://127.0.0.1:9',
    env: { KUBECONFIG: engine.kubeconfig },
  });
  const put = (object: object) => succeed(engine, ['apply', '--server-side', '-f', '-'], JSON.stringify(object));
  const putStatus = async (what: string, status: object, namespace = 'team') => {
    const patch = JSON.stringify({ status });
    await succeed(engine, ['patch', what, '-n', namespace, '--subresource=status', '--type=merge', '-p', patch]);
  };
  const read = async (what: string, namespace = 'team'): Promise<Standing> =>
    JSON.parse(await succeed(engine, ['get', what, '-n', namespace, '-o', 'json']));
  const answers = async (name: string): Promise<string> => {
    try {
      return (await dns.resolve4(name)).toSorted().join(' ');
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const until = (name: string, expected: string) =>
    eventually(async () => (await answers(name)) === expected).catch(async () => {
      throw new Error(`${name} is ${await answers(name)}, not ${expected}:\n${said}`);
    });
  const service = (name: string, spec: object, annotations: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'team', annotations },
    spec: { ports: [{ name: 'http', port: 80 }], ...spec },
  });

  beforeAll(async () => {
    engine = await startKubernetes();
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-sources-'));
    writeFileSync(path.join(folder, 'zone53.yaml'), CONFIG);
    await applyCrds(engine);
    const crds = enginePath('source-crds') as string;
    const kinds = ['gateways', 'httproutes', 'listenersets'].map((kind) => path.join(crds, 'standard', `${kind}.yaml`));
    const files = [...kinds, path.join(crds, 'external-dns', 'dnsendpoints.yaml')];
    await succeed(engine, ['apply', '--server-side', ...files.flatMap((file) => ['-f', file])]);
    const rbac = await zone53(place(), ['manifests-for-cluster', '--print', 'rbac']);
    expect(rbac.code, rbac.err).toBe(0);
    await succeed(engine, ['apply', '-f', '-'], rbac.out);
    await succeed(engine, ['create', 'namespace', 'team']);
    await apply(engine, [
      {
        kind: 'Zone',
        name: 'example',
        spec: { domainName: 'example.org.', delegations: [{ namespaces: ['team'], records: [{ pattern: '*.team' }] }] },
      },
    ]);
    const argv = ['local', '--context', 'zone53', '--dns-port', '0', '--route53-port', '0'];
    const started = startZone53(place(), argv);
    ({ child, ended } = started);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await eventually(() => {
      if (child?.exitCode !== null) throw new Error(`zone53 local ended:\n${said}`);
      return serving(said) !== null;
    }).catch((error: Error) => {
      throw new Error(`${error.message}:\n${said}`);
    });
    dns = new Resolver({ timeout: 2_000, tries: 2 });
    dns.setServers([`127.0.0.1:${serving(said)?.dnsPort}`]);
  }, 120_000);
  afterAll(async () => {
    child?.kill('SIGINT');
    await ended;
    await engine?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it('publish a load balancer once it has an address, with a condition on the Service', async () => {
    await put(service('web', { type: 'LoadBalancer' }, { [HOSTNAME]: 'web.team.example.org,web.other.org' }));
    await putStatus('service/web', { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } });
    await until('web.team.example.org', '192.0.2.1');
    const before = await read('service/web');
    await eventually(async () => {
      const conditions = ((await read('service/web')).status?.conditions ?? []) as readonly Condition[];
      return conditions.some(({ type, reason }) => type === 'zone53.dev/Programmed' && reason === 'ParentNotFound');
    });
    const after = await read('service/web');
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.labels).toEqual(before.metadata.labels);
    await put(service('web', { type: 'LoadBalancer' }, { [HOSTNAME]: 'web.team.example.org' }));
    const isProgrammed = async () => {
      const conditions = ((await read('service/web')).status?.conditions ?? []) as readonly Condition[];
      return conditions.some(({ type, status }) => type === 'zone53.dev/Programmed' && status === 'True');
    };
    await eventually(isProgrammed);
    await putStatus('service/web', { conditions: [] });
    await eventually(isProgrammed);
  });

  it('publish a headless Service, and follow its EndpointSlices', async () => {
    await put(service('db', { clusterIP: 'None', selector: { app: 'db' } }, { [HOSTNAME]: 'db.team.example.org' }));
    const slice = (addresses: readonly string[]) => ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'db-1', namespace: 'team', labels: { 'kubernetes.io/service-name': 'db' } },
      addressType: 'IPv4',
      endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
      ports: [],
    });
    await put(slice(['10.0.0.1']));
    await until('db.team.example.org', '10.0.0.1');
    await put(slice(['10.0.0.1', '10.0.0.2']));
    await until('db.team.example.org', '10.0.0.1 10.0.0.2');
    await succeed(engine, ['delete', 'endpointslice/db-1', '-n', 'team']);
    await until('db.team.example.org', 'ENOTFOUND');
  });

  it('publish a NodePort Service, and follow the Nodes', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };
    await put(node);
    await putStatus('node/n1', { addresses: [{ type: 'ExternalIP', address: '198.51.100.1' }] }, '');
    await put(service('np', { type: 'NodePort' }, { [HOSTNAME]: 'np.team.example.org' }));
    await until('np.team.example.org', '198.51.100.1');
    await put({ ...node, metadata: { name: 'n2' } });
    await putStatus('node/n2', { addresses: [{ type: 'ExternalIP', address: '198.51.100.2' }] }, '');
    await until('np.team.example.org', '198.51.100.1 198.51.100.2');
    await succeed(engine, ['delete', 'node/n1']);
    await until('np.team.example.org', '198.51.100.2');
  });

  it('publish an Ingress, and a DNSEndpoint whose status has the observed generation', async () => {
    await put({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'shop', namespace: 'team' },
      spec: {
        rules: [{ host: 'shop.team.example.org' }],
        defaultBackend: { service: { name: 'web', port: { number: 80 } } },
      },
    });
    await putStatus('ingress/shop', { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } });
    await until('shop.team.example.org', '192.0.2.7');
    await put({
      apiVersion: 'externaldns.k8s.io/v1alpha1',
      kind: 'DNSEndpoint',
      metadata: { name: 'one', namespace: 'team' },
      spec: { endpoints: [{ dnsName: 'one.team.example.org', recordType: 'A', targets: ['192.0.2.8'] }] },
    });
    await until('one.team.example.org', '192.0.2.8');
    await eventually(async () => {
      const { status, metadata } = await read('dnsendpoint/one');
      return status?.observedGeneration === metadata.generation;
    });
  });

  it('publish a route that a Gateway accepted, with a status entry beside that of the controller', async () => {
    await put({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'gw', namespace: 'team' },
      spec: { gatewayClassName: 'any', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
    });
    await putStatus('gateway/gw', { addresses: [{ type: 'IPAddress', value: '192.0.2.9' }] });
    await put({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'route', namespace: 'team' },
      spec: { hostnames: ['route.team.example.org'], parentRefs: [{ name: 'gw' }] },
    });
    const accepted = {
      type: 'Accepted',
      status: 'True',
      reason: 'Accepted',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const entry = { parentRef: { name: 'gw' }, controllerName: 'example.com/gateway', conditions: [accepted] };
    await putStatus('httproute/route', { parents: [entry] });
    await until('route.team.example.org', '192.0.2.9');
    const hasOurs = async () => {
      const parents = (await read('httproute/route')).status?.parents as readonly { controllerName: string }[];
      return parents.length === 2 && parents.some(({ controllerName }) => controllerName === 'zone53.dev/dns');
    };
    await eventually(hasOurs);
    // Here the controller writes the whole list again, without our entry.
    await putStatus('httproute/route', { parents: [entry] });
    await eventually(hasOurs);
    await putStatus('gateway/gw', { addresses: [{ type: 'IPAddress', value: '192.0.2.10' }] });
    await until('route.team.example.org', '192.0.2.10');
  });

  it('report a kind that is not served; its CRD may come later and go again, and no name is lost', async () => {
    await eventually(() => /TCPRoute .*is not served by the API server/.test(said));
    await succeed(engine, ['delete', 'crd/dnsendpoints.externaldns.k8s.io', '--wait=false']);
    const plan = await zone53(place(), ['render', '--context', 'zone53', '-o', 'json']);
    expect(plan.code, plan.err).toBe(0);
    expect(plan.err).toMatch(/TCPRoute/);
    await until('web.team.example.org', '192.0.2.1');
    expect(await answers('one.team.example.org')).toMatch(/192\.0\.2\.8|ENOTFOUND/);
  });
});
