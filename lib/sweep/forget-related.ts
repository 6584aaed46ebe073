// Removes notes about related objects that nobody needs any more: of a dependent that no longer asks, of a related
// object without dependents, of the recheck of an object that is gone. Each sweep looks at a part of them.
import { readItem } from '../ledger/item-codec.ts';
import { findRef, type ObjectRef, refOfKey } from '../objects/object-ref.ts';
import { stillAsks } from '../observe/expand-hints.ts';
import { objectCodec, objectKey } from '../observe/object-item.ts';
import { hasDependents, isForgotten } from '../observe/related/dependents.ts';
import {
  dependentCodec,
  dependentsPartition,
  queriesThatFind,
  recheckCodec,
  rechecksPartition,
  relatedCodec,
  relatedPartition,
} from '../observe/related/related-items.ts';
import type { Context } from '../ports/context.ts';
import type { LedgerItem } from '../ports/ledger.ts';

export type RelatedStop = {
  readonly partition: string;
  readonly prefix: '';
  readonly holds: 'dependent' | 'related' | 'recheck';
};

/** The ranges of all these notes. `kinds`: of related objects, also for sources that are switched off now. */
export function relatedStops(clusterId: string, kinds: readonly string[]): readonly RelatedStop[] {
  return [
    ...[...kinds, 'types'].map(
      (kind) => ({ partition: dependentsPartition(clusterId, kind), prefix: '', holds: 'dependent' }) as const,
    ),
    ...kinds.map((kind) => ({ partition: relatedPartition(clusterId, kind), prefix: '', holds: 'related' }) as const),
    { partition: rechecksPartition(clusterId), prefix: '', holds: 'recheck' },
  ];
}

/** Removes an item that is not needed. Items of the last hour stay: they may belong to a run that is under way. */
export async function forgetUnneeded(
  context: Context,
  { holds }: Pick<RelatedStop, 'holds'>,
  stored: LedgerItem,
): Promise<void> {
  if (await isUnneeded(context, holds, stored)) await context.ledger.remove(stored, stored.revision);
}

async function isUnneeded(context: Context, holds: RelatedStop['holds'], stored: LedgerItem): Promise<boolean> {
  switch (holds) {
    case 'dependent': {
      const { ref, query, atMs } = dependentCodec.decode(stored);
      return isForgotten(context, atMs) && !(await stillAsks(context, ref, query));
    }
    case 'related': {
      const { labels } = relatedCodec.decode(stored);
      const kind = stored.partition.slice(stored.partition.lastIndexOf('#') + 1);
      return !(await hasDependents(context, queriesThatFind(refOfKey(kind, stored.sort), labels)));
    }
    case 'recheck': {
      const { dueMs } = recheckCodec.decode(stored);
      const ref = findRef(stored.sort);
      return isForgotten(context, dueMs) && !(ref !== null && (await asksForAny(context, ref)));
    }
    default:
      return holds satisfies never;
  }
}

async function asksForAny({ ledger, config }: Context, ref: ObjectRef): Promise<boolean> {
  const object = await readItem(ledger, objectKey(config.clusterId, ref), objectCodec);
  return object !== null && !object.item.deleted && (object.item.related ?? []).length > 0;
}
