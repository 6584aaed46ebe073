// Queries that are combined find what each finds alone, in far fewer requests where the keys are close to each other.
import { describe, expect, test } from 'vitest';
import { combinedQueries } from './combined-queries.ts';
import { compareSortKeys } from './sort-key-order.ts';

/** A table of these keys, which counts its requests. */
function tableOf(keys: readonly string[], itemsMax = Number.POSITIVE_INFINITY) {
  const items = keys.toSorted(compareSortKeys).map((sort) => ({ sort }));
  const requests = { alone: 0, range: 0 };
  const query = combinedQueries<{ readonly sort: string }>(
    async (_, prefix) => {
      requests.alone += 1;
      return { items: items.filter(({ sort }) => sort.startsWith(prefix)), next: null };
    },
    async (_, { from, to, limit }) => {
      requests.range += 1;
      const all = items.filter(({ sort }) => compareSortKeys(sort, from) >= 0 && compareSortKeys(sort, to) <= 0);
      const page = all.slice(0, Math.min(limit, itemsMax));
      return { items: page, next: page.length < all.length ? (page.at(-1)?.sort ?? null) : null };
    },
  );
  const found = async (prefixes: readonly string[]) => {
    const pages = await Promise.all(prefixes.map((prefix) => query('p', prefix)));
    return pages.map((page) => page.items.map(({ sort }) => sort));
  };
  return {
    requests,
    found,
    alone: (prefix: string) => items.map(({ sort }) => sort).filter((one) => one.startsWith(prefix)),
  };
}

const names = Array.from({ length: 200 }, (_, index) => `org example r${index} `);
const KEYS = names.flatMap((name) => [`${name}A `, `${name}TXT é`, `${name}TXT \u{1f600}`]);

describe('combinedQueries()', () => {
  test('asks once or twice for all names of a zone', async () => {
    const { requests, found, alone } = tableOf(KEYS);
    expect(await found(names)).toEqual(names.map(alone));
    expect(requests).toEqual({ alone: 0, range: 1 });
  });

  test('finds the same by pages, and for prefixes within each other, absent ones, and the same one twice', async () => {
    const { found, alone } = tableOf(KEYS, 7);
    const within = [...names, 'org example ', 'org ', 'com ', names[3] ?? '', 'org example r1'];
    for (const prefixes of [within, [...within, 'zz ']]) expect(await found(prefixes)).toEqual(prefixes.map(alone));
  });

  test('asks one by one for few queries, and for names that are far apart, after one try', async () => {
    const few = tableOf(KEYS);
    await few.found(names.slice(0, 3));
    expect(few.requests).toEqual({ alone: 3, range: 0 });
    const many = Array.from({ length: 20_000 }, (_, index) => `org example r${String(index).padStart(5, '0')} A `);
    const apart = tableOf(many);
    const asked = [0, 5_000, 10_000, 15_000, 19_999].map((index) => many[index] ?? '');
    expect(await apart.found(asked)).toEqual(asked.map((key) => [key]));
    expect(apart.requests).toEqual({ alone: 4, range: 1 });
  });

  test('fails those that are not answered when a request fails', async () => {
    const query = combinedQueries<{ readonly sort: string }>(
      async () => ({ items: [], next: null }),
      async () => {
        throw new Error('no answer');
      },
    );
    const asked = await Promise.allSettled(names.slice(0, 5).map((prefix) => query('p', prefix)));
    expect(asked.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  });
});
