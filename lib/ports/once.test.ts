import { expect, test } from 'vitest';
import { oncePerKey, sharedNext } from './once.ts';

test('oncePerKey() calls the function once for each key', () => {
  const calls: string[] = [];
  const shout = oncePerKey(
    (word: string) => word.toLowerCase(),
    (word) => {
      calls.push(word);
      return `${word}!`;
    },
  );
  expect([shout('a'), shout('A'), shout('b')]).toEqual(['a!', 'a!', 'b!']);
  expect(calls).toEqual(['a', 'b']);
});

test('sharedNext() runs no two calls at once, whenever a call comes, and after one that fails', async () => {
  let running = 0;
  let begun = 0;
  const read = sharedNext(async () => {
    const own = ++begun;
    expect(++running).toBe(1);
    await Promise.resolve();
    running -= 1;
    if (own === 1) throw new Error('the first fails');
    return own;
  });
  const all: Promise<number | string>[] = [];
  for (let step = 0; step < 20; step += 1) {
    all.push(read().catch((error: Error) => error.message));
    await Promise.resolve();
  }
  const results = await Promise.all(all);
  expect(results[0]).toBe('the first fails');
  expect(results.slice(1)).not.toContain('the first fails');
  expect(begun).toBeGreaterThan(2);
});
