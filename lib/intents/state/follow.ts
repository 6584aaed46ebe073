// Updates the central cluster after writes, one run at a time. Writes during a run lead to one more run, so many writes
// at once cost few runs. A run of a project includes its apps.
import type { CentralCluster } from '../../ports/central-cluster.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Log } from '../../ports/log.ts';
import { type AppTask, applyApp } from './apply-app.ts';
import { AT_ONCE, applyProject, type Left } from './apply-project.ts';
import type { IntentState } from './intent-state.ts';
import { notedRemovals, projectsToCompare } from './projects.ts';

export type Follower = {
  /** Asks for a run; null: of every project. */
  askProject(project: string | null): void;
  askApp(task: AppTask): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

/**
 * A follower that works in the background. When the work of a project or an app fails, that is logged, and the others
 * are not affected; the next write to it or the sweep repeats it.
 */
export function follower(state: IntentState, central: CentralCluster, log: Log): Follower {
  const projects = new Set<string>();
  const apps = new Map<string, AppTask>();
  let everything = false;
  let running: Promise<void> | null = null;
  const logLeft = (left: readonly Left[]) => {
    for (const { ref, why } of left) log('warn', wordsOnLeft(ref, why));
  };
  const failed = (error: unknown) => log('error', `intents do not reach the central cluster: ${String(error)}`);
  const runProject = async (project: string) => {
    projects.delete(project);
    for (const [key, task] of apps) if (task.project === project) apps.delete(key);
    const removals = await notedRemovals(state, project);
    logLeft(await applyProject(state, central, project));
    await inParallel(removals, AT_ONCE, (noted) => state.ledger.remove(noted, noted.revision));
  };
  const runApp = async (key: string, task: AppTask) => {
    apps.delete(key);
    logLeft(await applyApp(state, central, task));
  };
  const run = async () => {
    try {
      while (everything || projects.size > 0 || apps.size > 0) {
        if (everything) for (const project of await projectsToCompare(state)) projects.add(project);
        everything = false;
        for (const project of [...projects]) await runProject(project).catch(failed);
        for (const [key, task] of [...apps]) if (apps.has(key)) await runApp(key, task).catch(failed);
      }
    } finally {
      // At the moment of the last look: what is asked for afterwards begins a run of its own.
      running = null;
    }
  };
  const begin = () => {
    running ??= run().catch(failed);
  };
  return {
    askProject: (project) => {
      if (project === null) everything = true;
      else projects.add(project);
      begin();
    },
    askApp: (task) => {
      const key = `${task.project}/${task.app}`;
      const before = apps.get(key);
      const objects = new Set([...(before?.objects ?? []), ...task.objects]);
      const records = new Set([...(before?.records ?? []), ...task.records]);
      apps.set(key, { ...task, objects: [...objects], records: [...records] });
      begin();
    },
    idle: async () => {
      while (running !== null) await running;
    },
  };
}

function wordsOnLeft({ kind, namespace, name }: Left['ref'], why: Left['why']): string {
  return why === 'taken'
    ? `${kind} ${namespace}/${name} was created by somebody else and is left unchanged, but the intent API needs that name`
    : `${kind} ${namespace}/${name} cannot be created in the central cluster yet: see its status`;
}
