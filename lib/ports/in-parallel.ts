// Runs work on several items at once. After the first failure no further item is started; the failure is thrown when
// the running ones have ended.

/** Runs `work` on each of the items, on at most `atOnce` at a time. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let ended = false;
  let failed: { readonly error: unknown } | null = null;
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true && failed === null; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed ??= { error };
      }
    }
    ended = true;
  };
  const workers: Promise<void>[] = [];
  // At most as many workers as there are items: most lists are short.
  while (workers.length < atOnce && !ended) workers.push(worker());
  await Promise.all(workers);
  if (failed !== null) throw (failed as { error: unknown }).error;
}
