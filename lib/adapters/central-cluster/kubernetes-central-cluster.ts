// The central cluster of intents on an API server. Objects are written by server-side apply with our field manager. A
// new object is applied without force: if somebody else has made one of that name, it is a conflict, and theirs stays.
// Our own objects are applied by force, with their uid.
import { errorMessage, mapping } from '../../objects/plain.ts';
import type { CentralCluster, ExistingObject, Look, ManifestRef } from '../../ports/central-cluster.ts';
import type { JsonObject } from '../../ports/ledger.ts';
import { isNoSuchType } from '../kubernetes/discover-kinds.ts';
import { hasStatus, isAbsence, KubernetesError, type KubernetesRequest } from '../kubernetes/http/kubernetes-error.ts';
import type { KubernetesTransport } from '../kubernetes/http/transport.ts';
import { FIELD_MANAGER, texts } from '../kubernetes/read-object.ts';

/** The kinds that are applied there, with their resource names. */
const RESOURCES: Readonly<Record<string, string>> = {
  DNSEndpoint: 'dnsendpoints',
  Deployment: 'deployments',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  Secret: 'secrets',
  ServiceAccount: 'serviceaccounts',
};

const PAGE_OBJECTS = 500;

/** The central cluster. Throws `KubernetesError`. */
export function kubernetesCentralCluster(transport: KubernetesTransport): CentralCluster {
  return {
    look: (ref) => look(transport, ref),
    list: async (kind, labels) => {
      try {
        return await list(transport, kind, labels);
      } catch (error) {
        // A cluster without the kind has no objects of it.
        if (isNoSuchType(error)) return [];
        throw error;
      }
    },
    apply: (ref, manifest, uid) => apply(transport, ref, manifest, uid),
    remove: async (ref, uid) => {
      try {
        const body = {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          preconditions: { uid },
          propagationPolicy: 'Background',
        };
        await transport.send({ ...request(ref, 'delete', 'delete'), method: 'DELETE', body });
      } catch (error) {
        if (isAbsence(error, ref) || hasStatus(error, 409)) return;
        throw error;
      }
    },
  };
}

async function list(
  transport: KubernetesTransport,
  ...[kind, labels]: Parameters<CentralCluster['list']>
): Promise<readonly ExistingObject[]> {
  const found: ExistingObject[] = [];
  const selector = Object.entries(labels).map(([key, value]) => (value === '' ? key : `${key}=${value}`));
  let next = '';
  do {
    const query = { labelSelector: selector.join(','), limit: String(PAGE_OBJECTS), ...(next && { continue: next }) };
    const sent = { ...request({ ...kind, name: '' }, 'list', 'list'), method: 'GET', query } as const;
    const answer = mapping(await transport.send(sent));
    const items = Array.isArray(answer.items) ? answer.items : [];
    found.push(...items.map((item) => existing({ ...kind, name: String(mapping(mapping(item).metadata).name) }, item)));
    next = String(mapping(answer.metadata).continue ?? '');
  } while (next !== '');
  return found;
}

async function look(transport: KubernetesTransport, ref: ManifestRef): Promise<Look> {
  try {
    const object = await transport.send({ ...request(ref, 'read', 'get'), method: 'GET' });
    return { kind: 'present', existing: existing(ref, object) };
  } catch (error) {
    if (isAbsence(error, ref)) return { kind: 'absent', obstacle: await namespaceMissing(transport, ref) };
    if (isNoSuchType(error))
      return { kind: 'absent', obstacle: `the central cluster has no kind ${ref.kind}: install its CRD` };
    return { kind: 'unknown', reason: errorMessage(error) };
  }
}

async function namespaceMissing(transport: KubernetesTransport, { namespace }: ManifestRef): Promise<string | null> {
  try {
    await transport.send({
      action: `read Namespace ${namespace}`,
      method: 'GET',
      path: `/api/v1/namespaces/${encodeURIComponent(namespace)}`,
      rule: { group: '', resource: 'namespaces', verb: 'get' },
    });
    return null;
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    return error.status === 404 ? `namespace ${namespace} is not in the central cluster: create it` : error.message;
  }
}

async function apply(
  transport: KubernetesTransport,
  ref: ManifestRef,
  manifest: JsonObject,
  uid: string | null,
): Promise<'applied' | 'taken' | 'impossible'> {
  const body = uid === null ? manifest : { ...manifest, metadata: { ...mapping(manifest.metadata), uid } };
  try {
    await transport.send({
      ...request(ref, 'apply', 'patch'),
      method: 'PATCH',
      query: { fieldManager: FIELD_MANAGER, force: String(uid !== null) },
      contentType: 'application/apply-patch+yaml',
      body,
    });
    return 'applied';
  } catch (error) {
    if (hasStatus(error, 409)) return 'taken';
    // The namespace or the kind does not exist: apply would have created a missing object.
    if (hasStatus(error, 404)) return 'impossible';
    throw error;
  }
}

function request(ref: ManifestRef, action: string, verb: string): Pick<KubernetesRequest, 'action' | 'path' | 'rule'> {
  const { apiVersion, kind, namespace, name } = ref;
  const resource = RESOURCES[kind];
  if (resource === undefined) throw new Error(`Cannot ${action} a ${kind}: intents make none`);
  const [group, root] = apiVersion.includes('/') ? [apiVersion.split('/')[0] ?? '', '/apis'] : ['', '/api'];
  const path = `${root}/${apiVersion}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
  return {
    action: `${action} ${kind} ${namespace}/${name}`,
    path: name === '' ? path : `${path}/${encodeURIComponent(name)}`,
    rule: { group, resource, verb },
  };
}

function existing(ref: ManifestRef, value: unknown): ExistingObject {
  const object = mapping(value);
  const metadata = mapping(object.metadata);
  return { ...ref, uid: String(metadata.uid), labels: texts(metadata.labels), object: object as JsonObject };
}
