import { expect, test } from 'vitest';
import { liveZone } from '../../test/support/declared.ts';
import { delegatesRecord, delegatesZone } from './delegation.ts';
import { explainDenial } from './explain-denial.ts';

const w = (types: readonly string[] = []) => [{ pattern: 'w', types }];

test.each<[string, object[], string]>([
  ['without delegations', [], 'it has no delegations at all'],
  ['without a rule for the namespace or the name', [{ namespace: 'b', zones: ['w'] }], 'no rule names that namespace'],
  ['without patterns for Records', [{ zones: ['w'] }], 'its rules for that namespace have no records patterns'],
  [
    'only the pattern differs',
    [{ records: [{ pattern: 'x' }, { pattern: '*.y' }] }, { namespaces: ['b'], records: [{ pattern: 'z' }] }],
    'none of the records patterns for that namespace matches: "x", "*.y"',
  ],
  ['only the type differs', [{ records: w(['AAAA', 'TXT']) }], '"w" matches, but only for type AAAA, TXT'],
  ['only the namespace differs', [{ namespace: 'b', records: w() }], '"w" matches, but not for that namespace'],
  [
    'namespace and type differ',
    [{ namespace: 'b', records: w(['TXT']) }],
    '"w" matches, but not for that namespace, and only for type TXT',
  ],
  [
    'the nearest of several: the type alone, before the namespace alone',
    [
      { namespace: 'b', records: w() },
      { namespace: 'a', records: [{ pattern: '*', types: ['MX'] }, { pattern: 'x' }] },
    ],
    '"*" matches, but only for type MX',
  ],
  [
    'the name in the rules that the namespace has, before the rule of another namespace',
    [
      { namespace: 'b', records: w() },
      { namespace: 'a', records: [{ pattern: 'x' }] },
    ],
    'none of the records patterns for that namespace matches: "x"',
  ],
  [
    'a pattern that may lack its last dot is shown with its meaning',
    [{ namespace: 'a', records: ['w.e', '*.e', 'v.x', '*.y', 'v.@', 'v.e.'].map((pattern) => ({ pattern })) }],
    'none of the records patterns for that namespace matches: "w.e" (w.e.e.), "*.e" (*.e.e.), "v.x" (v.x.e.), "*.y", "v.@" and 1 more',
  ],
])('explainDenial() names the reason: %s', (_, rules, why) => {
  expect(explainDenial(liveZone(rules), 'w.e.', 'A', 'a')).toBe(
    `Zone a/z (e.) does not delegate w.e. (A) to namespace a: ${why}; to allow it, add to its delegations { namespaces: [a], records: [{ pattern: "w", types: [A] }] }`,
  );
});

test('explainDenial() shows the first patterns of many, and no other namespace', () => {
  const records = Array.from({ length: 8 }, (_, n) => ({ pattern: `p${n}` }));
  const message = explainDenial(liveZone([{ records }, { namespace: 'secret', records: w() }]), 'v.e.', 'A', 'a');
  expect(message).toContain('"p0", "p1", "p2", "p3", "p4" and 3 more;');
  expect(message).not.toContain('secret');
});

test('explainDenial() calls the own name "@", and gives a Zone a zones pattern', () => {
  expect(explainDenial(liveZone([]), 'e.', 'A', 'a')).toContain('records: [{ pattern: "@", types: [A] }]');
  const sub = explainDenial(liveZone([{ namespace: 'b', zones: ['s'] }]), 's.e.', null, 'a');
  expect(sub).toContain('"s" matches, but not for that namespace; to allow it, add');
  expect(sub).toContain('{ namespaces: [a], zones: ["s"] }');
});

test('explainDenial() advises what allows this object, and no other name, type or namespace', () => {
  const advised = liveZone([{ namespaces: ['a'], records: [{ pattern: 'w', types: ['A'] }] }]);
  expect(delegatesRecord(advised, 'w.e.', 'A', 'a')).toBe(true);
  expect(delegatesRecord(advised, 'w.e.', 'TXT', 'a')).toBe(false);
  expect(delegatesRecord(advised, 'v.w.e.', 'A', 'a')).toBe(false);
  expect(delegatesRecord(advised, 'w.e.', 'A', 'b')).toBe(false);
  expect(delegatesZone(advised, 'w.e.', 'a')).toBe(false);
});

test('explainDenial() quotes a namespace that YAML would take for a number or a boolean', () => {
  expect(explainDenial(liveZone([]), 'w.e.', 'A', '123')).toContain('namespaces: ["123"]');
  expect(explainDenial(liveZone([]), 'w.e.', 'A', 'no')).toContain('namespaces: ["no"]');
});

test('explainDenial() advises a rule for all namespaces to an object of none', () => {
  const said = explainDenial(liveZone([{ namespace: 'a', records: w() }]), 'w.e.', 'A', '');
  expect(said).toContain('does not delegate w.e. (A) to all namespaces');
  expect(said).toContain('add to its delegations { records: [{ pattern: "w", types: [A] }] }');
});
