// What a plan knows of the Services of a cluster's own DNS: the names at which anything is desired, and the record sets
// that objects ask for.

import { findRef, isZone, keyOf } from '../objects/object-ref.ts';
import { once } from '../ports/once.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import type { DeclaredObject } from '../zones/adopt-endpoint.ts';
import { clusterNameOf } from '../zones/cluster-names.ts';
import type { ResolvedCluster } from '../zones/resolve-cluster.ts';

/** True if anything is desired at a name. */
export type IsWanted = (name: string) => boolean;

/** Answers whether a resolved cluster has record sets at a name. The names are collected at the first question. */
export function wantedIn({ recordSets }: Pick<ResolvedCluster, 'recordSets'>): IsWanted {
  const names = once(() => new Set(recordSets.map((set) => set.name)));
  return (name) => names().has(name);
}

/** True if an object asks for a record set for a cluster's own DNS, whether or not a Zone adopts it. */
export type IsAsked = (key: Pick<RecordSetItem, 'name' | 'type'>) => boolean;

/** The objects for which a record set was published, and which ask for its name still. */
export type AskersAt = (item: Pick<RecordSetItem, 'name' | 'publishedObjects'>) => readonly string[];

/** Answers that for a resolved cluster. */
export function askersIn({ objects, zones }: Pick<ResolvedCluster, 'objects' | 'zones'>): AskersAt {
  return ({ name, publishedObjects }) =>
    publishedObjects.filter((object) => {
      const ref = findRef(object);
      if (ref !== null && isZone(ref)) return zones.has(keyOf(ref));
      return objects.get(object)?.some(({ fqdn }) => fqdn === name) ?? false;
    });
}

/** Answers that for these objects. What they ask for is collected at the first question. */
export function askedBy(objects: () => readonly DeclaredObject[]): IsAsked {
  const asked = once(() => {
    const endpoints = objects().flatMap(({ spec }) => spec ?? []);
    return new Set(endpoints.map((endpoint) => `${clusterNameOf(endpoint)} ${endpoint.type}`));
  });
  return ({ name, type }) => asked().has(`${name} ${type}`);
}
