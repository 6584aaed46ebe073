// Combines queries by prefix that are made at the same moment. When many names change, each is queried, and DynamoDB
// has no request for many queries. So the range from the first prefix to the last one of a partition is read, in pages
// that are not much larger than what was asked for. If most of a page is of nobody, the names are far apart, and the
// rest is queried one by one. Each read is as strongly consistent as alone.
import { compareSortKeys } from './sort-key-order.ts';

/** Fewer queries than this are made one by one. */
const TOGETHER_MIN = 4;
/** Items of a page, for each query that it may answer. */
const ITEMS_EACH = 4;
/** A page that answers fewer queries than this was not worth it. */
const ANSWERED_MIN = 4;
/** Behind every key that begins with a prefix. */
const LAST = '\u{10ffff}';

/** The items of a range of sort keys, both ends included. `next` null: all of it; else its last key. */
type RangePage<Item> = { readonly items: readonly Item[]; readonly next: string | null };

export type QueryAlone<Item> = (partition: string, prefix: string) => Promise<RangePage<Item>>;
export type QueryRange<Item> = (
  partition: string,
  range: { readonly from: string; readonly to: string; readonly limit: number },
) => Promise<RangePage<Item>>;

type Asked<Item> = {
  readonly prefix: string;
  readonly resolve: (page: RangePage<Item>) => void;
  readonly reject: (error: unknown) => void;
};

/** Queries by prefix, of which those of one moment share requests. */
export function combinedQueries<Item extends { readonly sort: string }>(
  alone: QueryAlone<Item>,
  range: QueryRange<Item>,
): QueryAlone<Item> {
  let asked = new Map<string, Asked<Item>[]>();
  const send = () => {
    const all = asked;
    asked = new Map();
    for (const [partition, some] of all) void answerAll(partition, some, alone, range);
  };
  return (partition, prefix) =>
    new Promise((resolve, reject) => {
      // After all code that is ready to run, so that its queries are included.
      if (asked.size === 0) setImmediate(send);
      const some = asked.get(partition) ?? [];
      some.push({ prefix, resolve, reject });
      asked.set(partition, some);
    });
}

async function answerAll<Item extends { readonly sort: string }>(
  partition: string,
  asked: readonly Asked<Item>[],
  alone: QueryAlone<Item>,
  range: QueryRange<Item>,
): Promise<void> {
  let open = asked.toSorted((a, b) => compareSortKeys(a.prefix, b.prefix));
  try {
    while (open.length >= TOGETHER_MIN) {
      // A prefix of another one ends behind it.
      const ends = open.map(({ prefix }) => `${prefix}${LAST}`).sort(compareSortKeys);
      const [from, to] = [open[0]?.prefix ?? '', ends.at(-1) ?? LAST];
      const limit = open.length * ITEMS_EACH;
      const { items, next } = await range(partition, { from, to, limit });
      const isRead = ({ prefix }: Asked<Item>) => next === null || compareSortKeys(`${prefix}${LAST}`, next) <= 0;
      const read = open.filter(isRead);
      open = open.filter((one) => !isRead(one));
      for (const { prefix, resolve } of read) resolve({ items: itemsWith(items, prefix), next: null });
      if (read.length < ANSWERED_MIN) break;
    }
  } catch (error) {
    for (const { reject } of open) reject(error);
    return;
  }
  for (const { prefix, resolve, reject } of open) alone(partition, prefix).then(resolve, reject);
}

/** Those of the sorted items whose key begins with the prefix. */
function itemsWith<Item extends { readonly sort: string }>(items: readonly Item[], prefix: string): readonly Item[] {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareSortKeys(items[middle]?.sort ?? '', prefix) < 0) from = middle + 1;
    else to = middle;
  }
  let end = from;
  while (items[end]?.sort.startsWith(prefix) === true) end += 1;
  return items.slice(from, end);
}
