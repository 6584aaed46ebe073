import { expect, it } from 'vitest';
import { memoryLedger } from '../adapters/ledger/memory-ledger.ts';
import type { Ledger } from '../ports/ledger.ts';
import { overlayLedger } from './overlay-ledger.ts';

const key = (sort: string) => ({ partition: 'p', sort });

async function all(ledger: Ledger, limit: number): Promise<readonly string[]> {
  const sorts: string[] = [];
  let after: string | null = '';
  while (after !== null) {
    const page: Awaited<ReturnType<typeof ledger.query>> = await ledger.query('p', { prefix: 'a', after, limit });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    sorts.push(...page.items.map((item) => `${item.sort}=${JSON.stringify(item.body)}`));
    after = page.next;
  }
  return sorts;
}

it.each([1, 2, 3, 100])(
  'overlayLedger() reads the items below and those written over them as one ledger, %i a page',
  async (limit) => {
    const below = memoryLedger();
    for (const sort of ['a1', 'a3', 'a5', 'b1']) await below.put(key(sort), { from: 'below' }, null);
    const over = overlayLedger(below);
    const third = (await over.get(key('a3')))?.revision ?? '';
    expect(await over.put(key('a3'), { from: 'above' }, null)).toBeNull();
    expect(await over.put(key('a3'), { from: 'above' }, third)).not.toBeNull();
    expect(await over.remove(key('a5'), third)).toBe(false);
    expect(await over.remove(key('a5'), (await over.get(key('a5')))?.revision ?? '')).toBe(true);
    for (const sort of ['a2', 'a6', 'a7', 'c1']) await over.put(key(sort), { from: 'above' }, null);
    expect(await over.get(key('a5'))).toBeNull();
    expect(await all(over, limit)).toEqual([
      ...['a1={"from":"below"}', 'a2={"from":"above"}', 'a3={"from":"above"}'],
      ...['a6={"from":"above"}', 'a7={"from":"above"}'],
    ]);
    expect((await below.query('p')).items.map(({ sort, body }) => `${sort} ${body.from}`)).toEqual([
      ...['a1 below', 'a3 below', 'a5 below', 'b1 below'],
    ]);
  },
);
