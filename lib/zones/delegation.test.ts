import { describe, expect, test } from 'vitest';
import { liveZone } from '../../test/support/declared.ts';
import { parseRootPattern } from '../dns/names/pattern.ts';
import { allowsRoot, delegatesRecord, delegatesZone } from './delegation.ts';

describe('delegatesZone() and delegatesRecord()', () => {
  test.each<[string, object[], string, string, boolean, boolean]>([
    ['no rule', [], 'w.e.', 'a', false, false],
    ['a rule without patterns', [{}], 'w.e.', 'a', false, false],
    ['a rule for all', [{ zones: ['*'], records: [{ pattern: '*' }] }], 'x.w.e.', 'b', true, true],
    [
      'a rule for another namespace',
      [{ namespaces: ['b'], zones: ['*'], records: [{ pattern: '*' }] }],
      'w.e.',
      'a',
      false,
      false,
    ],
    ['a rule only for Zones', [{ zones: ['*'] }], 'w.e.', 'a', true, false],
    ['a rule for another type', [{ records: [{ pattern: '*', types: ['TXT'] }] }], 'w.e.', 'a', false, false],
    ['the second of two rules', [{ namespaces: ['b'] }, { records: [{ pattern: 'w' }] }], 'w.e.', 'a', false, true],
    ['a star, and the apex', [{ records: [{ pattern: '*' }] }], 'e.', 'a', false, false],
    ['a rule for another cluster', [{ clusters: ['eu'], zones: ['*'] }], 'w.e.', 'a', false, false],
  ])('%s', (_, rules, fqdn, namespace, zone, record) => {
    expect(delegatesZone(liveZone(rules), fqdn, namespace)).toBe(zone);
    expect(delegatesRecord(liveZone(rules), fqdn, 'A', namespace)).toBe(record);
  });

  test('delegatesRecord() with the type null is true for any type', () => {
    const zone = liveZone([{ records: [{ pattern: 'w', types: ['TXT'] }] }]);
    expect(delegatesRecord(zone, 'w.e.', null, 'a')).toBe(true);
    expect(delegatesRecord(zone, 'v.e.', null, 'a')).toBe(false);
  });
});

describe('allowsRoot()', () => {
  const rule = (text: string, namespaces: readonly string[] | null) => {
    const parsed = parseRootPattern(text);
    if (!parsed.ok) throw new Error(parsed.problems.join());
    return { pattern: parsed.pattern, namespaces };
  };
  test.each<[string, ReturnType<typeof rule>[] | null, boolean]>([
    ['no roots key', null, true],
    ['no rules', [], false],
    ['a rule for its name and any namespace', [rule('e', null)], true],
    ['a rule for its name and this namespace', [rule('e.', ['b', 'a'])], true],
    ['a rule for its name and another namespace', [rule('e.', ['b'])], false],
    ['a rule for another name', [rule('f.', null)], false],
  ])('%s', (_, roots, allowed) => {
    expect(allowsRoot(roots, 'e.', 'a')).toBe(allowed);
  });
});
