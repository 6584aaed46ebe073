// What the ledger keeps of related objects, so that the dependents of a changed object are found without a listing.
//
//   partition                     | sort                                 | holds
//   ------------------------------|--------------------------------------|---------------------------------------------
//   dependents#<cluster>#<Kind>   | =<ns/name>!<Kind ns/name>            | DependentItem: it asked for that object
//   dependents#<cluster>#<Kind>   | *<ns or *>?<label=value>!<Kind …>    | DependentItem: it asked for all of those
//   dependents#<cluster>#types    | =<fqdn>!<Kind ns/name>               | DependentItem: it asked which types exist
//   related#<cluster>#<Kind>      | <ns/name>                            | RelatedItem: what of it was last looked at
//   rechecks#<cluster>            | <Kind ns/name>                       | RecheckItem: when to check a dependent again
//
// A dependent is noted before it reads what it asked for, so that a later change finds it. A note that is no longer
// needed costs a read, and is removed an hour later.
import * as z from 'zod';
import { anyText, type Codec, type Item, itemCodec } from '../../ledger/item-codec.ts';
import { formatRef, keyOf, type ObjectKind, type ObjectRef } from '../../objects/object-ref.ts';
import type { RelatedLabel, RelatedQuery } from '../../objects/related.ts';
import type { LedgerKey } from '../../ports/ledger.ts';

export const storedRef = z.object({ kind: anyText<ObjectKind>(), namespace: z.string(), name: z.string() });
const storedLabel = z.object({ key: z.string(), value: z.string() });

/** A query as the ledger keeps it. */
export const storedQuery: z.ZodType<RelatedQuery> = z.discriminatedUnion('code', [
  z.object({ code: z.literal('get'), kind: z.string(), namespace: z.string(), name: z.string() }),
  z.object({
    code: z.literal('list'),
    kind: z.string(),
    namespace: z.string().nullable(),
    label: storedLabel.nullable(),
  }),
  z.object({ code: z.literal('types'), fqdn: z.string() }),
]);

const dependentBody = z.object({ ref: storedRef, query: storedQuery, atMs: z.number() });
/** An object that asked a query. `atMs`: when that was last saved. */
export type DependentItem = Item<typeof dependentBody>;
export const dependentCodec: Codec<DependentItem> = itemCodec(dependentBody);

const relatedBody = z.object({
  uid: z.string().nullable(),
  version: z.string(),
  /** The digest of the facts that count. */
  digest: z.string(),
  /** The labels that queries may have selected it by. */
  labels: z.array(storedLabel),
  /** True until all dependents have hints. */
  unsettled: z.boolean(),
});
/** A related object as last looked at. */
export type RelatedItem = Item<typeof relatedBody>;
export const relatedCodec: Codec<RelatedItem> = itemCodec(relatedBody);

/** When a dependent is next looked at because of related objects. Until then a hint is on its way. */
export const recheckCodec = itemCodec(z.object({ dueMs: z.number() }));

export function relatedPartition(cluster: string, kind: string): string {
  return `related#${cluster}#${kind}`;
}

export function relatedKey(cluster: string, ref: ObjectRef): LedgerKey {
  return { partition: relatedPartition(cluster, ref.kind), sort: keyOf(ref) };
}

export function rechecksPartition(cluster: string): string {
  return `rechecks#${cluster}`;
}

export function recheckKey(cluster: string, ref: ObjectRef): LedgerKey {
  return { partition: rechecksPartition(cluster), sort: formatRef(ref) };
}

/** The partition of the objects that asked for a kind of object, or for the `types` of names. */
export function dependentsPartition(cluster: string, kind: string): string {
  return `dependents#${cluster}#${kind}`;
}

/** The keys of the objects that asked this query. The sort is a prefix. */
export function askersOf(cluster: string, query: RelatedQuery): LedgerKey {
  const partition = dependentsPartition(cluster, query.code === 'types' ? 'types' : query.kind);
  if (query.code === 'types') return { partition, sort: `=${query.fqdn}!` };
  if (query.code === 'get') return { partition, sort: `=${query.namespace}/${query.name}!` };
  const label = query.label === null ? '' : `${query.label.key}=${query.label.value}`;
  return { partition, sort: `*${query.namespace ?? '*'}?${label}!` };
}

export function dependentKey(cluster: string, query: RelatedQuery, ref: ObjectRef): LedgerKey {
  const { partition, sort } = askersOf(cluster, query);
  return { partition, sort: `${sort}${formatRef(ref)}` };
}

/** Every query that an object with these labels answers. */
export function queriesThatFind(ref: ObjectRef, labels: readonly RelatedLabel[]): readonly RelatedQuery[] {
  const { kind, namespace, name } = ref;
  const lists = [null, ...labels].flatMap((label) =>
    [namespace, null].map((within) => ({ code: 'list', kind, namespace: within, label }) as const),
  );
  return [{ code: 'get', kind, namespace, name }, ...lists];
}
