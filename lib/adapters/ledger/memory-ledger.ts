// The ledger in memory, for tests, the simulation, and commands that keep no state. It has the same contract as
// dynamodb-ledger.ts (test/contract/ledger tests both): conditional writes of one item, sort keys in the order of their
// octets, keys that are not empty, and bodies of pure JSON. What it returns is frozen: only `put` changes an item.
import { randomUUID } from 'node:crypto';
import { ownText } from '../../dns/own-text.ts';
import type { JsonObject, Ledger, LedgerItem, LedgerKey } from '../../ports/ledger.ts';
import { compareSortKeys } from './sort-key-order.ts';
import { type SortedKeys, sortedKeys } from './sorted-keys.ts';

/** The items of a page if the caller gives no limit. */
const PAGE_ITEMS_MAX = 1_000;

type Partition = { readonly name: string; readonly items: Map<string, LedgerItem>; readonly sorts: SortedKeys };

export type MemoryLedgerOptions = {
  /** Returns the next revision, which must be unique. Default: random UUIDs. */
  readonly nextRevision?: () => string;
  /**
   * Bodies are stored as they are, neither copied nor frozen: for callers that write millions of items, and test
   * elsewhere that none is changed.
   */
  readonly trusting?: boolean;
};

export type MemoryLedger = Ledger & {
  /** Another ledger with the same items: what is written to one is not in the other. */
  copy(): MemoryLedger;
};

/** An empty ledger. Every call takes effect at once and answers in a later microtask. */
export function memoryLedger(options: MemoryLedgerOptions = {}): MemoryLedger {
  return ledgerOf(new Map(), options);
}

function ledgerOf(partitions: Map<string, Partition>, options: MemoryLedgerOptions): MemoryLedger {
  const nextRevision = options.nextRevision ?? randomUUID;
  const find = (key: LedgerKey) => partitions.get(key.partition)?.items.get(key.sort) ?? null;
  const write = (key: LedgerKey, body: JsonObject) => {
    // Keys and revisions are concatenated strings that are kept for long (lib/dns/own-text.ts).
    const revision = ownText(nextRevision());
    const partition = partitions.get(key.partition)?.name ?? ownText(key.partition);
    const copy = options.trusting === true ? Object.freeze(body) : frozenCopy(body);
    insert(partitions, Object.freeze({ partition, sort: ownText(key.sort), revision, body: copy }));
    return revision;
  };

  return {
    get: async (key) => {
      checkKey(key);
      return find(key);
    },
    query: async (name, { prefix = '', after, limit = PAGE_ITEMS_MAX } = {}) => {
      const partition = partitions.get(name);
      if (partition === undefined) return { items: [], next: null };
      const items: LedgerItem[] = [];
      const from = start(prefix, after);
      for (const sort of partition.sorts.from(from.sort, from.after)) {
        if (!sort.startsWith(prefix)) break;
        const item = partition.items.get(sort);
        if (item !== undefined) items.push(item);
        if (items.length >= limit) return { items, next: sort };
      }
      return { items, next: null };
    },
    put: async (key, body, expected, { beside = [] } = {}) => {
      checkKey(key);
      if ((find(key)?.revision ?? null) !== expected) return null;
      for (const one of beside) write(one.key, one.body);
      return write(key, body);
    },
    remove: async (key, expected) => {
      checkKey(key);
      const partition = partitions.get(key.partition);
      if (partition === undefined || find(key)?.revision !== expected) return false;
      partition.items.delete(key.sort);
      partition.sorts.remove(key.sort);
      return true;
    },
    copy: () => ledgerOf(new Map(Array.from(partitions, ([name, partition]) => [name, copyOf(partition)])), options),
  };
}

/** The items themselves are shared: they never change. */
function copyOf({ name, items, sorts }: Partition): Partition {
  return { name, items: new Map(items), sorts: sorts.copy() };
}

function checkKey(key: LedgerKey): void {
  if (key.partition === '' || key.sort === '') {
    throw new Error(`Cannot use ledger key "${key.partition}" / "${key.sort}": a part of it is empty`);
  }
}

function insert(partitions: Map<string, Partition>, item: LedgerItem): void {
  let partition = partitions.get(item.partition);
  if (partition === undefined) {
    partition = { name: item.partition, items: new Map(), sorts: sortedKeys() };
    partitions.set(item.partition, partition);
  }
  if (!partition.items.has(item.sort)) partition.sorts.add(item.sort);
  partition.items.set(item.sort, item);
}

/** Where a page begins: at the prefix, or after the last key of the page before. */
function start(prefix: string, after = ''): { readonly sort: string; readonly after: boolean } {
  return compareSortKeys(after, prefix) < 0 ? { sort: prefix, after: false } : { sort: after, after: after !== '' };
}

/**
 * A frozen copy of the value as JSON would have it. A value that is frozen JSON already is shared: most written values
 * were read here before.
 */
function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || isFrozenJson(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((inner) => frozenCopy(inner ?? null))) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype) return frozenCopy(JSON.parse(JSON.stringify(value)) as T);
  // A spread and its freezing are fast, because both give many objects the same hidden class.
  const fields = { ...value } as Record<string, unknown>;
  let isComplete = true;
  for (const key of Object.keys(fields)) {
    if (fields[key] === undefined) isComplete = false;
    else fields[key] = frozenCopy(fields[key]);
  }
  return Object.freeze(isComplete ? fields : definedFields(fields)) as T;
}

function definedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, inner]) => inner !== undefined));
}

/** True for deeply frozen JSON. This check costs a tenth of a WeakSet of frozen values. */
function isFrozenJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value !== undefined;
  if (!Object.isFrozen(value)) return false;
  if (Array.isArray(value)) return value.every(isFrozenJson);
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key in value) if (!isFrozenJson((value as Readonly<Record<string, unknown>>)[key])) return false;
  return true;
}
