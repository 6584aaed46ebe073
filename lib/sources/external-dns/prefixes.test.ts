import { describe, expect, test } from 'vitest';
import { gateway, routeLines, WWW } from '../../../test/support/route-manifests.ts';
import { service } from '../../../test/support/service-manifests.ts';
import { type Manifest, resultOf } from '../../../test/support/source-lines.ts';
import type { Source } from '../../objects/source.ts';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import { sourcesOff, sourcesOn } from '../source.ts';
import { GATEWAY } from './gateway.ts';
import { INGRESS } from './ingress.ts';
import { SERVICE } from './service.ts';

const SHOOT = 'dns.gardener.cloud/';
const settings = { annotationPrefixes: [...DEFAULT_SETTINGS.annotationPrefixes, SHOOT] };

function askedBy(source: Source, object: Manifest, around: Parameters<typeof resultOf>[2] = { settings }) {
  const result = resultOf(source, object, around);
  if (!result.ok) throw new Error('cannot be read');
  const endpoints = result.endpoints.map(({ domainName, type, ttl, values }) => {
    const name = domainName.kind === 'full' ? domainName.fqdn : '?';
    return `${name} ${type} ${ttl ?? '-'} ${values.join(',')}`;
  });
  return { endpoints, notes: result.notes, problems: (result.problems ?? []).map(({ message }) => message) };
}

const BALANCED = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };

function annotated(annotations: Readonly<Record<string, string>>) {
  return {
    ...service({ type: 'LoadBalancer' }, {}, BALANCED),
    metadata: { name: 'web', namespace: 'shop', annotations },
  };
}

describe('a Service of a shoot', () => {
  test('has the names and the TTL of its annotations', () => {
    const annotations = { [`${SHOOT}dnsnames`]: 'a.example.org,b.example.org', [`${SHOOT}ttl`]: '500' };
    const expected = ['a.example.org. A 500 192.0.2.1', 'b.example.org. A 500 192.0.2.1'];
    for (const of of [{}, { [`${SHOOT}class`]: 'garden' }, { [`${SHOOT}class`]: ' ' }])
      expect(askedBy(SERVICE, annotated({ ...annotations, ...of }))).toEqual({
        endpoints: expected,
        notes: [],
        problems: [],
      });
  });

  test('has none of them where the configuration does not have the prefix', () => {
    const object = annotated({ [`${SHOOT}dnsnames`]: 'a.example.org', [`${SHOOT}ttl`]: 'x' });
    expect(askedBy(SERVICE, object, { settings: { annotationPrefixes: DEFAULT_SETTINGS.annotationPrefixes } })).toEqual(
      {
        endpoints: [],
        notes: [],
        problems: [],
      },
    );
  });

  test('of another class is not ours, which is a note; the annotations of external-dns count all the same', () => {
    const annotations = {
      [`${SHOOT}dnsnames`]: 'a.example.org',
      [`${SHOOT}ttl`]: '500',
      [`${SHOOT}class`]: 'other',
      'external-dns.kubernetes.io/hostname': 'b.example.org',
    };
    expect(askedBy(SERVICE, annotated(annotations))).toEqual({
      endpoints: ['b.example.org. A - 192.0.2.1'],
      notes: [
        'annotation dns.gardener.cloud/class: "other" is not garden, so the annotations dns.gardener.cloud/* of this object are ignored',
      ],
      problems: [],
    });
  });

  test('has the annotation of the first prefix that has the key', () => {
    const annotations = {
      [`${SHOOT}dnsnames`]: 'a.example.org',
      'external-dns.kubernetes.io/hostname': 'b.example.org',
    };
    expect(askedBy(SERVICE, annotated(annotations)).endpoints).toEqual(['b.example.org. A - 192.0.2.1']);
  });

  test('has a note for each key of Gardener that is not read', () => {
    const annotations = { [`${SHOOT}dnsname`]: 'a.example.org', [`${SHOOT}ip-stack`]: 'dual-stack' };
    expect(askedBy(SERVICE, annotated(annotations)).notes).toEqual([
      'annotation dns.gardener.cloud/dnsname is not read; did you mean dnsnames?',
      'annotation dns.gardener.cloud/ip-stack is not read',
    ]);
  });

  test('has a note when it asks for all of its hosts: it has none', () => {
    expect(askedBy(SERVICE, annotated({ [`${SHOOT}dnsnames`]: '*' }))).toEqual({
      endpoints: [],
      notes: ['annotation dns.gardener.cloud/dnsnames: "*" asks for nothing: there are no hosts in its spec'],
      problems: [],
    });
  });

  test('has a problem with the key that it wrote', () => {
    const annotations = { [`${SHOOT}dnsnames`]: 'a..b', [`${SHOOT}ttl`]: 'x' };
    const { problems } = askedBy(SERVICE, annotated(annotations));
    expect(problems).toEqual([
      expect.stringMatching(/^annotation dns\.gardener\.cloud\/dnsnames: "a\.\.b" is not a name/),
      expect.stringMatching(/^annotation dns\.gardener\.cloud\/ttl: "x" is not a TTL/),
    ]);
  });
});

test.each(['*', 'all'])('an Ingress with %s has the hosts of its rules', (text) => {
  const object = {
    metadata: { annotations: { [`${SHOOT}dnsnames`]: text } },
    spec: { rules: [{ host: 'www.example.org' }] },
    status: BALANCED,
  };
  expect(askedBy(INGRESS, object)).toEqual({ endpoints: ['www.example.org. A - 192.0.2.1'], notes: [], problems: [] });
});

test('under the prefixes of external-dns, * is a name and no word', () => {
  const { problems } = askedBy(SERVICE, annotated({ 'external-dns.kubernetes.io/hostname': 'all' }));
  const { endpoints } = askedBy(SERVICE, annotated({ 'external-dns.kubernetes.io/hostname': 'all.example.org' }));
  expect([problems, endpoints]).toEqual([[], ['all.example.org. A - 192.0.2.1']]);
});

describe('a Gateway of a shoot', () => {
  const of = (annotations: Readonly<Record<string, string>>, more = {}) =>
    gateway([{ hostname: 'a.example.org' }, { hostname: '*.b.example.org' }, {}], {
      metadata: { annotations },
      ...more,
    });

  test('has the hostnames of its listeners with *, and any others by name', () => {
    expect(askedBy(GATEWAY, of({ [`${SHOOT}dnsnames`]: '*,c.example.org', [`${SHOOT}ttl`]: '60' })).endpoints).toEqual([
      'a.example.org. A 60 192.0.2.1',
      '*.b.example.org. A 60 192.0.2.1',
      'c.example.org. A 60 192.0.2.1',
    ]);
  });

  test('has no name without the annotation, or by those of external-dns', () => {
    const none = { endpoints: [], notes: [], problems: [] };
    expect(askedBy(GATEWAY, of({}))).toEqual(none);
    expect(askedBy(GATEWAY, of({ 'external-dns.kubernetes.io/hostname': 'a.example.org' }))).toEqual(none);
  });

  test('waits for its addresses', () => {
    const result = resultOf(GATEWAY, of({ [`${SHOOT}dnsnames`]: 'c.example.org' }, { status: {} }), { settings });
    expect(result).toMatchObject({ endpoints: [], waits: ['c.example.org.'] });
  });

  test('counts only in the namespaces of Gateways', () => {
    const object = of({ [`${SHOOT}dnsnames`]: '*' });
    for (const [namespace, count] of [
      ['infra', 2],
      ['other', 0],
    ] as const) {
      const around = { settings: { ...settings, gatewayNamespaces: [namespace] } };
      expect(askedBy(GATEWAY, object, around).endpoints).toHaveLength(count);
    }
  });

  test('is read only with the prefix', () => {
    const kinds = (annotationPrefixes: readonly string[]) => {
      const all = { ...DEFAULT_SETTINGS, annotationPrefixes };
      return [sourcesOn({ gatewayRoutes: all }), sourcesOff({}, all)].map((some) =>
        some.some(({ kind }) => kind === 'Gateway'),
      );
    };
    expect(kinds(settings.annotationPrefixes)).toEqual([true, true]);
    expect(kinds(DEFAULT_SETTINGS.annotationPrefixes)).toEqual([false, false]);
  });
});

test('a route has its hostnames with *, and the TTL of its own annotation', () => {
  const annotations = { [`${SHOOT}dnsnames`]: '*', [`${SHOOT}ttl`]: '60' };
  expect(routeLines({ hostnames: WWW, annotations }, [gateway([{}])], { settings })).toMatchObject({
    endpoints: ['www.example.org. A 60 192.0.2.1'],
    problems: [],
  });
});
