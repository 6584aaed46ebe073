import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyRecordSets } from '../../test/support/dns-arbitraries.ts';
import { type Change, compareChanges, compareRecordSets, digestChanges, planChanges } from './plan-changes.ts';
import { type RecordSet, recordSetId, sameContent } from './record-set.ts';

function values(name: string, type: string, ...rdata: string[]): RecordSet {
  return { name, type, setIdentifier: null, content: { kind: 'values', ttlSeconds: 60, values: rdata } };
}

/** The record sets after the changes, sorted. Throws when the `before` of a change is not what is published. */
function applyChanges(published: readonly RecordSet[], changes: readonly Change[]): RecordSet[] {
  const existing = new Map(published.map((set) => [recordSetId(set), set]));
  for (const change of changes) {
    const { action, name, type, setIdentifier, before, after } = change;
    const key = recordSetId(change);
    if (!sameContent(existing.get(key)?.content ?? null, before))
      throw new Error(`cannot ${action} ${name} ${type}: the present content is not the one in the plan`);
    if (after === null) existing.delete(key);
    else existing.set(key, { name, type, setIdentifier, content: after });
  }
  return [...existing.values()].sort(compareRecordSets);
}

function soa(serial: number, refresh: number): RecordSet {
  return values('a.', 'SOA', `ns.a. h.a. ${serial} ${refresh} 1 2 3`);
}

describe('planChanges()', () => {
  test('gives both sides of each change, and nothing for record sets that stay', () => {
    const [kept, old, gone] = [
      values('a.', 'A', '192.0.2.1'),
      values('b.', 'A', '192.0.2.1'),
      values('c.', 'A', '192.0.2.1'),
    ];
    const [now, added] = [values('b.', 'A', '192.0.2.2'), values('d.', 'A', '192.0.2.1')];
    const plan = planChanges([kept, old, gone], [kept, { ...now, objects: ['Record x/b'] }, added]);
    expect(plan).toEqual([
      {
        action: 'update',
        name: 'b.',
        type: 'A',
        setIdentifier: null,
        before: old.content,
        after: now.content,
        objects: ['Record x/b'],
      },
      { action: 'delete', name: 'c.', type: 'A', setIdentifier: null, before: gone.content, after: null, objects: [] },
      { action: 'create', name: 'd.', type: 'A', setIdentifier: null, before: null, after: added.content, objects: [] },
    ]);
  });

  test('sorts by name, then deletes before updates before creates, then type number, then set identifier', () => {
    const weighted = (id: string): RecordSet => ({ ...values('a.', 'A', '192.0.2.1'), setIdentifier: id });
    const plan = planChanges(
      [values('z.a.', 'A', '192.0.2.1'), values('a.', 'TXT', '"x"'), values('a.', 'MX', '1 x.')],
      [
        values('b.', 'A', '192.0.2.1'),
        values('a.', 'TXT', '"y"'),
        values('a.', 'AAAA', '::1'),
        weighted('2'),
        weighted('1'),
      ],
    );
    expect(plan.map(({ action, name, type, setIdentifier }) => [action, name, type, setIdentifier].join(' '))).toEqual([
      'delete a. MX ',
      'update a. TXT ',
      'create a. A 1',
      'create a. A 2',
      'create a. AAAA ',
      'delete z.a. A ',
      'create b. A ',
    ]);
  });

  test('plans from values to an alias and back', () => {
    const alias: RecordSet = {
      ...values('a.', 'A'),
      content: { kind: 'alias', alias: { hostedZoneId: 'Z', dnsName: 'x.', evaluateTargetHealth: false } },
    };
    const plain = values('a.', 'A', '192.0.2.1');
    expect(planChanges([plain], [alias]).map(({ action }) => action)).toEqual(['update']);
    expect(planChanges([alias], [plain]).map(({ action }) => action)).toEqual(['update']);
  });

  test('throws for a record set that is given twice', () => {
    expect(() => planChanges([values('a.', 'A', '1'), values('a.', 'A', '2')], [])).toThrow(
      'the record set a. A is given twice',
    );
  });
});

describe('the laws of plans', () => {
  test('apply(published, plan(published, desired)) = desired', () => {
    fc.assert(
      fc.property(anyRecordSets(), anyRecordSets(), (published, desired) => {
        const plan = planChanges(published, desired);
        expect(applyChanges(published, plan)).toEqual(desired.toSorted(compareRecordSets));
        expect(plan).toEqual(plan.toSorted(compareChanges));
        expect(plan.every(({ before, after }) => before !== null || after !== null)).toBe(true);
      }),
    );
  });

  test('there is no change if the desired content is published', () => {
    fc.assert(
      fc.property(anyRecordSets(), (recordSets) => {
        expect(planChanges(recordSets, recordSets.toReversed())).toEqual([]);
      }),
    );
  });

  test('any order of the record sets gives one plan and one digest', () => {
    const shuffled = fc.tuple(anyRecordSets(), anyRecordSets());
    fc.assert(
      fc.property(shuffled, ([published, desired]) => {
        const plan = planChanges(published, desired);
        expect(planChanges(published.toReversed(), desired.toReversed())).toEqual(plan);
        expect(digestChanges(plan.toReversed())).toBe(digestChanges(plan));
      }),
    );
  });

  test('plans that differ in what they do have different digests', () => {
    fc.assert(
      fc.property(anyRecordSets(), anyRecordSets(), anyRecordSets(), (published, one, other) => {
        const [first, second] = [planChanges(published, one), planChanges(published, other)];
        const same = JSON.stringify(first) === JSON.stringify(second);
        expect(digestChanges(first) === digestChanges(second)).toBe(same);
      }),
    );
  });
});

describe('a plan, if others write meanwhile,', () => {
  test.each<[string, RecordSet[]]>([
    ['an update of a missing record set', []],
    ['an update of an edited record set', [values('a.', 'A', '192.0.2.9')]],
  ])('refuses %s', (_, standing) => {
    const plan = planChanges([values('a.', 'A', '192.0.2.1')], [values('a.', 'A', '192.0.2.2')]);
    expect(() => applyChanges(standing, plan)).toThrow(
      'cannot update a. A: the present content is not the one in the plan',
    );
  });

  test('refuses a create of an existing record set', () => {
    const plan = planChanges([], [values('a.', 'A', '192.0.2.1')]);
    expect(() => applyChanges([values('a.', 'A', '192.0.2.1')], plan)).toThrow('cannot create a. A');
  });
});

describe('digestChanges()', () => {
  test('is 64 hex digits, and pinned, because digests are stored', () => {
    const plan = planChanges([values('a.', 'A', '192.0.2.1')], [values('a.', 'A', '192.0.2.2')]);
    expect(digestChanges(plan)).toBe('f8962232001c0b08a81b7e2e95a3025508ee3e63a27a3083e08dab0b8563a001');
    expect(digestChanges([])).toMatch(/^[0-9a-f]{64}$/);
  });

  test('does not depend on the objects, nor on the serial of an SOA', () => {
    const plan = planChanges([soa(1, 10)], [soa(2, 20)]);
    expect(digestChanges(planChanges([soa(7, 10)], [{ ...soa(8, 20), objects: ['Zone a/b'] }]))).toBe(
      digestChanges(plan),
    );
    expect(digestChanges(planChanges([soa(1, 10)], [soa(2, 30)]))).not.toBe(digestChanges(plan));
  });

  test('differs with and without a set identifier', () => {
    const plan = planChanges([], [values('a.', 'A', '192.0.2.1')]);
    const other = planChanges([], [{ ...values('a.', 'A', '192.0.2.1'), setIdentifier: '' }]);
    expect(digestChanges(plan)).not.toBe(digestChanges(other));
  });
});
