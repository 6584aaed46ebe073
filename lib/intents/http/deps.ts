// What answering needs of the world.

import type { Binding } from '../manifests/bindings.ts';
import type { Project } from '../manifests/project.ts';
import type { IntentState } from '../state/intent-state.ts';
import type { AppTask } from '../state/make-app-so.ts';
import type { Row } from '../state/publishing.ts';

/** What may follow from a change: all of a project, one app of it, or all projects that use a cluster. */
export type Changed =
  | { readonly kind: 'project'; readonly project: string }
  | ({ readonly kind: 'app' } & AppTask)
  | { readonly kind: 'cluster'; readonly provider: string; readonly cluster: string };

export type IntentDeps = {
  readonly state: IntentState;
  /** How publishing goes, of bindings that nothing stands in the way of. */
  readonly statusOf: (project: Project, bindings: readonly Binding[]) => Promise<readonly Row[]>;
  /** Makes the world follow; what this does not come to, the next call or the sweep does. */
  readonly follow: (changed: Changed) => Promise<void>;
};
