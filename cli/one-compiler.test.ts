// A process of its own for each: flags of V8 hold for all of it.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The compilers that V8 says it has compiled a hot function with. */
function compilersOf(once: boolean): readonly string[] {
  const script = `
    import { compileOnce } from ${JSON.stringify(fileURLToPath(new URL('one-compiler.ts', import.meta.url)))};
    if (${once}) compileOnce();
    const sum = (values) => values.reduce((all, one) => all + one, 0);
    const values = Array.from({ length: 200 }, (_, index) => index);
    for (let round = 0; round < 10_000; round += 1) sum(values);
  `;
  const flags = ['--trace-opt', '--no-concurrent-recompilation', '--input-type=module', '-e', script];
  const said = execFileSync(process.execPath, flags, { encoding: 'utf8' });
  const compilers = said.matchAll(/completed compiling .*target (MAGLEV|TURBOFAN)/g);
  return [...new Set(Array.from(compilers, ([, compiler = '']) => compiler))].sort();
}

test('compileOnce() lets only Maglev compile hot code', () => {
  expect([compilersOf(false), compilersOf(true)]).toEqual([['MAGLEV', 'TURBOFAN'], ['MAGLEV']]);
});
