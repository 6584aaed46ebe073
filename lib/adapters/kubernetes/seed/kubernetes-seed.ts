// The API server of a Gardener seed. Metadata is written only at the version that was read, and so is a status, if the
// caller names that version. Nothing is ever written to another object of the same name.
import { apiVersionOf, type Kind } from '../../../objects/kind.ts';
import type { ObjectRef } from '../../../objects/object-ref.ts';
import { type Mapping, mapping } from '../../../objects/plain.ts';
import type { Clock } from '../../../ports/clock.ts';
import { ForbiddenError, type Seed } from '../../../ports/seed/seed.ts';
import { patchRequest } from '../apply-status.ts';
import { isNoSuchType, type ServedKinds, servedKind, servedKinds } from '../discover-kinds.ts';
import { hasStatus, type KubernetesRequest } from '../http/kubernetes-error.ts';
import type { KubernetesTransport } from '../http/transport.ts';
import { pagesOf } from '../list-objects.ts';
import { type OwnWrites, writeOwn } from '../own-writes.ts';
import { crdReader } from '../read-crd.ts';
import { recordTold } from '../record-event.ts';
import { getObject } from '../report-to-object.ts';

/** The kind Cluster, which describes the shoot of a namespace in the seed. */
const CLUSTER_KIND: Kind = {
  kind: 'Cluster',
  group: 'extensions.gardener.cloud',
  version: 'v1alpha1',
  resource: 'clusters',
  status: 'none',
  pageSize: 50,
  scope: 'cluster',
};
const CORE = { group: '', version: 'v1', status: 'none' } as const;
const NAMESPACE_KIND: Kind = { ...CORE, kind: 'Namespace', resource: 'namespaces', scope: 'cluster' };
const SECRET_KIND: Kind = { ...CORE, kind: 'Secret', resource: 'secrets' };

const ROLE_LABEL = 'gardener.cloud/role';
const OPERATION_ANNOTATION = 'gardener.cloud/operation';

export type KubernetesSeedOptions = {
  readonly clusterId: string;
  readonly kind: Kind;
  readonly transport: KubernetesTransport;
  readonly clock: Clock;
  /** Remembers every write, so that a watch can skip it. */
  readonly ownWrites?: OwnWrites;
};

type Writer = KubernetesSeedOptions & { readonly served: ServedKinds };

/** The seed on an API server. Throws `KubernetesError`. */
export function kubernetesSeed(options: KubernetesSeedOptions): Seed {
  const { transport, clock, clusterId, kind } = options;
  const writer = { ...options, served: servedKinds(transport, clock) };
  const readCrd = crdReader(transport);
  return {
    get: async (ref) => getObject(transport, await servedKind(writer.served, kind), ref),
    list: async (namespace) => {
      const as = await writer.served.find(kind);
      if (as === null) return [];
      return (await Array.fromAsync(pagesOf(transport, { kind: as, namespace }))).flatMap(({ items }) => items);
    },
    crd: () => readCrd(kind),
    patchMetadata: async ({ ref, uid, resourceVersion }, { annotations, finalizers }) => {
      const metadata = { uid, resourceVersion, ...(annotations && { annotations }), ...(finalizers && { finalizers }) };
      return writeOwn(writer, ref, await mergePatch(writer, ref, '', { metadata }), asksNothing);
    },
    patchStatus: async ({ ref, uid }, status, resourceVersion) => {
      const metadata = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
      return writeOwn(writer, ref, await mergePatch(writer, ref, '/status', { metadata, status }), asksNothing);
    },
    readSecret: async (namespace, name) => {
      const secret = await getObject(transport, SECRET_KIND, { kind: 'Secret', namespace, name }).catch(forbidden);
      if (secret === null) return null;
      const data = Object.entries(mapping(mapping(secret).data));
      return Object.fromEntries(
        data.map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString('utf8')]),
      );
    },
    readShoot: async (name) => {
      const namespace = await getObject(transport, NAMESPACE_KIND, { kind: 'Namespace', namespace: '', name });
      const labels = mapping(mapping(mapping(namespace).metadata).labels);
      if (labels[ROLE_LABEL] !== 'shoot') return null;
      return getObject(transport, CLUSTER_KIND, { kind: 'Cluster', namespace: '', name }).catch(noSuchKind);
    },
    recordEvent: async ({ ref, uid, resourceVersion }, event) => {
      const as = await servedKind(writer.served, kind);
      const subject = { kind: as, ref, metadata: { uid, resourceVersion } };
      await recordTold(transport, clusterId, subject, { ...event, action: 'Publish' }, clock.nowMs());
    },
  };
}

/** Turns a 403 into a ForbiddenError; any other error is thrown as it is, and leads to a retry. */
function forbidden(error: unknown): never {
  throw hasStatus(error, 403) ? new ForbiddenError(error.message, { cause: error }) : error;
}

/** Null if there is no such kind; any other error is thrown as it is. */
function noSuchKind(error: unknown): null {
  if (isNoSuchType(error)) return null;
  throw error;
}

async function mergePatch(
  { served, kind: wanted }: Writer,
  ref: ObjectRef,
  part: '' | '/status',
  body: object,
): Promise<KubernetesRequest> {
  const kind = await servedKind(served, wanted);
  const object = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...body };
  return patchRequest(kind, ref, part, 'merge-patch+json', object);
}

/** False if the object was deleted or has an operation annotation by now. */
function asksNothing({ deletionTimestamp, annotations }: Mapping): boolean {
  return deletionTimestamp === undefined && mapping(annotations)[OPERATION_ANNOTATION] === undefined;
}
