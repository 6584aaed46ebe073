// The directory, then the subtrees that moved with it; whose apex may have moved in turn. Tasks are read before the
// directory is: those of another run that has not yet written its part of it are then not taken for done.
import { formatRef, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import type { Cause } from '../ports/queues.ts';
import { readSubtreeTasks, runSubtreeTasks, type TaskBudget, taskBudget } from './subtree-job.ts';
import { updateDirectory } from './update-directory.ts';

/** Rounds of the directory in which no subtree came any further, before we give up and let the message come back. */
const ROUNDS_MAX = 20;

export type UpdatedZones = {
  /** Zones whose status may have changed. */
  readonly reports: readonly ObjectRef[];
  /** A Zone of the tasks that did not fit the budget, for a hint to carry on by; null: everything is up to date. */
  readonly left: ObjectRef | null;
};

export type UpdateZonesOptions = {
  /** Default: without end. */
  readonly budget?: TaskBudget;
  /** The event behind it. */
  readonly cause?: Cause;
};

/** Updates all that depends on Zones, within the budget. `apexMoved`: those whose apex NS records changed. */
export async function updateZones(
  context: Context,
  apexMoved: ReadonlySet<ZoneKey> = new Set(),
  options: UpdateZonesOptions = {},
): Promise<UpdatedZones> {
  const { budget = taskBudget(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY), cause = {} } = options;
  const reports = new Map<string, ObjectRef>();
  let moved = apexMoved;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const tasks = await readSubtreeTasks(context);
    const directory = await updateDirectory(context, moved);
    for (const ref of directory.reports) reports.set(formatRef(ref), ref);
    if (directory.changed) continue;
    const run = await runSubtreeTasks(context, tasks, { budget, cause });
    moved = run.apexMoved;
    if (moved.size === 0) return { reports: [...reports.values()], left: run.left };
    if (run.moved) round = 0;
  }
  throw new Error(`Cannot update the Zones: they kept moving for ${ROUNDS_MAX} rounds`);
}
