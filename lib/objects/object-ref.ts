// What an object is to the rules: a key, an age, a spec in force, and what is wrong with the spec as it stands.
// In the running system an invalid edit leaves the last valid spec in force (design, section 4, "Last known good"),
// so `spec` and `problems` may both be there; `render`, which has no memory, knows only one of the two.

/** The kind of an object that is read: `Zone`, or a row of the table of sources (lib/sources/source.ts). */
export type ObjectKind = string;

/** A key, never a diff: which object of the cluster. */
export type ObjectRef = { readonly kind: ObjectKind; readonly namespace: string; readonly name: string };

/** `namespace/name` of a Zone. */
export type ZoneKey = string;

/** What decides who was first. `order` is the order of reading, compared bytewise. */
export type Age = {
  readonly creationTimestamp: string | null;
  readonly uid: string | null;
  readonly order: string;
};

/** An object with the spec that is in force, null when it never had a valid one. */
export type Declared<Spec> = {
  readonly ref: ObjectRef;
  readonly age: Age;
  readonly spec: Spec | null;
  /** What is wrong with the spec as it stands now; empty when it is valid. */
  readonly problems: readonly string[];
  /** What is wrong with parts of it, which the others do not suffer for. */
  readonly remarks?: readonly string[];
};

/** `Kind namespace/name`, as plans and messages name an object. */
export function formatRef(ref: ObjectRef): string {
  // Joined and no template: it is the key of maps, which keep it flat (lib/dns/own-text.ts).
  return [ref.kind, ' ', ref.namespace, '/', ref.name].join('');
}

/** The object that `formatRef` wrote; null for any other text. A cluster-scoped object has an empty namespace. */
export function findRef(text: string): ObjectRef | null {
  const match = /^([A-Z][A-Za-z0-9]*) ([^/]*)\/(.*)$/.exec(text);
  if (match === null) return null;
  return { kind: match[1] as string, namespace: match[2] as string, name: match[3] as string };
}

/** The same, for a text that is ours. Throws on any other. */
export function parseRef(text: string): ObjectRef {
  const ref = findRef(text);
  if (ref === null) throw new Error(`Cannot parse object reference "${text}"`);
  return ref;
}

/** True for a Zone; every other object is one that a source reads. */
export function isZone(ref: { readonly kind: ObjectKind }): boolean {
  return ref.kind === 'Zone';
}

/** `namespace/name`. */
export function keyOf(ref: { readonly namespace: string; readonly name: string }): ZoneKey {
  return `${ref.namespace}/${ref.name}`;
}

/** Oldest first: creationTimestamp, none being the youngest; then uid, likewise; then the order of reading. */
export function compareAge(a: Age, b: Age): number {
  return (
    compareInstants(a.creationTimestamp, b.creationTimestamp) ||
    comparePresent(a.uid, b.uid) ||
    compareText(a.order, b.order)
  );
}

/** Bytewise order for ASCII and UTF-8 alike (code units would misplace astral characters, which keys never hold). */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** RFC 3339 instants; what does not parse as one counts as none. */
function compareInstants(a: string | null, b: string | null): number {
  const left = a === null ? Number.NaN : Date.parse(a);
  const right = b === null ? Number.NaN : Date.parse(b);
  if (Number.isNaN(left) || Number.isNaN(right)) return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
  return left - right;
}

function comparePresent(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareText(a, b);
}

/** True if the version `seen` of an object is older than `known`. False for versions that are not numbers. */
export function isOlder(seen: string, known: string): boolean {
  if (!/^\d+$/.test(seen) || !/^\d+$/.test(known)) return false;
  return BigInt(seen) < BigInt(known);
}
