// Objects of the sources on a real API server: accepted by the types that clusters have (the CRDs of the Gateway API
// and of external-dns come out of their Go modules), with the statuses that a controller would write, read with the
// rights that `manifests-for-cluster` gives.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ClusterOutput } from '../../cli/print/output.ts';
import { describeWithEngine, engine as engineOf } from '../engines/engines.ts';
import { applyCrds, eventually, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { zone53 } from '../support/zone53-command.ts';

const SHOP = path.resolve(import.meta.dirname, '../../examples/shop');
const MANIFESTS = ['namespaces.yaml', 'platform.yaml', 'team-shop.yaml', 'team-catalog.yaml'];

type KubernetesManifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly status?: unknown;
  readonly [field: string]: unknown;
};

describeWithEngine(['kube-apiserver', 'etcd', 'source-crds'], 'sources on a real API server', () => {
  let engine: KubernetesEngine;
  let folder: string;
  const crds = engineOf('source-crds') ?? '';

  /** Applies objects, and then writes their statuses as their controller would. */
  const applyAll = async (objects: readonly KubernetesManifest[]) => {
    await succeed(engine, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    for (const { kind, apiVersion, metadata, status } of objects) {
      if (status === undefined) continue;
      const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
      const what = [`${kind.toLowerCase()}${group}`, metadata.name, '-n', metadata.namespace ?? 'default'];
      await succeed(engine, [
        'patch',
        ...what,
        '--subresource=status',
        '--type=merge',
        '-p',
        JSON.stringify({ status }),
      ]);
    }
  };
  const documents = (text: string) => parseAllDocuments(text).map((one) => one.toJS() as KubernetesManifest);
  const render = async (sources: string, context = 'zone53') => {
    writeFileSync(path.join(folder, 'zone53.yaml'), sources);
    const place = { folder, route53: 'http://127.0.0.1:9', env: { KUBECONFIG: engine.kubeconfig } };
    const ran = await zone53(place, ['render', '--context', context, '-o', 'json']);
    return { ...ran, world: ran.out === '' ? null : (JSON.parse(ran.out) as ClusterOutput) };
  };
  const linesOf = (world: ClusterOutput | null) =>
    (world?.sources ?? []).flatMap(({ kind, namespace, name, endpoints }) =>
      endpoints.map(({ fqdn, type, values, alias, conditions }) =>
        [`${kind} ${namespace}/${name}`, fqdn, type, values?.join() ?? alias?.dnsName, conditions[0]?.reason].join(' '),
      ),
    );
  const grant = async (sources: string) => {
    writeFileSync(path.join(folder, 'zone53.yaml'), sources);
    const place = { folder, route53: 'http://127.0.0.1:9' };
    const { code, out, err } = await zone53(place, ['manifests-for-cluster', '--print', 'rbac']);
    expect(code, err).toBe(0);
    await succeed(engine, ['apply', '-f', '-'], out);
  };

  beforeAll(async () => {
    engine = await startKubernetes();
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-sources-'));
    await applyCrds(engine);
  });
  afterAll(async () => {
    await engine?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const SHOP_CONFIG = readFileSync(path.join(SHOP, 'zone53.yaml'), 'utf8');
  const SHOP_LINES = [
    'HTTPRoute catalog/catalog catalog.example.org. A 192.0.2.80 Adopted',
    'HTTPRoute catalog/catalog www.example.org. A 192.0.2.80 DelegationDenied',
    'HTTPRoute shop/api api.shop.example.org. A 192.0.2.80 Adopted',
    'Ingress shop/front example.org. A k8s-shop-front-0123456789-1234567890.eu-west-1.elb.amazonaws.com. Adopted',
    'Ingress shop/front example.org. AAAA k8s-shop-front-0123456789-1234567890.eu-west-1.elb.amazonaws.com. Adopted',
    'Ingress shop/front www.example.org. A k8s-shop-front-0123456789-1234567890.eu-west-1.elb.amazonaws.com. Adopted',
    'Ingress shop/front www.example.org. AAAA k8s-shop-front-0123456789-1234567890.eu-west-1.elb.amazonaws.com. Adopted',
    'Service shop/cart cart.shop.example.org. A 10.0.0.7 Adopted',
  ];

  it('a kind whose CRD is missing affects only itself', async () => {
    await grant('sources: { services: {}, gatewayRoutes: {}, dnsEndpoints: {} }');
    await applyAll(documents(readFileSync(path.join(SHOP, 'namespaces.yaml'), 'utf8')));
    await applyAll(
      documents(readFileSync(path.join(SHOP, 'platform.yaml'), 'utf8')).filter(({ kind }) => kind === 'Zone'),
    );
    await applyAll(
      documents(readFileSync(path.join(SHOP, 'team-shop.yaml'), 'utf8')).filter(({ kind }) => kind === 'Service'),
    );
    const { world } = await render('sources: { services: {}, gatewayRoutes: {}, dnsEndpoints: {} }');
    expect(linesOf(world)).toEqual(['Service shop/cart cart.shop.example.org. A 10.0.0.7 Adopted']);
  });

  it.each(['standard', 'experimental'])(
    'examples/shop has its names by the %s channel of the Gateway API',
    async (channel) => {
      await succeed(engine, ['apply', '--server-side', '--force-conflicts', '-f', path.join(crds, channel)]);
      await eventually(
        async () => (await engine.kubectl(['get', 'gateways,listenersets,httproutes,tcproutes'])).code === 0,
      );
      await grant(SHOP_CONFIG);
      for (const file of MANIFESTS) await applyAll(documents(readFileSync(path.join(SHOP, file), 'utf8')));
      const { code, err, world } = await render(SHOP_CONFIG);
      expect(code, err).toBe(0);
      expect(linesOf(world)).toEqual(SHOP_LINES);
    },
  );

  it('a DNSEndpoint of external-dns, routes of every kind with a ListenerSet, and a headless Service are published', async () => {
    await succeed(engine, ['apply', '--server-side', '-f', path.join(crds, 'external-dns')]);
    await eventually(async () => (await engine.kubectl(['get', 'dnsendpoints'])).code === 0);
    const config = `sources:
  dnsEndpoints: {}
  services: { types: [ClusterIP] }
  gatewayRoutes: {}
  defaults: { namespaces: [shop] }`;
    await grant(config);
    const rules = [{ backendRefs: [{ name: 'cart', port: 80 }] }];
    const accepted = (parentRef: object) => ({
      parents: [
        {
          parentRef,
          controllerName: 'example.com/gateway',
          conditions: [
            {
              type: 'Accepted',
              status: 'True',
              reason: 'Accepted',
              message: '',
              lastTransitionTime: '2026-01-01T00:00:00Z',
            },
          ],
        },
      ],
    });
    const route = (kind: string, sectionName: string, spec: object, hostname?: string) => {
      const parentRef = { group: 'gateway.networking.k8s.io', kind: 'ListenerSet', name: 'extra', sectionName };
      const annotations = hostname === undefined ? {} : { 'external-dns.kubernetes.io/hostname': hostname };
      return {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind,
        metadata: { namespace: 'shop', name: sectionName, annotations },
        spec: { parentRefs: [parentRef], ...spec },
        status: accepted(parentRef),
      };
    };
    await applyAll([
      {
        apiVersion: 'externaldns.k8s.io/v1alpha1',
        kind: 'DNSEndpoint',
        metadata: { namespace: 'shop', name: 'mail' },
        spec: { endpoints: [{ dnsName: 'mail.shop.example.org', recordType: 'MX', targets: ['10 mx.example.net'] }] },
      },
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'ListenerSet',
        metadata: { namespace: 'shop', name: 'extra' },
        spec: {
          parentRef: { namespace: 'infra', name: 'public' },
          listeners: [
            { name: 'http', port: 8080, protocol: 'HTTP' },
            { name: 'tls', port: 8443, protocol: 'TLS', tls: { mode: 'Passthrough' } },
            { name: 'tcp', port: 5432, protocol: 'TCP' },
            { name: 'udp', port: 5353, protocol: 'UDP' },
          ],
        },
      },
      route('GRPCRoute', 'http', { hostnames: ['grpc.shop.example.org'] }),
      route('TLSRoute', 'tls', { hostnames: ['tls.shop.example.org'], rules }),
      route('TCPRoute', 'tcp', { rules }, 'sql.shop.example.org'),
      route('UDPRoute', 'udp', { rules }, 'udp.shop.example.org'),
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          namespace: 'shop',
          name: 'db',
          annotations: { 'external-dns.kubernetes.io/hostname': 'db.shop.example.org' },
        },
        spec: { clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }] },
      },
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { namespace: 'shop', name: 'db-1', labels: { 'kubernetes.io/service-name': 'db' } },
        addressType: 'IPv4',
        // The API server takes any text for the name of the Pod.
        endpoints: [{ addresses: ['10.1.0.1'], hostname: 'db-0', targetRef: { kind: 'Pod', name: '..' } }],
        ports: [],
      },
    ] as readonly KubernetesManifest[]);
    const { err, world } = await render(config);
    expect(linesOf(world), err).toEqual([
      'DNSEndpoint shop/mail mail.shop.example.org. MX 10 mx.example.net. Adopted',
      'GRPCRoute shop/http grpc.shop.example.org. A 192.0.2.80 Adopted',
      'HTTPRoute shop/api api.shop.example.org. A 192.0.2.80 Adopted',
      'Service shop/cart cart.shop.example.org. A 10.0.0.7 Adopted',
      'Service shop/db db.shop.example.org. A 10.1.0.1 Adopted',
      'Service shop/db db-0.db.shop.example.org. A 10.1.0.1 Adopted',
      'TCPRoute shop/tcp sql.shop.example.org. A 192.0.2.80 Adopted',
      'TLSRoute shop/tls tls.shop.example.org. A 192.0.2.80 Adopted',
      'UDPRoute shop/udp udp.shop.example.org. A 192.0.2.80 Adopted',
    ]);
  });
});
