import { expect, test } from 'vitest';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { reportWindow } from './coalesce-reports.ts';

const zone: ObjectRef = { kind: 'Zone', namespace: 'n', name: 'z' };
const record: ObjectRef = { kind: 'Record', namespace: 'n', name: 'r' };

/** A window whose time passes when told. */
function start() {
  const timers: { readonly ms: number; readonly callback: () => void }[] = [];
  const sent: string[][] = [];
  const setTimer = (callback: () => void, ms: number) => {
    const timer = { ms, callback };
    timers.push(timer);
    return () => void timers.splice(timers.indexOf(timer), 1);
  };
  let nowMs = 0;
  const clock = { nowMs: () => nowMs };
  const window = reportWindow({ zones: 1_000, others: 100 }, { clock, setTimer }, (refs) =>
    sent.push(refs.map(({ name }) => name)),
  );
  const pass = () => {
    for (const { callback } of timers.splice(0)) callback();
  };
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { ...window, sent, pass, wait, waits: () => timers.map(({ ms }) => ms) };
}

test('what is asked for within a window is reported once, each kind after its own', () => {
  const { add, sent, pass, waits, isEmpty } = start();
  add([zone, record]);
  add([zone]);
  expect(waits()).toEqual([1_000, 100]);
  expect(sent).toEqual([]);
  expect(isEmpty()).toBe(false);
  pass();
  expect(sent).toEqual([['z'], ['r']]);
  expect(isEmpty()).toBe(true);
});

test('what is asked for while it is being reported is reported again afterwards, and not before', () => {
  const { add, done, sent, pass, waits, isEmpty } = start();
  add([zone]);
  pass();
  add([zone]);
  pass();
  expect(sent).toEqual([['z']]);
  expect(isEmpty(), 'only the one under way').toBe(true);
  done([zone]);
  expect(isEmpty()).toBe(false);
  expect(waits()).toEqual([1_000]);
  pass();
  expect(sent).toEqual([['z'], ['z']]);
});

test('a Zone whose report takes long is reported a tenth of the time, and holds up no other', () => {
  const { add, done, sent, pass, wait, isEmpty } = start();
  const other: ObjectRef = { kind: 'Zone', namespace: 'n', name: 'other' };
  add([zone]);
  pass();
  wait(2_000);
  done([zone]);
  add([zone, other]);
  pass();
  expect(sent).toEqual([['z'], ['other']]);
  expect(isEmpty(), 'a pause is not waited for').toBe(true);
  wait(17_999);
  pass();
  expect(sent).toHaveLength(2);
  wait(1);
  pass();
  expect(sent.at(-1)).toEqual(['z']);
  // Never longer than a minute.
  wait(100_000);
  done([zone]);
  add([zone]);
  wait(60_000);
  pass();
  expect(sent).toHaveLength(4);
});

test('closing forgets what waits', () => {
  const { add, close, sent, pass, isEmpty } = start();
  add([record]);
  close();
  pass();
  expect(sent).toEqual([]);
  expect(isEmpty()).toBe(true);
});
