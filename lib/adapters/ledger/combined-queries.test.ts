// Queries that are combined find what each finds alone, in far fewer requests where the keys are close to each other.
import { describe, expect, test } from 'vitest';
import { combinedQueries, type PrefixQuery } from './combined-queries.ts';
import { compareSortKeys } from './sort-key-order.ts';

/** What DynamoDB answers: at the limit it says where to go on, also if nothing follows. */
function pageOf(items: readonly { readonly sort: string }[], { prefix, after, limit }: PrefixQuery) {
  const all = items.filter(
    ({ sort }) => sort.startsWith(prefix) && (after === undefined || compareSortKeys(sort, after) > 0),
  );
  const page = all.slice(0, limit);
  return { items: page, next: page.length === limit ? (page.at(-1)?.sort ?? null) : null };
}

/** A table of these keys, which counts its requests. */
function tableOf(keys: readonly string[], itemsMax = Number.POSITIVE_INFINITY) {
  const items = keys.toSorted(compareSortKeys).map((sort) => ({ sort }));
  const requests = { alone: 0, range: 0 };
  const query = combinedQueries<{ readonly sort: string }>(
    async (_, query) => {
      requests.alone += 1;
      return pageOf(items, query);
    },
    async (_, { from, to, limit }) => {
      requests.range += 1;
      const all = items.filter(({ sort }) => compareSortKeys(sort, from) >= 0 && compareSortKeys(sort, to) <= 0);
      const page = all.slice(0, Math.min(limit, itemsMax));
      return { items: page, next: page.length < all.length ? (page.at(-1)?.sort ?? null) : null };
    },
  );
  const found = async (prefixes: readonly string[]) => {
    const pages = await Promise.all(prefixes.map((prefix) => query('p', { prefix })));
    return pages.map((page) => page.items.map(({ sort }) => sort));
  };
  return {
    requests,
    found,
    query,
    page: (asked: PrefixQuery) => pageOf(items, asked),
    alone: (prefix: string) => items.map(({ sort }) => sort).filter((one) => one.startsWith(prefix)),
  };
}

const LAST_KEY = '\u{10ffff}';
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

  test('finds the same behind a key and up to a limit, and where to go on', async () => {
    const within = [...names, 'org example ', 'org ', 'com '];
    for (const itemsMax of [3, 7, 1_000]) {
      const { query, page, requests } = tableOf(KEYS, itemsMax);
      const asked: PrefixQuery[] = within.flatMap((prefix, index) => [
        { prefix, after: `${prefix}TXT`, limit: 24 },
        { prefix, limit: 1 + (index % 3) },
        { prefix, after: `${prefix}A ` },
      ]);
      const all = async (of: (one: PrefixQuery) => unknown) => Promise.all(asked.map(of));
      // A page that ends exactly at the limit may say either that nothing follows, or where to go on.
      const shown = await all((one) => query('p', one));
      for (const [index, one] of asked.entries()) {
        const found = shown[index] as ReturnType<typeof page>;
        const alone = page(one);
        expect(found.items).toEqual(alone.items);
        const follows = page({ prefix: one.prefix, after: alone.next ?? LAST_KEY, limit: 1 }).items.length > 0;
        if (follows || alone.next === null) expect(found.next).toBe(alone.next);
      }
      expect(requests.alone).toBeLessThan(asked.length);
    }
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
    const asked = await Promise.allSettled(names.slice(0, 5).map((prefix) => query('p', { prefix })));
    expect(asked.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  });
});
