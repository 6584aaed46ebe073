import { describe, expect, test } from 'vitest';
import { parseAuditEvents } from '../../events/audit-event-list.ts';
import { matchFilterPattern } from '../../test/support/match-filter-pattern.ts';
import type { WebhookScope } from '../objects/source-settings.ts';
import { DEFAULT_SETTINGS, NAMED_SOURCE_KEYS, type SourceKey } from '../objects/source-settings.ts';
import { auditFilter, auditRules, sourcesWebhook } from './cluster-needs.ts';
import { kindsRead, namespacesRead, sourcesOn } from './source.ts';

const kindsOf = (...keys: readonly SourceKey[]) =>
  kindsRead(sourcesOn(Object.fromEntries(keys.map((key) => [key, DEFAULT_SETTINGS]))));
const ALL = kindsOf(...NAMED_SOURCE_KEYS);
const EVERYTHING: WebhookScope = { kinds: 'all', namespaces: null };

/** An audit event of a stored write, as EKS logs it: the core group has no `apiGroup`. */
function write(group: string, resource: string, subresource?: string, verb = 'update'): object {
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    stage: 'ResponseComplete',
    verb,
    requestURI: '/x',
    user: { groups: ['system:authenticated'] },
    objectRef: {
      resource,
      namespace: 'team',
      name: 'x',
      ...(group === '' ? {} : { apiGroup: group }),
      ...(subresource === undefined ? {} : { subresource }),
    },
    responseStatus: { code: 200 },
  };
}

const GATEWAY = 'gateway.networking.k8s.io';
const WRITES: readonly (readonly [string, string, string?])[] = [
  ['kubi.zone', 'zones'],
  ['kubi.zone', 'zones', 'status'],
  ['kubi.zone', 'records'],
  ['', 'services'],
  ['', 'services', 'status'],
  ['', 'nodes', 'status'],
  ['', 'pods'],
  ['', 'pods', 'status'],
  ['', 'pods', 'binding'],
  ['', 'namespaces'],
  ['', 'secrets'],
  ['discovery.k8s.io', 'endpointslices'],
  ['networking.k8s.io', 'ingresses'],
  ['networking.k8s.io', 'ingresses', 'status'],
  ['networking.k8s.io', 'networkpolicies'],
  [GATEWAY, 'httproutes'],
  [GATEWAY, 'httproutes', 'status'],
  [GATEWAY, 'udproutes', 'status'],
  [GATEWAY, 'gateways', 'status'],
  [GATEWAY, 'gatewayclasses'],
  [GATEWAY, 'listenersets'],
  ['gateway.networking.x-k8s.io', 'xlistenersets'],
  ['externaldns.k8s.io', 'dnsendpoints'],
  ['externaldns.k8s.io', 'dnsendpoints', 'status'],
  ['apps', 'deployments'],
];

describe('auditFilter()', () => {
  test.each<[string, readonly SourceKey[]]>([
    ['no source', []],
    ['Services', ['services']],
    ['Ingresses', ['ingresses']],
    ['routes', ['gatewayRoutes']],
    ['DNSEndpoints', ['dnsEndpoints']],
    ['all', NAMED_SOURCE_KEYS],
  ])('with %s passes exactly what ingest makes a hint of', (_, keys) => {
    const kinds = kindsOf(...keys);
    const pattern = auditFilter(kinds);
    for (const [group, resource, subresource] of WRITES) {
      const event = write(group, resource, subresource);
      const { hints, problems } = parseAuditEvents(kinds, [event]);
      expect(problems).toEqual([]);
      const what = `${group} ${resource} ${subresource ?? ''}`;
      expect([what, matchFilterPattern(pattern, JSON.stringify(event))]).toEqual([what, hints.length > 0]);
    }
  });

  test.each(['create', 'update', 'patch', 'delete', 'deletecollection'])('passes %s', (verb) => {
    expect(matchFilterPattern(auditFilter(ALL), JSON.stringify(write('', 'services', undefined, verb)))).toBe(true);
  });

  test.each(['get', 'list', 'watch'])('drops %s', (verb) => {
    expect(matchFilterPattern(auditFilter(ALL), JSON.stringify(write('', 'services', undefined, verb)))).toBe(false);
  });

  test('is not longer than CloudWatch Logs accepts, and otherwise says what to do', () => {
    expect(auditFilter(ALL).length).toBeLessThanOrEqual(1_024);
    const many = Array.from({ length: 20 }, (_, index) => ({ ...ALL[2], resource: `resources-${index}` }));
    expect(() => auditFilter([...ALL, ...(many as typeof ALL)])).toThrow(/CloudWatch Logs takes 1024; turn off/);
  });
});

describe('other manifests, for exactly the kinds that are on', () => {
  test('the rules of an audit policy', () => {
    expect(auditRules(kindsOf('ingresses'))).toEqual([
      { level: 'None', userGroups: ['zone53'] },
      {
        level: 'Metadata',
        verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
        resources: [
          { group: 'kubi.zone', resources: ['records', 'zones'] },
          { group: 'networking.k8s.io', resources: ['ingresses', 'ingresses/status'] },
        ],
      },
      { level: 'None' },
    ]);
  });

  test('the webhook, which is not sent statuses that nobody reads', () => {
    const kinds = kindsOf('dnsEndpoints', 'services');
    type Webhook = { readonly rules: { readonly resources: string[] }[] };
    const toldOf = (scope?: WebhookScope) =>
      (sourcesWebhook(kinds, {}, scope) as Webhook[]).flatMap(({ rules }) =>
        rules.flatMap(({ resources }) => resources),
      );
    expect(toldOf()).toEqual(['services', 'services/status', 'dnsendpoints']);
    expect(toldOf(EVERYTHING)).toEqual([
      ...['nodes', 'nodes/status', 'pods', 'services', 'services/status'],
      'endpointslices',
      'dnsendpoints',
    ]);
    expect(sourcesWebhook(kindsOf(), {})).toEqual([]);
  });

  test('the webhook leaves kube-system alone, or covers the namespaces that are read', () => {
    const selectorOf = (namespaces: readonly string[] | null) =>
      sourcesWebhook(kindsOf('ingresses'), {}, { kinds: 'few', namespaces });
    const key = 'kubernetes.io/metadata.name';
    const matching = (operator: string, values: string[]) => [
      { timeoutSeconds: 1, namespaceSelector: { matchExpressions: [{ key, operator, values }] } },
    ];
    expect(selectorOf(null)).toMatchObject(matching('NotIn', ['kube-system']));
    expect(selectorOf(['b', 'a'])).toMatchObject(matching('In', ['a', 'b']));
    const of = (namespaces: readonly string[] | null, gatewayNamespaces: readonly string[] | null = null) => ({
      ...DEFAULT_SETTINGS,
      namespaces,
      gatewayNamespaces,
    });
    expect(namespacesRead({})).toBeNull();
    expect(namespacesRead({ ingresses: of(['a']), services: of(null) })).toBeNull();
    expect(namespacesRead({ ingresses: of(['b']), services: of(['a', 'b']) })).toEqual(['a', 'b']);
    expect(namespacesRead({ gatewayRoutes: of(['a']) })).toBeNull();
    expect(namespacesRead({ gatewayRoutes: of(['a'], ['infra']) })).toEqual(['a', 'infra']);
  });

  test.each([
    ['services', ['not-our-own', 'no-heartbeat']],
    ['ingresses', ['not-our-own']],
  ] as const)('the webhook of %s leaves out heartbeats where Nodes are read', (key, names) => {
    const [webhook] = sourcesWebhook(kindsOf(key), {}, EVERYTHING) as { matchConditions: { name: string }[] }[];
    expect(webhook?.matchConditions.map(({ name }) => name)).toEqual(names);
  });
});
