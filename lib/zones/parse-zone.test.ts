import { describe, expect, test } from 'vitest';
import { parseZone } from './parse-zone.ts';

const DEFAULTS = { ttl: 360, refresh: 86_400, retry: 7_200, expire: 3_600_000, negativeResponseCache: 360 };

describe('parseZone()', () => {
  test('fills in the defaults', () => {
    expect(parseZone({ domainName: 'Example.org.' }, 'a')).toEqual({
      ok: true,
      spec: { domainName: { kind: 'full', fqdn: 'example.org.' }, zoneRef: null, ...DEFAULTS, delegations: [] },
    });
  });

  test.each<[string, object, readonly string[] | null]>([
    ['no namespaces: every one', {}, null],
    ['an empty list: every one', { namespaces: [] }, null],
    ['one', { namespace: 'x' }, ['x']],
    ['a list', { namespaces: ['x', 'y'] }, ['x', 'y']],
    ['both together', { namespace: 'x', namespaces: ['y'] }, ['x', 'y']],
  ])('reads a rule for %s', (_, rule, namespaces) => {
    const parsed = parseZone({ domainName: 'e.', delegations: [rule] }, 'a');
    expect(parsed).toMatchObject({ ok: true, spec: { delegations: [{ namespaces, zones: [], records: [] }] } });
  });

  test.each<[object, object]>([
    [{ clusters: ['eu', 'prod-us.1'], zones: ['x'] }, { clusters: ['eu', 'prod-us.1'] }],
    [
      { clusters: ['eu'], namespaces: ['x'], records: [], shared: false },
      { clusters: ['eu'], namespaces: ['x'] },
    ],
  ])('reads the clusters of the rule %j', (rule, expected) => {
    const parsed = parseZone({ domainName: 'e.', delegations: [rule] }, 'a');
    expect(parsed).toMatchObject({ ok: true, spec: { delegations: [expected] } });
  });

  test.each<[object, RegExp]>([
    [{ clusters: [] }, /^spec\.delegations\[0\]\.clusters: it names no cluster/],
    [{ clusters: 'eu' }, /^spec\.delegations\[0\]\.clusters: expected a list/],
    [{ clusters: ['e u'] }, /^spec\.delegations\[0\]\.clusters\[0\]: expected the id of a cluster.* got "e u"$/],
    [{ clusters: ['eu'], records: [{ pattern: '*' }] }, /^spec\.delegations\[0\]\.records: no Zone adopts records of/],
    [{ cluster: 'eu' }, /^spec\.delegations\[0\]\.cluster: /],
  ])('refuses the rule %j', (rule, problem) => {
    const parsed = parseZone({ domainName: 'e.', delegations: [rule] }, 'a');
    expect(parsed).toMatchObject({ ok: false, problems: [expect.stringMatching(problem)] });
  });

  test('a rule without clusters has none', () => {
    for (const clusters of [undefined, null]) {
      const parsed = parseZone({ domainName: 'e.', delegations: [{ clusters }] }, 'a');
      expect(parsed.ok && parsed.spec.delegations[0]).not.toHaveProperty('clusters');
    }
  });

  test.each<[unknown, boolean]>([
    [undefined, false],
    [null, false],
    [false, false],
    [true, true],
  ])('reads shared: %s', (shared, expected) => {
    const parsed = parseZone({ domainName: 'e.', delegations: [{ shared }] }, 'a');
    expect(parsed).toMatchObject({ ok: true, spec: { delegations: [{ shared: expected }] } });
    const text = parseZone({ domainName: 'e.', delegations: [{ shared: 'true' }] }, 'a');
    expect(text).toEqual({
      ok: false,
      problems: [
        'spec.delegations[0].shared: expected true or false, got the string "true"; write true, without quotes',
      ],
    });
  });

  test.each<[unknown, object]>([
    [{ delegateTo: 'Acme.example.net' }, { acme: { delegateTo: 'acme.example.net.' } }],
    [{ delegateTo: 'acme.example.net.' }, { acme: { delegateTo: 'acme.example.net.' } }],
    [null, {}],
    [undefined, {}],
  ])('reads acme %j', (acme, expected) => {
    const parsed = parseZone({ domainName: 'e.', acme }, 'a');
    const own = { domainName: { kind: 'full', fqdn: 'e.' }, zoneRef: null, ...DEFAULTS, delegations: [] };
    expect(parsed).toEqual({ ok: true, spec: { ...own, ...expected } });
  });

  test.each<[unknown, RegExp]>([
    ['acme.e.', /^spec\.acme: expected a mapping/],
    [{}, /^spec\.acme\.delegateTo is required/],
    [{ delegateTo: 'a..b' }, /^spec\.acme\.delegateTo: /],
    [{ delegateTo: '*.e.' }, /^spec\.acme\.delegateTo: /],
    [{ delegateTo: '.' }, /^spec\.acme\.delegateTo: write the name of a hosted zone/],
    [{ delegateTo: 'e.', ttl: 1 }, /^spec\.acme\.ttl/],
  ])('refuses acme %j', (acme, problem) => {
    const parsed = parseZone({ domainName: 'e.', acme }, 'a');
    expect(parsed.ok ? [] : parsed.problems).toEqual([expect.stringMatching(problem)]);
  });

  test.each<[unknown, object]>([
    [{}, { https: { alpn: ['h2'] } }],
    [{ alpn: null }, { https: { alpn: ['h2'] } }],
    [{ alpn: ['http/1.1', 'h2'] }, { https: { alpn: ['http/1.1', 'h2'] } }],
    [null, {}],
  ])('reads https %j', (https, expected) => {
    const parsed = parseZone({ domainName: 'e.', https }, 'a');
    const own = { domainName: { kind: 'full', fqdn: 'e.' }, zoneRef: null, ...DEFAULTS, delegations: [] };
    expect(parsed).toEqual({ ok: true, spec: { ...own, ...expected } });
  });

  test.each([
    [true, { ptr: true }],
    [false, {}],
    [null, {}],
  ])('reads ptr %j', (ptr, expected) => {
    const own = { domainName: { kind: 'full', fqdn: 'e.' }, zoneRef: null, ...DEFAULTS, delegations: [] };
    expect(parseZone({ domainName: 'e.', ptr }, 'a')).toEqual({ ok: true, spec: { ...own, ...expected } });
    const problems = ['spec.ptr: expected true or false, got the string "true"; write true, without quotes'];
    expect(parseZone({ domainName: 'e.', ptr: 'true' }, 'a')).toEqual({ ok: false, problems });
  });

  test.each<[unknown, RegExp]>([
    [true, /^spec\.https: expected a mapping/],
    [{ alpn: 'h2' }, /^spec\.https\.alpn: expected a list/],
    [{ alpn: [] }, /^spec\.https\.alpn: expected 1 to 8 protocols/],
    [{ alpn: [2] }, /^spec\.https\.alpn\[0\]: expected a string/],
    [{ alpn: ['h2', 'h2'] }, /^spec\.https\.alpn: "h2" is given more than once/],
    [{ alpn: ['h 2'] }, /^spec\.https\.alpn: "h 2" is not a protocol/],
    [{ alpn: ['x'.repeat(256)] }, /^spec\.https\.alpn: .* has more than 255 characters/],
    [{ alpn: ['h2', 'h3'] }, /^spec\.https\.alpn: h3 needs UDP/],
    [{ alpn: ['h2'], port: 1 }, /^spec\.https\.port/],
  ])('refuses https %j', (https, problem) => {
    const parsed = parseZone({ domainName: 'e.', https }, 'a');
    expect(parsed.ok ? [] : parsed.problems).toEqual([expect.stringMatching(problem)]);
  });

  test('reads types in any case, and none as every type', () => {
    const records = [{ pattern: '*', types: ['a', 'Txt'] }, { pattern: 'x' }];
    expect(parseZone({ domainName: 'e.', delegations: [{ records }] }, 'a')).toMatchObject({
      ok: true,
      spec: { delegations: [{ records: [{ types: ['A', 'TXT'] }, { types: [] }] }] },
    });
  });

  test.each<[string, object, string]>([
    ['the Zone itself', { domainName: '@', zoneRef: { name: 'z' } }, '"@" is for a Record'],
    ['a wildcard', { domainName: '*.e.' }, 'spec.domainName: '],
    ['a partial name alone', { domainName: 'e' }, 'is partial and there is no zoneRef'],
    ['capitals in a zoneRef', { domainName: 'e', zoneRef: { name: 'Z' } }, 'no object can have the name "Z"'],
    ['retry equal to refresh', { refresh: 7_200 }, 'spec.retry: 7200 must be less than refresh, 7200'],
    [
      'expire equal to refresh + retry',
      { expire: 93_600 },
      'spec.expire: 93600 must be more than refresh + retry, 93600',
    ],
    ['a timer that is not a number', { refresh: 'often' }, 'spec.refresh: expected whole seconds'],
    ['delegations that are not a list', { delegations: {} }, 'spec.delegations: expected a list'],
    ['a rule that is not a mapping', { delegations: ['*'] }, 'spec.delegations[0]: expected a mapping'],
    ['an unknown field of a rule', { delegations: [{ record: [] }] }, 'spec.delegations[0].record: unknown field'],
    ['a misspelt field', { delegation: [] }, 'did you mean delegations?'],
    ['a misspelt field of a rule', { delegations: [{ namespaec: 'a' }] }, 'did you mean namespace?'],
    [
      'a list for one namespace',
      { delegations: [{ namespace: ['a'] }] },
      'spec.delegations[0].namespace: expected a string, got a list; write the list into namespaces',
    ],
    ['a bad pattern', { delegations: [{ zones: ['a..b'] }] }, 'spec.delegations[0].zones[0]: '],
    [
      'a record rule of text',
      { delegations: [{ records: ['*'] }] },
      'spec.delegations[0].records[0]: expected a mapping',
    ],
    ['a record rule without a pattern', { delegations: [{ records: [{}] }] }, 'records[0].pattern is required'],
    [
      'an unknown type',
      { delegations: [{ records: [{ pattern: '*', types: ['AA'] }] }] },
      '"AA" is not a DNS record type',
    ],
    ['a namespace that is not text', { delegations: [{ namespaces: [1] }] }, 'namespaces[0]: expected a string'],
  ])('refuses %s', (_, change, problem) => {
    const parsed = parseZone({ domainName: 'e.', ...change }, 'a');
    expect(parsed.ok ? [] : parsed.problems).toEqual([expect.stringContaining(problem)]);
  });

  test('compares timers also when another field is wrong, but not timers that are wrong themselves', () => {
    const parsed = parseZone({ domainName: 'e', refresh: 100, retry: 100, expire: -1 }, 'a');
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      expect.stringContaining('no zoneRef'),
      expect.stringContaining('spec.expire: expected whole seconds'),
      expect.stringContaining('spec.retry: 100 must be less'),
    ]);
  });
});
