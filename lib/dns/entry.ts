// An entry of `Zone.status.entries`: one value or one alias, and its routing when its name and type have several record
// sets. A status and `render -o json` have entries in this form.
import { compareText } from './names/compare-text.ts';
import { realName } from './names/view.ts';
import { type Routing, routingFields } from './routing-policy.ts';

type Named = {
  readonly fqdn: string;
  readonly type: string;
  readonly class: string;
  /** Canonical; absent for simple routing. */
  readonly routing?: EntryRouting;
};

/** The routing of an entry, in the form of a Record's spec. */
export type EntryRouting = Readonly<Record<string, unknown>> & { readonly setIdentifier: string };

/** The alias of an entry. `hostedZoneId` null: it is that of a hosted zone that is not known. */
type EntryAlias = {
  readonly target: string;
  readonly hostedZoneId: string | null;
  readonly evaluateTargetHealth: boolean;
};

/** An entry with a value; `ttl` in seconds, name and rdata canonical. */
export type ValueEntry = Named & { readonly ttl: number; readonly rdata: string };

/** An entry with an alias. Its TTL is that of the target. */
type AliasEntry = Named & { readonly ttl: null; readonly alias: EntryAlias };

export type Entry = ValueEntry | AliasEntry;

/** An entry as DNS has it, whatever its view. */
export function realEntry(entry: Entry): Entry {
  const named = { ...entry, fqdn: realName(entry.fqdn) };
  return 'alias' in named ? { ...named, alias: { ...named.alias, target: realName(named.alias.target) } } : named;
}

export function entryRouting({
  setIdentifier,
  ...routing
}: Routing & { readonly setIdentifier: string }): EntryRouting {
  const { policy, healthCheckId } = routing;
  return { setIdentifier, ...routingFields(policy), ...(healthCheckId === null ? {} : { healthCheckId }) };
}

/** The fields of an entry in a fixed order. Without routing there is no field for it, so that no hash changes. */
export function describeEntry(entry: Entry): readonly unknown[] {
  const { fqdn, type, class: recordClass, ttl, routing } = entry;
  const routed = routing === undefined ? [] : [sortedFields(routing)];
  if (!('alias' in entry)) return [fqdn, type, recordClass, ttl, entry.rdata, ...routed];
  const { target, hostedZoneId, evaluateTargetHealth } = entry.alias;
  return [fqdn, type, recordClass, ttl, ['alias', target, hostedZoneId, evaluateTargetHealth], ...routed];
}

/** Sorts the fields of a mapping by name, also in nested mappings. */
function sortedFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([key, inner]) => [key, sortedFields(inner)]);
}
