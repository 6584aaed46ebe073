// What follows from a write: the central cluster is made so, one run at a time for a project. What is written meanwhile leads to
// one more run, so that many writes at once cost few runs.
import type { CentralCluster } from '../../ports/central-cluster.ts';
import type { Log } from '../../ports/log.ts';
import type { IntentState } from './intent-state.ts';
import { makeItSo } from './make-it-so.ts';
import { projectsOf } from './projects.ts';

export type Follower = {
  /** Asks for a run; null: of every project. */
  ask(project: string | null): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

/** A follower that works in the background. A run that fails is told, and comes again with the next write or the sweep. */
export function follower(state: IntentState, central: CentralCluster, log: Log): Follower {
  const asked = new Set<string>();
  let everything = false;
  let running: Promise<void> | null = null;
  const run = async () => {
    while (asked.size > 0 || everything) {
      if (everything) for (const project of await projectsOf(state)) asked.add(project);
      everything = false;
      for (const project of [...asked]) {
        asked.delete(project);
        for (const { ref, why } of await makeItSo(state, central, project)) log('warn', left(ref, why));
      }
    }
  };
  const begin = () => {
    running ??= run()
      .catch((error: unknown) => log('error', `intents do not reach the central cluster: ${String(error)}`))
      .finally(() => {
        running = null;
      });
  };
  return {
    ask: (project) => {
      if (project === null) everything = true;
      else asked.add(project);
      begin();
    },
    idle: async () => {
      while (running !== null) await running;
    },
  };
}

function left({ kind, namespace, name }: { kind: string; namespace: string; name: string }, why: string): string {
  return why === 'taken'
    ? `${kind} ${namespace}/${name} is somebody else's and left alone: intents need that name`
    : `${kind} ${namespace}/${name} cannot stand in the central cluster yet: see its status`;
}
