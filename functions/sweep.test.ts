// A process of its own for each measure: flags of V8 hold for all of it.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SAMPLE_ENVIRONMENT } from '../infra/build-functions.ts';

/**
 * MiB of heap at the most, of a process that loads this function, holds a few megabytes and makes garbage that lives
 * for a while.
 */
function heapAtMost(name: 'sweep' | 'publish'): number {
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const script = `
    await import(${JSON.stringify(file)});
    let most = 0;
    let lately = [];
    for (let index = 0; index < 600_000; index += 1) {
      lately.push({ name: 'name ' + index, values: [index] });
      if (lately.length === 100_000) lately = lately.slice(50_000);
      if (index % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapTotal);
    }
    process.stdout.write(String(most / 1024 / 1024));
    process.exit();
  `;
  const env = { ...SAMPLE_ENVIRONMENT, PATH: process.env.PATH ?? '' };
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', env }));
}

test('the function that sweeps keeps its heap near what lives in it', () => {
  expect(heapAtMost('sweep')).toBeLessThan(0.9 * heapAtMost('publish'));
});
