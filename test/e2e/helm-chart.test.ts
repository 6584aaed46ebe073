// The chart by real Helm: the same rights and webhooks as `manifests-for-cluster`, and what installing, upgrading and
// uninstalling it does on a real API server.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { helmChart } from '../../cli/setup/helm-chart.ts';
import { describeWithEngine, engine } from '../engines/engines.ts';
import { read, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { zone53 } from '../support/zone53-command.ts';

const URL = 'https://hints.example/';
const SECRET = 'a/secret %';

type Rule = Readonly<Record<string, readonly string[]>>;
type Listed = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
};

/** The sources of zone53.yaml, and those of the chart's values, which are the same. */
const SOURCES = {
  none: {},
  'every kind': { dnsEndpoints: {}, services: {}, ingresses: {}, gatewayRoutes: {} },
  'some kinds': { services: { types: ['NodePort'] }, gatewayRoutes: { kinds: ['HTTPRoute'] } },
  'a cluster with its Pods': { serviceDiscovery: { zone: 'cluster.example.', pods: 'verified' } },
  'two readers of Services': { services: { types: ['LoadBalancer'] }, serviceDiscovery: { zone: 'cluster.example.' } },
  'two namespaces': { ingresses: { namespaces: ['b'] }, services: { namespaces: ['a', 'b'] } },
  'all namespaces, for the Gateways': { gatewayRoutes: { namespaces: ['a'] } },
  'kinds of the configuration': {
    services: {},
    custom: [
      { preset: 'istio-gateway', related: { name: "'edge'" } },
      { preset: 'contour-httpproxy', namespaces: ['a'] },
      { key: 'nodes', version: 'v1', resource: 'nodes', kind: 'Node', names: "'a'", targets: "'b'", scope: 'cluster' },
    ],
  },
};

function objects(text: string): readonly Listed[] {
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Listed | null) ?? []);
}

/** Each right by itself: rules that say the same in another order or number are equal. */
function rights(rules: readonly Rule[]): readonly string[] {
  const all = rules.flatMap(({ apiGroups = [], resources = [], verbs = [], operations = [], resourceNames = [] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        [...verbs, ...operations].flatMap((verb) =>
          (resourceNames.length === 0 ? [''] : resourceNames).map((name) => `${verb} ${group}/${resource} ${name}`),
        ),
      ),
    ),
  );
  return [...new Set(all)].toSorted();
}

/** What an object says, its rules as rights. */
function comparable({ kind, metadata: { name }, ...rest }: Listed): object {
  if (kind === 'ClusterRole') return { kind, name, rules: rights(rest.rules as readonly Rule[]) };
  if (kind === 'ClusterRoleBinding') return { kind, name, roleRef: rest.roleRef, subjects: rest.subjects };
  const webhooks = (rest.webhooks as readonly { readonly rules: readonly Rule[] }[]).map(({ rules, ...webhook }) => ({
    ...webhook,
    rules: rights(rules),
  }));
  return { kind, name, webhooks };
}

describeWithEngine(['helm', 'kube-apiserver', 'etcd'], 'the Helm chart', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-chart-'));
  const chart = path.join(folder, 'chart');
  let kubernetes: KubernetesEngine;
  const helm = async (...args: string[]) => {
    const env = { ...process.env, HOME: folder, KUBECONFIG: kubernetes.kubeconfig };
    const { stdout } = await promisify(execFile)(engine('helm') ?? '', args, { env, maxBuffer: 64 << 20 });
    return stdout;
  };
  const refused = (...args: string[]) =>
    helm(...args).then(
      () => 'nothing was refused',
      ({ stderr }: { readonly stderr: string }) => stderr,
    );
  const valuesFile = (values: object) => {
    const file = path.join(folder, 'values.yaml');
    writeFileSync(file, stringify(values));
    return file;
  };
  const template = (values: object) =>
    helm('template', 'zone53', chart, '--kube-version', '1.36.0', '-f', valuesFile(values));

  beforeAll(async () => {
    const shipped = (name: string) => readFileSync(path.join(import.meta.dirname, '../../crds', name), 'utf8');
    const files = helmChart('0.1.0', {
      crds: [shipped('zones.yaml'), shipped('records.yaml')],
      rbac: shipped('rbac.yaml'),
      webhook: shipped('examples/admission-webhook.yaml'),
    });
    for (const [name, text] of files) {
      mkdirSync(path.dirname(path.join(chart, name)), { recursive: true });
      writeFileSync(path.join(chart, name), text);
    }
    kubernetes = await startKubernetes();
  });
  afterAll(async () => {
    await kubernetes?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('passes the linter', async () => {
    expect(await helm('lint', '--strict', chart)).toContain('0 chart(s) failed');
  });

  it.each(Object.entries(SOURCES))('asks for what manifests-for-cluster asks for: %s', async (_title, sources) => {
    const config = path.join(folder, 'zone53.yaml');
    writeFileSync(config, stringify({ sources }));
    const secretFile = path.join(folder, 'secret');
    writeFileSync(secretFile, SECRET);
    const place = { folder, route53: 'http://127.0.0.1:9' };
    const argv = ['manifests-for-cluster', '--url', URL, '--secret-file', secretFile, '--config', config];
    const printed = await zone53(place, argv);
    expect(printed.code).toBe(0);
    const made = objects(await template({ sources, webhook: { url: URL, secret: SECRET } }));
    const ours = made.filter(({ kind }) => kind !== 'CustomResourceDefinition').map(comparable);
    expect(ours).toEqual(objects(printed.out).map(comparable));
  });

  it('has the CRDs as they are, with an annotation by which Helm keeps them', async () => {
    const crds = objects(await template({})).filter(({ kind }) => kind === 'CustomResourceDefinition');
    const shipped = ['zones', 'records'].flatMap((name) =>
      objects(readFileSync(path.join(import.meta.dirname, `../../crds/${name}.yaml`), 'utf8')),
    );
    expect(crds.map(({ spec }) => spec)).toEqual(shipped.map(({ spec }) => spec));
    for (const { metadata } of crds)
      expect(metadata).toMatchObject({ annotations: { 'helm.sh/resource-policy': 'keep' } });
  });

  it.each([
    [{ sources: { servces: {} } }, 'sources.servces: zone53 has no such source'],
    [{ sources: { gatewayRoutes: { kinds: ['HttpRoute'] } } }, 'sources.gatewayRoutes.kinds: HttpRoute is none of'],
    [{ sources: { custom: [{ preset: 'nginx' }] } }, 'sources.custom[0].preset: nginx is none of contour-httpproxy'],
    [{ sources: { custom: [{ resource: 'secrets' }] } }, 'sources.custom[0].resource: Secrets are never read'],
    [{ sources: { custom: [{ key: 'a' }] } }, 'sources.custom[0].resource: it is required'],
    [{ webhook: { url: 'http://hints.example/', secret: SECRET } }, "'http://hints.example/' does not match"],
    [{ webhook: { url: URL } }, "webhook.secret: write the sender's secret"],
    [{ webhook: { address: URL } }, "additional properties 'address' not allowed"],
    [{ subject: { kind: 'ServiceAccount', name: 'x' } }, 'subject.namespace: write the namespace'],
    [{ sorces: {} }, "additional properties 'sorces' not allowed"],
  ])('refuses %j', async (values, message) => {
    expect(await refused('template', 'x', chart, '--kube-version', '1.36.0', '-f', valuesFile(values))).toContain(
      message,
    );
  });

  it('installs, upgrades, and leaves CRDs and objects when it is uninstalled', async () => {
    await helm('install', 'zone53', chart, '-f', valuesFile({ sources: { ingresses: {} } }));
    const can = async (verb: string, what: string) =>
      (
        await kubernetes.kubectl(['auth', 'can-i', verb, what, '-A', '--as=somebody', '--as-group=zone53'])
      ).stdout.trim();
    expect([await can('list', 'ingresses'), await can('list', 'services'), await can('patch', 'zones/status')]).toEqual(
      ['yes', 'no', 'yes'],
    );
    await succeed(kubernetes, ['wait', '--for=condition=Established', 'crd/zones.kubi.zone', '--timeout=30s']);
    const zone = {
      apiVersion: 'kubi.zone/v1alpha1',
      kind: 'Zone',
      metadata: { name: 'z' },
      spec: { domainName: 'e.' },
    };
    await succeed(kubernetes, ['apply', '-f', '-'], JSON.stringify(zone));
    const webhook = { url: URL, secret: SECRET };
    await helm('upgrade', 'zone53', chart, '-f', valuesFile({ sources: { services: {} }, webhook }));
    expect([await can('list', 'ingresses'), await can('list', 'services')]).toEqual(['no', 'yes']);
    expect(await succeed(kubernetes, ['get', 'validatingwebhookconfigurations'])).toContain('zone53');
    await helm('uninstall', 'zone53');
    expect(await can('list', 'services')).toBe('no');
    expect((await read(kubernetes, 'zone/z', 'default')).spec).toMatchObject({ domainName: 'e.' });
  });
});
