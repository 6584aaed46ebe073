// The use cases behind the commands: they take parsed requests and return the shapes of cli/print/output.ts. Commands
// know nothing of ledgers or Route 53, use cases nothing of flags or terminals.

import { gatherAll } from '../../lib/observe/gather-all.ts';
import { renderCluster } from '../../lib/report/render-cluster.ts';
import { seenTogether } from '../../lib/report/seen-together.ts';
import { sourcesOff, sourcesOn } from '../../lib/sources/source.ts';
import type { ClusterOutput, PlanOutput } from '../print/output.ts';
import type { KubernetesObject } from '../setup/cluster-manifests.ts';
import { openSource } from './open-source.ts';
import type { ApplyRequest, ApplyResult, LocalRequest, PlanRequest, RenderRequest } from './requests.ts';

/** Objects and their related objects come from one reading of the files. */
const READING_MS_MAX = 60_000;

/** Applies the rules to the objects; writes nothing. */
export async function render({ source, config, clock, progress, log }: RenderRequest): Promise<ClusterOutput> {
  progress(source.kind === 'manifests' ? 'reading manifests' : 'reading the cluster');
  const sources = sourcesOn(config.sources);
  const opened = await openSource(source, {
    clusterId: config.clusterId,
    sources,
    sourcesOff: sourcesOff(config.sources, config.sourceDefaults),
    clock,
    readingMsMax: READING_MS_MAX,
  });
  try {
    const listing = await opened.cluster.list();
    progress('rendering');
    const gatheredOf = await gatherAll({ cluster: opened.cluster, sources, config }, listing.objects);
    return renderCluster(listing, { sources, config }, clock.nowMs(), gatheredOf, log, (resolved) =>
      seenTogether(resolved, listing),
    );
  } finally {
    opened.close();
  }
}

// Each use case loads its modules when it runs, so that render starts without the AWS SDK and without servers.

/** Plans the changes from published to desired; writes nothing to Route 53. */
export async function plan(request: PlanRequest): Promise<PlanOutput> {
  const { runPlan } = await import('./plan-and-apply.ts');
  return runPlan(request);
}

/** Applies the plan that was reviewed, or that the user confirms. */
export async function apply(request: ApplyRequest): Promise<ApplyResult> {
  const { runApply } = await import('./plan-and-apply.ts');
  return runApply(request);
}

/** Runs the whole pipeline on this machine until `signal` is aborted. */
export async function local(request: LocalRequest): Promise<void> {
  const { runLocal } = await import('./run-local.ts');
  await runLocal(request);
}

/** Applies objects to the cluster of a kubeconfig context. */
export async function applyObjects(
  context: string,
  objects: readonly KubernetesObject[],
  force: boolean,
): Promise<void> {
  const { applyObjects: apply } = await import('../setup/apply-objects.ts');
  await apply(context, objects, force);
}

/** Reads the secret of senders from Secrets Manager. */
export async function readSenderSecret(arn: string): Promise<string> {
  const { readSenderSecret: read } = await import('../setup/sender-secret.ts');
  return read(arn);
}

/** Makes a CloudFormation template; `isDrift`: that of the second stack, which forwards events about drift. */
export async function template(config: string | null, isDrift: boolean): Promise<string> {
  const { printTemplate } = await import('./print-template.ts');
  return printTemplate(config, isDrift);
}
