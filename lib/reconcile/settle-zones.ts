// The directory, then the subtrees that moved with it; whose apex may have moved in turn. Tasks are read before the
// directory is: those of another run that has not yet written its part of it are then not taken for done.
import { formatRef, type ObjectRef, type ZoneKey } from '../kubizone/objects.ts';
import type { Context } from './context.ts';
import type { Cause } from './ports.ts';
import { updateDirectory } from './resolve-directory.ts';
import { readSubtreeTasks, runSubtreeTasks } from './subtree-task.ts';

/** Rounds of the directory and its subtrees before we give up and let the message come back. */
const ROUNDS_MAX = 20;

/** Settles all that hangs on Zones. `apexMoved` names those whose apex NS records changed; `cause`: the event behind it. Returns Zones to report. */
export async function settleZones(
  context: Context,
  apexMoved: ReadonlySet<ZoneKey> = new Set(),
  cause: Cause = {},
): Promise<readonly ObjectRef[]> {
  const reports = new Map<string, ObjectRef>();
  let moved = apexMoved;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const tasks = await readSubtreeTasks(context);
    const directory = await updateDirectory(context, moved);
    for (const ref of directory.reports) reports.set(formatRef(ref), ref);
    if (directory.changed) continue;
    moved = await runSubtreeTasks(context, tasks, cause);
    if (moved.size === 0) return [...reports.values()];
  }
  throw new Error(`Cannot settle the Zones: they kept moving for ${ROUNDS_MAX} rounds`);
}
