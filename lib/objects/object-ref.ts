// What all objects have in common: a reference, an age, the spec that is in force and the problems of the present
// one. In the running system an invalid edit leaves the last valid spec in force, so an object may have both `spec` and
// `problems`. `render` has no memory, so there an object has only one of the two.

import { compareText } from '../dns/names/compare-text.ts';
import { keyText } from '../dns/own-text.ts';

/**
 * The kind of an object: `Zone`, or the kind of a source (lib/sources/source.ts). Those of the configuration have two
 * words: `Custom` and the key of the source; `Related` and the resource of its related objects.
 */
export type ObjectKind = string;

const KIND = 'Custom [a-z][A-Za-z0-9]*|Related [a-z][a-z0-9.-]*|[A-Z][A-Za-z0-9]*';
const IS_KIND = new RegExp(`^(?:${KIND})$`);
const IS_REF = new RegExp(`^(${KIND}) ([^/]*)/(.*)$`, 's');
/** The longest is that of a related kind: a resource and a group. */
const KIND_CHARACTERS_MAX = 330;

/** True for a text that may be the kind of an object. */
export function isObjectKind(text: string): boolean {
  return text.length <= KIND_CHARACTERS_MAX && IS_KIND.test(text);
}

/** True for an object of a source of the configuration, whose kind no table lists. */
export function isOfConfiguration({ kind }: { readonly kind: ObjectKind }): boolean {
  return kind.startsWith('Custom ');
}

/** The reference to an object of the cluster. */
export type ObjectRef = { readonly kind: ObjectKind; readonly namespace: string; readonly name: string };

/** `namespace/name` of a Zone. */
export type ZoneKey = string;

/** What decides which object came first. `order`: the order of reading, compared bytewise. */
export type Age = {
  readonly creationTimestamp: string | null;
  readonly uid: string | null;
  readonly order: string;
};

/** An object with the spec that is in force; null when it never had a valid one. */
export type Declared<Spec> = {
  readonly ref: ObjectRef;
  readonly age: Age;
  readonly spec: Spec | null;
  /** What is wrong with the present spec; empty when it is valid. */
  readonly problems: readonly string[];
  /** What is wrong with parts of the object, while its other parts are valid. */
  readonly remarks?: readonly string[];
  /** Names that it asks for and does not get, with the reason (lib/objects/source.ts). */
  readonly waiting?: readonly { readonly fqdn: string; readonly why: string }[];
  /** Remarks for its author, although nothing is wrong. */
  readonly notes?: readonly string[];
};

/** DNS subdomain: an object's name; DNS label: a namespace's ("Object Names and IDs"). Last verified 2026-11-22. */
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const SUBDOMAIN_CHARACTERS_MAX = 253;
const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** True if an object of an API server may have this name. */
export function isObjectName(name: string): boolean {
  return name.length <= SUBDOMAIN_CHARACTERS_MAX && SUBDOMAIN.test(name);
}

/** True for what may be the namespace of an object. Nodes and Namespaces have none: then it is `''`. */
export function isNamespace(namespace: string): boolean {
  return namespace === '' || LABEL.test(namespace);
}

/** `Kind namespace/name`, as in plans and messages. */
export function formatRef(ref: ObjectRef): string {
  return keyText([ref.kind, ' ', ref.namespace, '/', ref.name]);
}

/** Parses a text that `formatRef` wrote; null for any other text. A cluster-scoped object has an empty namespace. */
export function findRef(text: string): ObjectRef | null {
  const match = IS_REF.exec(text);
  if (match === null) return null;
  return { kind: match[1] as string, namespace: match[2] as string, name: match[3] as string };
}

/** Parses a text that `formatRef` wrote. Throws on any other text. */
export function parseRef(text: string): ObjectRef {
  const ref = findRef(text);
  if (ref === null) throw new Error(`Cannot parse object reference "${text}"`);
  return ref;
}

/**
 * The reference to the object of a kind with this key. Any text is a key: one that no object has, as an old ledger may
 * have it, is the key of an object that does not exist.
 */
export function refOfKey(kind: ObjectKind, key: string): ObjectRef {
  const slash = key.indexOf('/');
  return { kind, namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) };
}

/** The reference to the Zone with this key. */
export function zoneOfKey(key: ZoneKey): ObjectRef {
  return refOfKey('Zone', key);
}

/** True for a Zone. All other objects are read by a source. */
export function isZone(ref: { readonly kind: ObjectKind }): boolean {
  return ref.kind === 'Zone';
}

/** `namespace/name`. */
export function keyOf(ref: { readonly namespace: string; readonly name: string }): ZoneKey {
  return `${ref.namespace}/${ref.name}`;
}

/**
 * Sorts the oldest first: by creationTimestamp, then by uid, then by order of reading. An object without a timestamp or
 * uid comes after those that have one.
 */
export function compareAge(a: Age, b: Age): number {
  return (
    compareInstants(a.creationTimestamp, b.creationTimestamp) ||
    comparePresent(a.uid, b.uid) ||
    compareText(a.order, b.order)
  );
}

/** Compares RFC 3339 timestamps. A text that is none counts as missing. */
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

/** True when the version `seen` of an object is older than `known`. False when one of them is not a number. */
export function isOlder(seen: string, known: string): boolean {
  if (!/^\d+$/.test(seen) || !/^\d+$/.test(known)) return false;
  return BigInt(seen) < BigInt(known);
}
