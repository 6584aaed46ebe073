// A large value, handed to somebody else and held no longer. A plan of 100,000 Records is large. Where hosted zones are
// made, it is made twice: the first must not be held beside the second, and neither while it is published.

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
