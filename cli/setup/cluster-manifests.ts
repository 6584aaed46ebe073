// Builds what a cluster needs to work with a deployed stack: RBAC, the configuration of the admission webhook, the
// kubeconfig for an audit webhook, and EKS access entries. Pure: the files of crds/, the outputs of the stack and the
// secret are arguments.
import { parseAllDocuments } from 'yaml';
import type { Kind } from '../../lib/objects/kind.ts';
import type { WebhookScope } from '../../lib/objects/source-settings.ts';
import { auditRules, type RbacRule, sourcesWebhook } from '../../lib/sources/cluster-needs.ts';
import { UsageError } from '../print/usage-error.ts';
import type { DeployedStack } from './stack-outputs.ts';

/** A Kubernetes object. */
export type KubernetesObject = {
  readonly apiVersion: string;
  readonly kind: string;
  /** `namespace` is missing for a cluster-scoped object. */
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
};

/** The identity of zone53 at the API server, for a ClusterRoleBinding. */
export type Subject = {
  readonly kind: 'Group' | 'User' | 'ServiceAccount';
  readonly name: string;
  readonly namespace?: string;
};

/** The RBAC groups of the stack's access entries; the roles of crds/rbac.yaml have the same names. */
export const GROUP = 'zone53';
const VALIDATE_GROUP = 'zone53-validate';

/** The address that an API server calls, and the secret that it sends. */
export type WebhookTarget = {
  /** It ends with a slash. */
  readonly url: string;
  readonly secret: string;
  /** PEM of the authority behind the URL's certificate; null for those that the API server's machine trusts. */
  readonly ca: string | null;
};

/**
 * The roles and bindings of crds/rbac.yaml, bound to `subject` if one is given. `validates`: with the smaller role of
 * the validating webhook, for a group of its own.
 */
export function rbacManifests(rbac: string, subject: Subject | null, validates: boolean): readonly KubernetesObject[] {
  const needed = parseObjects(rbac).filter(({ metadata }) => metadata.name !== VALIDATE_GROUP || validates);
  return needed.map((object) => {
    if (object.kind !== 'ClusterRoleBinding' || object.metadata.name === VALIDATE_GROUP || subject === null)
      return object;
    const apiGroup = subject.kind === 'ServiceAccount' ? '' : 'rbac.authorization.k8s.io';
    return { ...object, subjects: [{ ...subject, apiGroup }] };
  });
}

/** Adds these rules to the ClusterRole of zone53. */
export function withRules(
  objects: readonly KubernetesObject[],
  rules: readonly RbacRule[],
): readonly KubernetesObject[] {
  return objects.map((object) => {
    if (object.kind !== 'ClusterRole' || object.metadata.name !== GROUP) return object;
    return { ...object, rules: [...((object.rules ?? []) as readonly unknown[]), ...rules] };
  });
}

/** Adds a Role with these rules in each namespace, bound to the subjects of the ClusterRole. */
export function withRoles(
  objects: readonly KubernetesObject[],
  roles: readonly { readonly namespace: string; readonly rules: readonly RbacRule[] }[],
): readonly KubernetesObject[] {
  const binding = objects.find(({ kind, metadata }) => kind === 'ClusterRoleBinding' && metadata.name === GROUP);
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: GROUP };
  const added = roles.flatMap(({ namespace, rules }) => {
    const metadata = { name: GROUP, namespace };
    return [
      { apiVersion, kind: 'Role', metadata, rules },
      { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects: binding?.subjects },
    ];
  });
  return [...objects, ...added];
}

/** Adds a second webhook to the configuration, for the kinds that sources read. */
export function withSources(object: KubernetesObject, kinds: readonly Kind[], scope: WebhookScope): KubernetesObject {
  const [first] = (object.webhooks ?? []) as { readonly clientConfig: object }[];
  if (first === undefined) return object;
  return { ...object, webhooks: [first, ...sourcesWebhook(kinds, first.clientConfig, scope)] };
}

/** A webhook configuration of crds/examples/ with this address, secret and certificate authority. */
export function webhookManifest(example: string, { url, secret, ca }: WebhookTarget): KubernetesObject {
  const [object] = parseObjects(example);
  const [webhook] = (object?.webhooks ?? []) as Record<string, unknown>[];
  if (object === undefined || webhook === undefined) throw new Error('the example of a webhook configuration has none');
  const clientConfig = {
    url: `${url}admission/${encodeURIComponent(secret)}`,
    ...(ca === null ? {} : { caBundle: base64(ca) }),
  };
  return { ...object, webhooks: [{ ...webhook, clientConfig }] };
}

/**
 * The file for `--audit-policy-file` of a self-managed API server: which events it sends about the kinds that are read.
 */
export function auditPolicy(kinds: readonly Kind[]): object {
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
    rules: auditRules(kinds),
  };
}

/** The file for `--audit-webhook-config-file` of a self-managed API server. */
export function auditKubeconfig({ url, secret, ca }: WebhookTarget): object {
  const authority = ca === null ? {} : { 'certificate-authority-data': base64(ca) };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'zone53', cluster: { server: `${url}audit`, ...authority } }],
    users: [{ name: 'zone53', user: { token: secret } }],
    contexts: [{ name: 'zone53', context: { cluster: 'zone53', user: 'zone53' } }],
    'current-context': 'zone53',
  };
}

/** An EKS access entry, as the input of the API's CreateAccessEntry. */
export type AccessEntry = {
  readonly clusterName: string;
  readonly principalArn: string;
  readonly kubernetesGroups: readonly string[];
  readonly type: 'STANDARD';
};

/** One entry for each role that calls the API server. Throws UsageError for a cluster that is not EKS. */
export function accessEntries({ eksCluster, roles, name }: DeployedStack): readonly AccessEntry[] {
  if (eksCluster === null) {
    throw new UsageError(
      `${name} is for a cluster that is not EKS, which has no access entries: pass --subject instead`,
    );
  }
  return roles.map(({ arn, group }) => ({
    clusterName: eksCluster,
    principalArn: arn,
    kubernetesGroups: [group],
    type: 'STANDARD',
  }));
}

/** The AWS CLI command that creates the entry. */
export function accessEntryCommand({ clusterName, principalArn, kubernetesGroups, type }: AccessEntry): string {
  return `aws eks create-access-entry --cluster-name ${clusterName} --principal-arn ${principalArn} --kubernetes-groups ${kubernetesGroups.join(' ')} --type ${type}`;
}

/** `Group:NAME`, `User:NAME` or `ServiceAccount:NAMESPACE:NAME`; null for anything else. */
export function parseSubject(text: string): Subject | null {
  const account = /^ServiceAccount:([^:]+):([^:]+)$/.exec(text);
  if (account !== null) return { kind: 'ServiceAccount', namespace: account[1] ?? '', name: account[2] ?? '' };
  const other = /^(Group|User):(.+)$/.exec(text);
  return other === null ? null : { kind: other[1] as 'Group' | 'User', name: other[2] ?? '' };
}

/** The objects of YAML documents. */
export function parseObjects(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
