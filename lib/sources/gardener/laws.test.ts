// Laws that hold for every spec, with any content of its fields.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDnsRecord } from './spec.ts';

const SPEC = {
  type: 'aws-route53',
  secretRef: { name: 'dns' },
  name: 'test.example.com',
  recordType: 'A',
  values: ['1.2.3.4'],
};

function parse(spec: unknown, annotations: Record<string, string> = {}) {
  return parseDnsRecord({ ref: { kind: 'DNSRecord', namespace: 'a', name: 'b' }, annotations, spec });
}

const ANY_JSON = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  '',
  ' ',
  'x',
  '\ud800',
  '*',
  [],
  [null],
  ['x'],
  [[]],
  [{}],
  {},
  { name: 1 },
];
const FIELDS = [
  'type',
  'class',
  'secretRef',
  'region',
  'zone',
  'name',
  'recordType',
  'values',
  'ttl',
  'providerConfig',
];

test('parseDnsRecord() names each wrong field, whatever its value', () => {
  for (const recordType of ['A', 'AAAA', 'CNAME', 'TXT']) {
    for (const field of FIELDS) {
      for (const value of ANY_JSON) {
        const result = parse({ ...SPEC, recordType, values: ['"x"'], [field]: value });
        const about = result.ok ? [] : result.problems.map((problem) => problem.split(/[:[]| in body/)[0]);
        const expected = [`spec.${field}`, 'spec.values', 'spec.secretRef.name'];
        if (recordType !== 'TXT' || field === 'recordType') expected.push('spec.recordType', 'spec.values');
        for (const path of about) expect(expected).toContain(path);
      }
    }
  }
  expect(parse([]).ok).toBe(false);
  expect(parse('x').ok).toBe(false);
  expect(parse(7)).toEqual({
    ok: false,
    problems: ['spec: Invalid value: "integer": spec in body must be of type object: "integer"'],
  });
});

test('parseDnsRecord() never throws', () => {
  const value = fc.oneof(fc.jsonValue(), fc.string(), fc.array(fc.string()));
  const spec = fc.dictionary(fc.constantFrom(...FIELDS, 'more'), value).map((fields) => ({ ...SPEC, ...fields }));
  fc.assert(
    fc.property(fc.oneof(spec, fc.jsonValue()), fc.dictionary(fc.string(), fc.string()), (any, annotations) => {
      const result = parse(any, annotations);
      expect(result.ok ? result.spec.recordSets.length : result.problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 60 },
  );
});
