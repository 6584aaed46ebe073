// Builds Zones and Records, as the rules take them, from the specs that people write. An object with an invalid spec
// has no spec, as in `render`. With `lastValid`, an earlier spec is in force, and the problems are those of the present
// one.

import type { Declared, ObjectKind } from '../../lib/objects/object-ref.ts';
import type { SpecResult } from '../../lib/objects/spec-fields.ts';
import { parseRecord } from '../../lib/sources/kubizone/parse-record.ts';
import type { DeclaredObject } from '../../lib/zones/adopt-endpoint.ts';
import type { LiveZone } from '../../lib/zones/delegation.ts';
import { ALONE, type Fleet } from '../../lib/zones/foreign-cuts.ts';
import { parseZone, type ZoneSpec } from '../../lib/zones/parse-zone.ts';
import type { Hosting } from '../../lib/zones/place-zones.ts';
import { type ClusterInput, type ResolvedCluster, resolveCluster } from '../../lib/zones/resolve-cluster.ts';

/** Delegations of everything. */
const EVERYTHING = [{ zones: ['*'], records: [{ pattern: '*' }, { pattern: '@' }] }];

export type DeclaredOptions = {
  /** Creation, in seconds since the epoch. Default 0. */
  readonly born?: number;
  readonly uid?: string | null;
  readonly lastValid?: unknown;
};

/** A Zone "ns/name"; it delegates everything unless the spec says otherwise. */
export function zoneOf(key: string, spec: object, options: DeclaredOptions = {}): Declared<ZoneSpec> {
  return declared('Zone', key, { delegations: EVERYTHING, ...spec }, parseZone, options);
}

/** A Record "ns/name". */
export function recordOf(key: string, spec: object, options: DeclaredOptions = {}): DeclaredObject {
  const { spec: endpoint, ...record } = declared('Record', key, spec, parseRecord, options);
  return { ...record, spec: endpoint === null ? null : [endpoint] };
}

function declared<Spec>(
  kind: ObjectKind,
  key: string,
  value: unknown,
  parse: (value: unknown, namespace: string) => SpecResult<Spec>,
  { born = 0, uid = key, lastValid }: DeclaredOptions,
): Declared<Spec> {
  const [namespace, name] = key.split('/') as [string, string];
  const age = { creationTimestamp: new Date(born * 1000).toISOString(), uid, order: '' };
  const now = parse(value, namespace);
  const before = lastValid === undefined ? null : parse(lastValid, namespace);
  const spec = now.ok ? now.spec : before?.ok === true ? before.spec : null;
  return { ref: { kind, namespace, name }, age, spec, problems: now.ok ? [] : now.problems };
}

/** A zoneRef. */
export function below(key: string): { readonly zoneRef: { readonly namespace: string; readonly name: string } } {
  const [namespace, name] = key.split('/') as [string, string];
  return { zoneRef: { namespace, name } };
}

/** Hosted zones by the fqdn they are for; the id of "e." is "Z:e.". */
export function hostingsOf(...names: readonly string[]): ReadonlyMap<string, Hosting> {
  return new Map(
    names.map((name) => [name, { id: `Z:${name}`, nameServers: ['ns-1.aws.', 'ns-2.aws.'], made: true, soa: true }]),
  );
}

/** The world of these objects; no roots key. */
export function worldOf(
  zones: ClusterInput['zones'],
  objects: ClusterInput['objects'],
  hostings: ReadonlyMap<string, Hosting> = new Map(),
  fleet: Fleet = ALONE,
): ResolvedCluster {
  return resolveCluster({ zones, objects, roots: null, hostings, fleet });
}

/** What is desired, as lines: `hosted zone, name, type, values`. */
export function linesOf({ recordSets }: Pick<ResolvedCluster, 'recordSets'>): string[] {
  return recordSets
    .filter(({ type }) => type !== 'SOA')
    .map(({ hostedZoneId, name, type, content }) => {
      const values = content.kind === 'values' ? content.values.join(',') : 'alias';
      return `${hostedZoneId} ${name} ${type} ${values}`;
    })
    .toSorted();
}

/** The reasons of a Record: Accepted, then Programmed where the rules alone know it. */
export function reasonsOf(world: ResolvedCluster, key: string): string {
  const record = world.objects.get(`Record ${key}`)?.[0];
  return [record?.verdict.reason, record?.programmed?.reason].filter((reason) => reason !== undefined).join(' ');
}

/** The live Zone "e." with these delegations. */
export function liveZone(delegations: readonly object[]): LiveZone {
  const { spec } = zoneOf('a/z', { domainName: 'e.', delegations });
  if (spec === null) throw new Error('the test has an invalid Zone');
  return { key: 'a/z', namespace: 'a', fqdn: 'e.', parent: null, spec };
}
