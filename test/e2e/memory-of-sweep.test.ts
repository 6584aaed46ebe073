// A process of its own for each measure: flags of V8 hold for all of it.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SAMPLE_ENVIRONMENT } from '../../infra/build-functions.ts';
import { MAKE_GARBAGE } from '../support/garbage-script.ts';

/** MiB of heap at the most, of a process that loads this function and makes garbage. */
function heapAtMost(name: 'sweep' | 'publish'): number {
  const file = fileURLToPath(new URL(`../../functions/${name}.ts`, import.meta.url));
  const script = `
    await import(${JSON.stringify(file)});
    ${MAKE_GARBAGE}
    process.stdout.write(String(most));
    process.exit();
  `;
  const env = { ...SAMPLE_ENVIRONMENT, PATH: process.env.PATH ?? '' };
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', env }));
}

test('the sweep function keeps its heap near the size of its live objects', () => {
  expect(heapAtMost('sweep')).toBeLessThan(0.9 * heapAtMost('publish'));
});
