import { describe, expect, test } from 'vitest';
import { recordSetId } from '../../dns/record-set.ts';
import { newRecordSetItem, type RecordSetItem } from '../../record-sets/record-set-item.ts';
import { deletesThatWait, type WaitInput } from './deletes-that-wait.ts';
import type { ServicesView } from './guard-services.ts';

const NOW = 1_000_000;
const values = (text: string) => ({ kind: 'values' as const, ttlSeconds: 60, values: [text] });

function item(name: string, type: string, fields: Partial<RecordSetItem>): RecordSetItem {
  return { ...newRecordSetItem({ name, type, setIdentifier: null }), ...fields };
}

const leaving = (name: string, type = 'A') => item(name, type, { published: values('192.0.2.1') });
const live = (name: string, type = 'A') =>
  item(name, type, { published: values('192.0.2.1'), desired: values('192.0.2.1') });
const wanted = (name: string, type: string) => item(name, type, { desired: values('x.e.') });
const sent = (one: RecordSetItem): RecordSetItem => {
  return { ...one, intent: { content: null, before: one.published, epoch: 1, atMs: NOW } };
};

const waiting = (items: readonly RecordSetItem[], news: Partial<WaitInput> = {}) => {
  const base = {
    hostedZone: { name: 'e.' },
    dirtySinceMs: () => NOW - 100,
    marked: new Set<string>(),
    isHolding: false,
    deletesMax: 2,
    services: null,
    quietMs: 300,
    nowMs: NOW,
  };
  return [...deletesThatWait(items, { ...base, ...news })];
};

const A = ['a.e. A '];

describe('deletesThatWait()', () => {
  test.each<[string, readonly RecordSetItem[], Partial<WaitInput>, readonly string[]]>([
    ['waits for other deletes', [leaving('a.e.')], {}, A],
    ['waits although other record sets stay at its name', [leaving('a.e.'), live('a.e.', 'TXT')], {}, A],
    ['does not wait if the pause is 0', [leaving('a.e.')], { quietMs: 0 }, []],
    ['does not wait if no delete has come for a moment', [leaving('a.e.')], { dirtySinceMs: () => NOW - 300 }, []],
    [
      'waits as long as the newest delete',
      [leaving('a.e.'), leaving('b.e.')],
      { dirtySinceMs: (name) => NOW - (name === 'a.e.' ? 900 : 100) },
      ['a.e. A ', 'b.e. A '],
    ],
    [
      'waits half a minute at most',
      [leaving('a.e.'), leaving('b.e.')],
      { dirtySinceMs: (name) => NOW - (name === 'a.e.' ? 30_000 : 100) },
      [],
    ],
    ['does not wait if a CNAME ties it to a create', [leaving('a.e.'), wanted('a.e.', 'CNAME')], {}, []],
    ['does not wait if it was sent before', [sent(leaving('a.e.'))], {}, []],
    ['does not wait if the guard knows its name', [leaving('a.e.')], { marked: new Set(['a.e.']) }, []],
    ['does not wait if the guard will hold it anyway', ['a.e.', 'b.e.', 'c.e.'].map((name) => leaving(name)), {}, []],
    [
      'waits if the guard holds other deletes already',
      ['a.e.', 'b.e.', 'c.e.'].map((name) => leaving(name)),
      { isHolding: true },
      ['a.e. A ', 'b.e. A ', 'c.e. A '],
    ],
    ['only deletes wait', [live('a.e.'), wanted('b.e.', 'CNAME')], {}, []],
  ])('%s', (_, items, news, expected) => {
    expect(waiting(items, news).sort()).toEqual(expected);
  });

  test('lets the deletes of a Service that keeps other names go at once, and those of a whole Service wait', () => {
    const services = (going: readonly string[]): ServicesView => ({
      limits: { zone: 'e.', shareMax: 0.5, windowMs: 60_000 },
      going: new Set(going),
      gone: new Set(),
      staying: 1,
      behind: ({ name }) => (name.endsWith('.svc.e.') ? ['w.n.svc.e.'] : null),
    });
    const items = [leaving('a.w.n.svc.e.'), leaving('www.e.')];
    expect(waiting(items, { services: services([]) })).toEqual([recordSetId(leaving('www.e.'))]);
    expect(waiting(items, { services: services(['w.n.svc.e.']) })).toHaveLength(2);
    const many = [1, 2, 3].map((index) => leaving(`a${index}.w.n.svc.e.`));
    expect(waiting(many, { services: services(['w.n.svc.e.']) })).toHaveLength(3);
  });
});
