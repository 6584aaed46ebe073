// Shared by the suites on a real API server: applies our CRDs and waits until they are served, and applies objects.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContextName } from './kubeconfig.ts';
import type { KubectlResult, KubernetesEngine } from './start.ts';

export const CRDS = path.join(import.meta.dirname, '..', '..', '..', 'crds');

/** An object to apply; namespace `default` unless stated. */
export type Manifest = {
  readonly kind: 'Zone' | 'Record';
  readonly name: string;
  readonly namespace?: string;
  readonly spec: unknown;
  readonly labels?: Readonly<Record<string, string>>;
};

/** The object as kubectl takes it. */
export function manifest({ kind, name, namespace = 'default', spec, labels }: Manifest): object {
  return { apiVersion: 'kubi.zone/v1alpha1', kind, metadata: { name, namespace, ...(labels && { labels }) }, spec };
}

/** Applies objects with kubectl. */
export function apply(
  engine: KubernetesEngine,
  objects: readonly Manifest[],
  options: { readonly context?: ContextName; readonly args?: readonly string[] } = {},
): Promise<KubectlResult> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects.map(manifest) };
  const args = ['apply', ...(options.args ?? []), '-f', '-'];
  const context = options.context === undefined ? {} : { context: options.context };
  return engine.kubectl(args, { input: JSON.stringify(list), ...context });
}

/**
 * Applies crds/ and waits until both types are served, and until group zone53 may use the rights that crds/ gives it.
 * On failure it throws an Error with kubectl's output.
 */
export async function applyCrds(engine: KubernetesEngine, args: readonly string[] = ['-f', CRDS]): Promise<void> {
  await succeed(engine, ['apply', ...args]);
  await waitForCrds(engine);
  // The API server learns of a new role only some time after it was written.
  const mayList = async () => (await engine.kubectl(['get', 'zones,records'], { context: 'zone53' })).code === 0;
  if (args.includes(CRDS)) await eventually(mayList);
}

/**
 * Deletes CRDs with their objects. The API server looks at a deletion again when it lost a conflict over the CRD's
 * status, but only when the CRD changes, or after five minutes. An annotation is such a change.
 */
export async function deleteCrds(engine: KubernetesEngine, ...crds: readonly string[]): Promise<void> {
  await succeed(engine, ['delete', '--wait=false', ...crds]);
  for (const crd of crds) {
    await eventually(async () => {
      await engine.kubectl(['annotate', '--overwrite', crd, `test/asked=${Date.now()}`]);
      return (await engine.kubectl(['get', crd])).code !== 0;
    });
  }
}

/** Waits until both types are served. */
export async function waitForCrds(engine: KubernetesEngine): Promise<void> {
  // kubectl fails, and does not wait, where a CRD has no conditions yet.
  const crds = ['crd/zones.kubi.zone', 'crd/records.kubi.zone'];
  const wait = ['wait', '--for=condition=Established', '--timeout=30s', ...crds];
  await eventually(async () => (await engine.kubectl(wait)).code === 0);
  await eventually(async () => (await engine.kubectl(['get', 'zones,records'])).code === 0);
}

/** Runs kubectl. On failure it throws an Error with kubectl's output. */
export async function succeed(engine: KubernetesEngine, args: readonly string[], input?: string): Promise<string> {
  const result = await engine.kubectl(args, input === undefined ? {} : { input });
  if (result.code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

/** The object as it stands. */
export async function read(engine: KubernetesEngine, what: string, namespace = 'default'): Promise<KubernetesObject> {
  return JSON.parse(await succeed(engine, ['get', what, '-n', namespace, '-o', 'json', '--show-managed-fields']));
}

/** As much of an object as the tests look at. */
export type KubernetesObject = {
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly subresource?: string;
    }[];
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: {
    readonly fqdn?: string | null;
    readonly hash?: string | null;
    readonly serial?: number | null;
    readonly entries?: readonly unknown[];
    readonly entriesOmitted?: number;
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
      readonly lastTransitionTime: string;
      readonly observedGeneration?: number;
    }[];
  };
};

/** Waits until `isTrue` returns true. Throws after `waitMs`. */
export async function eventually(isTrue: () => Promise<boolean> | boolean, waitMs = 30_000): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`it did not come true within ${waitMs / 1_000} s`);
    await sleep(50);
  }
}
