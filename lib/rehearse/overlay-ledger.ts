// A ledger on top of another. Writes stay in memory, in this one; everything else is read from the one below, which is
// never changed. With it a run is rehearsed. Sort keys are ASCII, so comparing texts compares octets.
import { compareText } from '../dns/names/compare-text.ts';
import type { JsonObject, Ledger, LedgerItem, LedgerKey } from '../ports/ledger.ts';

/** The items of a page if the caller gives no limit. */
const PAGE_ITEMS_MAX = 1_000;

export type ReadableLedger = Pick<Ledger, 'get' | 'query'>;

/** A ledger that begins with the content of the one below. */
export function overlayLedger(below: ReadableLedger): Ledger {
  /** What was written, by partition and sort key; null: removed. */
  const written = new Map<string, Map<string, LedgerItem | null>>();
  let revisions = 0;
  const get = async (key: LedgerKey): Promise<LedgerItem | null> => {
    const here = written.get(key.partition)?.get(key.sort);
    return here === undefined ? below.get(key) : here;
  };
  const note = ({ partition, sort }: LedgerKey, item: LedgerItem | null) => {
    const items = written.get(partition) ?? new Map<string, LedgerItem | null>();
    written.set(partition, items.set(sort, item));
  };
  const write = (key: LedgerKey, body: JsonObject) => {
    revisions += 1;
    const revision = `rehearsed ${revisions}`;
    note(key, { ...key, revision, body: structuredClone(body) });
    return revision;
  };
  return {
    get,
    query: async (partition, options = {}) => {
      const { prefix = '', after = '', limit = PAGE_ITEMS_MAX } = options;
      const page = await below.query(partition, options);
      const here = written.get(partition) ?? new Map<string, LedgerItem | null>();
      const isInPage = (sort: string) =>
        sort.startsWith(prefix) && sort > after && (page.next === null || sort <= page.next);
      const own = [...here].flatMap(([sort, item]) => (item !== null && isInPage(sort) ? [item] : []));
      const items = [...page.items.filter(({ sort }) => !here.has(sort)), ...own].sort((a, b) =>
        compareText(a.sort, b.sort),
      );
      const last = items[limit - 1];
      return items.length > limit && last !== undefined
        ? { items: items.slice(0, limit), next: last.sort }
        : { items, next: page.next };
    },
    put: async (key, body, expected, { beside = [] } = {}) => {
      if (((await get(key))?.revision ?? null) !== expected) return null;
      for (const one of beside) write(one.key, one.body);
      return write(key, body);
    },
    remove: async (key, expected) => {
      if ((await get(key))?.revision !== expected) return false;
      note(key, null);
      return true;
    },
  };
}
