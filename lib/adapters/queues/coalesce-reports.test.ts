import { expect, test, vi } from 'vitest';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { reportWindow } from './coalesce-reports.ts';
import { inProcessQueues } from './in-process-queues.ts';

const zone: ObjectRef = { kind: 'Zone', namespace: 'n', name: 'z' };
const record: ObjectRef = { kind: 'Record', namespace: 'n', name: 'r' };

/** A window whose time the test moves. */
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

test('coalesceReports() reports once what is asked for within a window; each kind has its own window', () => {
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

test('coalesceReports() reports again, afterwards, what is asked for while it is being reported', () => {
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

test('coalesceReports() reports a Zone with slow reports for at most a tenth of the time, and delays no other Zone', () => {
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
  // The pause is at most a minute.
  wait(100_000);
  done([zone]);
  add([zone]);
  wait(60_000);
  pass();
  expect(sent).toHaveLength(4);
});

test('coalesceReports() reports soon after one slow report, which may have waited for the API server', () => {
  const { add, done, sent, pass, wait } = start();
  for (const tookMs of [10, 7_000]) {
    add([zone, record]);
    pass();
    wait(tookMs);
    done([zone]);
    done([record]);
  }
  add([zone, record]);
  wait(1_000);
  pass();
  expect(sent).toEqual([['z'], ['r'], ['z'], ['r'], ['z']]);
  wait(4_000);
  pass();
  expect(sent.at(-1)).toEqual(['r']);
});

test('inProcessQueues() reports an object soon after reports of it that failed: the pauses between them are no work', async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const at: number[] = [];
    const queues = inProcessQueues({ clock: { nowMs: Date.now }, reportWindows: { zones: 1_000, others: 100 } });
    const report = async () => {
      if (Date.now() < 5_000) throw new Error('the API server is away');
      at.push(Date.now());
    };
    queues.attach({ hint: async () => {}, publish: async () => {}, report });
    await queues.report([record]);
    await vi.advanceTimersByTimeAsync(10_000);
    await queues.report([record]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(at).toEqual([7_100, 10_100]);
    await queues.close();
  } finally {
    vi.useRealTimers();
  }
});

test('coalesceReports() forgets what waits when it is closed', () => {
  const { add, close, sent, pass, isEmpty } = start();
  add([record]);
  close();
  pass();
  expect(sent).toEqual([]);
  expect(isEmpty()).toBe(true);
});
