import { describe, expect, it } from 'vitest';
import { compareSortKeys } from './sort-key-order.ts';
import { sortedKeys } from './sorted-keys.ts';

/** Random numbers that are the same in every run (Park and Miller). */
function numbers(): () => number {
  let last = 1;
  return () => {
    last = (last * 48_271) % 2_147_483_647;
    return last;
  };
}

describe('sorted keys', () => {
  it('stay in order through thousands of additions and removals', () => {
    const next = numbers();
    const keys = sortedKeys();
    const plain = new Set<string>();
    for (let step = 0; step < 20_000; step += 1) {
      const key = `k${next() % 6_000}`;
      if (plain.has(key)) keys.remove(key);
      else keys.add(key);
      if (!plain.delete(key)) plain.add(key);
    }
    const sorted = [...plain].toSorted(compareSortKeys);
    expect([...keys.from('', false)]).toEqual(sorted);
    for (const start of ['k3', sorted[700] ?? '', sorted.at(-1) ?? '', 'z', 'a']) {
      expect([...keys.from(start, false)]).toEqual(sorted.filter((key) => compareSortKeys(key, start) >= 0));
      expect([...keys.from(start, true)]).toEqual(sorted.filter((key) => compareSortKeys(key, start) > 0));
    }
  });

  it('are empty after all were removed, and can be filled again', () => {
    const keys = sortedKeys();
    const all = Array.from({ length: 2_000 }, (_, index) => `k${index}`);
    for (const key of all) keys.add(key);
    for (const key of all) keys.remove(key);
    expect([...keys.from('', false)]).toEqual([]);
    keys.add('b');
    keys.add('a');
    expect([...keys.from('', false)]).toEqual(['a', 'b']);
  });
});
