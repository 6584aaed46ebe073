// The table at the head of state.ts, over every combination of an item's fields.
import { describe, expect, test } from 'vitest';
import { newRecordSetItem, type RecordSetItem } from './record-set-item.ts';
import { needsPublishing, type State, stateOf } from './state.ts';

const values = (address: string) => ({ kind: 'values' as const, ttlSeconds: 60, values: [address] });
const CONTENTS = [null, values('192.0.2.1'), values('192.0.2.2')];
const REASONS = ['ForeignRecord', 'Drifted', 'Rejected', 'HeldByGuard'] as const;

function* items(): Generator<RecordSetItem> {
  const base = newRecordSetItem({ name: 'www.e.', type: 'A', setIdentifier: null });
  for (const desired of CONTENTS)
    for (const published of CONTENTS)
      for (const takeover of [false, true]) {
        const item = { ...base, desired, published, takeover };
        yield item;
        yield { ...item, texts: [{ name: 'a-www.e.', setIdentifier: null, content: values('x') }] };
        for (const content of CONTENTS) {
          yield { ...item, intent: { content, before: published, epoch: 1, atMs: 0 } };
          for (const reason of REASONS) yield { ...item, refusal: { reason, message: 'no', content, atMs: 0 } };
        }
      }
}

const ALL = [...items()];
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const saidNo = ({ refusal }: RecordSetItem) => refusal !== null && refusal.reason !== 'HeldByGuard';
const isRefused = (item: RecordSetItem) => same(item.refusal?.content, item.desired);
const isQuiet = (item: RecordSetItem) => item.intent === null && !saidNo(item);
const isHeld = (item: RecordSetItem) => isQuiet(item) && item.refusal !== null && isRefused(item);

const isDone = (item: RecordSetItem) => isQuiet(item) && item.desired !== null && same(item.desired, item.published);

/** The rows of the table, written without the code, each with whether publish has something to do. */
const ROWS: Readonly<Record<State, readonly [(item: RecordSetItem) => boolean, boolean | 'takeover']>> = {
  sending: [({ intent }) => intent !== null, true],
  refused: [(item) => item.intent === null && saidNo(item) && isRefused(item), 'takeover'],
  reopened: [(item) => item.intent === null && saidNo(item) && !isRefused(item), true],
  held: [(item) => isHeld(item) && !same(item.desired, item.published), true],
  free: [(item) => isQuiet(item) && item.desired === null && item.published === null, false],
  live: [(item) => isDone(item) && item.texts.length === 0, false],
  adopting: [(item) => isDone(item) && item.texts.length > 0, true],
  wanted: [(item) => isQuiet(item) && !isHeld(item) && item.desired !== null && item.published === null, true],
  leaving: [(item) => isQuiet(item) && !isHeld(item) && item.desired === null && item.published !== null, true],
  changing: [
    (item) => {
      const both = item.desired !== null && item.published !== null && !same(item.desired, item.published);
      return isQuiet(item) && !isHeld(item) && both;
    },
    true,
  ],
};

describe('stateOf()', () => {
  test('is one row of the table, and only one', () => {
    for (const item of ALL) {
      const rows = Object.entries(ROWS).filter(([, [when]]) => when(item));
      expect(
        rows.map(([state]) => state),
        JSON.stringify(item),
      ).toEqual([stateOf(item)]);
    }
    expect(new Set(ALL.map(stateOf))).toEqual(new Set(Object.keys(ROWS)));
  });
});

describe('needsPublishing()', () => {
  test('follows from the state; of a refused item, from whether it may be taken over', () => {
    for (const item of ALL) {
      const [, due] = ROWS[stateOf(item)];
      const mayTakeOver = item.takeover && item.refusal?.reason !== 'Rejected';
      expect(needsPublishing(item), JSON.stringify(item)).toBe(due === 'takeover' ? mayTakeOver : due);
    }
  });
});
