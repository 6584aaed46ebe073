// Each test measures a process of its own, because V8's flags apply to the whole process.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MAKE_GARBAGE } from '../../../test/support/garbage-script.ts';

type Heap = { readonly most: number; readonly young: number };

/**
 * MiB of heap at the most, and of the young generation most of the time, of a process that makes garbage. For a moment
 * V8 lets a young generation grow that may not, where much of it lives on.
 */
function heapOf(call: string): Heap {
  const script = `
    import { keepHeapSmall } from ${JSON.stringify(fileURLToPath(new URL('small-heap.ts', import.meta.url)))};
    ${call};
    ${MAKE_GARBAGE}
    const young = youngs.toSorted((a, b) => a - b)[Math.floor(youngs.length / 2)];
    process.stdout.write(JSON.stringify({ most, young }));
  `;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
}

test('keepHeapSmall() keeps the heap near what lives in it, and gives the young generation the size it is told', () => {
  const [small, given, asV8] = [heapOf('keepHeapSmall()'), heapOf('keepHeapSmall(16)'), heapOf('keepHeapSmall')];
  expect(small.most).toBeLessThan(0.75 * asV8.most);
  expect(given.most).toBeLessThan(0.75 * asV8.most);
  expect([small.young < 16, asV8.young > 16]).toEqual([true, true]);
  expect(given.young).toBe(16);
});

test('giveBack() gives back what a large process has let go, and leaves the young generation as large', () => {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { giveBack, keepHeapSmall } from ${JSON.stringify(fileURLToPath(new URL('small-heap.ts', import.meta.url)))};
    keepHeapSmall(16);
    const rss = () => process.memoryUsage.rss() / 1024 / 1024;
    globalThis.held = Array.from({ length: 3_500_000 }, (_, index) => [index]);
    const before = rss();
    giveBack();
    const held = rss();
    globalThis.held = null;
    giveBack();
    // V8 unmaps pages beside the program, which takes longer on a busy machine.
    let after = rss();
    for (let waits = 0; waits < 100 && after >= before / 2; waits += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      after = rss();
    }
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
    process.stdout.write(JSON.stringify({ before, held, after, young: young / 1024 / 1024 }));
  `;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const { before, held, after, young } = JSON.parse(said) as Record<'before' | 'held' | 'after' | 'young', number>;
  expect(before).toBeGreaterThan(256);
  expect(held).toBeGreaterThan(150);
  expect(after).toBeLessThan(before / 2);
  expect(young).toBe(16);
});
