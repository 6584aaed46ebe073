// Each test measures a process of its own, because V8's flags apply to the whole process.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MAKE_GARBAGE } from '../support/garbage-script.ts';

type Heap = { readonly most: number; readonly young: number };

/**
 * Measures a process that makes garbage: the largest size of its heap, and the usual size of its young generation, in
 * MiB. The median is taken, because V8 may exceed its limit for a moment while much of the young generation is alive.
 */
function heapOf(call: string): Heap {
  const script = `
    import { keepHeapSmall } from ${JSON.stringify(fileURLToPath(new URL('../../lib/adapters/system/small-heap.ts', import.meta.url)))};
    ${call};
    ${MAKE_GARBAGE}
    const young = youngs.toSorted((a, b) => a - b)[Math.floor(youngs.length / 2)];
    process.stdout.write(JSON.stringify({ most, young }));
  `;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
}

test('keepHeapSmall() keeps the heap near the size of what is alive, and sets the size of the young generation', () => {
  const [small, given, asV8] = [heapOf('keepHeapSmall()'), heapOf('keepHeapSmall(16)'), heapOf('keepHeapSmall')];
  expect(small.most).toBeLessThan(0.75 * asV8.most);
  expect(given.most).toBeLessThan(0.75 * asV8.most);
  expect([small.young < 16, asV8.young > 16]).toEqual([true, true]);
  expect(given.young).toBe(16);
});

test('giveBack() returns the memory that a large process no longer uses, and keeps the size of the young generation', () => {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { giveBack, keepHeapSmall } from ${JSON.stringify(fileURLToPath(new URL('../../lib/adapters/system/small-heap.ts', import.meta.url)))};
    keepHeapSmall(16);
    const rss = () => process.memoryUsage.rss() / 1024 / 1024;
    globalThis.held = Array.from({ length: 3_500_000 }, (_, index) => [index]);
    const before = rss();
    giveBack();
    const held = rss();
    globalThis.held = null;
    giveBack();
    // V8 unmaps pages in the background, which takes longer on a busy machine.
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
