import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { keyText, NO_TEXTS, ownText, ownTexts, sharedText, textsOf } from './own-text.ts';

const TEXTS = [
  '',
  'a',
  'short',
  'exactly-13-ch',
  'a text that is long enough to be shared by V8',
  '\ud83d\ude00 and more text behind',
  '__proto__',
];

test('ownText() is the same text', () => {
  expect(TEXTS.map(ownText)).toEqual(TEXTS);
});

test('ownTexts() changes no value and no key, at any depth', () => {
  const long = 'x'.repeat(40);
  const value = { a: long, n: 1, none: null, list: [long, { b: long, yes: true }], [long]: long };
  expect(ownTexts(structuredClone(value))).toEqual(value);
  expect(ownTexts([undefined, null, 1, long])).toEqual([undefined, null, 1, long]);
  expect(ownTexts(null)).toBeNull();
});

test('textsOf() gives one shared mapping to all objects without texts', () => {
  expect(textsOf([])).toBe(NO_TEXTS);
  expect(textsOf([['a', 'b']])).toEqual({ a: 'b' });
  expect(sharedText('default')).toBe('default');
});

test('keyText() joins its parts, and equal texts are in memory once', () => {
  expect([keyText([]), keyText(['__proto__']), keyText(['Record', ' ', 'team/www'])]).toEqual([
    '',
    '__proto__',
    'Record team/www',
  ]);
  const script = `
    import { keyText } from ${JSON.stringify(fileURLToPath(new URL('own-text.ts', import.meta.url)))};
    const mebibytes = (join) => {
      gc();
      const before = process.memoryUsage().heapUsed;
      const texts = Array.from({ length: 100_000 }, (_, index) => join(['x'.repeat(100), String(index % 100)]));
      gc();
      return texts.length && (process.memoryUsage().heapUsed - before) / 1024 / 1024;
    };
    process.stdout.write(JSON.stringify([mebibytes((parts) => parts.join('')), mebibytes(keyText)]));
  `;
  const args = ['--expose-gc', '--input-type=module', '-e', script];
  const [joined, once] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as [number, number];
  expect(joined).toBeGreaterThan(10);
  expect(once).toBeLessThan(joined / 4);
});
