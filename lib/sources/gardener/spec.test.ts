import { expect, test } from 'vitest';
import { identityProblem, joinProblems, parseDnsRecord, secretRefOf, secretRefProblem } from './spec.ts';

const REF = { kind: 'DNSRecord', namespace: 'shoot--foo--bar', name: 'api-internal' };
const SPEC = {
  type: 'aws-route53',
  secretRef: { name: 'dns', namespace: 'shoot--foo--bar' },
  name: 'test.example.com',
  recordType: 'A',
  values: ['1.2.3.4'],
};

function parse(spec: unknown, annotations: Record<string, string> = {}) {
  return parseDnsRecord({ ref: REF, annotations, spec });
}

function problemsOf(fields: Record<string, unknown>): readonly string[] {
  const result = parse({ ...SPEC, ...fields });
  return result.ok ? [] : result.problems;
}

function valuesOf(fields: Record<string, unknown>): unknown {
  const result = parse({ ...SPEC, ...fields });
  if (!result.ok) return result.problems;
  const [recordSet] = result.spec.recordSets;
  return recordSet?.content.kind === 'values' ? recordSet.content.values : recordSet;
}

test('parseDnsRecord() reads a whole spec', () => {
  expect(parse({ ...SPEC, region: 'eu-west-1', zone: 'ZFOO', ttl: 600 })).toEqual({
    ok: true,
    spec: {
      name: 'test.example.com.',
      recordType: 'A',
      zone: 'ZFOO',
      region: 'eu-west-1',
      secretRef: { namespace: 'shoot--foo--bar', name: 'dns' },
      recordSets: [
        {
          name: 'test.example.com.',
          type: 'A',
          setIdentifier: null,
          content: { kind: 'values', ttlSeconds: 600, values: ['1.2.3.4'] },
        },
      ],
    },
  });
});

test('parseDnsRecord() finds every problem of an empty spec, as Gardener does', () => {
  expect(parse({})).toEqual({
    ok: false,
    problems: [
      'spec.type: Required value: field is required',
      'spec.secretRef.name: Required value: field is required',
      'spec.name: Required value',
      'spec.recordType: Unsupported value: "": supported values: "A", "AAAA", "CNAME", "TXT"',
      'spec.values: Required value: field is required',
    ],
  });
  expect(parse(null)).toEqual(parse({}));
  expect(parse(undefined)).toEqual(parse({}));
});

const RFC1123 =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NOT_AN_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const TWO_LABELS = 'should be a domain with at least two segments separated by dots';

test.each<[string, Record<string, unknown>, readonly string[]]>([
  [
    'an empty region and zone',
    { region: '', zone: '' },
    [
      'spec.region: Invalid value: "": field cannot be empty if specified',
      'spec.zone: Invalid value: "": field cannot be empty if specified',
    ],
  ],
  ['one label', { name: 'test' }, [`spec.name: Invalid value: "test": ${TWO_LABELS}`]],
  ['an upper case name', { name: 'Test.example.com' }, [`spec.name: Invalid value: "Test.example.com": ${RFC1123}`]],
  [
    'a name with a dot at its end, which Gardener lets through',
    { name: 'test.example.com.' },
    ['spec.name: Invalid value: "test.example.com.": must not end in a dot; write "test.example.com"'],
  ],
  ['an underscore in an A', { name: '_a.example.com' }, [`spec.name: Invalid value: "_a.example.com": ${RFC1123}`]],
  [
    'a second underscore in a TXT',
    { name: '_a._b.example.com', recordType: 'TXT' },
    [`spec.name: Invalid value: "a._b.example.com": ${RFC1123}`],
  ],
  [
    'a wildcard TXT',
    { name: '*.example.com', recordType: 'TXT' },
    [`spec.name: Invalid value: "*.example.com": ${RFC1123}`],
  ],
  ['two wildcards', { name: '*.*.example.com' }, [`spec.name: Invalid value: "*.example.com": ${RFC1123}`]],
  ['a wildcard alone', { name: '*.' }, ['spec.name: Required value']],
  [
    'a label of 64 characters',
    { name: `${'a'.repeat(64)}.example.com` },
    [`spec.name: Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters`],
  ],
  [
    'two values of a CNAME',
    { recordType: 'CNAME', values: ['example.com', 'foo.bar'] },
    ['spec.values: Invalid value: ["example.com","foo.bar"]: CNAME records must have a single value'],
  ],
  [
    'another record type',
    { recordType: 'SOA' },
    ['spec.recordType: Unsupported value: "SOA": supported values: "A", "AAAA", "CNAME", "TXT"'],
  ],
  ['a name in an A', { values: ['example.com'] }, [`spec.values[0]: Invalid value: "example.com": ${NOT_AN_IP}`]],
  [
    'a name in an AAAA',
    { recordType: 'AAAA', values: ['example.com'] },
    [`spec.values[0]: Invalid value: "example.com": ${NOT_AN_IP}`],
  ],
  [
    'an IPv6 address in an A, which Gardener lets through',
    { values: ['1.2.3.4', '2001:db8::1'] },
    [
      'spec.values[1]: Invalid value: "2001:db8::1": a record of type A holds IPv4 addresses; an IPv6 address needs a DNSRecord of type AAAA',
    ],
  ],
  [
    'an IPv4 address in an AAAA, which Gardener lets through',
    { recordType: 'AAAA', values: ['1.2.3.4'] },
    [
      'spec.values[0]: Invalid value: "1.2.3.4": a record of type AAAA holds IPv6 addresses; an IPv4 address needs a DNSRecord of type A',
    ],
  ],
  ['an address with a space', { values: [' 1.2.3.4'] }, [`spec.values[0]: Invalid value: " 1.2.3.4": ${NOT_AN_IP}`]],
  [
    'one label in a CNAME',
    { recordType: 'CNAME', values: ['example'] },
    [`spec.values[0]: Invalid value: "example": ${TWO_LABELS}`],
  ],
  ['an empty CNAME', { recordType: 'CNAME', values: [''] }, ['spec.values[0]: Required value']],
  [
    'an empty TXT, which Gardener lets through',
    { recordType: 'TXT', values: [''] },
    ['spec.values[0]: Invalid value: "": a TXT value must not be empty'],
  ],
  ['a negative TTL', { ttl: -1 }, ['spec.ttl: Invalid value: -1: must be between 0 and 2147483647, inclusive']],
  [
    'a TTL of 33 bits',
    { ttl: 2 ** 32 },
    ['spec.ttl: Invalid value: 4294967296: must be between 0 and 2147483647, inclusive'],
  ],
  [
    'a TTL that is not an integer',
    { ttl: '300' },
    ['spec.ttl: Invalid value: "string": spec.ttl in body must be of type integer: "string"'],
  ],
  [
    'values that are not a list',
    { values: '1.2.3.4' },
    ['spec.values: Invalid value: "string": spec.values in body must be of type array: "string"'],
  ],
  ['no values', { values: [] }, ['spec.values: Required value: field is required']],
  [
    'a Secret without a name',
    { secretRef: { namespace: 'x' } },
    ['spec.secretRef.name: Required value: field is required'],
  ],
  [
    'an invalid hosted zone',
    { zone: 'project/zone' },
    [
      'spec.zone: Invalid value: "project/zone": must be the id of a hosted zone of Route 53, such as Z0123456789ABCDEFGHIJ',
    ],
  ],
])('parseDnsRecord() refuses %s', (_, fields, problems) => {
  expect(problemsOf(fields)).toEqual(problems);
});

test.each<[string, Record<string, unknown>, unknown]>([
  ['an A', {}, ['1.2.3.4']],
  ['a value twice', { values: ['1.2.3.4', '1.2.3.4'] }, ['1.2.3.4']],
  ['a CNAME', { recordType: 'CNAME', values: ['example.com'] }, ['example.com.']],
  ['a CNAME with a dot at its end', { recordType: 'CNAME', values: ['example.com.'] }, ['example.com.']],
  ['an AAAA', { recordType: 'AAAA', values: ['2001:db8:f00::1'] }, ['2001:db8:f00::1']],
  ['an AAAA in long form', { recordType: 'AAAA', values: ['2001:db8:f00:0:0:0:0:1'] }, ['2001:db8:f00::1']],
  ['a TXT', { recordType: 'TXT', values: ['can be anything'] }, ['"can be anything"']],
  ['a wildcard', { name: '*.test.example.com' }, ['1.2.3.4']],
  ['a challenge', { name: '_acme-challenge.test.example.com', recordType: 'TXT', values: ['token'] }, ['"token"']],
])('parseDnsRecord() takes %s', (_, fields, values) => {
  expect(valuesOf(fields)).toEqual(values);
});

test('parseDnsRecord() accepts the id of a hosted zone as Route 53 shows it', () => {
  const result = parse({ ...SPEC, zone: '/hostedzone/Z1' });
  expect(result.ok && result.spec.zone).toBe('Z1');
});

test('parseDnsRecord() refuses more than Route 53 accepts in one record set', () => {
  const values = Array.from({ length: 401 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
  expect(problemsOf({ values })).toEqual([
    'spec.values: Forbidden: Route 53 allows at most 400 values in a record set, and this one has 401',
  ]);
});

test('parseDnsRecord() quotes only the beginning of a very long value', () => {
  const [problem = ''] = problemsOf({ recordType: 'x'.repeat(100_000) });
  expect(problem.length).toBeLessThan(400);
});

test("secretRefOf() gives the object's own namespace when the spec names none, also for an invalid spec", () => {
  expect(secretRefOf({ ref: REF, spec: { secretRef: { name: 'dns' } } })).toEqual({
    namespace: 'shoot--foo--bar',
    name: 'dns',
  });
  expect(secretRefOf({ ref: REF, spec: { secretRef: { name: 'dns', namespace: '' } } })?.namespace).toBe(
    'shoot--foo--bar',
  );
  expect(secretRefOf({ ref: REF, spec: { secretRef: { name: 'dns', namespace: 'garden' } } })?.namespace).toBe(
    'garden',
  );
  for (const spec of [null, {}, { secretRef: 1 }, { secretRef: {} }, { secretRef: { name: 7 } }]) {
    expect(secretRefOf({ ref: REF, spec })).toBeNull();
  }
});

test('secretRefProblem() allows the namespaces of the configuration', () => {
  const ref = { namespace: 'garden', name: 'dns' };
  expect(secretRefProblem(ref, null)).toBeNull();
  expect(secretRefProblem(ref, ['garden'])).toBeNull();
  expect(secretRefProblem(ref, ['shoot--a'])).toBe(
    'spec.secretRef.namespace: Forbidden: Secrets of the namespace "garden" may not be read; add it to sources.dnsRecords.secretNamespaces',
  );
});

test.each(['..', '.', '%2e', 'a/b', '../../x', 'A', 'a b', '', 'x'.repeat(254)])(
  'secretRefProblem() refuses %o, which the API server takes for something else than a name',
  (odd) => {
    const name = secretRefProblem({ namespace: 'garden', name: odd }, null);
    expect(name).toContain('spec.secretRef.name: Invalid value');
    const namespace = secretRefProblem({ namespace: odd, name: 'dns' }, [odd]);
    expect(namespace).toContain('spec.secretRef.namespace: Invalid value');
  },
);

test('joinProblems() gives the first hundred of very many problems', () => {
  const values = Array.from({ length: 12_000 }, (_, index) => `bad-${index}`);
  const message = joinProblems(problemsOf({ values }));
  expect(message.length).toBeLessThan(100_000);
  expect(message).toMatch(/^\[spec\.values\[0\]: .*, and 11900 more\]$/);
});

test('identityProblem() finds an edited name and record type, valid or not', () => {
  const applied = { name: 'test.example.com.', recordType: 'A' } as const;
  expect(identityProblem(applied, { spec: { ...SPEC, values: ['9.9.9.9'], zone: 'Z2' } })).toBeNull();
  expect(identityProblem(applied, { spec: { ...SPEC, name: 'www.example.com' } })).toBe(
    'spec.name: Invalid value: "www.example.com": field is immutable',
  );
  expect(identityProblem(applied, { spec: { ...SPEC, name: 7, recordType: 'CNAME' } })).toBe(
    '[spec.name: Invalid value: 7: field is immutable, spec.recordType: Invalid value: "CNAME": field is immutable]',
  );
});
