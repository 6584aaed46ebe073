import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS, SOURCE_KEYS } from '../../objects/source-settings.ts';
import { PRESET_NAMES, PRESETS } from '../../sources/external-dns/custom/presets.ts';
import { sourcesOn } from '../../sources/source.ts';
import { parseConfig } from './config-file.ts';

const sourcesOf = (text: string) => parseConfig(text, 'z.yaml').sources;

describe('sources in zone53.yaml', () => {
  test('turns on exactly the kinds whose keys are present, with their defaults', () => {
    expect(sourcesOf('clusterId: a\n')).toEqual({});
    expect(sourcesOf('sources: { services: {} }\n')).toEqual({ services: DEFAULT_SETTINGS });
    expect(Object.keys(sourcesOf('sources:\n  ingresses:\n  dnsEndpoints: {}\n'))).toEqual([
      'dnsEndpoints',
      'ingresses',
    ]);
  });

  test.each(SOURCE_KEYS)('%s turns a kind on', (key) => {
    const block = key === 'serviceDiscovery' ? '{ zone: cluster.example. }' : '{}';
    const sources = sourcesOf(`sources: { ${key}: ${block} }\n`);
    expect(Object.keys(sources)).toEqual([key]);
    expect(sourcesOn(sources).map((source) => source.key)).toContain(key);
  });

  test('takes the settings of a kind in place of its defaults', () => {
    const { services, ingresses } = sourcesOf(`sources:
  services: { namespaces: [a], publishInternal: true, labelSelector: "x in (1, 2)" }
  ingresses: { classNames: [alb], preferCname: false }
  defaults: { namespaces: [b], preferCname: true, annotationPrefixes: [dns.example.com], defaultTargets: [192.0.2.1, "2001:db8::1", lb.example.net] }
`);
    expect(services).toMatchObject({
      namespaces: ['a'],
      publishInternal: true,
      preferCname: true,
      annotationPrefixes: ['dns.example.com/'],
      labelSelector: [{ key: 'x', operator: 'In', values: ['1', '2'] }],
    });
    expect(ingresses).toMatchObject({
      namespaces: ['b'],
      preferCname: false,
      classNames: ['alb'],
      defaultTargets: ['192.0.2.1', '2001:db8::1', 'lb.example.net'],
    });
  });

  test('reads the networks of targets, for all kinds', () => {
    const { services, ingresses } = sourcesOf(`sources:
  services: {}
  ingresses: { preferCname: true }
  defaults: { targets: { not: [10.0.0.0/8, "FD00::/8"] } }
`);
    const not = [
      { text: '10.0.0.0/8', octets: [10, 0, 0, 0], bits: 8 },
      { text: 'fd00::/8', octets: [0xfd, ...Array<number>(15).fill(0)], bits: 8 },
    ];
    expect(services?.targets).toEqual({ only: [], not });
    expect(ingresses?.targets).toEqual({ only: [], not });
  });

  test('reads only the listed kinds of Gateway routes', () => {
    const on = sourcesOn(sourcesOf('sources: { gatewayRoutes: { kinds: [HTTPRoute] } }\n'));
    expect(on.map(({ kind }) => kind)).toEqual(['Record', 'HTTPRoute']);
  });

  test.each([
    ['sources: { service: {} }', /sources\.service: unknown key; known here are dnsEndpoints, services/],
    [
      'sources: { services: { classNames: [a] } }',
      /sources\.services\.classNames: unknown key; known here are namespaces/,
    ],
    ['sources: { ingresses: { annotationPrefixes: [a/] } }', /sources\.ingresses\.annotationPrefixes: unknown key/],
    [
      'sources: { serviceDiscovery: { zone: k.example, guard: { deletesMax: 1 } } }',
      /guard\.deletesMax: unknown key; known here are servicesShareMax, windowSeconds$/,
    ],
    ['sources: { serviceDiscovery: { zone: . } }', /serviceDiscovery\.zone: write the name of the Zone/],
    ['sources: { services: { types: [loadbalancer] } }', /sources\.services\.types\[0\]: write one of LoadBalancer/],
    ['sources: { services: { labelSelector: "a b" } }', /sources\.services\.labelSelector: write a selector/],
    ['sources: { defaults: { labelSelector: { matchLabel: {} } } }', /labelSelector: write a selector/],
    ['sources: { defaults: { hostnameTemplate: "{pod}.e." } }', /hostnameTemplate: write a name/],
    [
      'sources: { defaults: { defaultTargets: [192.0.2.1, a..b] } }',
      /defaultTargets\[1\]: write an address or a host name/,
    ],
    ['sources: { services: { defaultTargets: 192.0.2.1 } }', /defaultTargets: write a list of addresses or host names/],
    [
      'sources:\n  services: {}\n  defaults:\n    targets: { not: [10.0.0.0/8, 10.0.0.1] }',
      /^z\.yaml:4:34: sources\.defaults\.targets\.not\[1\]: write a network such as 10\.0\.0\.0\/8/,
    ],
    ['sources: { defaults: { targets: { only: [10.1.0.0/8] } } }', /only\[0\]: .*write 10\.0\.0\.0\/8/],
    ['sources: { defaults: { targets: { only: [] } } }', /targets\.only: write one network at least/],
    ['sources: { defaults: { targets: { except: [] } } }', /targets\.except: unknown key; known here are only, not/],
    ['sources: { services: { targets: {} } }', /sources\.services\.targets: unknown key/],
    ['sources: [services]', /sources: write a mapping/],
    ['sources: { services: true }', /sources\.services: write a mapping/],
    ['sources: { gatewayRoutes: { kinds: HTTPRoute } }', /sources\.gatewayRoutes\.kinds: write a list of HTTPRoute/],
  ])('%s is refused', (text, message) => {
    expect(() => parseConfig(`${text}\n`, 'z.yaml')).toThrow(message);
  });
});

describe('sources.custom in zone53.yaml', () => {
  const ROW = 'version: v1, resource: webapps, kind: WebApp, group: a.example, names: object.spec.host, targets: "[]"';
  const customOf = (text: string) =>
    sourcesOn(sourcesOf(`sources: { custom: [${text}], defaults: { namespaces: [b] } }`));

  test('makes a source of each row, with the settings of the operator', () => {
    const [, one, two] = customOf(
      `{ key: one, ${ROW} }, { key: two, ${ROW}, namespaces: [a], scope: cluster, ttl: 60 }`,
    );
    expect(one).toMatchObject({ kind: 'Custom one', apiKind: 'WebApp', group: 'a.example', resource: 'webapps' });
    expect(one?.settings?.namespaces).toEqual(['b']);
    expect(two).toMatchObject({ kind: 'Custom two', scope: 'cluster', settings: { namespaces: ['a'] } });
  });

  test('changes nothing where there is no row', () => {
    expect(sourcesOf('sources: { services: {}, custom: [] }')).toEqual({ services: DEFAULT_SETTINGS });
  });

  test.each(PRESET_NAMES)('the preset %s is a whole row, and its fields may be replaced', (preset) => {
    const [, source] = customOf(`{ preset: ${preset} }`);
    expect(source).toMatchObject({ kind: `Custom ${PRESETS[preset].key}`, apiKind: PRESETS[preset].kind });
    const [, renamed] = customOf(
      `{ preset: ${preset}, key: mine, version: v2, related: { name: object.spec.x, resource: services } }`,
    );
    expect(renamed).toMatchObject({ kind: 'Custom mine', version: 'v2', resource: PRESETS[preset].resource });
    expect(renamed?.relatedKinds?.(DEFAULT_SETTINGS)).toMatchObject([{ kind: 'Related services', apiKind: 'Service' }]);
  });

  test.each([
    ['{}', /sources\.custom\[0\]\.key: missing: it is required/],
    ['{ preset: nginx }', /sources\.custom\[0\]\.preset: .*write one of istio-gateway/],
    [`{ key: a, ${ROW} }, { key: a, ${ROW} }`, /sources\.custom\[1\]\.key: a is the key of custom\[0\] already/],
    [`{ key: A-b, ${ROW} }`, /sources\.custom\[0\]\.key: .*begins with a small letter/],
    [`{ key: a, ${ROW}, ready: "object.spec." }`, /sources\.custom\[0\]\.ready: it is no CEL expression/],
    [`{ key: a, ${ROW}, ready: 5 }`, /sources\.custom\[0\]\.ready: it returns int; return true or false/],
    [`{ key: a, ${ROW}, ttl: [5] }`, /sources\.custom\[0\]\.ttl: write a CEL expression/],
    [`{ key: a, ${ROW}, ttll: 5 }`, /sources\.custom\[0\]\.ttll: unknown key/],
    [`{ key: a, ${ROW}, related: { resource: services } }`, /sources\.custom\[0\]\.related\.name: missing/],
    [`{ key: a, ${ROW}, related: { resource: things, name: "'x'" } }`, /sources\.custom\[0\]\.related\.kind: missing/],
    ['{ preset: contour-httpproxy, group: "", resource: secrets }', /custom\[0\]\.resource: Secrets are never read/],
  ])('refuses %s', (rows, message) => {
    expect(() => customOf(rows)).toThrow(message);
  });
});
