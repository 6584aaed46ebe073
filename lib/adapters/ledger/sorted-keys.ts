// Distinct strings in the order of DynamoDB's sort keys, in blocks, so that one of a hundred thousand is put in or
// taken out without moving all that come after it.
import { compareSortKeys } from './sort-key-order.ts';

/** A block with more is cut in two. */
const BLOCK_KEYS_MAX = 512;

export type SortedKeys = {
  /** One that is not there yet. */
  add(key: string): void;
  /** One that is there. */
  remove(key: string): void;
  /** In order, from the first that is not before `start`, or that is after it when `after` says so. */
  from(start: string, after: boolean): Iterable<string>;
};

/** None at first. What is added or removed while `from` is gone through may or may not be seen. */
export function sortedKeys(): SortedKeys {
  const blocks: string[][] = [[]];
  return {
    add: (key) => {
      const at = blockOf(blocks, key);
      const block = blocks[at] as string[];
      block.splice(lowerBound(block, key), 0, key);
      if (block.length > BLOCK_KEYS_MAX) blocks.splice(at + 1, 0, block.splice(BLOCK_KEYS_MAX >>> 1));
    },
    remove: (key) => {
      const at = blockOf(blocks, key);
      const block = blocks[at] as string[];
      block.splice(lowerBound(block, key), 1);
      if (block.length === 0 && blocks.length > 1) blocks.splice(at, 1);
    },
    from: function* (start, after) {
      const first = blockOf(blocks, start);
      for (let at = first; at < blocks.length; at += 1) {
        const block = blocks[at] as string[];
        let index = at === first ? lowerBound(block, start) : 0;
        if (at === first && after && block[index] === start) index += 1;
        for (; index < block.length; index += 1) yield block[index] as string;
      }
    },
  };
}

/** The last block that does not begin after the key: where it stands or would stand. */
function blockOf(blocks: readonly (readonly string[])[], key: string): number {
  let low = 0;
  let high = blocks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (compareSortKeys(blocks[middle]?.[0] ?? '', key) <= 0) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where `key` stands or would stand in its block. */
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
