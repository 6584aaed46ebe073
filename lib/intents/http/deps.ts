// The dependencies of the intent API.

import type { Binding } from '../manifests/bindings.ts';
import type { Project } from '../manifests/project.ts';
import type { AppTask } from '../state/apply-app.ts';
import type { IntentState } from '../state/intent-state.ts';
import type { Row } from '../state/publishing.ts';

/** What a change may affect: a whole project, one of its apps, or all projects that use a cluster. */
export type Changed =
  | { readonly kind: 'project'; readonly project: string }
  | ({ readonly kind: 'app' } & AppTask)
  | { readonly kind: 'cluster'; readonly provider: string; readonly cluster: string };

export type IntentDeps = {
  readonly state: IntentState;
  /** The status of publishing for each binding. */
  readonly statusOf: (project: Project, bindings: readonly Binding[]) => Promise<readonly Row[]>;
  /** Carries the change over to the cluster. What this call does not finish, the next call or the sweep does. */
  readonly follow: (changed: Changed) => Promise<void>;
};
