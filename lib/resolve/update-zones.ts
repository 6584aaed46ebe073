// Updates the directory, then the subtrees that changed with it, which may change apex name servers in turn. Tasks are
// read before the directory. Otherwise a task of another run could be done before that run writes the directory.
import { formatRef, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import type { Cause } from '../ports/queues.ts';
import { readSubtreeTasks, runSubtreeTasks, type TaskBudget, taskBudget } from './subtree-tasks.ts';
import { updateDirectory } from './update-directory.ts';

/** How many rounds may pass without progress in a subtree, before the message is left to come back. */
const ROUNDS_MAX = 20;

export type UpdatedZones = {
  /** Zones whose status may have changed. */
  readonly reports: readonly ObjectRef[];
  /** A Zone of a task that did not fit the budget: a hint for it continues. Null: everything is up to date. */
  readonly left: ObjectRef | null;
};

export type UpdateZonesOptions = {
  /** Default: unlimited. */
  readonly budget?: TaskBudget;
  /** The event that caused the update. */
  readonly cause?: Cause;
};

/** Updates everything that depends on Zones, within the budget. `apexMoved`: Zones whose apex NS records changed. */
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
