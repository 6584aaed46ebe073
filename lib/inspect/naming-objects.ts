// Finds objects that name a DNS name where sources look for one, in a host of their spec or in a hostname annotation,
// whether or not they ask for it: the configuration may not select them.
import { parseName } from '../dns/names/name.ts';
import { formatRef } from '../objects/object-ref.ts';
import { mapping } from '../objects/plain.ts';
import type { ClusterObject } from '../ports/cluster.ts';

/** The objects, as "Kind ns/name". */
export function namingObjects(objects: readonly ClusterObject[], name: string): readonly string[] {
  return objects
    .filter((object) => namesIn(object).some((one) => isSameName(one, name)))
    .map(({ ref }) => formatRef(ref));
}

function isSameName(written: string, name: string): boolean {
  const parsed = parseName(written.trim(), { wildcard: true });
  return parsed.ok && parsed.name === name;
}

/** Fields that have names, in any kind: rules of an Ingress, a Gateway's listeners, objects of `sources.custom`. */
const NAMING = /^(?:host|hosts|hostname|hostnames|hostaliases|fqdn|dnsname|dnsnames|domain|domains)$/i;
/** Annotations that have names: those of external-dns, and that of Gardener's shoots. */
const NAMING_ANNOTATION = /(?:hostname|\/dnsnames)$/;

function namesIn({ spec, annotations }: ClusterObject): readonly string[] {
  const annotated = Object.entries(annotations)
    .filter(([key]) => NAMING_ANNOTATION.test(key))
    .flatMap(([, value]) => value.split(/[,\s]+/));
  return [...textsIn(spec, false), ...annotated];
}

/** The texts at or below naming fields. */
function textsIn(value: unknown, isNaming: boolean): readonly string[] {
  if (typeof value === 'string') return isNaming ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, isNaming));
  return Object.entries(mapping(value)).flatMap(([key, one]) => textsIn(one, NAMING.test(key)));
}
