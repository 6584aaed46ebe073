// Reads the CRD of a kind, to learn whether objects that are gone went together with it.
import { crdOf, type Kind } from '../../objects/kind.ts';
import { mapping } from '../../objects/plain.ts';
import type { CrdState } from '../../ports/cluster.ts';
import { oncePerKey, sharedNext } from '../../ports/once.ts';
import { hasStatus, KubernetesError } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';

/** The group of CRDs, in paths and RBAC rules. */
const CRD_GROUP = 'apiextensions.k8s.io';
const CRD_RESOURCE = 'customresourcedefinitions';

/** Reads CRDs. Every reading begins after the question; questions that come meanwhile share the next one. */
export function crdReader(transport: KubernetesTransport): (kind: Kind) => Promise<CrdState> {
  const reader = oncePerKey(
    (name: string) => name,
    (name) => sharedNext(() => readCrd(transport, name)),
  );
  return async (kind) => {
    const name = crdOf(kind);
    return name === null ? { kind: 'none' } : reader(name)();
  };
}

async function readCrd(transport: KubernetesTransport, name: string): Promise<CrdState> {
  try {
    const { metadata } = mapping(
      await transport.send({
        action: `read the CRD ${name}`,
        method: 'GET',
        path: `/apis/${CRD_GROUP}/v1/${CRD_RESOURCE}/${name}`,
        rule: { group: CRD_GROUP, resource: CRD_RESOURCE, verb: 'get' },
      }),
    );
    const { creationTimestamp, deletionTimestamp } = mapping(metadata);
    if (deletionTimestamp !== undefined) return { kind: 'leaving' };
    if (typeof creationTimestamp === 'string') return { kind: 'since', createdAt: creationTimestamp };
    throw new KubernetesError(`Cannot read the CRD ${name}: it has no metadata.creationTimestamp`, { status: null });
  } catch (error) {
    if (hasStatus(error, 404)) return { kind: 'missing' };
    if (hasStatus(error, 403)) return { kind: 'unread', message: error.message };
    throw error;
  }
}
