import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyRdata } from '../../../test/support/dns-arbitraries.ts';
import { ROUTE53_TYPES } from '../../dns/record-type.ts';
import { parseRecord } from './parse-record.ts';

const GOOD = { domainName: 'www.example.org.', type: 'A', rdata: '192.0.2.1' };
const REF = { name: 'z' };

describe('parseRecord()', () => {
  test.each<[string, object, object]>([
    [
      'a full name',
      {},
      { domainName: { kind: 'full', fqdn: 'www.example.org.' }, zoneRef: null, ttl: null, class: 'IN' },
    ],
    [
      'a partial name with its zoneRef',
      { domainName: 'WWW', zoneRef: REF },
      { domainName: { kind: 'partial', labels: 'www' }, zoneRef: 'a/z' },
    ],
    [
      'a zoneRef into another namespace',
      { domainName: 'x.y', zoneRef: { ...REF, namespace: 'b' } },
      { zoneRef: 'b/z' },
    ],
    ['the Zone itself', { domainName: '@', zoneRef: REF }, { domainName: { kind: 'apex' } }],
    ['a wildcard', { domainName: '*.example.org.' }, { domainName: { kind: 'full', fqdn: '*.example.org.' } }],
    ['a type in lower case', { type: 'aaaa', rdata: '2001:DB8::0001' }, { type: 'AAAA', values: ['2001:db8::1'] }],
    ['a type by number', { type: 'TYPE65280', rdata: 'x' }, { type: 'TYPE65280' }],
    [
      'a class that Route 53 does not have, its rdata unchanged',
      { class: 'ch', rdata: ' any thing ' },
      { class: 'CH', values: ['any thing'] },
    ],
    ['ttl 0 and the largest', { ttl: 0 }, { ttl: 0 }],
    ['the largest ttl', { ttl: 2_147_483_647 }, { ttl: 2_147_483_647 }],
    [
      'several values, each once',
      { rdata: undefined, values: ['192.0.2.2', ' 192.0.2.1', '192.0.2.2'] },
      { values: ['192.0.2.2', '192.0.2.1'] },
    ],
    ['values null as absent', { values: null }, { values: ['192.0.2.1'] }],
    ['one value', { rdata: null, values: ['192.0.2.1'] }, { values: ['192.0.2.1'] }],
    [
      'one target of a CNAME, written twice',
      { type: 'CNAME', rdata: null, values: ['A.example', 'a.example.'] },
      { values: ['a.example.'] },
    ],
    [
      '400 values',
      { type: 'TXT', rdata: null, values: Array.from({ length: 400 }, (_, index) => `v${index}`) },
      { values: Array.from({ length: 400 }, (_, index) => `"v${index}"`) },
    ],
    ['null as absent', { ttl: null, zoneRef: null, class: null }, { ttl: null, zoneRef: null, class: 'IN' }],
    [
      'a DS below a Zone',
      { domainName: 'sub', zoneRef: REF, type: 'DS', rdata: `1 13 2 ${'AB'.repeat(32)}` },
      { type: 'DS' },
    ],
  ])('takes %s', (_, change, expected) => {
    expect(parseRecord({ ...GOOD, ...change }, 'a')).toMatchObject({ ok: true, spec: expected });
  });

  test.each<[string, object, object]>([
    [
      'an alias',
      { alias: { target: 'Web.example.org' } },
      { values: [], alias: { target: 'web.example.org.', hostedZoneId: null, evaluateTargetHealth: true } },
    ],
    [
      'a routed record',
      { rdata: '192.0.2.1', routing: { setIdentifier: 'eu', weight: 10 } },
      { routing: { setIdentifier: 'eu', policy: { kind: 'weight', weight: 10 }, healthCheckId: null } },
    ],
    [
      'a routed alias',
      { alias: { target: 'web.example.org' }, routing: { setIdentifier: 'eu', failover: 'PRIMARY' } },
      { values: [], routing: { setIdentifier: 'eu', policy: { kind: 'failover', failover: 'PRIMARY' } } },
    ],
    ['alias and routing null as absent', { rdata: '192.0.2.1', alias: null, routing: null }, { values: ['192.0.2.1'] }],
  ])('takes %s', (_, change, expected) => {
    const parsed = parseRecord({ ...GOOD, rdata: null, ...change }, 'a');
    expect(parsed).toMatchObject({ ok: true, spec: expected });
  });

  test.each<[string, object, string]>([
    ['an alias with rdata', { rdata: '192.0.2.1' }, 'spec.alias: there is rdata as well; keep one of the two'],
    ['an alias with values', { values: ['192.0.2.1'] }, 'spec.alias: there is values as well; keep one of the two'],
    ['an alias with a ttl', { ttl: 60 }, "spec.ttl: an alias has its target's TTL; remove ttl"],
    ['an alias to its own name', { alias: { target: 'WWW.example.org' } }, "is the record's own name; write another"],
    [
      'an alias whose hosted zone cannot be known',
      { alias: { target: 'lb.example.net' } },
      'spec.alias.hostedZoneId is required: lb.example.net. is not the name',
    ],
    ['an alias that is text', { alias: 'web.example.org.' }, 'spec.alias: expected a mapping'],
    ['routing that is text', { routing: 'weighted' }, 'spec.routing: expected a mapping'],
    [
      'a multivalue alias',
      { routing: { setIdentifier: 'a', multivalue: true } },
      'spec.routing.multivalue: an alias cannot be',
    ],
    [
      'a routed NS',
      { type: 'NS', alias: null, rdata: 'ns.', routing: { setIdentifier: 'a', weight: 1 } },
      'for type NS',
    ],
  ])('refuses %s', (_, change, problem) => {
    const parsed = parseRecord({ ...GOOD, rdata: null, alias: { target: 'web.example.org.' }, ...change }, 'a');
    expect(parsed.ok ? [] : parsed.problems).toEqual([expect.stringContaining(problem)]);
  });

  test.each<[string, unknown, string]>([
    ['a spec that is not a mapping', 'www', 'spec: expected a mapping'],
    ['a missing spec', undefined, 'spec: expected a mapping, got nothing'],
    ['an unknown field', { ...GOOD, tttl: 1 }, 'spec.tttl: unknown field'],
    ['a misspelt field', { ...GOOD, rdate: '192.0.2.1' }, 'did you mean rdata?'],
    ['a field in capitals', { ...GOOD, TTL: 60 }, 'did you mean ttl?'],
    ['no name', { type: 'A', rdata: '192.0.2.1' }, 'spec.domainName is required'],
    ['a partial name alone', { ...GOOD, domainName: 'www' }, 'is partial and there is no zoneRef'],
    ['a full name with a zoneRef', { ...GOOD, zoneRef: REF }, 'is fully qualified and there is a zoneRef'],
    ['the DNS root', { ...GOOD, domainName: '.' }, 'is the DNS root'],
    ['a zoneRef without a name', { ...GOOD, domainName: 'w', zoneRef: {} }, 'spec.zoneRef.name is required'],
    [
      'a line end in the name of the zoneRef',
      { ...GOOD, domainName: 'w', zoneRef: { name: 'a\nb' } },
      'spec.zoneRef.name: no object can have the name "a\\u000ab"; a name has 1 to 253 lower case letters',
    ],
    [
      'a name of 254 characters in the zoneRef',
      { ...GOOD, domainName: 'w', zoneRef: { name: 'a'.repeat(254) } },
      'spec.zoneRef.name: no object can have the name',
    ],
    [
      'a dot in the namespace of the zoneRef',
      { ...GOOD, domainName: 'w', zoneRef: { name: 'z', namespace: 'a.b' } },
      'spec.zoneRef.namespace: no namespace can have the name "a.b"; a name has 1 to 63',
    ],
    [
      'an unknown field of the zoneRef',
      { ...GOOD, domainName: 'w', zoneRef: { ...REF, kind: 'Zone' } },
      'spec.zoneRef.kind: unknown field',
    ],
    [
      'a zoneRef of text',
      { ...GOOD, domainName: 'w', zoneRef: 'z' },
      'spec.zoneRef: expected a mapping, got the string "z"',
    ],
    ['a misspelt type', { ...GOOD, type: 'CNAMME' }, 'CNAME, MX or TXT; did you mean CNAME?'],
    ['an alias as a type', { ...GOOD, type: 'ALIAS' }, 'is not a DNS record type; an alias has type A or AAAA'],
    ['an unknown type', { ...GOOD, type: 'AA' }, 'spec.type: "AA" is not a DNS record type'],
    ['an unknown class', { ...GOOD, class: 'XX' }, 'spec.class: "XX" is not a DNS class'],
    ['a negative ttl', { ...GOOD, ttl: -1 }, 'spec.ttl: expected whole seconds'],
    ['a ttl too large', { ...GOOD, ttl: 2_147_483_648 }, 'spec.ttl: expected whole seconds'],
    ['a ttl with a fraction', { ...GOOD, ttl: 1.5 }, 'spec.ttl: expected whole seconds'],
    ['a ttl of text', { ...GOOD, ttl: '60' }, 'spec.ttl: expected whole seconds'],
    ['bad rdata', { ...GOOD, rdata: '192.0.2' }, 'spec.rdata: '],
    [
      'a list in rdata',
      { ...GOOD, rdata: ['192.0.2.1'] },
      'spec.rdata: expected one value, a string, got a list; write the list as values',
    ],
    ['neither rdata nor values', { ...GOOD, rdata: null }, 'spec.rdata: it is missing; write one value into rdata'],
    ['rdata and values', { ...GOOD, values: ['192.0.2.1'] }, 'spec.values: there is rdata as well'],
    ['one bad value', { ...GOOD, rdata: null, values: ['192.0.2.1', '192.0.2'] }, 'spec.values[1]: '],
    ['a value that is not text', { ...GOOD, rdata: null, values: ['192.0.2.1', 7] }, 'spec.values[1]: '],
    ['no value', { ...GOOD, rdata: null, values: [] }, 'spec.values: expected 1 to 400 values, got 0'],
    [
      'too many values',
      { ...GOOD, rdata: null, values: Array(401).fill('192.0.2.1') },
      'expected 1 to 400 values, got 401',
    ],
    ['values that are not a list', { ...GOOD, rdata: null, values: '192.0.2.1' }, 'spec.values: expected a list'],
    [
      'two targets of a CNAME',
      { ...GOOD, type: 'CNAME', rdata: null, values: ['a.example.', 'b.example.'] },
      'spec.values: a CNAME has one value, got 2',
    ],
    [
      'empty rdata of another class',
      { ...GOOD, class: 'CH', rdata: ' ' },
      'spec.rdata: expected a string that is not empty',
    ],
    [
      'a DS at the apex',
      { domainName: '@', zoneRef: REF, type: 'DS', rdata: `1 13 2 ${'ab'.repeat(32)}` },
      'a DS belongs to the Zone above',
    ],
  ])('refuses %s', (_, spec, problem) => {
    const parsed = parseRecord(spec, 'a');
    expect(parsed.ok ? [] : parsed.problems).toEqual([expect.stringContaining(problem)]);
  });

  test.each<[string, string, string]>([
    ['spaces', 'A', '192.0.2.1 192.0.2.2'],
    ['commas', 'AAAA', '2001:db8::1, 2001:db8::2'],
    ['lines', 'MX', '10 a.example.\n20 b.example.'],
    ['commas between strings', 'TXT', '"a", "b"'],
  ])('advises values for an rdata with several values between %s', (_, type, rdata) => {
    const parsed = parseRecord({ ...GOOD, type, rdata }, 'a');
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      expect.stringContaining('spec.rdata: Cannot parse'),
      'spec.rdata: it holds several values; write them as the list values, and remove rdata',
    ]);
  });

  test('names each wrong value of a list by its place, and does not read a list that is too long', () => {
    const list = [7, '192.0.2.1', 'x', ''];
    const parsed = parseRecord({ ...GOOD, rdata: null, values: list }, 'a');
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      'spec.values[0]: expected a string that is not empty, got number 7',
      expect.stringContaining('spec.values[2]: Cannot parse A rdata "x"'),
      'spec.values[3]: expected a string that is not empty, got the string ""',
    ]);
    const long = parseRecord({ ...GOOD, rdata: null, values: Array(401).fill('x') }, 'a');
    expect(long.ok ? [] : long.problems).toEqual(['spec.values: expected 1 to 400 values, got 401']);
  });

  test('gives a list the values that it gives for each alone, each once; one wrong value makes it invalid', () => {
    const list = fc
      .constantFrom(...ROUTE53_TYPES)
      .chain((type) => fc.array(anyRdata(type), { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(list, fc.boolean(), (cases, isBroken) => {
        const type = cases[0]?.type as string;
        const texts = [...cases.map(({ loose }) => loose), ...(isBroken ? ['\ud800'] : [])];
        const parsed = parseRecord({ domainName: 'a.example.', type, values: texts }, 'a');
        const distinct = [...new Set(cases.map(({ canonical }) => canonical))];
        if (isBroken || (type === 'CNAME' && distinct.length > 1)) return !parsed.ok;
        expect(parsed.ok ? parsed.spec.values : parsed.problems).toEqual(distinct);
        const apart = cases.flatMap(({ loose: rdata }) => {
          const one = parseRecord({ domainName: 'a.example.', type, rdata }, 'a');
          return one.ok ? one.spec.values : [];
        });
        expect([...new Set(apart)]).toEqual(distinct);
        return true;
      }),
    );
  });

  test('reports all problems at once', () => {
    const parsed = parseRecord({ domainName: 'a..b', type: 'AA', ttl: -1, rdata: '', more: 1 }, 'a');
    expect(parsed.ok ? 0 : parsed.problems.length).toBeGreaterThanOrEqual(5);
  });
});
