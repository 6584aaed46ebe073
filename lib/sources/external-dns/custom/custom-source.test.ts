import { describe, expect, test } from 'vitest';
import { NOTHING_RELATED, type RelatedObjects } from '../../../objects/related.ts';
import type { SourceObject } from '../../../objects/source.ts';
import { DEFAULT_SETTINGS } from '../../../objects/source-settings.ts';
import { type CustomRow, compileRow, customSource } from './custom-source.ts';

const ROW: CustomRow = {
  ...{ key: 'webapps', group: 'apps.example.com', version: 'v1', resource: 'webapps', kind: 'WebApp' },
  names: 'object.spec.?hosts.orValue([])',
  targets: 'object.status.?addresses.orValue([])',
};
const SERVICE = {
  ...{ group: '', version: 'v1', resource: 'services', kind: 'Service' },
  namespace: 'object.metadata.namespace',
  name: 'object.spec.service',
};

function sourceOf(row: Partial<CustomRow> = {}) {
  const compiled = compileRow({ ...ROW, ...row });
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join('; '));
  return customSource(compiled.program, DEFAULT_SETTINGS);
}

function ask(
  object: Partial<SourceObject>,
  row: Partial<CustomRow> = {},
  related: RelatedObjects = NOTHING_RELATED,
  settings = DEFAULT_SETTINGS,
) {
  const ref = { kind: 'Custom webapps', namespace: 'team-a', name: 'shop' };
  const result = sourceOf(row).endpointsOf(
    { ref, annotations: {}, labels: {}, spec: {}, ...object },
    settings,
    related,
  );
  if (!result.ok) return { refused: result.problems };
  return {
    lines: result.endpoints.map(({ domainName, type, ttl, values, routing }) =>
      [
        domainName.kind === 'full' ? domainName.fqdn : '',
        ttl ?? '-',
        type,
        values.join(','),
        ...(routing === undefined ? [] : [JSON.stringify(routing)]),
      ].join(' '),
    ),
    problems: result.problems ?? [],
    waiting: result.waiting ?? [],
    invalid: result.invalid ?? [],
    waits: result.waits ?? [],
  };
}

const spec = { hosts: ['a.example.org', 'b.example.org'] };
const status = { addresses: ['192.0.2.1', '2001:db8::1'] };

describe('customSource()', () => {
  test('is a kind of its own, read in the version of its row', () => {
    expect(sourceOf()).toMatchObject({ kind: 'Custom webapps', apiKind: 'WebApp', version: 'v1', status: 'events' });
  });

  test('asks for each name with each target', () => {
    expect(ask({ spec, status }).lines).toEqual([
      'a.example.org. - A 192.0.2.1',
      'a.example.org. - AAAA 2001:db8::1',
      'b.example.org. - A 192.0.2.1',
      'b.example.org. - AAAA 2001:db8::1',
    ]);
  });

  test('has TTL, set identifier and weight from expressions', () => {
    const row = { ttl: 'object.spec.ttl', setIdentifier: 'object.metadata.name', weight: '10' };
    const one = { spec: { hosts: ['a.example.org'], ttl: '1m30s' }, status: { addresses: ['192.0.2.1'] } };
    expect(ask(one, row).lines).toEqual([
      'a.example.org. 90 A 192.0.2.1 {"setIdentifier":"shop","policy":{"kind":"weight","weight":10},"healthCheckId":null}',
    ]);
    expect(ask(one, { ...row, weight: '300' }).invalid).toMatchObject([{ message: expect.stringContaining('weight') }]);
  });

  test('takes values of a record type', () => {
    const object = { spec: { hosts: ['a.example.org'] }, status: { addresses: ['"v=spf1 -all"'] } };
    expect(ask(object, { type: "'txt'" }).lines).toEqual(['a.example.org. - TXT "v=spf1 -all"']);
    expect(ask(object, { type: "'TEXT'" }).problems).toMatchObject([
      {
        message: expect.stringMatching(/^type of the source webapps: "TEXT" is not a DNS record type/),
        leavesOut: null,
      },
    ]);
    expect(ask({ spec, status: { addresses: ['x'] } }, { type: "'A'" }).problems).toHaveLength(2);
  });

  test('annotations win over expressions, and add names', () => {
    const annotations = {
      'external-dns.kubernetes.io/target': '198.51.100.7',
      'external-dns.kubernetes.io/ttl': '7',
      'external-dns.kubernetes.io/hostname': 'c.example.org',
    };
    expect(ask({ spec: { hosts: ['a.example.org'] }, status, annotations }, { ttl: '60' }).lines).toEqual([
      'a.example.org. 7 A 198.51.100.7',
      'c.example.org. 7 A 198.51.100.7',
    ]);
    const others = { ...annotations, 'external-dns.kubernetes.io/controller': 'other' };
    expect(ask({ spec, status, annotations: others })).toMatchObject({ lines: [], problems: [] });
  });

  test('the settings of the operator give names and targets to objects without', () => {
    const settings = { ...DEFAULT_SETTINGS, hostnameTemplate: '{name}.example.org', defaultTargets: ['192.0.2.9'] };
    expect(ask({}, {}, NOTHING_RELATED, settings).lines).toEqual(['shop.example.org. - A 192.0.2.9']);
  });

  test('names wait while ready is false, and while there is no target', () => {
    expect(ask({ spec, status }, { ready: 'object.status.?ready.orValue(false)' })).toMatchObject({
      lines: [],
      waits: ['a.example.org.', 'b.example.org.'],
      waiting: [{ why: 'the expression ready of the source webapps is false for it' }, {}],
    });
    expect(ask({ spec })).toMatchObject({
      waits: ['a.example.org.', 'b.example.org.'],
      waiting: [{ why: 'the expression targets of the source webapps gives none for it' }, {}],
    });
  });

  test('an expression that fails leaves everything as it is, and says why', () => {
    for (const field of ['names', 'targets', 'ttl', 'ready', 'type', 'setIdentifier', 'weight'] as const) {
      const asked = ask({ spec, status }, { [field]: 'object.spec.other' });
      expect(asked.lines, field).toEqual([]);
      expect(asked.problems, field).toMatchObject([
        { message: `${field} of the source webapps: No such key: other (character 13)`, leavesOut: null },
      ]);
    }
  });

  test('a name or a target that is none is a problem', () => {
    expect(ask({ spec: { hosts: ['a b'] }, status }).problems).toMatchObject([
      { message: expect.stringMatching(/^names of the source webapps: "a b" is not a name/) },
    ]);
    expect(ask({ spec, status: { addresses: ['a b'] } }).problems).toMatchObject([
      { message: expect.stringMatching(/^targets of the source webapps: "a b" is neither an address/) },
      {},
    ]);
  });

  test('an object may make 500 endpoints, and no more than the limit is looked at', () => {
    const hosts = Array.from({ length: 1_000 }, (_, index) => `h${index}.example.org`);
    const asked = ask({ spec: { hosts }, status: { addresses: ['192.0.2.1'] } });
    expect(asked.lines).toHaveLength(500);
    expect(asked.problems).toMatchObject([{ message: expect.stringContaining('an object may ask for 500 endpoints') }]);
    const many = ask(
      { spec: { hosts }, status: { addresses: ['192.0.2.1'] } },
      {
        names: 'object.spec.hosts.map(h, object.spec.hosts.filter(o, o < "h2").map(o, o.split(".")[0] + h))',
      },
    );
    expect(many.lines).toHaveLength(500);
    expect(ask({ spec: { hosts: [...hosts, 'one-more.example.org'] }, status }).refused).toEqual([
      'object.spec.hosts has 1001 elements; the expressions of a source read 1000 at most',
    ]);
  });

  test('reads a related object, and waits while it is not there', () => {
    const service = { loadBalancer: { ingress: [{ ip: '192.0.2.5' }] } };
    const asked: string[] = [];
    const related: RelatedObjects = {
      ...NOTHING_RELATED,
      get: (kind, namespace, name) => {
        asked.push(`${kind} ${namespace}/${name}`);
        return name === 'edge'
          ? { ref: { kind, namespace, name }, facts: { metadata: {}, spec: {}, status: service } }
          : null;
      },
    };
    const row = { related: SERVICE, targets: 'related.status.loadBalancer.ingress.map(i, i.ip)' };
    const object = (name: string) => ({ spec: { hosts: ['a.example.org'], service: name } });
    expect(ask(object('edge'), row, related).lines).toEqual(['a.example.org. - A 192.0.2.5']);
    expect(ask(object('gone'), row, related)).toMatchObject({
      waiting: [{ fqdn: 'a.example.org.', why: 'there is no Service team-a/gone' }],
      waits: ['a.example.org.'],
    });
    expect(ask(object(''), row, related)).toMatchObject({ waiting: [{ why: 'its related object has no name' }] });
    const named = { ...row, names: 'related.spec.hosts' };
    expect(ask(object('gone'), named, related)).toMatchObject({ lines: [], problems: [], waits: true });
    const annotations = { 'external-dns.kubernetes.io/target': '198.51.100.7' };
    expect(ask({ ...object('gone'), annotations }, row, related).lines).toEqual(['a.example.org. - A 198.51.100.7']);
    expect(new Set(asked)).toEqual(new Set(['Related services team-a/edge', 'Related services team-a/gone']));
    expect(sourceOf(row).relatedKinds?.(DEFAULT_SETTINGS)).toMatchObject([
      { kind: 'Related services', apiKind: 'Service', status: 'none' },
    ]);
  });

  test('asks which related object it needs before it knows it', () => {
    const source = sourceOf({ related: SERVICE, targets: 'related.status.x' });
    const ref = { kind: 'Custom webapps', namespace: 'team-a', name: 'shop' };
    const object = { ref, annotations: {}, labels: {}, spec: { ...spec, service: 'edge' } };
    expect(source.relatedOf?.(object, DEFAULT_SETTINGS, NOTHING_RELATED)).toEqual([
      { code: 'get', kind: 'Related services', namespace: 'team-a', name: 'edge' },
    ]);
    expect(sourceOf().relatedKinds).toBeUndefined();
  });
});

describe('compileRow()', () => {
  const problemsOf = (row: Partial<CustomRow>) => {
    const compiled = compileRow({ ...ROW, ...row });
    return compiled.ok ? [] : compiled.problems.map(({ path, message }) => `${path.join('.')}: ${message}`);
  };

  test('says all that is wrong', () => {
    expect(problemsOf({ names: '1', ttl: '(', ready: "'x'" })).toEqual([
      'names: it returns int; return a text or a list of texts',
      'ttl: it is no CEL expression: Unexpected token: EOF (character 2)',
      'ready: it returns string; return true or false',
    ]);
  });

  test('no source reads Secrets', () => {
    const secrets = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret' };
    expect(problemsOf(secrets)).toEqual(['resource: Secrets are never read by a source']);
    expect(problemsOf({ related: { ...secrets, namespace: "'a'", name: "'b'" } })).toEqual([
      'related.resource: Secrets are never read by a source',
    ]);
  });

  test('related is known only where there is such an object', () => {
    expect(problemsOf({ targets: 'related.status.x' })).toEqual([
      'targets: it uses related: write related: { resource, namespace, name } beside it',
    ]);
    expect(problemsOf({ related: { ...SERVICE, name: 'related.spec.x' } })).toEqual([
      'related.name: related is not known yet: it may only use object',
    ]);
  });
});
