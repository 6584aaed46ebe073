import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import { misspeltIn, misspeltProperty } from './misspelt.ts';

const NEW = 'external-dns.kubernetes.io/';
const OLD = 'external-dns.alpha.kubernetes.io/';
const PREFIXES = DEFAULT_SETTINGS.annotationPrefixes;

test.each([
  ['hostnames', 'hostname'],
  ['Hostname', 'hostname'],
  ['hostame', 'hostname'],
  ['host-name', 'hostname'],
  ['host', 'hostname'],
  ['hosts', 'hostname'],
  ['domain', 'hostname'],
  ['TTL', 'ttl'],
  ['record-ttl', 'ttl'],
  ['targets', 'target'],
  ['tagret', 'target'],
  ['controler', 'controller'],
  ['acces', 'access'],
  ['aliases', 'alias'],
  ['internalHostname', 'internal-hostname'],
  ['internal_hostname', 'internal-hostname'],
  ['set-identifer', 'set-identifier'],
  ['setIdentifier', 'set-identifier'],
  ['endpoint-type', 'endpoints-type'],
  ['aws-wieght', 'aws-weight'],
  ['aws/weight', 'aws-weight'],
  ['weight', 'aws-weight'],
  ['region', 'aws-region'],
  ['aws-geolocation-country', 'aws-geolocation-country-code'],
  ['aws-healthcheck-id', 'aws-health-check-id'],
  ['ingress-hostname-sourc', 'ingress-hostname-source'],
])('%s is probably %s', (written, meant) => {
  for (const prefix of [NEW, OLD])
    expect(misspeltIn([`${prefix}${written}`], PREFIXES)).toEqual([
      `annotation ${prefix}${written} is not read: did you mean ${prefix}${meant}?`,
    ]);
});

test.each([
  'externaldns.kubernetes.io/hostname',
  'external-dns.kubernets.io/hostname',
  'external-dns.beta.kubernetes.io/hostname',
  'external-dns.alpha.k8s.io/hostname',
  'external-dns/hostname',
  'zone53.dev/hostname',
  'external-dns.kubernetes.oi/hostnames',
])('%s has a prefix that is not read', (key) => {
  expect(misspeltIn([key], PREFIXES)).toEqual([`annotation ${key} is not read: did you mean ${NEW}hostname?`]);
});

test.each([
  `${OLD}hostname`,
  `${NEW}aws-hosted-zone-id`,
  ...['cloudflare-proxied', 'cloudflare-custom-hostname', 'cloudflare-tags', 'cloudflare-region-key', 'owner'],
  ...['ingress', 'gateway', 'resource', 'webhook-weight-of-mine', 'scw-dynamic-data', 'ibmcloud-proxied'],
  ...['coredns-group', 'google-location'],
  'service.beta.kubernetes.io/aws-load-balancer-type',
  'alb.ingress.kubernetes.io/target-type',
  'nginx.ingress.kubernetes.io/ssl-redirect',
  'kubectl.kubernetes.io/last-applied-configuration',
  'meta.helm.sh/release-name',
  'acme.example/hostname',
  'hostname',
])('%s is read, or somebody else’s', (key) => {
  const whole = key.includes('/') || key === 'hostname' ? key : `${OLD}${key}`;
  expect(misspeltIn([whole], PREFIXES)).toEqual([]);
});

test('the prefixes of external-dns are silent where the configuration names others', () => {
  expect(misspeltIn([`${OLD}hostname`, `${OLD}hostnames`], ['dns.acme.example/'])).toEqual([]);
  expect(misspeltIn(['dns.acme.example/hostnames', 'dns.acme.exampel/hostname'], ['dns.acme.example/'])).toEqual([
    'annotation dns.acme.example/hostnames is not read: did you mean dns.acme.example/hostname?',
    'annotation dns.acme.exampel/hostname is not read: did you mean dns.acme.example/hostname?',
  ]);
});

test.each([
  ['aws/wieght', 'aws/weight'],
  ['aws-weight', 'aws/weight'],
  ['weight', 'aws/weight'],
  ['Alias', 'alias'],
  ['aws/health-check', 'aws/health-check-id'],
])('the property %s is probably %s', (written, meant) => {
  expect(misspeltProperty(written)).toBe(`providerSpecific ${written} is not read: did you mean ${meant}?`);
});

test.each([
  'aws/weight',
  'alias',
  'aws/target-hosted-zone',
  'external-dns.alpha.kubernetes.io/cloudflare-proxied',
  'hostname',
])('the property %s is read, or somebody else’s', (name) => {
  expect(misspeltProperty(name)).toBeNull();
});
