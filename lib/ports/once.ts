// Makes a value when it is first needed.

/** A function that calls `make` the first time, and returns that value every time. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
