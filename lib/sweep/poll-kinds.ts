// Polling: asks the API server what has changed since the last poll, instead of waiting for events. Where nothing has
// changed, no object is read. One item has the version of each kind. Hints are queued before the version is written,
// so a run that dies in between leads to the same hints once more.
//
//   the server no longer has the version   a hint for all objects of the kind, which compares them with the ledger
//   a kind cannot be polled                an error; it keeps its version, and the other kinds go on
//   the first poll of a cluster            the first sweep reads everything, so no hints; after it, one for each kind
import * as z from 'zod';
import { itemCodec } from '../ledger/item-codec.ts';
import { readable } from '../ledger/skip-unreadable.ts';
import type { ObjectKind } from '../objects/object-ref.ts';
import { compareShown } from '../observe/diff-objects.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { Hint } from '../ports/queues.ts';
import { readSweep } from './sweep-cursor.ts';

/** The version of each kind that the last poll reached. */
export const polledCodec = itemCodec(z.object({ versions: z.record(z.string(), z.string()) }));

/** The partition of what was polled of a cluster. */
export function polledPartition(clusterId: string): string {
  return `polls#${clusterId}`;
}

/** How many kinds are polled at once. Each takes a second, whatever it finds. */
const AT_ONCE = 16;

/** What a poll did. `failed`: the kinds that could not be polled, with the error of each. */
export type Polled = {
  readonly hints: number;
  readonly failed: readonly { readonly kind: ObjectKind; readonly error: unknown }[];
};

/**
 * Polls these kinds once. Throws if the ledger or a queue fails: then the next poll finds the same changes. `begins`:
 * only the versions of kinds that were never polled are noted, before a first load that reads everything.
 */
export async function pollKinds(
  context: Context,
  kinds: readonly ObjectKind[],
  { begins = false }: { readonly begins?: boolean } = {},
): Promise<Polled> {
  const { ledger, config } = context;
  const key = { partition: polledPartition(config.clusterId), sort: 'versions' };
  const stored = await ledger.get(key);
  const before = stored === null ? null : readable(context, polledCodec, stored);
  const isToCompare = !begins && (before !== null || (await readSweep(context)).state !== null);
  const versions: Record<string, string> = {};
  const failed: { readonly kind: ObjectKind; readonly error: unknown }[] = [];
  let hints = 0;
  await inParallel(kinds, AT_ONCE, async (kind) => {
    const since = before?.versions[kind] || null;
    if (since !== null) versions[kind] = since;
    if (since !== null && begins) return;
    try {
      const found = await pollKind(context, kind, since, isToCompare);
      if (found.hints.length > 0) await context.queues.hint(found.hints);
      hints += found.hints.length;
      versions[kind] = found.version;
    } catch (error) {
      failed.push({ kind, error });
    }
  });
  const isSame = kinds.every((kind) => versions[kind] === before?.versions[kind]);
  if (!isSame) await ledger.put(key, polledCodec.encode({ versions }), stored?.revision ?? null);
  return { hints, failed };
}

async function pollKind(
  context: Context,
  kind: ObjectKind,
  since: string | null,
  isToCompare: boolean,
): Promise<{ readonly hints: readonly Hint[]; readonly version: string }> {
  const { cluster, clock } = context;
  if (cluster.changes === undefined) throw new Error('Cannot poll files: only an API server tells what has changed');
  const changes = since === null ? null : await cluster.changes(kind, since);
  if (changes === null) {
    const now = await cluster.changes(kind, null);
    if (now === null) throw new Error(`Cannot poll ${kind}: the API server does not say its version`);
    const isAll = isToCompare && now.version !== '';
    return { version: now.version, hints: isAll ? [{ kind, namespace: null, name: null, via: 'poll' }] : [] };
  }
  const { hints, reports } = await compareShown(context, kind, changes.objects);
  if (reports.length > 0) await context.queues.report(reports);
  const atMs = clock.nowMs();
  return {
    version: changes.version,
    hints: [...hints, ...changes.deleted].map((hint) => ({ ...hint, atMs, via: 'poll' })),
  };
}
