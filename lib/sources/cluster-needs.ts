// Builds what a cluster needs for the kinds that are read: RBAC rules, webhook rules, and the filters of audit events.
// The RBAC and webhook rules of Zone and Record are in crds/; those built here are for the sources that are switched
// on.
import { compareText } from '../dns/names/compare-text.ts';
import { apiKindOf, crdOf, type Kind, readsStatus } from '../objects/kind.ts';
import { FEW, type WebhookScope } from '../objects/source-settings.ts';
import { DNS_RECORD_KIND } from './gardener/dns-record.ts';

/** A rule of a ClusterRole. */
export type RbacRule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
};

type WebhookRule = {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
  readonly scope: '*';
};

/** The kinds that are not zone53's own. */
function foreignKinds(kinds: readonly Kind[]): readonly Kind[] {
  return kinds.filter(({ status }) => status !== 'subresource');
}

/** The rules to read these kinds, and to write their status where zone53 writes one. */
export function rbacRules(kinds: readonly Kind[]): readonly RbacRule[] {
  const foreign = foreignKinds(kinds);
  const written = foreign.filter(({ status }) => status !== 'none' && status !== 'events');
  return [
    ...byGroup(foreign).map(([group, resources]) => rule(group, resources, ['get', 'list', 'watch'])),
    ...byGroup(written).map(([group, resources]) =>
      rule(
        group,
        resources.map((one) => `${one}/status`),
        ['patch'],
      ),
    ),
    ...crdRules(foreign),
  ];
}

/** The rule to see whether objects that are gone went together with their CRD. */
function crdRules(kinds: readonly Kind[]): readonly RbacRule[] {
  const resourceNames = [...new Set(kinds.flatMap((kind) => crdOf(kind) ?? []))].toSorted();
  if (resourceNames.length === 0) return [];
  return [{ ...rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['get']), resourceNames }];
}

/** The rules to serve DNSRecords: for the whole cluster, and to read Secrets by namespace (null: in all). */
export function dnsRecordRules(secretNamespaces: readonly string[] | null): {
  readonly everywhere: readonly RbacRule[];
  readonly inNamespaces: readonly { readonly namespace: string; readonly rules: readonly RbacRule[] }[];
} {
  const { group, resource } = DNS_RECORD_KIND;
  const secrets = rule('', ['secrets'], ['get']);
  const namespaces = [...new Set(secretNamespaces ?? [])].toSorted();
  return {
    everywhere: [
      // To change its finalizer and its annotation.
      rule(group, [resource], ['get', 'list', 'watch', 'patch']),
      rule(group, [`${resource}/status`], ['patch']),
      // To see whether the shoot of a namespace has failed.
      rule(group, ['clusters'], ['get']),
      rule('', ['namespaces'], ['get']),
      ...crdRules([DNS_RECORD_KIND]),
      ...(secretNamespaces === null ? [secrets] : []),
    ],
    inNamespaces: namespaces.map((namespace) => ({ namespace, rules: [secrets] })),
  };
}

/** The webhook rules for these kinds, with the status subresource where a source reads it. */
function webhookRules(kinds: readonly Kind[]): readonly WebhookRule[] {
  const withStatus = new Set(kinds.filter(readsStatus).map(({ resource }) => resource));
  return byGroup(foreignKinds(kinds)).map(([group, resources]) => ({
    apiGroups: [group],
    apiVersions: ['*'],
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    resources: resources.flatMap((one) => (withStatus.has(one) ? [one, `${one}/status`] : [one])),
    scope: '*',
  }));
}

function byGroup(kinds: readonly Kind[]): readonly (readonly [string, readonly string[]])[] {
  const groups = Map.groupBy(kinds, ({ group }) => group);
  return [...groups]
    .map(([group, some]) => [group, [...new Set(some.map(({ resource }) => resource))].toSorted()] as const)
    .toSorted();
}

function rule(group: string, resources: readonly string[], verbs: readonly string[]): RbacRule {
  return { apiGroups: [group], resources, verbs };
}

/** Leaves out the heartbeats of Nodes, which are most of all writes. What counts of a Node: `factsOf` of its kind. */
const NODE_CHANGED = {
  name: 'no-heartbeat',
  expression: [
    "request.resource.resource != 'nodes' || request.operation != 'UPDATE'",
    'object.?status.?addresses != oldObject.?status.?addresses',
    'object.?spec.?unschedulable != oldObject.?spec.?unschedulable',
    'has(object.metadata.deletionTimestamp) != has(oldObject.metadata.deletionTimestamp)',
  ].join(' || '),
};

/** The kinds that Pods and Nodes have written all day: with these, the API server would call the webhook for each. */
export const BUSY: ReadonlyMap<string, string> = new Map([
  ['EndpointSlice', 'endpointslices'],
  ['Pod', 'pods'],
  ['Node', 'nodes'],
]);

/**
 * How long the API server waits for an answer, which it ignores. The request has reached the endpoint by then, and is
 * worked on even if a function takes longer to start.
 */
export const WEBHOOK_TIMEOUT_SECONDS = 1;

/** The namespaces whose objects a webhook is called for. */
export function namespaceSelector({ namespaces }: Pick<WebhookScope, 'namespaces'>): object {
  const [operator, values] = namespaces === null ? ['NotIn', ['kube-system']] : ['In', namespaces.toSorted()];
  return { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator, values }] };
}

/** The webhook for the kinds of sources; none if no source is switched on. */
export function sourcesWebhook(kinds: readonly Kind[], clientConfig: object, scope = FEW): readonly object[] {
  const told = kinds.filter((kind) => scope.kinds === 'all' || !BUSY.has(apiKindOf(kind)));
  const rules = webhookRules(told);
  if (rules.length === 0) return [];
  return [
    {
      name: 'sources.zone53.dev',
      admissionReviewVersions: ['v1'],
      sideEffects: 'NoneOnDryRun',
      failurePolicy: 'Ignore',
      timeoutSeconds: WEBHOOK_TIMEOUT_SECONDS,
      clientConfig,
      namespaceSelector: namespaceSelector(scope),
      rules,
      matchConditions: [
        { name: 'not-our-own', expression: "!('zone53' in request.userInfo.groups)" },
        ...(told.some((kind) => apiKindOf(kind) === 'Node') ? [NODE_CHANGED] : []),
      ],
    },
  ];
}

/** The most characters of a filter pattern of CloudWatch Logs (API_PutSubscriptionFilter). Last verified 2026-11-23. */
const FILTER_CHARACTERS_MAX = 1_024;

/**
 * The CloudWatch Logs filter pattern for lines of an EKS audit log about stored writes to these kinds. To keep it short
 * it compares resources only by name, so it also passes resources of other groups; the parser checks each event again
 * (events/audit-event-list.ts).
 */
export function auditFilter(kinds: readonly Kind[]): string {
  const own = [...new Set(kinds.filter(({ status }) => status === 'subresource').map(({ group }) => group))];
  const foreign = foreignKinds(kinds);
  const groups = own.map((group) => `($.objectRef.apiGroup = "${group}")`);
  const quiet = [...groups, ...resourcesOf(foreign.filter((kind) => !readsStatus(kind)))];
  const withStatus = resourcesOf(foreign.filter(readsStatus));
  const bare = '$.objectRef.subresource NOT EXISTS';
  const about = [
    `((${bare}) && (${quiet.join(' || ')}))`,
    ...(withStatus.length === 0
      ? []
      : [`(((${bare}) || ($.objectRef.subresource = "status")) && (${withStatus.join(' || ')}))`]),
  ];
  const writes = ['create', 'update', 'patch', 'delete*'].map((verb) => `($.verb = "${verb}")`).join(' || ');
  const pattern = `{ ($.stage = "ResponseComplete") && ($.responseStatus.code < 300) && (${writes}) && (${about.join(' || ')}) }`;
  if (pattern.length > FILTER_CHARACTERS_MAX)
    throw new Error(
      `Cannot filter the audit log: the pattern for ${kinds.length} kinds has ${pattern.length} characters, and CloudWatch Logs takes ${FILTER_CHARACTERS_MAX}; turn off a source, or set auditLog: false and use the webhook`,
    );
  return pattern;
}

function resourcesOf(kinds: readonly Kind[]): readonly string[] {
  return [...new Set(kinds.map(({ resource }) => `($.objectRef.resource = "${resource}")`))].toSorted(compareText);
}

/** The rules of an API server's audit policy: completed writes to these kinds, without content, and no others. */
export function auditRules(kinds: readonly Kind[]): readonly object[] {
  const withStatus = new Set(kinds.filter(readsStatus).map(({ resource }) => resource));
  const resources = byGroup(kinds).map(([group, some]) => ({
    group,
    resources: some.flatMap((one) => (withStatus.has(one) ? [one, `${one}/status`] : [one])),
  }));
  const verbs = ['create', 'update', 'patch', 'delete', 'deletecollection'];
  return [{ level: 'None', userGroups: ['zone53'] }, { level: 'Metadata', verbs, resources }, { level: 'None' }];
}
