// The contract of every ledger. It runs on the ledger in memory, on SQLite (npm test) and on DynamoDB Local (npm run
// e2e). Every case uses partitions of its own, so that one table is enough for the whole suite.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Ledger, LedgerItem } from '../../../lib/ports/ledger.ts';

/** A ledger, and the resources to close after it. */
export type LedgerUnderTest = { readonly ledger: Ledger; close(): Promise<void> };

/** Bodies that must come back as they were written. */
const BODIES: readonly (readonly [string, JsonObject])[] = [
  ['nothing', {}],
  ['null, booleans and empty things', { a: null, b: true, c: false, d: '', e: [], f: {}, '': 'empty key' }],
  ['numbers', { a: 0, b: -1, c: 1.5, d: 2 ** 53 - 1, e: 1e-300, f: 1.7976931348623157e308, g: 0.1 + 0.2 }],
  ['unicode', { a: 'müller 例え 😀', '😀': '\u0000\u001f\u2028', b: '\ud800 alone' }],
  ['nesting', { a: [[1, [null, { b: ['x'] }]], 'y'] }],
  ['names that DynamoDB reserves', { pk: 1, sk: 2, rev: 'x', body: {}, size: 'y', __proto: 'z' }],
];

/** Characters from U+E000 on, in order of their octets: in UTF-16 the last three come first. */
const HIGH = ['\ue000', '\ufffd', '\uffff', '\u{10000}', '😀', '\u{10ffff}'];
/** Sort keys in the order of their octets. */
const SORTS = ['!', 'Z', 'a', 'a ', 'a b ', 'a-', 'ab', 'b', 'é', '例', ...HIGH];

/** Declares the suite for one ledger. */
export function ledgerContract(name: string, start: () => Promise<LedgerUnderTest>): void {
  describe(`ledger contract: ${name}`, () => {
    let under: LedgerUnderTest;
    let ledger: Ledger;
    beforeAll(async () => {
      under = await start();
      ledger = under.ledger;
    });
    afterAll(() => under?.close());
    const partition = () => `p#${randomUUID()}`;
    const fill = async (name: string, sorts: readonly string[]) => {
      for (const sort of sorts) await put(ledger, name, sort, { v: sort }, null);
    };

    it('get() gives null if the item does not exist', async () => {
      expect(await ledger.get({ partition: partition(), sort: 's' })).toBeNull();
    });

    it.each(BODIES)('put() and get() keep a body as it is: %s', async (_, body) => {
      const p = partition();
      const revision = await put(ledger, p, 's', body, null);
      const expected: LedgerItem = { partition: p, sort: 's', revision, body };
      expect(await ledger.get({ partition: p, sort: 's' })).toEqual(expected);
      expect((await ledger.query(p)).items).toEqual([expected]);
    });

    it('put() and get() keep a body of 600 KB', async () => {
      const values = Array.from({ length: 12_000 }, (_, index) => `"value number ${index} of a long TXT record"`);
      const p = partition();
      await put(ledger, p, 's', { values }, null);
      expect((await ledger.get({ partition: p, sort: 's' }))?.body).toEqual({ values });
      expect((await ledger.query(p)).items[0]?.body).toEqual({ values });
    });

    it('a body that is changed after put() does not change the item', async () => {
      const key = { partition: partition(), sort: 's' };
      const body = { list: ['a'] };
      await ledger.put(key, body, null);
      body.list.push('b');
      expect((await ledger.get(key))?.body).toEqual({ list: ['a'] });
    });

    it('put() that expects no item is refused if one exists, and does not change it', async () => {
      const key = { partition: partition(), sort: 's' };
      const revision = await ledger.put(key, { n: 1 }, null);
      expect(await ledger.put(key, { n: 2 }, null)).toBeNull();
      expect(await ledger.get(key)).toMatchObject({ revision, body: { n: 1 } });
    });

    it('put() replaces the whole body at the right revision only', async () => {
      const key = { partition: partition(), sort: 's' };
      const first = await put(ledger, key.partition, key.sort, { a: 1, b: 2 }, null);
      const second = await put(ledger, key.partition, key.sort, { a: 3 }, first);
      expect(second).not.toBe(first);
      expect(await ledger.put(key, { a: 4 }, first)).toBeNull();
      expect(await ledger.get(key)).toMatchObject({ revision: second, body: { a: 3 } });
      expect((await ledger.get(key))?.body).not.toHaveProperty('b');
    });

    it('put() at a revision is refused if no item exists', async () => {
      const key = { partition: partition(), sort: 's' };
      expect(await ledger.put(key, { n: 1 }, 'no such revision')).toBeNull();
      expect(await ledger.get(key)).toBeNull();
    });

    it('remove() removes at the right revision only, once', async () => {
      const key = { partition: partition(), sort: 's' };
      const first = await put(ledger, key.partition, key.sort, {}, null);
      const second = await put(ledger, key.partition, key.sort, {}, first);
      expect(await ledger.remove(key, first)).toBe(false);
      expect(await ledger.get(key)).not.toBeNull();
      expect(await ledger.remove(key, second)).toBe(true);
      expect(await ledger.get(key)).toBeNull();
      expect(await ledger.remove(key, second)).toBe(false);
      expect((await ledger.query(key.partition)).items).toEqual([]);
    });

    it('a revision does not come back after a removal', async () => {
      const key = { partition: partition(), sort: 's' };
      const first = await put(ledger, key.partition, key.sort, { n: 1 }, null);
      await ledger.remove(key, first);
      const second = await put(ledger, key.partition, key.sort, { n: 1 }, null);
      expect(second).not.toBe(first);
      expect(await ledger.remove(key, first)).toBe(false);
      expect(await ledger.put(key, { n: 2 }, first)).toBeNull();
    });

    it('put() of several writers at one revision succeeds for exactly one', async () => {
      const key = { partition: partition(), sort: 's' };
      const first = await put(ledger, key.partition, key.sort, { n: 0 }, null);
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => ledger.put(key, { n: n + 1 }, first)));
      const won = answers.flatMap((revision, n) => (revision === null ? [] : [{ revision, body: { n: n + 1 } }]));
      expect(won).toHaveLength(1);
      expect(await ledger.get(key)).toMatchObject(won[0] ?? {});
    });

    it('put() and remove() at the same time each have their own result', async () => {
      const p = partition();
      const keyOf = (n: number) => ({ partition: p, sort: `s${n}` });
      const numbers = Array.from({ length: 60 }, (_, n) => n);
      const first = await Promise.all(numbers.map((n) => ledger.put(keyOf(n), { n }, null)));
      expect(new Set(first).size).toBe(60);
      // One third of the items is replaced, one removed, and one is at another revision; 60 and 61 do not exist.
      const answers = await Promise.all([
        ...numbers.map((n) => {
          if (n % 3 === 0) return ledger.put(keyOf(n), { n, again: true }, first[n] ?? '');
          return ledger.remove(keyOf(n), n % 3 === 1 ? (first[n] ?? '') : 'another');
        }),
        ledger.put(keyOf(0), { late: true }, null),
        ledger.remove(keyOf(60), 'gone'),
        ledger.put(keyOf(61), {}, 'gone'),
      ]);
      expect(answers.slice(60)).toEqual([null, false, null]);
      for (const n of numbers) {
        expect(answers[n]).toEqual([expect.any(String), true, false][n % 3]);
        const item = await ledger.get(keyOf(n));
        if (n % 3 === 0) expect(item).toMatchObject({ revision: answers[n], body: { n, again: true } });
        else expect(item?.revision ?? null).toBe(n % 3 === 1 ? null : first[n]);
      }
    });

    it('put() that is impossible is an Error, and affects no other write at the same time', async () => {
      const p = partition();
      const sorts = ['a', '', 'b'];
      const answers = await Promise.allSettled(sorts.map((sort) => ledger.put({ partition: p, sort }, {}, null)));
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await sortsOf(ledger, p)).toEqual(['a', 'b']);
    });

    it('put() writes items beside an item with it, or none of them', async () => {
      const [p, other] = [partition(), partition()];
      const beside = (n: number) => {
        const at = (sort: string) => ({ key: { partition: other, sort }, body: { n }, expiresAtMs: 2e12 });
        return { beside: [at('x'), at('y')] };
      };
      const first = await ledger.put({ partition: p, sort: 's' }, { n: 1 }, null, beside(1));
      expect(first).not.toBeNull();
      expect(await sortsOf(ledger, other)).toEqual(['x', 'y']);
      expect(await ledger.put({ partition: p, sort: 's' }, { n: 2 }, null, beside(2))).toBeNull();
      expect((await ledger.get({ partition: other, sort: 'x' }))?.body).toEqual({ n: 1 });
      // What stands beside it is replaced, whatever its revision is.
      expect(await ledger.put({ partition: p, sort: 's' }, { n: 3 }, first, beside(3))).not.toBeNull();
      expect((await ledger.get({ partition: other, sort: 'y' }))?.body).toEqual({ n: 3 });
      expect((await ledger.get({ partition: p, sort: 's' }))?.body).toEqual({ n: 3 });
    });

    it('put() with items beside it has its own result, whatever others have at the same moment', async () => {
      const [p, other] = [partition(), partition()];
      await fill(p, ['s3', 's40']);
      const numbers = Array.from({ length: 70 }, (_, n) => n);
      const answers = await Promise.all(
        numbers.map((n) => {
          const beside = [{ key: { partition: other, sort: `s${n}` }, body: { n }, expiresAtMs: 2e12 }];
          return ledger.put({ partition: p, sort: `s${n}` }, { n }, null, { beside });
        }),
      );
      const refused = numbers.filter((n) => answers[n] === null);
      expect(refused).toEqual([3, 40]);
      const written = numbers.filter((n) => !refused.includes(n)).map((n) => `s${n}`);
      expect((await sortsOf(ledger, other)).toSorted()).toEqual(written.toSorted());
    });

    it('query() shows only its own partition', async () => {
      const [one, two] = [partition(), partition()];
      await fill(one, ['a', 'b']);
      await fill(two, ['b', 'c']);
      expect(await sortsOf(ledger, one)).toEqual(['a', 'b']);
      expect(await ledger.get({ partition: two, sort: 'a' })).toBeNull();
    });

    it('query() orders sort keys by their octets', async () => {
      const p = partition();
      await fill(p, [...SORTS].reverse());
      expect(await sortsOf(ledger, p)).toEqual(SORTS);
    });

    it('query() gives the keys that begin with the prefix, the prefix itself included', async () => {
      const p = partition();
      await fill(p, SORTS);
      const some = async (prefix: string) => (await ledger.query(p, { prefix })).items.map(({ sort }) => sort);
      expect(await some('a')).toEqual(['a', 'a ', 'a b ', 'a-', 'ab']);
      expect(await some('a ')).toEqual(['a ', 'a b ']);
      for (const character of HIGH) expect(await some(character)).toEqual([character]);
      expect(await some('zz')).toEqual([]);
      expect(await some('')).toEqual(SORTS);
    });

    it.each([
      ['within the prefix', 'a', 'a b ', ['a-', 'ab']],
      ['at a key that does not exist', 'a', 'a c', ['a-', 'ab']],
      ['before the prefix', 'a', 'Z', ['a', 'a ', 'a b ', 'a-', 'ab']],
      ['after the prefix', 'a', 'b', []],
      ['at the last key', '', '\u{10ffff}', []],
      ['without a prefix', '', 'é', ['例', ...HIGH]],
      ['at the last one before the surrogate pairs', '', '\uffff', ['\u{10000}', '😀', '\u{10ffff}']],
      ['at a surrogate pair that does not exist', '', '😁', ['\u{10ffff}']],
    ])('query() starts after `after`, exclusive: %s', async (_, prefix, after, expected) => {
      const p = partition();
      await fill(p, SORTS);
      expect((await ledger.query(p, { prefix, after })).items.map(({ sort }) => sort)).toEqual(expected);
    });

    it.each([1, 2, 5, SORTS.length, 100])('query() pages by a limit of %i without gap or repetition', async (limit) => {
      const p = partition();
      await fill(p, SORTS);
      const pages = await pagesOf(ledger, p, limit);
      expect(pages.flat()).toEqual(SORTS);
      expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(limit);
    });

    it('query() reads a partition larger than one answer of DynamoDB (1 MB)', async () => {
      const p = partition();
      const sorts = Array.from({ length: 40 }, (_, index) => `s${String(index).padStart(3, '0')}`);
      for (const sort of sorts) await put(ledger, p, sort, { text: 'x'.repeat(60_000) }, null);
      expect(await sortsOf(ledger, p)).toEqual(sorts);
      const page = await ledger.query(p, { limit: 30 });
      expect(page.items).toHaveLength(30);
      expect(page.next).toBe('s029');
    });

    it('get() and put() with an empty key throw an Error', async () => {
      await expect(ledger.put({ partition: partition(), sort: '' }, {}, null)).rejects.toThrow(/^Cannot /);
      await expect(ledger.get({ partition: '', sort: 's' })).rejects.toThrow(/^Cannot /);
    });
  });
}

async function put(ledger: Ledger, partition: string, sort: string, body: JsonObject, expected: string | null) {
  const revision = await ledger.put({ partition, sort }, body, expected);
  if (revision === null) throw new Error(`The item "${sort}" did not stand at ${expected}`);
  return revision;
}

async function pagesOf(ledger: Ledger, partition: string, limit?: number): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | null = null;
  do {
    const page = await ledger.query(partition, {
      ...(after === null ? {} : { after }),
      ...(limit === undefined ? {} : { limit }),
    });
    pages.push(page.items.map(({ sort }) => sort));
    after = page.next;
  } while (after !== null);
  return pages;
}

async function sortsOf(ledger: Ledger, partition: string): Promise<string[]> {
  return (await pagesOf(ledger, partition)).flat();
}
