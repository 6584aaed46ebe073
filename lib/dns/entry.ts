// One line of `Zone.status.entries`: a value, or an alias in its place; with routing, where it is one of several record
// sets of its name and type. The shape is what `render -o json` prints and what a status holds.
import { type Routing, routingFields } from './routing-policy.ts';

type Named = {
  readonly fqdn: string;
  readonly type: string;
  readonly class: string;
  /** Canonical; absent for simple routing. */
  readonly routing?: EntryRouting;
};

/** The routing of an entry, in the words of a Record's spec. */
export type EntryRouting = Readonly<Record<string, unknown>> & { readonly setIdentifier: string };

/** An alias as an entry shows it; `hostedZoneId` is null where it is that of a hosted zone which is not known. */
type EntryAlias = {
  readonly target: string;
  readonly hostedZoneId: string | null;
  readonly evaluateTargetHealth: boolean;
};

/** A line with a value; `ttl` in seconds, names and rdata canonical. */
export type ValueEntry = Named & { readonly ttl: number; readonly rdata: string };

/** A line with an alias, which has its target's TTL. */
type AliasEntry = Named & { readonly ttl: null; readonly alias: EntryAlias };

export type Entry = ValueEntry | AliasEntry;

/** The routing of a record set as an entry shows it. */
export function entryRouting({
  setIdentifier,
  ...routing
}: Routing & { readonly setIdentifier: string }): EntryRouting {
  const { policy, healthCheckId } = routing;
  return { setIdentifier, ...routingFields(policy), ...(healthCheckId === null ? {} : { healthCheckId }) };
}

/** Every field of an entry in one order; a value without routing has the form that it always had. */
export function describeEntry(entry: Entry): readonly unknown[] {
  const { fqdn, type, class: recordClass, ttl, routing } = entry;
  const routed = routing === undefined ? [] : [sortedFields(routing)];
  if (!('alias' in entry)) return [fqdn, type, recordClass, ttl, entry.rdata, ...routed];
  const { target, hostedZoneId, evaluateTargetHealth } = entry.alias;
  return [fqdn, type, recordClass, ttl, ['alias', target, hostedZoneId, evaluateTargetHealth], ...routed];
}

/** The fields of a mapping by name, those of mappings within it too. */
function sortedFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sortedFields(inner)]);
}
