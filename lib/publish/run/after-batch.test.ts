import { describe, expect, test } from 'vitest';
import { afterBatch, type Group, stepsOf, type Work } from './after-batch.ts';
import type { Step, Tried } from './send-batch.ts';

function stepAt(name: string, of: Partial<Step> = {}): Step {
  const after = { kind: 'values' as const, ttlSeconds: 60, values: ['192.0.2.1'] };
  const objects = [`Record team/${name}`];
  return { name: `${name}.e.`, type: 'A', setIdentifier: null, action: 'create', before: null, after, objects, ...of };
}

const DELETE: Partial<Step> = {
  action: 'delete',
  before: { kind: 'values', ttlSeconds: 60, values: ['192.0.2.1'] },
  after: null,
};
const WEIGHTED = ['a', 'b', 'c'].map((setIdentifier) =>
  stepAt('w', {
    setIdentifier,
    after: {
      kind: 'values',
      ttlSeconds: 60,
      values: ['192.0.2.1'],
      routing: { setIdentifier, healthCheckId: null, policy: { kind: 'weight', weight: 1 } },
    } as Step['after'],
  }),
);

/** Names without the zone, with the set identifier where there is one: "a b" are two groups, "wa+wb" is one. */
function named(groups: readonly Group[]): string {
  const one = ({ name, setIdentifier }: Step) => `${name.split('.')[0]}${setIdentifier ?? ''}`;
  return groups.map((group) => group.map(one).join('+')).join(' ');
}

function shown(work: Work): string {
  switch (work.kind) {
    case 'send':
      return `send ${named(work.groups)}${work.rest.length === 0 ? '' : `, then ${named(work.rest)}`}`;
    case 'rest':
      return `rest ${named(work.groups)}`;
    case 'full':
    case 'room':
      return `${work.kind} ${named(work.groups)}`;
    case 'judge':
      return `judge ${named(work.units.map(({ steps }) => steps))}`;
    default:
      return `${work.kind} ${named([stepsOf(work)])}`;
  }
}

const refusedBy =
  (message: string) =>
  (groups: readonly Group[]): Tried => ({ kind: 'refused', steps: groups.flat(), isCut: false, messages: [message] });
const unnamed = refusedBy('Something about the batch is invalid.');
const nameB = refusedBy("Tried to create resource record set [name='b.e.', type='A'] but it already exists");
const full = refusedBy('The hosted zone has reached the limit on the number of resource record sets it can have');
const denied = (groups: readonly Group[]): Tried => ({ kind: 'denied', steps: groups.flat(), message: 'no' });
const throttled = (groups: readonly Group[]): Tried => ({ kind: 'throttled', steps: groups.flat(), message: 'rate' });
const accepted = (): Tried => ({ kind: 'done' });
const stopped = (): Tried => ({ kind: 'stopped' });

const [a, b, c, d] = [[stepAt('a')], [stepAt('b')], [stepAt('c')], [stepAt('d')]] as const;
const gone: Group = [stepAt('gone', DELETE)];

describe('afterBatch()', () => {
  test.each<[string, (groups: readonly Group[]) => Tried, readonly Group[], readonly Group[], readonly string[]]>([
    ['nothing follows an accepted batch', accepted, [a, b], [], []],
    ['the other part of a refused batch is split if one part was accepted', accepted, [a], [b, c], ['send b, then c']],
    ['the other part is sent if it is a single name', accepted, [a], [b], ['send b']],
    ['a stopped batch and its other part stay', stopped, [a], [b], ['send a', 'rest b']],
    [
      'a throttled batch goes in halves, neither of which is at fault',
      throttled,
      [a, b, c, d],
      [],
      ['send a b', 'send c d'],
    ],
    ['a throttled name goes by its units', throttled, [WEIGHTED], [], ['send wa', 'send wb wc']],
    ['the other part of a refused batch follows', throttled, [a, b], [c], ['send a', 'send b', 'rest c']],
    ['an unnamed refusal splits the batch', unnamed, [a, b, c, d], [], ['send a b, then c d']],
    ['the other part follows all that', unnamed, [a, b], [c], ['send a, then b', 'rest c']],
    ['an unnamed refusal of one name judges it', unnamed, [a], [b], ['judge a', 'rest b']],
    ['an unnamed refusal of one name splits its units', unnamed, [WEIGHTED], [], ['send wa, then wb wc']],
    ['a named refusal sends the others first', nameB, [a, b, c], [], ['send a c', 'judge b']],
    ['a named refusal of one name judges it', nameB, [b], [], ['judge b']],
    [
      'a full hosted zone: the others go, then what fits',
      full,
      [a, gone, b],
      [],
      ['full a b', 'send gone', 'room a b'],
    ],
    ['a denied batch is split', denied, [a, b], [], ['send a, then b']],
    ['a denied name is left to a later run', denied, [a], [b], ['leave a', 'rest b']],
  ])('%s', (_rule, answer, groups, rest, expected) => {
    expect(afterBatch({ groups, rest }, answer(groups)).map(shown)).toEqual(expected);
  });

  test('continues with the names that were sent', () => {
    expect(afterBatch({ groups: [a, b, c], rest: [] }, unnamed([a, b])).map(shown)).toEqual(['send a, then b']);
  });
});
