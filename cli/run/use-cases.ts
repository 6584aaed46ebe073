// The seam between the command and the use cases: parsed options and configuration in, the shapes of
// cli/print/output.ts out. The command above knows nothing of ledgers or Route 53, the use cases below nothing of flags
// or terminals.

import { gatherAll } from '../../lib/observe/gather-all.ts';
import { renderWorld } from '../../lib/report/render-cluster.ts';
import { sourcesOn } from '../../lib/sources/source.ts';
import type { PlanOutput, WorldOutput } from '../print/output.ts';
import type { KubernetesObject } from '../setup/cluster-manifests.ts';
import { openSource } from './open-source.ts';
import type { ApplyRequest, ApplyResult, LocalRequest, PlanRequest, RenderRequest } from './requests.ts';

/** What the objects lean on is out of the same reading as they. */
const READING_MS_MAX = 60_000;

/** What the rules make of the objects; touches nothing. */
export async function render({ source, config, clock, progress, log }: RenderRequest): Promise<WorldOutput> {
  progress(source.kind === 'manifests' ? 'reading manifests' : 'reading the cluster');
  const sources = sourcesOn(config.sources);
  const opened = await openSource(source, {
    clusterId: config.clusterId,
    sources,
    clock,
    readingMsMax: READING_MS_MAX,
  });
  try {
    const listing = await opened.cluster.list();
    progress('rendering');
    const leaningOf = await gatherAll({ cluster: opened.cluster, sources, config }, listing.objects);
    return renderWorld(listing, { sources, config }, clock.nowMs(), leaningOf, log);
  } finally {
    opened.close();
  }
}

// Each command loads what it needs when it runs: rendering starts without the AWS SDK and without servers.

/** The changes from published to desired; writes nothing. */
export async function plan(request: PlanRequest): Promise<PlanOutput> {
  const { runPlan } = await import('./plan-and-apply.ts');
  return runPlan(request);
}

/** Applies the plan that was reviewed, or that `confirm` says yes to. */
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
  const { applyObjects: apply } = await import('./apply-objects.ts');
  await apply(context, objects, force);
}

/** The current text of the secret that senders show, out of Secrets Manager. */
export async function readSenderSecret(arn: string): Promise<string> {
  const { readSenderSecret: read } = await import('./sender-secret.ts');
  return read(arn);
}
