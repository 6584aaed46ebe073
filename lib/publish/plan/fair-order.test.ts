import { describe, expect, test } from 'vitest';
import type { Change } from '../../dns/plan-changes.ts';
import { newRecordSetItem, type Refused } from '../../record-sets/record-set-item.ts';
import { fewestFirst, inFairOrder, namespaceOf, splitGroups } from './fair-order.ts';

function change(name: string, namespace: string): Change {
  const after = { kind: 'values' as const, ttlSeconds: 60, values: ['192.0.2.1'] };
  const objects = [`Record ${namespace}/${name}`];
  return {
    action: 'create',
    name: `${name}.example.org.`,
    type: 'A',
    setIdentifier: null,
    before: null,
    after,
    objects,
  };
}

const refused = (together: number, atMs = 0): Refused => ({ times: 1, together, atMs });

/** The order of `inFairOrder()`: the names that were never refused, and the batches of the others. */
function order(all: readonly (readonly [name: string, namespace: string, refused?: Refused])[]) {
  const by = new Map(all.map(([name, , one]) => [`${name}.example.org.`, one ?? null]));
  const { fresh, suspects } = inFairOrder(
    all.map(([name, namespace]) => change(name, namespace)),
    (key) => ({ ...newRecordSetItem(key), refused: by.get(key.name) ?? null }),
  );
  const short = ({ name }: Change) => name.split('.')[0];
  return { fresh: fresh.map(short), suspects: suspects.map((batch) => batch.flat().map(short)) };
}

describe('inFairOrder()', () => {
  test('separates names that were refused from the others', () => {
    expect(
      order([
        ['a', 'x', refused(10)],
        ['b', 'x'],
        ['c', 'y', refused(10)],
        ['d', 'y'],
      ]),
    ).toEqual({
      fresh: ['b', 'd'],
      suspects: [['a', 'c']],
    });
  });

  test('begins with the namespace whose last refusal is the oldest, and of two equal ones with the smaller', () => {
    expect(
      order([
        ['a', 'x', refused(1, 30)],
        ['b', 'y', refused(1, 20)],
        ['c', 'z', refused(1, 10)],
      ]).suspects,
    ).toEqual([['c'], ['b'], ['a']]);
    expect(
      order([
        ['a', 'x', refused(9)],
        ['b', 'x', refused(2)],
        ['c', 'y', refused(1)],
      ]).suspects,
    ).toEqual([['c'], ['a', 'b']]);
  });

  test('puts as many names into a batch as each of them allows', () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'x', refused(2)] as const);
    expect(order(all).suspects).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  test('begins a new batch with a namespace that does not fit as a whole into the last one', () => {
    const small = [['s', 'small', refused(4)]] as const;
    const large = ['a', 'b', 'c', 'd'].map((name) => [name, 'large', refused(4)] as const);
    expect(order([...large, ...small]).suspects).toEqual([['s'], ['a', 'b', 'c', 'd']]);
  });
});

test('fewestFirst() puts the batch with a namespace of few changes before the others', () => {
  const large = ['a', 'b', 'c'].map((name) => change(name, 'large'));
  const batches = [{ changes: large.slice(0, 2) }, { changes: [...large.slice(2), change('s', 'small')] }];
  expect(fewestFirst(batches)).toEqual([batches[1], batches[0]]);
});

test('fewestFirst() leaves a target before its alias, and the target of that before both', () => {
  const alias = (name: string, namespace: string, target: string): Change => {
    const toTarget = { hostedZoneId: 'Z1', dnsName: `${target}.example.org.`, evaluateTargetHealth: true };
    return { ...change(name, namespace), after: { kind: 'alias', alias: toTarget } };
  };
  const batches = [
    { changes: [change('other', 'large'), change('another', 'large')] },
    { changes: [change('target', 'large')] },
    { changes: [alias('between', 'medium', 'target'), change('more', 'medium')] },
    { changes: [alias('alias', 'small', 'between')] },
  ];
  expect(fewestFirst(batches)).toEqual([batches[1], batches[2], batches[3], batches[0]]);
});

describe('splitGroups()', () => {
  test('separates the smaller namespaces from the largest', () => {
    const groups = [
      ['a', 'large'],
      ['b', 'large'],
      ['c', 'large'],
      ['s', 'small'],
    ].map(([name = '', namespace = '']) => [change(name, namespace)]);
    const { first, second } = splitGroups(groups);
    expect(first.map(([one]) => namespaceOf(one))).toEqual(['small']);
    expect(second).toHaveLength(3);
  });

  test('halves one namespace', () => {
    const groups = ['a', 'b', 'c', 'd'].map((name) => [change(name, 'x')]);
    const { first, second } = splitGroups(groups);
    expect([first.length, second.length]).toEqual([2, 2]);
  });
});
