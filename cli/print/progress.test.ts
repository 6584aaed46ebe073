import { expect, test, vi } from 'vitest';
import { startProgress } from './progress.ts';

function drawn(shown: boolean, columns: number | null = null) {
  const written: string[] = [];
  let nowMs = 0;
  const progress = startProgress(
    (text) => written.push(text),
    shown,
    () => nowMs,
    () => columns,
  );
  return { written, progress, after: (milliseconds: number) => (nowMs += milliseconds) };
}

test('startProgress() shows its line after a second, and hides it while something else is printed', () => {
  const { written, progress, after } = drawn(true);
  progress.say('reading');
  expect(written).toEqual([]);
  after(1_500);
  progress.say('planning \u001b');
  expect(written).toEqual(['\r\u001b[2Kplanning \\u{1b} … 1 s']);
  progress.write('warn x\n');
  expect(written.slice(1)).toEqual(['\r\u001b[2K', 'warn x\n']);
  progress.stop();
  expect(written).toHaveLength(3);
});

test('startProgress() removes its line at the end', () => {
  const { written, progress, after } = drawn(true);
  after(2_000);
  progress.say('planning');
  progress.stop();
  expect(written.at(-1)).toBe('\r\u001b[2K');
});

test.each([true, false])('startProgress() prints nothing more when the work is done (terminal: %s)', (shown) => {
  vi.useFakeTimers();
  try {
    const { written, progress, after } = drawn(shown);
    progress.say('starting');
    after(2_000);
    vi.advanceTimersByTime(1_000);
    expect(written.at(-1)).toBe(shown ? '\r\u001b[2Kstarting … 2 s' : undefined);
    progress.say('');
    const said = written.length;
    expect(written.at(-1)).toBe(shown ? '\r\u001b[2K' : undefined);
    after(60_000);
    vi.advanceTimersByTime(60_000);
    expect(written).toHaveLength(said);
    progress.stop();
  } finally {
    vi.useRealTimers();
  }
});

test('startProgress() prints nothing without a terminal if the work takes only seconds', () => {
  const { written, progress, after } = drawn(false);
  after(5_000);
  progress.say('planning');
  progress.stop();
  expect(written).toEqual([]);
});

test('startProgress() prints a line every 15 seconds if standard error is not a terminal', () => {
  const { written, progress, after } = drawn(false);
  for (const done of [1, 2, 3]) {
    after(10_000);
    progress.say(`published ${done} of 3 changes`);
  }
  progress.stop();
  expect(written).toEqual(['published 2 of 3 changes\n']);
});

test.each([
  [30, 'publishing 10000 change … 2 s'],
  [12, 'publi … 2 s'],
  [4, 'pub'],
])('startProgress() leaves no row behind in %s columns', (columns, line) => {
  const { written, progress, after } = drawn(true, columns);
  progress.say('begun');
  after(2_000);
  progress.say('publishing 10000 changes into Z1');
  const row = (written.at(-1) ?? '').replace('\r\u001b[2K', '');
  expect(row.length).toBeLessThan(columns);
  expect(row).toBe(line);
  progress.stop();
});

test('startProgress() does not count the time at a question', () => {
  const { written, progress, after } = drawn(true);
  progress.say('planning');
  after(2_000);
  progress.say('');
  after(20_000);
  progress.say('publishing');
  after(2_000);
  progress.say('publishing 2');
  expect(written.at(-1)).toBe('\r\u001b[2Kpublishing 2 … 2 s');
  progress.stop();
});
