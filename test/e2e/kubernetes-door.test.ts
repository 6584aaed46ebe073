// What a real API server admits with our CRDs, and its messages to the rest. Each row is also given to zone53's parser,
// and the two must agree: what the API server admits is valid there, and what it refuses is not. Rows in which the API
// server is stricter on purpose say so; docs/kubernetes.md lists them.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROUTE53_TYPES, typeNumber } from '../../lib/dns/record-type.ts';
import { parseRecord } from '../../lib/sources/kubizone/parse-record.ts';
import { parseZone } from '../../lib/zones/parse-zone.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, applyCrds, CRDS, manifest } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { doorRules, isBroken } from '../support/crd-rules.ts';
import { ALIASES, ALIASES_BEYOND_LIMITS, ROUTINGS } from '../support/door-aliases.ts';
import { BINARY, LABEL_64, NAME_254, RECORDS, type Row } from '../support/door-records.ts';

const zone = (fields: object, message?: string): Row => ({
  spec: { domainName: 'example.org.', ...fields },
  ...(message === undefined ? {} : { message }),
});

const ZONES: Readonly<Record<string, Row>> = {
  'a fully qualified name': zone({}),
  'a partial name with a zoneRef': zone({ domainName: 'team', zoneRef: { name: 'parent' } }),
  'a zoneRef with a namespace': zone({ domainName: 'a.team', zoneRef: { name: 'parent', namespace: 'platform' } }),
  'zoneRef null': zone({ zoneRef: null }),
  'a name of 254 characters': zone({ domainName: NAME_254 }),
  'a name beyond ASCII': zone({ domainName: 'bücher.example.' }),
  'a name of classless reverse lookup': zone({ domainName: '0/25.2.0.192.in-addr.arpa.' }),
  'upper case': zone({ domainName: 'Example.ORG.' }),
  'delegations of all shapes': zone({
    delegations: [
      { namespaces: [], zones: ['*', 'dev-*', '@', '*.@', 'example.net.'], records: [{ pattern: '*' }] },
      { namespace: 'team-a', records: [{ pattern: '_acme-challenge.*', types: ['TXT', 'cname'] }] },
      { namespace: null },
      {},
    ],
  }),
  'timers at their bounds': zone({ ttl: 0, refresh: 1, retry: 0, expire: 2147483647, negativeResponseCache: 0 }),
  'challenges delegated': zone({ acme: { delegateTo: 'acme.example.net' } }),
  'challenges delegated to nothing': zone({ acme: null }),
  'acme without delegateTo': zone({ acme: {} }, 'spec.acme.delegateTo: Required value'),
  'acme at the DNS root': zone({ acme: { delegateTo: '.' } }, 'is the DNS root; write the name of a hosted zone'),
  'acme with a label of 64 characters': zone(
    { acme: { delegateTo: `${LABEL_64}.net.` } },
    'has 63 characters at most; shorten it',
  ),
  'acme with a name of 255 characters': zone({ acme: { delegateTo: `a${NAME_254}` } }, 'a name has 255 octets at most'),
  'acme with an empty label': zone({ acme: { delegateTo: 'a..net.' } }, 'write exactly one dot between two labels'),
  'acme with a wildcard': zone({ acme: { delegateTo: '*.example.net.' } }, BINARY),
  'HTTPS records': zone({ https: {} }),
  'HTTPS records with protocols': zone({ https: { alpn: ['h2', 'http/1.1'] } }),
  'https null': zone({ https: null }),
  'https without a protocol': zone({ https: { alpn: [] } }, 'spec.https.alpn in body should have at least 1 items'),
  'https with h3': zone({ https: { alpn: ['h2', 'h3-29'] } }, 'h3 needs UDP on port 443 at each host'),
  'https with a protocol twice': zone({ https: { alpn: ['h2', 'h2'] } }, 'Duplicate value'),
  'https with two protocols in one text': zone({ https: { alpn: ['h2,h3'] } }, 'spec.https.alpn[0]'),
  'a view': zone({ view: 'internal' }),
  'view null': zone({ view: null }),
  'a view in upper case': zone({ view: 'Internal' }, 'a view has 1 to 63 lower case letters'),
  'PTRs of addresses': zone({ ptr: true }),
  'ptr as a text': zone({ ptr: 'true' }, 'spec.ptr in body must be of type boolean'),
  'no domainName': { spec: {}, message: 'missing required field "domainName"' },
  'an empty domainName': zone({ domainName: '' }, 'spec.domainName'),
  'a domainName that is a number': zone({ domainName: 5 }, 'spec.domainName in body must be of type string'),
  'a fully qualified name and a zoneRef': zone(
    { zoneRef: { name: 'parent' } },
    '"example.org." is fully qualified and there is a zoneRef: remove the zoneRef, or write a name relative to its Zone, without the last dot',
  ),
  'a partial name and no zoneRef': zone(
    { domainName: 'example.org' },
    '"example.org" is partial and there is no zoneRef: end it in a dot ("example.org."), or add a zoneRef',
  ),
  'a zoneRef without a name': zone({ domainName: 'team', zoneRef: {} }, 'spec.zoneRef.name: Required value'),
  'a zoneRef with an empty name': zone({ domainName: 'team', zoneRef: { name: '' } }, 'spec.zoneRef.name'),
  'a zoneRef with a line end in its name': zone(
    { domainName: 'team', zoneRef: { name: 'a\nb' } },
    'spec.zoneRef.name: Invalid value: "a\\nb": no object can have this name',
  ),
  'a zoneRef in upper case': zone({ domainName: 'team', zoneRef: { name: 'Parent' } }, 'no object can have this name'),
  'a zoneRef with a dot in its namespace': zone(
    { domainName: 'team', zoneRef: { name: 'parent', namespace: 'a.b' } },
    'no namespace can have this name',
  ),
  'the DNS root': zone({ domainName: '.' }, 'the DNS root, which cannot be published'),
  'an empty label': zone({ domainName: 'a..example.org.' }, 'write exactly one dot between two labels'),
  'a dot in front': zone({ domainName: '.example.org.' }, 'none in front'),
  'a label of 64 characters': zone({ domainName: `${LABEL_64}.org.` }, 'has 63 characters at most; shorten it'),
  'a name of 255 characters': zone({ domainName: `a${NAME_254}` }, '255 octets at most'),
  'a wildcard Zone': zone({ domainName: '*.example.org.' }, 'wildcards are for Records'),
  '@ as a Zone': zone({ domainName: '@', zoneRef: { name: 'parent' } }, 'a Zone needs one label at least'),
  'a space in the name': zone({ domainName: 'exa mple.org.' }, BINARY),
  'a URL for a name': zone({ domainName: 'https://example.org.' }, BINARY),
  'a negative ttl': zone({ ttl: -1 }, 'spec.ttl in body should be greater than or equal to 0'),
  'a ttl beyond 31 bits': zone({ ttl: 2147483648 }, 'spec.ttl in body should be less than or equal to 2147483647'),
  'a ttl in words': zone({ ttl: '5m' }, 'Zone.spec.ttl): invalid type'),
  'retry equal to refresh': zone({ refresh: 7200 }, 'retry must be less than refresh'),
  'expire equal to refresh + retry': zone({ expire: 93600 }, 'expire must be more than refresh + retry'),
  'delegations that are no list': zone({ delegations: {} }, 'Zone.spec.delegations): invalid type'),
  'a pattern with an empty label': zone({ delegations: [{ zones: ['a..b'] }] }, 'the pattern has an empty label'),
  'two patterns in one text': zone({ delegations: [{ records: [{ pattern: 'a b' }] }] }, 'a pattern has no spaces'),
  'a rule for Records without a pattern': zone(
    { delegations: [{ records: [{}] }] },
    'missing required field "pattern"',
  ),
  'an empty namespace': zone({ delegations: [{ namespace: '' }] }, 'namespace in body should be at least 1 chars long'),
  'a pattern for Records with an empty label': zone(
    { delegations: [{ records: [{ pattern: 'a..b' }] }] },
    'the pattern has an empty label',
  ),
  'two patterns for Zones in one text': zone({ delegations: [{ zones: ['a b'] }] }, 'a pattern has no spaces'),
  'a rule for the Zones of other clusters': zone({ delegations: [{ clusters: ['eu', 'us-1'], zones: ['*'] }] }),
  'a rule for the Records of another cluster': zone(
    { delegations: [{ clusters: ['eu'], records: [{ pattern: '*' }] }] },
    'no Zone adopts records of another cluster',
  ),
  'a cluster with a space': zone({ delegations: [{ clusters: ['e u'] }] }, 'spec.delegations[0].clusters[0]'),
};

/** Texts, numbers and lists that exceed the limit of their field. */
const text = (length: number) => 'a'.repeat(length + 1);
const beyond = <Item>(length: number, item: Item) => Array.from({ length: length + 1 }, () => item);
const BEYOND = 2 ** 31;
const LONG_REF = { name: text(253), namespace: text(63) };
const EMPTY_REF = { name: '', namespace: '' };
const timers = (seconds: number) => ({
  ttl: seconds,
  refresh: seconds,
  retry: seconds,
  expire: seconds,
  negativeResponseCache: seconds,
});
/** For each kind, objects that together exceed every limit. */
const BEYOND_LIMITS: Readonly<Record<'Zone' | 'Record', readonly object[]>> = {
  Zone: [
    {
      domainName: text(255),
      zoneRef: LONG_REF,
      ...timers(BEYOND),
      acme: { delegateTo: text(255) },
      https: { alpn: [text(255)] },
      view: text(63),
      delegations: [
        {
          namespace: text(253),
          namespaces: [text(253)],
          clusters: [text(63)],
          zones: [text(320)],
          records: [{ pattern: text(320), types: [text(16)] }],
        },
      ],
    },
    { domainName: 'a.', delegations: beyond(1_000, {}) },
    { domainName: 'a.', https: { alpn: [] } },
    { domainName: 'a.', https: { alpn: [''] } },
    { domainName: 'a.', https: { alpn: beyond(8, 'h2').map((id, index) => `${id}-${index}`) } },
    {
      domainName: 'a.',
      delegations: [
        {
          namespaces: beyond(1_000, 'a'),
          zones: beyond(64, 'a'),
          records: [{ pattern: 'a', types: beyond(100, 'A') }],
        },
        { records: beyond(64, { pattern: 'a' }) },
        { clusters: beyond(100, 'a') },
        { clusters: [] },
      ],
    },
    {
      domainName: '',
      zoneRef: EMPTY_REF,
      acme: { delegateTo: '' },
      view: '',
      ...timers(-1),
      delegations: [{ namespace: '', namespaces: [''], zones: [''], records: [{ pattern: '', types: [''] }] }],
    },
  ],
  Record: [
    { domainName: text(255), zoneRef: LONG_REF, type: text(16), class: text(16), ttl: BEYOND, rdata: text(65_535) },
    { domainName: '', zoneRef: EMPTY_REF, type: '', class: '', ttl: -1, rdata: '', values: [''] },
    { domainName: 'a.', type: 'TXT', values: beyond(400, 'a') },
    { domainName: 'a.', type: 'TXT', values: [text(4_000)] },
    { domainName: 'a.', type: 'TXT', values: [] },
    { domainName: 'a.', type: 'A', views: [] },
    { domainName: 'a.', type: 'A', views: ['', text(63)] },
    { domainName: 'a.', type: 'A', views: beyond(16, 'a').map((id, index) => `${id}-${index}`) },
    ...ALIASES_BEYOND_LIMITS,
  ],
};

describeWithEngine(['kube-apiserver', 'etcd'], 'the door of the API server', () => {
  let engine: KubernetesEngine;
  beforeAll(async () => {
    engine = await startKubernetes();
    await applyCrds(engine);
  });
  afterAll(() => engine?.stop());

  describe.each([
    ['Zone', ZONES, parseZone],
    ['Record', { ...RECORDS, ...ALIASES, ...ROUTINGS }, parseRecord],
  ] as const)('%s', (kind, rows, parseSpec) => {
    const refusals: string[] = [];
    it.each(Object.entries(rows))('%s', async (_title, { spec, message, stricter }) => {
      const { code, stderr } = await apply(engine, [{ kind, name: 'object', spec }], { args: ['--dry-run=server'] });
      refusals.push(stderr);
      if (message === undefined) expect(stderr).toBe('');
      else expect(stderr).toContain(message);
      expect(code).toBe(message === undefined ? 0 : 1);
      expect(parseSpec(spec, 'default').ok).toBe(message === undefined || stricter === true);
    });

    it('every rule refuses at least one of these rows, at its field and with its message', () => {
      expect(doorRules(kind).rules.filter((rule) => !isBroken(rule, refusals))).toEqual([]);
    });

    it('every limit refuses what exceeds it, at its field', async () => {
      const answers: string[] = [];
      for (const spec of BEYOND_LIMITS[kind])
        answers.push((await apply(engine, [{ kind, name: 'object', spec }], { args: ['--dry-run=server'] })).stderr);
      expect(doorRules(kind).limits.filter((limit) => !isBroken(limit, answers))).toEqual([]);
    });
  });

  it('admits the types that the parser knows', async () => {
    const file = await readFile(path.join(CRDS, 'records.yaml'), 'utf8');
    const { versions } = parse(file).spec as { versions: { schema: { openAPIV3Schema: unknown } }[] };
    const rule = /self\.upperAscii\(\) in \[([^\]]*)\]/.exec(JSON.stringify(versions))?.[1] ?? '';
    const types = [...rule.matchAll(/'([A-Z0-9-]+)'/g)].map((match) => match[1] as string);
    expect(types.filter((type) => typeNumber(type) === null)).toEqual([]);
    expect(ROUTE53_TYPES.filter((type) => !types.includes(type))).toEqual([]);
  });

  it('refuses an unknown field', async () => {
    const { stderr } = await apply(engine, [{ kind: 'Zone', name: 'z', spec: { domainName: 'a.', delegation: [] } }]);
    expect(stderr).toContain('unknown field "delegation"');
  });

  it('reports all mistakes of an object at once', async () => {
    const spec = { domainName: 'a b', type: 'MX', rdata: 'mail', ttl: -1 };
    const { stderr } = await engine.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify(manifest({ kind: 'Record', name: 'wrong', spec })),
    });
    for (const said of [
      'is partial',
      'a preference from 0',
      'without spaces or other characters',
      'greater than or equal to 0',
    ]) {
      expect(stderr).toContain(said);
    }
  });
});
