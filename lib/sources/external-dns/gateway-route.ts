// The sources for routes of the Gateway API. The hosts of a route, intersected with the hostnames of the listeners that
// it is attached to, lead to the addresses of the Gateways.
import { isBelow, readName } from '../../dns/names/name.ts';
import { HEALTH_CHECK_ANNOTATION, HTTPS_ANNOTATION } from '../../objects/annotations.ts';
import { formatRef } from '../../objects/object-ref.ts';
import { at, mapping, textsAt } from '../../objects/plain.ts';
import type { RelatedKind, RelatedObject, RelatedObjects } from '../../objects/related.ts';
import type { Source, SourceObject, SourceResult } from '../../objects/source.ts';
import { ROUTE_KINDS, type SourceSettings } from '../../objects/source-settings.ts';
import { queriesOf } from '../common/record-queries.ts';
import { GATEWAY_OBJECT, LISTENER_SET, NAMESPACE, X_LISTENER_SET } from '../common/related-kinds.ts';
import { type Annotations, readAnnotations, readRelatedAnnotations, type Written, writtenIn } from './annotations.ts';
import { askTargets } from './ask.ts';
import { type Draft, newDraft } from './draft.ts';
import { optionsIn } from './endpoint-options.ts';
import { type Attachment, attachmentsOf } from './gateway-listeners.ts';
import { hostnameSource, hostsIn, hostsOfTemplate, namesOf } from './hostnames.ts';
import { defaultTargets, gatewayAddresses, hasTargets, parseTargets } from './targets.ts';

/** The kinds of routes that have hostnames. */
const WITH_HOSTNAMES = ['HTTPRoute', 'GRPCRoute', 'TLSRoute'];

/** Annotations of a Gateway that no route inherits: its names, and who publishes them. */
const OF_ITS_NAMES = ['hostname', 'internal-hostname', 'gateway-hostname-source', 'controller'];

const NO_HOSTNAME = 'no listener that it is attached to has a hostname that covers this name';
const NO_ADDRESS = 'there is no address yet (status.addresses)';

function endpointsOfRoute(object: SourceObject, settings: SourceSettings, related: RelatedObjects): SourceResult {
  const draft = newDraft();
  const isWanted = settings.kinds.some((kind) => kind === object.ref.kind);
  const annotations = isWanted ? readAnnotations(object, settings, draft) : null;
  if (annotations === null) return draft.result();
  const source = hostnameSource(annotations('gateway-hostname-source'), draft);
  const own = hostsOf(object, hostsIn(annotations, true, draft), source);
  const hosts = own.length > 0 ? own : hostsOfTemplate(settings.hostnameTemplate, object.ref);
  const names = namesOf(hosts, draft);
  const ownOptions = optionsIn(annotations, draft);
  if (ownOptions === null) return draft.result();
  const takesListeners = hosts.length === 0 && source !== 'annotation-only';
  const { listeners, whyNone } = attachmentsOf(object, settings, related);
  const attached = listeners.flatMap((attachment) => {
    const { gateway, isHttps } = attachment;
    const parents = parentAnnotations(attachment, settings, draft);
    const targets = targetsOf(annotations, parents, gateway);
    const common = { targets, parents, gateway, isHttps };
    return namesAt(attachment, names, takesListeners, draft).map((name) => ({ name, ...common }));
  });
  const reached = new Set(attached.map(({ name }) => name));
  for (const name of names.filter((one) => !reached.has(one))) draft.lack(name, whyNone ?? NO_HOSTNAME);
  for (const [name, all] of Map.groupBy(attached, (one) => one.name)) {
    const found = all.flatMap((one) => one.targets ?? []);
    if (all.some((one) => one.targets === null)) continue;
    const parents = all.flatMap((one) => one.parents ?? []);
    const options = settings.inherit ? optionsIn(inherited(annotations, parents), draft) : ownOptions;
    if (options === null) continue;
    const byGateway = Map.groupBy(all, ({ gateway }) => formatRef(gateway.ref));
    const hasTls = [...byGateway.values()].every((ofOne) => ofOne.some(({ isHttps }) => isHttps));
    const asking = { options, settings, related, draft, hasTls };
    const targets = parseTargets(found.length > 0 ? found : defaultTargets(settings.defaultTargets), draft, name);
    if (targets === null) continue;
    if (hasTargets(targets)) askTargets(name, targets, asking);
    else draft.wait(name, `${[...new Set(all.map((one) => formatRef(one.gateway.ref)))].join(', ')}: ${NO_ADDRESS}`);
  }
  return draft.result();
}

function hostsOf(
  { ref, spec }: SourceObject,
  annotated: readonly Written[],
  source: 'defined-hosts-only' | 'annotation-only' | null,
): readonly Written[] {
  const defined = WITH_HOSTNAMES.includes(ref.kind) ? textsAt(spec, 'hostnames') : [];
  return [
    ...(source === 'annotation-only' ? [] : defined.map((text) => ({ text, path: 'spec.hostnames' }))),
    ...(source === 'defined-hosts-only' ? [] : annotated),
  ];
}

function namesAt(
  { hostname, owner }: Attachment,
  names: readonly string[],
  takesListeners: boolean,
  draft: Draft,
): readonly string[] {
  if (hostname === null) return names;
  if (takesListeners) return namesOf([{ text: hostname, path: `${formatRef(owner.ref)} listener hostname` }], draft);
  const listener = readName(hostname, { wildcard: true });
  return listener.ok ? names.flatMap((name) => intersection(name, listener.name) ?? []) : [];
}

/** The name that both hosts allow, where `*.` stands for one or more labels; null if there is none. */
export function intersection(a: string, b: string): string | null {
  if (a === b) return a;
  if (a.startsWith('*.') && isBelow(withoutWildcard(b), a.slice(2))) return b;
  if (b.startsWith('*.') && isBelow(withoutWildcard(a), b.slice(2))) return a;
  return null;
}

function withoutWildcard(name: string): string {
  return name.startsWith('*.') ? name.slice(2) : name;
}

/** The annotations of the object that has a listener, and of its Gateway; null if those of one cannot be read. */
function parentAnnotations(
  { gateway, owner }: Attachment,
  settings: SourceSettings,
  draft: Draft,
): readonly Annotations[] | null {
  const found: Annotations[] = [];
  for (const object of owner === gateway ? [gateway] : [owner, gateway]) {
    const annotations = readRelatedAnnotations(object, settings, draft);
    if (annotations === null) return null;
    found.push(annotations);
  }
  return found;
}

/** The annotations of a route, and for keys that it does not have those of its parents, the first that has it. */
function inherited(own: Annotations, parents: readonly Annotations[]): Annotations {
  return (name) => [own, ...parents].map((annotations) => annotations(name)).find((found) => found !== null) ?? null;
}

/** Targets at a listener: those of the annotation, the route's before its parents', else the Gateway's addresses. */
function targetsOf(
  own: Annotations,
  parents: readonly Annotations[] | null,
  gateway: RelatedObject,
): readonly Written[] | null {
  if (parents === null) return null;
  const stated = writtenIn(inherited(own, parents)('target'));
  if (stated.length > 0) return stated;
  return gatewayAddresses(at(gateway.facts, 'status'), `${formatRef(gateway.ref)}: `);
}

/** A kind of parent. Where routes inherit, it has its annotations with our prefixes, but not those of OF_ITS_NAMES. */
function withAnnotations(kind: RelatedKind, { inherit, annotationPrefixes }: SourceSettings): RelatedKind {
  if (!inherit) return kind;
  return {
    ...kind,
    factsOf: (object) => {
      const all = Object.entries(mapping(at(object, 'metadata', 'annotations')));
      const ours = all.filter(
        ([key]) =>
          annotationPrefixes.some(
            (prefix) => key.startsWith(prefix) && !OF_ITS_NAMES.includes(key.slice(prefix.length)),
          ) || [HTTPS_ANNOTATION, HEALTH_CHECK_ANNOTATION].includes(key),
      );
      const facts = mapping(kind.factsOf(object));
      const annotations = { ...mapping(at(facts, 'metadata', 'annotations')), ...Object.fromEntries(ours) };
      return { ...facts, metadata: { annotations } };
    },
  };
}

/** The sources of routes, in the version that the cluster prefers: TCPRoute and UDPRoute were v1alpha2 for long. */
export const ROUTES: readonly Source[] = ROUTE_KINDS.map((kind) => ({
  kind,
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  resource: `${kind.toLowerCase()}s`,
  status: 'parents',
  key: 'gatewayRoutes',
  isOn: ({ kinds }) => kinds.includes(kind),
  endpointsOf: endpointsOfRoute,
  relatedOf: queriesOf(endpointsOfRoute),
  relatedKinds: (settings) => [
    ...[GATEWAY_OBJECT, LISTENER_SET, X_LISTENER_SET].map((parent) => withAnnotations(parent, settings)),
    NAMESPACE,
  ],
}));
