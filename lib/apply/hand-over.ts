// A large value that is passed on and let go by who had it: 100,000 Records are planned twice where hosted zones are made, and the first
// plan is not to be held beside the second, nor any of them while it is published.

/** A value, or what gives it once. */
export type Given<Value extends object> = Value | (() => Value);

/** Gives the value once, and holds it no longer. */
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
