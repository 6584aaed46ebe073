// Server-side apply of objects, as `kubectl apply --server-side` does it. A field that somebody else manages is a
// conflict, which the API server explains; `force` takes the field over.

import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import { hasStatus } from '../../lib/adapters/kubernetes/http/kubernetes-error.ts';
import { UsageError } from '../print/usage-error.ts';
import type { KubernetesObject } from './cluster-manifests.ts';

/** The resource of each kind, as in its API path. */
const RESOURCES: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
};
/** The field manager of these objects. The running system is another one, `zone53`. */
const FIELD_MANAGER = 'zone53-cli';

/**
 * Applies the objects in order. Throws at the first that is refused: a UsageError for a conflict, which `force` would
 * solve, else a KubernetesError.
 */
export async function applyObjects(
  context: string,
  objects: readonly KubernetesObject[],
  force: boolean,
): Promise<void> {
  const transport = kubeconfigTransport(context);
  try {
    for (const object of objects) {
      const resource = RESOURCES[object.kind];
      if (resource === undefined) throw new Error(`Cannot apply a ${object.kind}: its resource is not known`);
      const { namespace, name } = object.metadata;
      const within = namespace === undefined ? '' : `namespaces/${encodeURIComponent(namespace)}/`;
      const sent = transport.send({
        action: `apply ${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
        method: 'PATCH',
        path: `/apis/${object.apiVersion}/${within}${resource}/${encodeURIComponent(name)}`,
        query: { fieldManager: FIELD_MANAGER, ...(force ? { force: 'true' } : {}) },
        contentType: 'application/apply-patch+yaml',
        body: object,
        rule: { group: object.apiVersion.split('/')[0] ?? '', resource, verb: 'patch' },
      });
      await sent.catch(explainConflict);
    }
  } finally {
    transport.close();
  }
}

/** Such as a ClusterRole of `kubectl apply -f crds/`, whose rules are to change. */
function explainConflict(error: unknown): never {
  if (!hasStatus(error, 409)) throw error;
  throw new UsageError(`${error.message}\n  To take over these fields, pass --force-conflicts.`);
}
