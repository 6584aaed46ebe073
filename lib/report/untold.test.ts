// When a transition is told: once it has stood for ten seconds.
import { expect, test } from 'vitest';
import type { Condition } from '../objects/conditions.ts';
import { type StatusItem, UNREPORTED } from '../observe/status-item.ts';
import { tellingOf } from './untold.ts';

const NOW = 1_000_000;

function reported(...reasons: readonly string[]): StatusItem {
  const conditions = reasons.map((reason) => ({
    type: reason.startsWith('P') ? 'Programmed' : 'Accepted',
    status: 'True',
    reason,
    message: 'any',
  })) as unknown as Condition[];
  return { ...UNREPORTED, uid: 'u', conditions };
}

/** Reports these reasons, each so many milliseconds after the one before. Returns what was told, and when. */
function toldBy(...steps: readonly (readonly [afterMs: number, ...reasons: string[]])[]): string[] {
  const told: string[] = [];
  let nowMs = NOW;
  let before: StatusItem | null = null;
  for (const [afterMs, ...reasons] of steps) {
    nowMs += afterMs;
    const telling = tellingOf(before, reported(...reasons), nowMs);
    const names = (all: readonly Condition[]) => all.map(({ reason }) => reason).join('+') || 'nothing';
    if (names(telling.told) !== names(telling.now.conditions))
      told.push(`${nowMs - NOW}: ${names(telling.told)} to ${names(telling.now.conditions)}`);
    before = telling.now;
  }
  return told;
}

test('tellingOf() tells what has stood for ten seconds, once', () => {
  expect(toldBy([0, 'Adopted'], [10_000, 'Adopted'], [10_000, 'Adopted'])).toEqual(['10000: nothing to Adopted']);
  expect(toldBy([0, 'Adopted'], [9_999, 'Adopted'])).toEqual([]);
  const telling = tellingOf(null, reported('Adopted'), NOW);
  expect(telling.againSeconds).toBe(10);
  expect(tellingOf(telling.now, reported('Adopted'), NOW + 4_500).againSeconds).toBe(6);
});

test('tellingOf() tells nothing of what was true for a second', () => {
  expect(toldBy([0, 'ParentNotFound'], [1_000, 'Adopted'], [10_000, 'Adopted'])).toEqual(['11000: nothing to Adopted']);
  const back = [
    [0, 'Adopted'],
    [10_000, 'Adopted'],
    [5_000, 'Conflict'],
    [1_000, 'Adopted'],
    [20_000, 'Adopted'],
  ] as const;
  expect(toldBy(...back)).toEqual(['10000: nothing to Adopted']);
});

test('tellingOf() counts the time anew for each transition, and tells the last against what was told', () => {
  const steps = [
    [0, 'Adopted'],
    [10_000, 'Adopted'],
    [1_000, 'Conflict'],
    [9_000, 'InvalidSpec'],
    [9_000, 'InvalidSpec'],
    [1_000, 'InvalidSpec'],
  ] as const;
  expect(toldBy(...steps)).toEqual(['10000: nothing to Adopted', '30000: Adopted to InvalidSpec']);
});

test('tellingOf() takes an earlier report without a note for told', () => {
  expect(tellingOf(reported('Adopted'), reported('Adopted'), NOW)).toMatchObject({ againSeconds: null });
});
