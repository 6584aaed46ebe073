// Server-side apply of objects that belong to no namespace, as `kubectl apply --server-side` does it. Fields that somebody
// else manages are a conflict, which the API server explains, unless `force` takes them over.
import { kubeconfigContext } from '../../lib/adapters/kubernetes/access.ts';
import { kubernetesTransport } from '../../lib/adapters/kubernetes/transport.ts';
import type { KubernetesObject } from '../setup/cluster-manifests.ts';

/** Where each kind lives. */
const RESOURCES: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
};
/** Who manages the fields, beside `zone53`, which is the running system. */
const FIELD_MANAGER = 'zone53-cli';

/** Applies the objects in order. Throws KubernetesError at the first that is refused. */
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
      const { name } = object.metadata;
      await transport.send({
        action: `apply ${object.kind} ${name}`,
        method: 'PATCH',
        path: `/apis/${object.apiVersion}/${resource}/${encodeURIComponent(name)}`,
        query: { fieldManager: FIELD_MANAGER, ...(force ? { force: 'true' } : {}) },
        contentType: 'application/apply-patch+yaml',
        body: object,
        rule: { group: object.apiVersion.split('/')[0] ?? '', resource, verb: 'patch' },
      });
    }
  } finally {
    transport.close();
  }
}
