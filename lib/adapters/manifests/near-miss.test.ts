import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import { kindsRead, sourcesOn } from '../../sources/source.ts';
import { metadataMisses, nearMiss as nearMissOf } from './near-miss.ts';

const ON = { dnsEndpoints: DEFAULT_SETTINGS, services: DEFAULT_SETTINGS, ingresses: DEFAULT_SETTINGS };
const ALL = kindsRead(sourcesOn({ ...ON, gatewayRoutes: DEFAULT_SETTINGS }));
const nearMiss = (kind: unknown, apiVersion: unknown) => nearMissOf(ALL, kind, apiVersion);

const OURS = 'kubi.zone/v1alpha1';

test.each<[string, unknown, unknown, string]>([
  ['two letters swapped', 'Recrod', OURS, 'did you mean "kind: Record"?'],
  ['the plural', 'Zones', OURS, 'did you mean "kind: Zone"?'],
  ['lower case', 'record', OURS, 'did you mean "kind: Record"?'],
  ['a list', 'RecordsList', OURS, 'did you mean "kind: RecordList"?'],
  ['a kind that our group does not have', 'Policy', OURS, 'the kinds are Zone and Record'],
  ['no kind', undefined, OURS, 'without a kind is not read: write "kind: Zone" or "kind: Record"'],
  ['a group without its dot', 'Record', 'kubizone/v1alpha1', `did you mean "apiVersion: ${OURS}"?`],
  ['a group with a letter wrong', 'Zone', 'kube.zone/v1', `did you mean "apiVersion: ${OURS}"?`],
  ['a group in upper case', 'Zone', 'Kubi.Zone/v1alpha1', `did you mean "apiVersion: ${OURS}"?`],
  ['a group without a version', 'Zone', 'kubi.zone', `did you mean "apiVersion: ${OURS}"?`],
  ['the group of the annotations', 'Zone', 'zone53.dev/v1alpha1', `did you mean "apiVersion: ${OURS}"?`],
  ['a version without a group', 'Record', 'v1alpha1', `did you mean "apiVersion: ${OURS}"?`],
  ['both', 'Recrod', 'kubizone/v1', `did you mean "kind: Record" and "apiVersion: ${OURS}"?`],
  ['a kind, and no apiVersion', 'Recrod', undefined, `did you mean "kind: Record" and "apiVersion: ${OURS}"?`],
  ['a Service with a letter missing', 'Servce', 'v1', 'did you mean "kind: Service"?'],
  ['a Service in lower case', 'service', 'v1', 'did you mean "kind: Service"?'],
  ['Services', 'Services', 'v1', 'did you mean "kind: Service"?'],
  ['a Service of a group', 'Service', 'core/v1', 'did you mean "apiVersion: v1"?'],
  ['a Service of another group of Kubernetes', 'Service', 'apps/v1', 'did you mean "apiVersion: v1"?'],
  ['a Service without a group', 'Service', undefined, 'of no apiVersion is not read: did you mean "apiVersion: v1"?'],
  ['an Ingress with a letter missing', 'Ingres', 'networking.k8s.io/v1', 'did you mean "kind: Ingress"?'],
  ['ingresses', 'ingresses', 'networking.k8s.io/v1beta1', 'did you mean "kind: Ingress"?'],
  ['the former group', 'Ingress', 'extensions/v1beta1', 'did you mean "apiVersion: networking.k8s.io/v1"?'],
  ['an Ingress of the core', 'Ingress', 'v1', 'did you mean "apiVersion: networking.k8s.io/v1"?'],
  ['an Ingress without a group', 'Ingress', undefined, 'did you mean "apiVersion: networking.k8s.io/v1"?'],
  ['an Ingress without a version', 'Ingress', 'networking.k8s.io', 'did you mean "apiVersion: networking.k8s.io/v1"?'],
  ['a letter of the group', 'Ingress', 'networkin.k8s.io/v1', 'did you mean "apiVersion: networking.k8s.io/v1"?'],
  ['a DNSEndpoint, swapped', 'DNSEndpiont', 'externaldns.k8s.io/v1alpha1', 'did you mean "kind: DNSEndpoint"?'],
  ['a DNSEndpoint by its case', 'DnsEndpoint', 'externaldns.k8s.io/v1alpha1', 'did you mean "kind: DNSEndpoint"?'],
  ['that of NGINX', 'DNSEndpoint', 'externaldns.nginx.org/v1', 'mean "apiVersion: externaldns.k8s.io/v1alpha1"?'],
  ['with a dash', 'DNSEndpoint', 'external-dns.k8s.io/v1', 'mean "apiVersion: externaldns.k8s.io/v1alpha1"?'],
  ['a route by its case', 'HttpRoute', 'gateway.networking.k8s.io/v1', 'did you mean "kind: HTTPRoute"?'],
  ['routes', 'TCPRoutes', 'gateway.networking.k8s.io/v1alpha2', 'did you mean "kind: TCPRoute"?'],
  [
    'the group of the first Gateway API',
    'HTTPRoute',
    'networking.x-k8s.io/v1alpha1',
    'apiVersion: gateway.networking.k8s.io/v1"?',
  ],
  ['the group of Ingresses', 'HTTPRoute', 'networking.k8s.io/v1', '"apiVersion: gateway.networking.k8s.io/v1"?'],
  ['a Gateway', 'Gatway', 'gateway.networking.k8s.io/v1', 'did you mean "kind: Gateway"?'],
  ['both', 'Ingres', 'extensions/v1beta1', 'did you mean "kind: Ingress" and "apiVersion: networking.k8s.io/v1"?'],
])('nearMiss() knows %s', (_, kind, apiVersion, advice) => {
  expect(nearMiss(kind, apiVersion)).toContain(advice);
});

test.each<[string, unknown, unknown]>([
  ['another group with a kind of the same name', 'Record', 'dns.example.com/v1'],
  ['another group with a Zone', 'Zone', 'route53.aws.upbound.io/v1beta1'],
  ['other kinds', 'Deployment', 'apps/v1'],
  ['kinds of the core', 'Node', 'v1'],
  ...['ServiceAccount', 'Endpoints', 'Secret', 'Event', 'Namespace', 'ReplicationController', 'Binding'].map(
    (kind): [string, string, string] => [`a ${kind}`, kind, 'v1'],
  ),
  ['a ServiceMonitor', 'ServiceMonitor', 'monitoring.coreos.com/v1'],
  ['an IngressClass', 'IngressClass', 'networking.k8s.io/v1'],
  ['a NetworkPolicy', 'NetworkPolicy', 'networking.k8s.io/v1'],
  ['a GatewayClass', 'GatewayClass', 'gateway.networking.k8s.io/v1'],
  ['a ReferenceGrant', 'ReferenceGrant', 'gateway.networking.k8s.io/v1beta1'],
  ['a Service of Knative', 'Service', 'serving.knative.dev/v1'],
  ['an Ingress of Knative', 'Ingress', 'networking.internal.knative.dev/v1alpha1'],
  ['an Ingress of OpenShift', 'Ingress', 'config.openshift.io/v1'],
  ['a Gateway of Istio', 'Gateway', 'networking.istio.io/v1'],
  ['an IngressRoute of Traefik', 'IngressRoute', 'traefik.io/v1alpha1'],
  ['a TCPRoute of others', 'TCPRoute', 'stunner.l7mp.io/v1'],
  ['a ServiceExport', 'ServiceExport', 'multicluster.x-k8s.io/v1alpha1'],
  ['a word in lower case without an apiVersion', 'servant', undefined],
  ['a value that is not an object', undefined, undefined],
  ['kinds that are not text', 5, ['kubi.zone/v1alpha1']],
])('nearMiss() gives nothing for %s', (_, kind, apiVersion) => {
  expect(nearMiss(kind, apiVersion)).toBeNull();
});

test('nearMiss() gives nothing for kinds of sources that are off, and for routes that are not read', () => {
  expect(nearMissOf(kindsRead(sourcesOn({})), 'Ingress', 'extensions/v1beta1')).toBeNull();
  const some = sourcesOn({ gatewayRoutes: { ...DEFAULT_SETTINGS, kinds: ['TCPRoute'] } });
  expect(nearMissOf(kindsRead(some), 'TLSRoute', 'gateway.networking.k8s.io/v1')).toBeNull();
});

test('metadataMisses() knows a misspelt namespace, and leaves other fields alone', () => {
  expect(metadataMisses('Record', { name: 'a', namespaec: 'b', nmae: 'c', Labels: {}, myOwn: 1 })).toEqual([
    'metadata.namespaec of a Record is not read; did you mean namespace?',
    'metadata.nmae of a Record is not read; did you mean name?',
    'metadata.Labels of a Record is not read; did you mean labels?',
  ]);
  expect(metadataMisses('Record', { uid: '1', managedFields: [], creationTimestamp: null })).toEqual([]);
  expect(metadataMisses('Record', 'text')).toEqual([]);
});
