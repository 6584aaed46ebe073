import { expect, test } from 'vitest';
import { parseUsage, processUsage } from './process-usage.ts';

test('CPU and peak memory are read, also of a program whose name has blanks and parentheses', () => {
  const stat = '7 (a (b) c) S 1 7 7 0 -1 4194304 900 0 3 0 250 50 0 0 20 0 11 0 100 1000 200';
  expect(parseUsage(stat, 'Name:\tx\nVmPeak:\t 9000 kB\nVmHWM:\t   2048 kB\n')).toEqual({ cpuSeconds: 3, peakMiB: 2 });
});

test('a process that is not there has no usage', () => {
  expect(processUsage(undefined)).toBeNull();
});
