// The objects that a batch of hints stands for, each once, with the event that has waited longest. A hint without a name stands
// for all of its kind there: those that are, by one listing, and those that were, by the ledger.
import { formatRef, type ObjectRef, parseRef } from '../kubizone/objects.ts';
import { causeOf, earliest } from './cause.ts';
import type { Context } from './context.ts';
import { eachItem } from './ledger-pages.ts';
import { objectsPartition } from './object-items.ts';
import type { Cause, Hint, ObjectKind } from './ports.ts';

/** An object to look at, and why. */
export type HintedObject = { readonly ref: ObjectRef; readonly cause: Cause };

/** The objects by reference. Throws when a listing that is needed is not whole. */
export async function hintedObjects(
  context: Context,
  hints: readonly Hint[],
): Promise<ReadonlyMap<string, HintedObject>> {
  const objects = new Map<string, HintedObject>();
  const add = (ref: ObjectRef, of: readonly Hint[]) => {
    if (of.length === 0) return;
    const before = objects.get(formatRef(ref));
    const causes = [...(before === undefined ? [] : [before.cause]), ...of.map(causeOf)];
    objects.set(formatRef(ref), { ref, cause: earliest(causes) });
  };
  for (const hint of hints) {
    const { kind, namespace, name } = hint;
    if (name !== null && namespace !== null) add({ kind, namespace, name }, [hint]);
  }
  const wide = hints.filter((hint) => hint.name === null || hint.namespace === null);
  if (wide.length === 0) return objects;
  const covering = ({ kind, namespace }: ObjectRef) =>
    wide.filter((hint) => hint.kind === kind && (hint.namespace === null || hint.namespace === namespace));
  const listing = await context.cluster.list();
  for (const { ref } of listing.objects) add(ref, covering(ref));
  for (const kind of ['Zone', 'Record'] satisfies ObjectKind[]) {
    for await (const item of eachItem(context.ledger, objectsPartition(context.config.clusterId, kind))) {
      const ref = parseRef(`${kind} ${item.sort}`);
      add(ref, covering(ref));
    }
  }
  return objects;
}
