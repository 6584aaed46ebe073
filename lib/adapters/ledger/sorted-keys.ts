// Distinct strings in the order of DynamoDB's sort keys. They are kept in blocks, so that adding or removing one of a
// hundred thousand does not move all that follow.
import { compareSortKeys } from './sort-key-order.ts';

/** The most keys of a block; a larger one is split in two. */
const BLOCK_KEYS_MAX = 512;

export type SortedKeys = {
  /** Adds a key that is not there. */
  add(key: string): void;
  /** Removes a key that is there. */
  remove(key: string): void;
  /** The keys in order, from the first at or after `start`; with `after`, the first after it. */
  from(start: string, after: boolean): Iterable<string>;
  copy(): SortedKeys;
};

/** An empty set. Keys that are added or removed while `from` is iterated may or may not appear. */
export function sortedKeys(): SortedKeys {
  return sortedKeysIn([[]]);
}

function sortedKeysIn(blocks: string[][]): SortedKeys {
  return {
    add: (key) => {
      const at = blockOfKey(blocks, key);
      const block = blocks[at] as string[];
      block.splice(lowerBound(block, key), 0, key);
      if (block.length > BLOCK_KEYS_MAX) blocks.splice(at + 1, 0, block.splice(BLOCK_KEYS_MAX >>> 1));
    },
    remove: (key) => {
      const at = blockOfKey(blocks, key);
      const block = blocks[at] as string[];
      block.splice(lowerBound(block, key), 1);
      if (block.length === 0 && blocks.length > 1) blocks.splice(at, 1);
    },
    from: function* (start, after) {
      const first = blockOfKey(blocks, start);
      for (let at = first; at < blocks.length; at += 1) {
        const block = blocks[at] as string[];
        let index = at === first ? lowerBound(block, start) : 0;
        if (at === first && after && block[index] === start) index += 1;
        for (; index < block.length; index += 1) yield block[index] as string;
      }
    },
    copy: () => sortedKeysIn(blocks.map((block) => [...block])),
  };
}

/** The block in which the key is or would be: the last that does not begin after it. */
function blockOfKey(blocks: readonly (readonly string[])[], key: string): number {
  let low = 0;
  let high = blocks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (compareSortKeys(blocks[middle]?.[0] ?? '', key) <= 0) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The index of `key` in its block, or the index at which it would be. */
function lowerBound(block: readonly string[], key: string): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareSortKeys(block[middle] ?? '', key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
