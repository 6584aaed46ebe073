// Reads what tells one cluster from another: the uid of its namespace kube-system.
import { mapping } from '../../objects/plain.ts';
import { hasStatus } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';

/** The uid of the namespace kube-system; null: it may not be read, or is not there yet. Throws `KubernetesError`. */
export async function readUid(transport: KubernetesTransport): Promise<string | null> {
  try {
    const answer = await transport.send({
      action: 'read the namespace kube-system',
      method: 'GET',
      path: '/api/v1/namespaces/kube-system',
      rule: { group: '', resource: 'namespaces', verb: 'get' },
    });
    const { uid } = mapping(mapping(answer).metadata);
    return typeof uid === 'string' ? uid : null;
  } catch (error) {
    if (hasStatus(error, 403) || hasStatus(error, 404)) return null;
    throw error;
  }
}
