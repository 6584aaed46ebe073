// The table at the head of judge-reading.ts, over every combination of an item and what Route 53 has.
import { describe, expect, test } from 'vitest';
import { type RecordSetContent, sameContent } from '../dns/record-set.ts';
import { type Finding, findingOf, judgeReading, type ReadingContext } from './judge-reading.ts';
import { newRecordSetItem, type RecordSetItem } from './record-set-item.ts';

const NOW = 10_000_000;
const values = (address: string) => ({ kind: 'values' as const, ttlSeconds: 60, values: [address] });
const PUBLISHED = values('192.0.2.1');
const WANTED = values('192.0.2.2');
const LATE = values('192.0.2.3');
const STRANGE = values('203.0.113.9');

type Case = { readonly item: RecordSetItem; readonly actual: RecordSetContent | null; readonly refused: boolean };

function* cases(): Generator<Case> {
  const base = { ...newRecordSetItem({ name: 'www.e.', type: 'A', setIdentifier: null }), zone: 'a/e' };
  for (const published of [null, PUBLISHED])
    for (const desired of [null, WANTED, PUBLISHED])
      for (const writes of [undefined, null, WANTED])
        for (const late of [[], [LATE], [null]])
          for (const reason of [null, 'ForeignRecord', 'Drifted', 'Rejected', 'HeldByGuard'] as const)
            for (const takeover of [false, true])
              for (const actual of [null, PUBLISHED, WANTED, LATE, STRANGE])
                for (const refused of writes === undefined ? [false] : [false, true]) {
                  const intent =
                    writes === undefined ? null : { content: writes, before: published, epoch: 7, atMs: NOW - 5 };
                  const refusal = reason && { reason, message: 'no', content: desired, atMs: NOW - 5 };
                  const objects = desired === null ? [] : ['Record a/www'];
                  const publishedObjects = published === null ? [] : ['Record a/www'];
                  const noted = late.map((content) => ({ content, atMs: NOW - 5 }));
                  const item = { ...base, published, desired, intent, refusal, objects, publishedObjects, takeover };
                  yield { item: { ...item, late: noted }, actual, refused };
                }
}

const ALL = [...cases()];

/** The rows of the table, written without the code. */
const ROWS: readonly {
  readonly finding: Finding;
  readonly when: (one: Case) => boolean;
}[] = [
  { finding: 'landed', when: (one) => isOpen(one) && standsIntent(one) },
  { finding: 'unconfirmed', when: (one) => isOpen(one) && !standsIntent(one) },
  { finding: 'free', when: (one) => !isOpen(one) && !isHeld(one) && one.actual === null },
  { finding: 'ours', when: (one) => !isOpen(one) && one.actual !== null && (isHeld(one) ? fits(one) : isLate(one)) },
  { finding: 'foreign', when: (one) => !isOpen(one) && !isHeld(one) && one.actual !== null && !isLate(one) },
  { finding: 'gone', when: (one) => !isOpen(one) && isHeld(one) && one.actual === null },
  { finding: 'drifted', when: (one) => !isOpen(one) && isHeld(one) && one.actual !== null && !fits(one) },
];

const isOpen = ({ item, refused }: Case) => item.intent !== null && !refused;
const standsIntent = ({ item, actual }: Case) => sameContent(actual, item.intent?.content ?? null);
const isHeld = ({ item }: Case) => item.published !== null;
const isLate = ({ item, actual }: Case) => item.late.some(({ content }) => sameContent(content, actual));
const fits = (one: Case) => {
  const wanted = one.item.intent === null ? one.item.desired : one.item.intent.content;
  return sameContent(one.actual, one.item.published) || sameContent(one.actual, wanted) || isLate(one);
};

const sight = (one: Pick<Case, 'refused'>): ReadingContext => ({
  epoch: 8,
  nowMs: NOW,
  owner: { takeover: false, zone: 'a/e' },
  sinceMs: NOW,
  refused: one.refused,
});
const look = (one: Case) => judgeReading(one.item, one.actual, sight(one));

/** The cases that break a law, as text, so that they can be read. */
const breaking = (law: (one: Case) => boolean) => ALL.filter((one) => !law(one)).map((one) => JSON.stringify(one));

describe('findingOf()', () => {
  test('is one row of the table, and only one', () => {
    expect(breaking((one) => ROWS.filter(({ when }) => when(one)).length === 1)).toEqual([]);
    expect(breaking((one) => ROWS.find(({ when }) => when(one))?.finding === look(one).finding)).toEqual([]);
    expect(new Set(ALL.map((one) => findingOf(one.item, one.actual, one.refused))).size).toBe(ROWS.length);
  });
});

describe('judgeReading()', () => {
  test('ends an open intent, and forgets no write that may still land', () => {
    expect(breaking((one) => !isOpen(one) || look(one).item?.intent === null)).toEqual([]);
    const keeps = (one: Case) =>
      look(one).finding !== 'unconfirmed' ||
      look(one).item?.late.some(({ content }) => sameContent(content, one.item.intent?.content ?? null)) === true;
    expect(breaking(keeps)).toEqual([]);
  });

  test('gives as published only what Route 53 has, or what was published before', () => {
    const law = (one: Case) => {
      const after = look(one).item ?? one.item;
      return sameContent(after.published, one.actual) || sameContent(after.published, one.item.published);
    };
    expect(breaking(law)).toEqual([]);
  });

  test('never takes a foreign record set for ours, unless its Zone takes over', () => {
    const law = (one: Case) => {
      const { finding, item } = look(one);
      if (finding !== 'foreign' && finding !== 'drifted') return true;
      return one.item.takeover || item === null || sameContent(item.published, one.item.published);
    };
    expect(breaking(law)).toEqual([]);
  });

  test('does not change the fields that reconcile writes', () => {
    const own = ({ desired, objects, zone, takeover }: RecordSetItem) =>
      JSON.stringify([desired, objects, zone, takeover]);
    expect(breaking((one) => own(look(one).item ?? one.item) === own(one.item))).toEqual([]);
  });

  test('keeps who asked for what is published, while another content waits', () => {
    const asked = ['Record a/one', 'Record a/two', 'Record a/three'];
    const waits = ({ item, actual }: Case) =>
      item.published !== null &&
      item.intent === null &&
      sameContent(actual, item.published) &&
      !fits({ item: { ...item, published: null }, actual, refused: false });
    const waiting = ALL.filter(waits).map((one) => ({ ...one, item: { ...one.item, publishedObjects: asked } }));
    expect(waiting.length).toBeGreaterThan(10);
    expect(waiting.map((one) => (look(one).item ?? one.item).publishedObjects)).toEqual(waiting.map(() => asked));
  });

  test('notes nothing when it reads the same again', () => {
    const law = (one: Case) => {
      const { item } = look(one);
      if (item === null || one.refused) return true;
      // What was still open is judged by the noted item from now on.
      const again = look({ item, actual: one.actual, refused: false }).item ?? item;
      return look({ item: again, actual: one.actual, refused: false }).item === null;
    };
    expect(breaking(law)).toEqual([]);
  });

  test('counts a delete as ours only if one of ours was sent, or may have landed late', () => {
    const law = (one: Case) => {
      const { item } = look(one);
      const isCounted = item !== null && item.deleted !== null;
      const isOurs = one.item.intent?.content === null || one.item.late.some(({ content }) => content === null);
      return !isCounted || (one.actual === null && one.item.published !== null && isOurs);
    };
    expect(breaking(law)).toEqual([]);
  });
});
