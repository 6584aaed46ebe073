// What a cluster needs so that a deployed stack can work with it, built from the stack's outputs and the manifests that
// crds/ ships: RBAC, the admission webhook's configuration, the kubeconfig for an API server's audit webhook, and the
// EKS access entries. Pure: the texts of crds/ and the secret are arguments.
import { parseAllDocuments } from 'yaml';
import type { Kind } from '../../lib/objects/kind.ts';
import { auditRules, type RbacRule, sourcesWebhook } from '../../lib/sources/cluster-needs.ts';
import { UsageError } from '../print/usage-error.ts';
import type { DeployedStack } from './stack-outputs.ts';

/** A Kubernetes object. */
export type KubernetesObject = {
  readonly apiVersion: string;
  readonly kind: string;
  /** Without a namespace: it belongs to none. */
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
};

/** Who zone53 is to the API server, for a ClusterRoleBinding. */
export type Subject = {
  readonly kind: 'Group' | 'User' | 'ServiceAccount';
  readonly name: string;
  readonly namespace?: string;
};

/** RBAC groups of the stack's access entries, named as the roles of crds/rbac.yaml. */
const GROUP = 'zone53';
const VALIDATE_GROUP = 'zone53-validate';

/** Where an API server sends its events, and how it is known there. */
export type WebhookTarget = {
  /** With a slash at its end. */
  readonly url: string;
  readonly secret: string;
  /** PEM of what signed the address's certificate; null for the authorities that the API server's machine knows. */
  readonly ca: string | null;
};

/**
 * ClusterRole and binding as crds/rbac.yaml has them, bound to `subject` instead of the group where one is given.
 * `validates`: what may do less, for verdicts alone, comes with them, for a group of its own.
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

/** The role of that name with these rules besides. */
export function withRules(
  objects: readonly KubernetesObject[],
  rules: readonly RbacRule[],
): readonly KubernetesObject[] {
  return objects.map((object) => {
    if (object.kind !== 'ClusterRole' || object.metadata.name !== GROUP) return object;
    return { ...object, rules: [...((object.rules ?? []) as readonly unknown[]), ...rules] };
  });
}

/** With a Role of these rules in each namespace, for those whom the ClusterRole is for. */
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

/** The webhook configuration with a second webhook for the kinds that sources read. */
export function withSources(object: KubernetesObject, kinds: readonly Kind[]): KubernetesObject {
  const [first] = (object.webhooks ?? []) as { readonly clientConfig: object }[];
  if (first === undefined) return object;
  return { ...object, webhooks: [first, ...sourcesWebhook(kinds, first.clientConfig)] };
}

/** The configuration of a file of crds/examples/ with the address, the secret and the certificate authority. */
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

/** What `--audit-policy-file` of a self-managed API server names: what is sent of the kinds that are read. */
export function auditPolicy(kinds: readonly Kind[]): object {
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
    rules: auditRules(kinds),
  };
}

/** What `--audit-webhook-config-file` of a self-managed API server names. */
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

/** One for each role that speaks to the API server. Throws UsageError for a cluster that is not EKS. */
export function accessEntries({ eksCluster, roles, validateRole, name }: DeployedStack): readonly AccessEntry[] {
  if (eksCluster === null) {
    throw new UsageError(`${name} is for a cluster that is not EKS: access entries are none of its; bind a --subject`);
  }
  const entry = (principalArn: string, group: string): AccessEntry => ({
    clusterName: eksCluster,
    principalArn,
    kubernetesGroups: [group],
    type: 'STANDARD',
  });
  const validate = validateRole === null ? [] : [entry(validateRole, VALIDATE_GROUP)];
  return [...roles.map((role) => entry(role, GROUP)), ...validate];
}

/** The same as a command of the AWS CLI. */
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

function parseObjects(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
