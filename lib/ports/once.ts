// Calls a function only as often as its result is needed.

/** A function that calls `make` the first time, and returns that value every time. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The same for each key that `keyOf` gives: `make` is called once for it. */
export function oncePerKey<Given extends readonly unknown[], T>(
  keyOf: (...given: Given) => string,
  make: (...given: Given) => T,
): (...given: Given) => T {
  const known = new Map<string, () => T>();
  return (...given) => {
    const key = keyOf(...given);
    const found = known.get(key) ?? once(() => make(...given));
    known.set(key, found);
    return found();
  };
}

/** Calls `read` once at a time. A call during another one gets the next result: that of the other may be too old. */
export function sharedNext<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  const run = (): Promise<T> =>
    read().finally(() => {
      if (next === null) current = null;
    });
  return () => {
    if (current === null) {
      current = run();
      return current;
    }
    next ??= current
      .catch(() => null)
      .then(() => {
        current = next;
        next = null;
        return run();
      });
    return next;
  };
}
