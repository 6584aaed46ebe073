// The objects of a batch of hints, each once, with the oldest event. A hint without a name means all objects of its
// kind in its namespace, existing and deleted ones; without a namespace, in all namespaces. These are compared page by
// page, and each difference becomes a hint of its own.
import { readItem } from '../ledger/item-codec.ts';
import { formatRef, type ObjectRef } from '../objects/object-ref.ts';
import type { RelatedQuery } from '../objects/related.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { type Cause, causeOf, earliest, type Hint } from '../ports/queues.ts';
import { compareObjects, continueWide, readWideCursor } from './diff-objects.ts';
import { objectCodec, objectKey } from './object-item.ts';
import {
  type DependentsCursor,
  type Hinting,
  type HintOptions,
  hintDependents,
  isAmong,
} from './related/dependents.ts';

/**
 * An object to look at, and why. `noted`: the version in its hints, if all of them have the same. `repeats`: all of its
 * hints only repeat others.
 */
export type HintedObject = {
  readonly ref: ObjectRef;
  readonly cause: Cause;
  readonly noted: string | null;
  readonly repeats: boolean;
};

/** The objects of hints with a name, by reference. */
export function hintedObjects(hints: readonly Hint[]): ReadonlyMap<string, HintedObject> {
  const objects = new Map<string, HintedObject>();
  for (const hint of hints) {
    const { kind, namespace, name, noted = null, repeats = false } = hint;
    if (name === null || namespace === null) continue;
    const ref = { kind, namespace, name };
    const before = objects.get(formatRef(ref));
    const causes = [...(before === undefined ? [] : [before.cause]), causeOf(hint)];
    const isNoted = before === undefined || before.noted === noted;
    objects.set(formatRef(ref), {
      ref,
      cause: earliest(causes),
      noted: isNoted ? noted : null,
      repeats: repeats && before?.repeats !== false,
    });
  }
  return objects;
}

/** Compares one page of objects for each hint without a name. Sends hints for differences, and one for the rest. */
export async function spreadWideHints(context: Context, hints: readonly Hint[]): Promise<void> {
  for (const hint of hints) {
    if (hint.name !== null && hint.namespace !== null) continue;
    const wide = { kind: hint.kind, namespace: hint.namespace };
    const cause = causeOf(hint);
    const { hints: found, reports, next } = await compareObjects(context, wide, readWideCursor(hint));
    if (reports.length > 0) await context.queues.report(reports, cause);
    const all = next === null ? found : [...found, continueWide(wide, next)];
    if (all.length > 0) await context.queues.hint(all.map((one) => ({ ...one, ...cause })));
  }
}

/** Whether the object's item in the ledger has this query. */
export async function stillAsks(
  { ledger, config }: Pick<Context, 'ledger' | 'config'>,
  ref: ObjectRef,
  query: RelatedQuery,
): Promise<boolean> {
  const stored = await readItem(ledger, objectKey(config.clusterId, ref), objectCodec);
  return stored !== null && !stored.item.deleted && isAmong(stored.item.related ?? [], query);
}

/** How many names are worked on at once: a hosted zone can lose thousands. */
const NAMES_AT_ONCE = 16;

type Outcome = {
  readonly outcome: string;
  readonly change: { readonly action: string; readonly name: string };
};

/** After deletes: sends hints for objects with an alias that has the same types as one of the deleted names. */
export async function hintTypesGone(context: Hinting, outcomes: readonly Outcome[]): Promise<void> {
  const gone = outcomes.filter(({ outcome, change }) => outcome === 'published' && change.action === 'delete');
  const names = new Set(gone.map(({ change }) => change.name));
  await inParallel(names, NAMES_AT_ONCE, (name) => hintAliasesOf(context, name, { cause: {}, again: false }));
}

/** Sends hints for the objects with an alias that has the same types as this name. */
export async function hintAliasesOf(
  context: Hinting,
  fqdn: string,
  options: Pick<HintOptions, 'cause' | 'again' | 'repeats'>,
): Promise<void> {
  if (context.sources.every(({ relatedOf }) => relatedOf === undefined)) return;
  let from: DependentsCursor | null = null;
  do {
    from = await hintDependents(context, [{ code: 'types', fqdn }], {
      ...options,
      from,
      stillAsks: (ref, query) => stillAsks(context, ref, query),
    });
  } while (from !== null);
}
