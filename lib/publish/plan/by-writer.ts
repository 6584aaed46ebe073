// Splits changes into batches of one writer each. The changes of one name stay together, so they have one writer: of
// all writers that their objects name, the first in order of text.
import type { Change } from '../../dns/plan-changes.ts';
import type { Writer, Writers } from '../../ports/hosted-zones.ts';
import { type Batch, batchChanges } from '../../route53/batch-changes.ts';
import { groupsOf } from './fair-order.ts';

const NONE: Writer = { role: null, changesMax: null };

/** The writer of the changes of one name. `writers` absent: no object has a writer of its own. */
async function writerOf(writers: Writers | undefined, changes: readonly Pick<Change, 'objects'>[]) {
  if (writers === undefined) return NONE;
  const objects = [...new Set(changes.flatMap((change) => change.objects))].sort();
  const found = await Promise.all(objects.map(writers));
  return found.find((writer) => writer !== null) ?? NONE;
}

/** The role that a batch is written with: all of its names have one writer. */
export async function roleOf(writers: Writers | undefined, batch: readonly Change[]): Promise<string | null> {
  const ofFirst = batch.filter((change) => change.name === batch[0]?.name);
  return (await writerOf(writers, ofFirst)).role;
}

/** Puts changes into batches. No batch has changes of two writers. */
export async function batchesByWriter(
  writers: Writers | undefined,
  changes: readonly Change[],
  at: { readonly apex: string },
): Promise<readonly Batch[]> {
  if (writers === undefined) return batchChanges(changes, at);
  const groups = await Promise.all(
    groupsOf(changes).map(async (group) => ({ group, writer: await writerOf(writers, group) })),
  );
  const shares = Map.groupBy(groups, ({ writer }) => `${writer.changesMax} ${writer.role}`);
  return [...shares.values()].flatMap((share) => {
    const { changesMax } = share[0]?.writer ?? NONE;
    return batchChanges(
      share.flatMap(({ group }) => group),
      { ...at, changesMax },
    );
  });
}
