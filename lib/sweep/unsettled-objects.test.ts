import { expect, test } from 'vitest';
import type { LedgerItem } from '../ports/ledger.ts';
import type { SweepState } from './sweep-cursor.ts';
import { stillUnsettled, withHinted } from './unsettled-objects.ts';

const NAMES = Array.from({ length: 12 }, (_, index) => `r${String(index).padStart(2, '0')}`);

function stateAt(beganMs: number, unsettled: SweepState['unsettled'] = []): SweepState {
  const at = { phase: 'zones' } as const;
  return { sweepId: 's', beganMs, at, hinted: 0, failedKinds: [], names: null, unsettled };
}

/** Two sweeps that both sent a hint for each name. The ledger had these items. */
function twice(names: readonly string[], ...items: readonly [first: object, second: object]): SweepState {
  const hints = names.map((name) => ({ kind: 'Record', namespace: 'a', name }));
  const known = items.map((item, index) => {
    const stored = { partition: 'p', revision: `${index}`, body: {}, ...item };
    return new Map<string, LedgerItem>(names.map((name) => [`a/${name}`, { ...stored, sort: `a/${name}` }]));
  });
  const first = stateAt(1_000, withHinted(stateAt(1_000), hints, known[0] ?? new Map()));
  return stateAt(2_000, withHinted({ ...first, beganMs: 2_000 }, hints, known[1] ?? new Map()));
}

test('withHinted() counts an object from the first sweep on, unless its item was written', () => {
  const sinceOf = (first: object, second: object) => twice(['www'], first, second).unsettled?.[0]?.sinceMs;
  expect(sinceOf({ revision: 'x' }, { revision: 'x' })).toBe(1_000);
  expect(sinceOf({ revision: 'x' }, { revision: 'y' })).toBe(2_000);
});

test('withHinted() counts an unsettled item on that is written again for the same version', () => {
  const body = (version: string) => ({ body: { unsettled: true, version } });
  expect(twice(['www'], body('7'), body('7')).unsettled?.[0]?.sinceMs).toBe(1_000);
  expect(twice(['www'], body('7'), body('8')).unsettled?.[0]?.sinceMs).toBe(2_000);
});

test('withHinted() keeps ten objects, the longest known', () => {
  const before = twice(NAMES.slice(11), { revision: 'x' }, { revision: 'x' });
  const hints = NAMES.map((name) => ({ kind: 'Record', namespace: 'a', name }));
  const kept = withHinted({ ...before, beganMs: 3_000 }, hints, new Map());
  expect(kept).toHaveLength(10);
  const oldest = withHinted({ ...before, beganMs: 3_000 }, hints.slice(0, 11), new Map());
  expect(oldest[0]).toMatchObject({ object: 'Record a/r11', sinceMs: 1_000 });
});

test('stillUnsettled() has those of the sweep before until all objects are compared', () => {
  const before = twice(['www'], { revision: 'x' }, { revision: 'x' });
  const objects = { phase: 'objects', kind: 'Zone', token: null, after: null, ofNew: 'note', failures: 0 } as const;
  expect(stillUnsettled({ ...before, beganMs: 3_000, at: objects })).toHaveLength(1);
  expect(stillUnsettled({ ...before, beganMs: 3_000 })).toEqual([]);
  expect(stillUnsettled(before)).toHaveLength(1);
  expect(stillUnsettled(null)).toEqual([]);
});
