// What a cluster must allow and send for the kinds that are read, and for no other: RBAC rules and webhook rules. Zone and Record are
// in crds/; here is what comes with the sources that are on.
import type { Kind } from '../objects/kind.ts';

/** A rule of a ClusterRole. */
export type RbacRule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
};

/** A rule of a webhook configuration. */
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

/** What may be read of these kinds, and where it may be written what became of them. */
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
  ];
}

/** What is to be sent of these kinds: with their status where a source reads it. */
function webhookRules(kinds: readonly Kind[]): readonly WebhookRule[] {
  // Of a Pod that is read beside others an annotation counts alone.
  const beside = kinds.filter(({ factsOf }) => factsOf !== undefined).map(({ resource }) => resource);
  const withoutStatus = WITHOUT_STATUS.union(new Set(beside.filter((resource) => resource === 'pods')));
  return byGroup(foreignKinds(kinds)).map(([group, resources]) => ({
    apiGroups: [group],
    apiVersions: ['*'],
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    resources: resources.flatMap((one) => (withoutStatus.has(one) ? [one] : [one, `${one}/status`])),
    scope: '*',
  }));
}

/** Their status holds nothing that is read. */
const WITHOUT_STATUS: ReadonlySet<string> = new Set(['endpointslices', 'namespaces', 'listenersets']);

function byGroup(kinds: readonly Kind[]): readonly (readonly [string, readonly string[]])[] {
  const groups = Map.groupBy(kinds, ({ group }) => group);
  return [...groups]
    .map(([group, some]) => [group, some.map(({ resource }) => resource).toSorted()] as const)
    .toSorted();
}

function rule(group: string, resources: readonly string[], verbs: readonly string[]): RbacRule {
  return { apiGroups: [group], resources, verbs };
}

/** The webhook beside that of zone53's own kinds; none where no source is on. */
export function sourcesWebhook(kinds: readonly Kind[], clientConfig: object): readonly object[] {
  const rules = webhookRules(kinds);
  if (rules.length === 0) return [];
  return [
    {
      name: 'sources.zone53.dev',
      admissionReviewVersions: ['v1'],
      sideEffects: 'NoneOnDryRun',
      failurePolicy: 'Ignore',
      timeoutSeconds: 3,
      clientConfig,
      rules,
      matchConditions: [{ name: 'not-our-own', expression: "!('zone53' in request.userInfo.groups)" }],
    },
  ];
}
