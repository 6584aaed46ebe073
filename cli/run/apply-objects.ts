// Server-side apply of what a cluster needs, as `kubectl apply --server-side` does it. Fields that somebody else
// manages are a conflict, which the API server explains, unless `force` takes them over.
import { kubeconfigContext } from '../../lib/adapters/kubernetes/access/access.ts';
import { KubernetesError } from '../../lib/adapters/kubernetes/kubernetes-error.ts';
import { kubernetesTransport } from '../../lib/adapters/kubernetes/transport.ts';
import { UsageError } from '../print/usage-error.ts';
import type { KubernetesObject } from '../setup/cluster-manifests.ts';

/** Where each kind lives. */
const RESOURCES: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
};
/** Who manages the fields, beside `zone53`, which is the running system. */
const FIELD_MANAGER = 'zone53-cli';

/**
 * Applies the objects in order. Throws at the first that is refused: a UsageError where `force` would help, else a
 * KubernetesError.
 */
export async function applyObjects(
  context: string,
  objects: readonly KubernetesObject[],
  force: boolean,
): Promise<void> {
  const transport = kubernetesTransport({ access: kubeconfigContext(context) });
  try {
    for (const object of objects) {
      const resource = RESOURCES[object.kind];
      if (resource === undefined) throw new Error(`Cannot apply a ${object.kind}: nobody said where it lives`);
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

/** As when `kubectl apply -f crds/` has put a ClusterRole there whose rules are now to be others. */
function explainConflict(error: unknown): never {
  if (!(error instanceof KubernetesError) || error.status !== 409) throw error;
  throw new UsageError(`${error.message}\n  To take over what others have written there, pass --force-conflicts.`);
}
