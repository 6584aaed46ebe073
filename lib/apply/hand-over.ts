// Hands a large value over without keeping a reference to it. A plan of 100,000 Records is large. If hosted zones must
// be created, the plan is made twice: the two must not be in memory together, nor while one is published.

/** A value, or a function that gives it once. */
export type Given<Value extends object> = Value | (() => Value);

/** A function that gives the value once, and then has no reference to it. */
export function handOver<Value extends object>(value: Value): () => Value {
  let held: Value | null = value;
  return () => {
    if (held === null) throw new Error('Cannot hand over a value twice');
    const given = held;
    held = null;
    return given;
  };
}

export function taken<Value extends object>(given: Given<Value>): Value {
  return typeof given === 'function' ? given() : given;
}
