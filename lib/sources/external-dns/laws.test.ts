// Laws of all sources: any content of an object and its related objects gives a result, and always the same one.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Manifest, resultOf } from '../../../test/support/source-lines.ts';
import type { Source } from '../../objects/source.ts';
import { DNS_ENDPOINT } from './dns-endpoint.ts';
import { ENDPOINTS_MAX } from './draft.ts';
import { GATEWAY } from './gateway.ts';
import { ROUTES } from './gateway-route.ts';
import { INGRESS } from './ingress.ts';
import { SERVICE } from './service.ts';

const SOURCES: readonly Source[] = [DNS_ENDPOINT, SERVICE, INGRESS, ...ROUTES, GATEWAY];

/** Words that the sources look for, so that random values reach their code. */
const WORDS = [
  ...['endpoints', 'dnsName', 'targets', 'recordType', 'providerSpecific', 'name', 'value', 'aws/weight', 'alias'],
  ...['type', 'LoadBalancer', 'NodePort', 'ClusterIP', 'ExternalName', 'clusterIP', 'clusterIPs', 'None', 'ports'],
  ...['nodePort', 'externalName', 'externalIPs', 'loadBalancer', 'ingress', 'ip', 'hostname', 'rules', 'host', 'tls'],
  ...[
    'hosts',
    'parentRefs',
    'parents',
    'parentRef',
    'conditions',
    'Accepted',
    'True',
    'status',
    'hostnames',
    'sectionName',
  ],
  ...['www.example.org', '192.0.2.1', '2001:db8::1', '*.example.org', 'x', '', '__proto__', 'constructor', 'toString'],
];
const word = fc.constantFrom(...WORDS);
const value = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    word,
    fc.string(),
    fc.integer(),
    fc.constantFrom(null, true, false, undefined, Number.NaN),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(word, fc.string()), tie('json'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).json;
const KEYS = [
  ...['hostname', 'internal-hostname', 'target', 'ttl', 'controller', 'access', 'endpoints-type', 'alias'],
  ...[
    'ingress-hostname-source',
    'gateway-hostname-source',
    'set-identifier',
    'aws-weight',
    'aws-region',
    'aws-failover',
  ],
  ...['aws-geoproximity-coordinates', 'aws-geoproximity-bias', 'aws-multi-value-answer', 'aws-target-hosted-zone'],
];
const annotations = fc.dictionary(
  fc.constantFrom(...KEYS).map((key) => `external-dns.kubernetes.io/${key}`),
  fc.oneof(word, fc.string(), fc.constantFrom('1', '60', 'true', 'A', 'www.example.org,192.0.2.1', 'dns-controller')),
  { noNullPrototype: true },
);
const related = fc.array(
  fc.record({
    kind: fc.constantFrom('EndpointSlice', 'Node', 'Pod', 'Gateway', 'ListenerSet', 'Namespace'),
    metadata: fc.record({ name: fc.constantFrom('x', 'web'), labels: value, annotations }),
    spec: value,
    status: value,
    endpoints: value,
    addressType: fc.constantFrom('IPv4', 'IPv6', null),
    ports: value,
  }),
  { maxLength: 4 },
);
const object = fc.record({ metadata: fc.record({ annotations }), spec: value, status: value });

describe.each(SOURCES.map((source) => [source.kind, source] as const))('%s', (_, source) => {
  test('gives a bounded result for any value', () => {
    fc.assert(
      fc.property(object, related, (manifest, around) => {
        const result = resultOf(source, manifest as Manifest, { related: around as readonly Manifest[] });
        if (!result.ok) {
          expect(result.problems.length).toBeGreaterThan(0);
          return;
        }
        expect(result.endpoints.length).toBeLessThanOrEqual(ENDPOINTS_MAX);
        for (const { values, alias, ttl, type } of result.endpoints) {
          expect(values.length === 0).toBe(alias !== undefined);
          expect(new Set(values).size).toBe(values.length);
          expect(ttl === null || (Number.isInteger(ttl) && ttl >= 1)).toBe(true);
          if (type === 'CNAME') expect(values).toHaveLength(1);
        }
      }),
      { numRuns: 300 },
    );
  });
});

test('an object with another controller asks for nothing, whatever else it has', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SOURCES), object, annotations, (source, manifest, more) => {
      const controller = { ...more, 'external-dns.kubernetes.io/controller': 'other' };
      const result = resultOf(source, { ...manifest, metadata: { annotations: controller } } as Manifest);
      const nothing = { endpoints: [], invalid: [], problems: [], waits: [], wants: [], waiting: [], notes: [] };
      expect(result).toEqual({ ok: true, ...nothing });
    }),
  );
});
