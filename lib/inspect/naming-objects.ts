// Finds objects that name a DNS name where sources look for one, in a host of their spec or in a hostname annotation,
// whether or not they ask for it: the configuration may not select them.
import { parseName } from '../dns/names/name.ts';
import { formatRef } from '../objects/object-ref.ts';
import { mapping, mappingsIn } from '../objects/plain.ts';
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

function namesIn({ spec, annotations }: ClusterObject): readonly string[] {
  const { hostnames, rules } = mapping(spec);
  const hosts = [...(Array.isArray(hostnames) ? hostnames : []), ...mappingsIn(rules).map(({ host }) => host)];
  const annotated = Object.entries(annotations)
    .filter(([key]) => key.endsWith('hostname'))
    .flatMap(([, value]) => value.split(/[,\s]+/));
  return [...hosts.filter((host) => typeof host === 'string'), ...annotated];
}
