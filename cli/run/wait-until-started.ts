// Waits while an API server starts. At first it refuses connections, then it answers 403 to everybody for about a
// second, because its own roles do not exist yet. /readyz tells that 403 from a missing right, for which waiting is no
// use.
import { setTimeout as sleep } from 'node:timers/promises';
import { KubernetesError, type KubernetesRequest } from '../../lib/adapters/kubernetes/http/kubernetes-error.ts';
import type { KubernetesTransport } from '../../lib/adapters/kubernetes/http/transport.ts';
import { listPath } from '../../lib/adapters/kubernetes/read-object.ts';
import type { Kind } from '../../lib/objects/kind.ts';

const PAUSE_MS = 500;
const WAIT_MS_MAX = 30_000;

/**
 * Resolves when objects of `kind` can be listed. Throws a KubernetesError when they cannot although the server is
 * ready, or after 30 seconds.
 */
export async function waitUntilStarted(
  transport: KubernetesTransport,
  kind: Kind,
  signal: AbortSignal,
  onWaiting: (message: string) => void,
): Promise<void> {
  const { resource, group } = kind;
  const rule = { group, resource, verb: 'list' };
  const list: KubernetesRequest = {
    action: `list ${resource}`,
    method: 'GET',
    path: listPath(kind),
    query: { limit: '1' },
    rule,
  };
  const ready: KubernetesRequest = { action: 'ask whether it is ready', method: 'GET', path: '/readyz', rule };
  const untilMs = performance.now() + WAIT_MS_MAX;
  for (let told = false; !signal.aborted; told = true) {
    try {
      await transport.send(list);
      return;
    } catch (error) {
      if (!(error instanceof KubernetesError) || !mayBeStarting(error)) throw error;
      if (performance.now() > untilMs || (await isReady(transport, ready, signal))) throw error;
      if (!told) onWaiting(`waiting for the API server: ${error.message}`);
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
}

function mayBeStarting({ status, cause }: KubernetesError): boolean {
  return status === 403 || (cause as { readonly code?: unknown } | undefined)?.code === 'ECONNREFUSED';
}

/** A server that does not answer counts as not ready. */
async function isReady(
  transport: KubernetesTransport,
  request: KubernetesRequest,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    for await (const _line of transport.lines(request, PAUSE_MS * 10, signal));
    return !signal.aborted;
  } catch {
    return false;
  }
}
