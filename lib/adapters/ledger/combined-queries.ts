// Combines queries by prefix that are made at the same moment. When many names change, each is queried, and DynamoDB
// has no request for many queries. So the range from the first prefix to the last one of a partition is read, in pages
// that are not much larger than what was asked for. If most of a page is of nobody, the names are far apart, and the
// rest is queried one by one. Each read is as strongly consistent as alone.
import { sentTogether } from './sent-together.ts';
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

/** The items whose key begins with `prefix` and is greater than `after`: all of them, or the first `limit`. */
export type PrefixQuery = { readonly prefix: string; readonly after?: string; readonly limit?: number };

export type QueryAlone<Item> = (partition: string, query: PrefixQuery) => Promise<RangePage<Item>>;
export type QueryRange<Item> = (
  partition: string,
  range: { readonly from: string; readonly to: string; readonly limit: number },
) => Promise<RangePage<Item>>;

type Asked<Item> = {
  readonly partition: string;
  readonly query: PrefixQuery;
  /** No item before this key is asked for. */
  readonly from: string;
  readonly resolve: (page: RangePage<Item>) => void;
  readonly reject: (error: unknown) => void;
};

/** Queries by prefix, of which those of one moment share requests. An `after` begins with its prefix. */
export function combinedQueries<Item extends { readonly sort: string }>(
  alone: QueryAlone<Item>,
  range: QueryRange<Item>,
): QueryAlone<Item> {
  const send = sentTogether<Asked<Item>>({
    cut: (all) => [all],
    isFull: () => false,
    send: async (all) => {
      const partitions = Map.groupBy(all, ({ partition }) => partition);
      await Promise.all([...partitions].map(([partition, some]) => answerAll(partition, some, alone, range)));
    },
  });
  return (partition, query) =>
    new Promise((resolve, reject) => {
      send({ partition, query, from: query.after ?? query.prefix, resolve, reject });
    });
}

async function answerAll<Item extends { readonly sort: string }>(
  partition: string,
  asked: readonly Asked<Item>[],
  alone: QueryAlone<Item>,
  range: QueryRange<Item>,
): Promise<void> {
  let open = asked.toSorted((a, b) => compareSortKeys(a.from, b.from));
  try {
    while (open.length >= TOGETHER_MIN) {
      // A prefix of another one ends behind it.
      const ends = open.map(({ query }) => `${query.prefix}${LAST}`).sort(compareSortKeys);
      const [from, to] = [open[0]?.from ?? '', ends.at(-1) ?? LAST];
      const page = await range(partition, { from, to, limit: open.length * ITEMS_EACH });
      const answers = open.map((one) => answerIn(page, one.query));
      for (const [index, { resolve }] of open.entries()) {
        const answer = answers[index];
        if (answer != null) resolve(answer);
      }
      const answered = open.length;
      open = open.filter((_, index) => answers[index] === null);
      if (answered - open.length < ANSWERED_MIN) break;
    }
  } catch (error) {
    for (const { reject } of open) reject(error);
    return;
  }
  await Promise.all(open.map(({ query, resolve, reject }) => alone(partition, query).then(resolve, reject)));
}

/** The answer to a query in a page that begins at or before what it asks for; null: the page ends too early. */
function answerIn<Item extends { readonly sort: string }>(
  { items, next }: RangePage<Item>,
  { prefix, after, limit = Number.POSITIVE_INFINITY }: PrefixQuery,
): RangePage<Item> | null {
  const all = itemsWith(items, prefix, after);
  const some = all.slice(0, limit);
  const last = some.at(-1)?.sort ?? null;
  const isWhole = next === null || compareSortKeys(`${prefix}${LAST}`, next) <= 0;
  if (isWhole) return { items: some, next: some.length < all.length ? last : null };
  return some.length === limit ? { items: some, next: last } : null;
}

/** Those of the sorted items whose key begins with the prefix and is greater than `after`. */
function itemsWith<Item extends { readonly sort: string }>(
  items: readonly Item[],
  prefix: string,
  after?: string,
): readonly Item[] {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const isBefore = compareSortKeys(items[middle]?.sort ?? '', after ?? prefix) < (after === undefined ? 0 : 1);
    if (isBefore) from = middle + 1;
    else to = middle;
  }
  let end = from;
  while (items[end]?.sort.startsWith(prefix) === true) end += 1;
  return items.slice(from, end);
}
