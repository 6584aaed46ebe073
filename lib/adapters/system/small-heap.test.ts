// A process of its own for each measure: flags of V8 hold for all of it.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** MiB of heap at the most, of a process that holds a few megabytes and makes garbage that lives for a while. */
function heapAtMost(keepsSmall: boolean): number {
  const script = `
    import { keepHeapSmall } from ${JSON.stringify(fileURLToPath(new URL('small-heap.ts', import.meta.url)))};
    if (${keepsSmall}) keepHeapSmall();
    let most = 0;
    let lately = [];
    for (let index = 0; index < 600_000; index += 1) {
      lately.push({ name: 'name ' + index, values: [index] });
      if (lately.length === 100_000) lately = lately.slice(50_000);
      if (index % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapTotal);
    }
    process.stdout.write(String(most / 1024 / 1024));
  `;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
}

test('keepHeapSmall() keeps the heap near what lives in it', () => {
  expect(heapAtMost(true)).toBeLessThan(0.75 * heapAtMost(false));
});
