// A bounded number of things at once. The first failure stops the taking of new ones and is thrown when the rest ended.

/** Runs `work` over the items, at most `atOnce` at a time. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
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
  // No more of them than there are items: most lists are short.
  while (workers.length < atOnce && !ended) workers.push(worker());
  await Promise.all(workers);
  if (failed !== null) throw (failed as { error: unknown }).error;
}
