// Finds the listeners that a route is attached to. The status of the route must say that a Gateway accepted it; its
// spec must still name that Gateway; section and port must match; the listener must allow the route's kind and
// namespace; and the Gateway of a ListenerSet must not refuse it. Whoever may write statuses may forge one, so
// acceptance alone is not enough. Names are judged by delegations in any case.
import { at, listAt, mapping, textAt, textMap } from '../../objects/plain.ts';
import type { RelatedObject, RelatedObjects } from '../../objects/related.ts';
import { matchesSelector, parseSelector } from '../../objects/selector.ts';
import type { SourceObject } from '../../objects/source.ts';
import type { SourceSettings } from '../../objects/source-settings.ts';

const GROUP = 'gateway.networking.k8s.io';
/** The kinds that a route or a set of listeners may name as its parent, with their groups. */
const PARENT_GROUPS: Readonly<Record<string, string>> = {
  ...{ Gateway: GROUP, ListenerSet: GROUP, XListenerSet: 'gateway.networking.x-k8s.io' },
};
/** The controller name of our own entry in `status.parents`, which attaches nothing. */
const OUR_CONTROLLER = 'zone53.dev/dns';
/** Each Namespace has this label with its own name (Kubernetes documentation: well-known labels). */
const NAMESPACE_LABEL = 'kubernetes.io/metadata.name';
const HTTPS_PORT = 443;

/** The kinds of routes that a protocol can serve (Gateway API: AllowedRoutes.kinds). A listener may allow fewer. */
const KINDS_OF_PROTOCOL: Readonly<Record<string, readonly string[]>> = {
  HTTP: ['HTTPRoute', 'GRPCRoute'],
  HTTPS: ['HTTPRoute', 'GRPCRoute'],
  TLS: ['TLSRoute', 'TCPRoute'],
  TCP: ['TCPRoute'],
  UDP: ['UDPRoute'],
};

/** A listener that the route is attached to. `owner`: the Gateway or ListenerSet that has the listener. */
export type Attachment = {
  readonly gateway: RelatedObject;
  readonly owner: RelatedObject;
  /** As written; null: all hosts. */
  readonly hostname: string | null;
  /** True: it terminates TLS on the port where browsers expect it. */
  readonly isHttps: boolean;
};

/** `whyNone`: why there are none, as a clause (see Waiting in lib/objects/source.ts); null if there are some. */
export type Attachments = { readonly listeners: readonly Attachment[]; readonly whyNone: string | null };

type ParentRef = {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly sectionName: string | null;
  readonly port: unknown;
};

/** All listeners that the route is attached to. */
export function attachmentsOf(route: SourceObject, settings: SourceSettings, related: RelatedObjects): Attachments {
  const { kind, namespace } = route.ref;
  const wanted = listAt(route.spec, 'parentRefs').flatMap((ref) => readParentRef(ref, namespace) ?? []);
  const accepted = listAt(route.status, 'parents')
    .filter(isAcceptedParent)
    .flatMap((parent) => readParentRef(at(parent, 'parentRef'), namespace) ?? []);
  const reasons: string[] = wanted.length === 0 ? ['spec.parentRefs names no Gateway and no ListenerSet'] : [];
  const listeners = wanted.flatMap((ref) => {
    const named = `${ref.kind} ${ref.namespace}/${ref.name}`;
    const none = (reason: string): readonly Attachment[] => {
      reasons.push(`it is attached to no listener: ${reason}`);
      return [];
    };
    const by = accepted.filter((one) => sameParent(one, ref));
    if (by.length === 0) return none(`status.parents does not say that ${named} has accepted it`);
    const parent = findParent(ref, settings, related);
    if (typeof parent === 'string') return none(parent);
    const meant = listAt(parent.owner.facts, 'spec', 'listeners').filter(
      (listener) => isMeant(listener, ref) && by.some((one) => isMeant(listener, one)),
    );
    if (meant.length === 0) return none(`${named} has no listener with the section name and port that it names`);
    const ofKind = meant.filter((listener) => allowsKind(listener, kind));
    if (ofKind.length === 0)
      return none(`${named} has no listener that takes a ${kind} (protocol, allowedRoutes.kinds)`);
    const open = ofKind.filter((listener) => {
      const allowed = at(listener, 'allowedRoutes', 'namespaces');
      return allowsNamespace(allowed, 'Same', namespace, parent.owner, related);
    });
    if (open.length === 0)
      return none(`${named} takes no routes of namespace ${namespace} (allowedRoutes.namespaces of its listeners)`);
    return open.map((listener) => ({
      ...parent,
      hostname: textAt(listener, 'hostname'),
      isHttps: textAt(listener, 'protocol') === 'HTTPS' && at(listener, 'port') === HTTPS_PORT,
    }));
  });
  return { listeners, whyNone: listeners.length > 0 ? null : [...new Set(reasons)].join('; ') };
}

/** Null for a reference to anything but a Gateway or ListenerSet. */
function readParentRef(value: unknown, namespace: string): ParentRef | null {
  const name = textAt(value, 'name');
  const kind = textAt(value, 'kind') ?? 'Gateway';
  const isParent = Object.hasOwn(PARENT_GROUPS, kind) && (at(value, 'group') ?? GROUP) === PARENT_GROUPS[kind];
  if (name === null || !isParent) return null;
  return {
    kind,
    namespace: textAt(value, 'namespace') ?? namespace,
    name,
    sectionName: textAt(value, 'sectionName'),
    port: at(value, 'port') ?? null,
  };
}

function isAcceptedParent(parent: unknown): boolean {
  if (textAt(parent, 'controllerName') === OUR_CONTROLLER) return false;
  return listAt(parent, 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Accepted' && textAt(condition, 'status') === 'True',
  );
}

function sameParent(a: ParentRef, b: ParentRef): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

/** The Gateway behind a reference, with the object that has the listeners; else why there is none, as a clause. */
function findParent(
  ref: ParentRef,
  { gatewayNamespaces }: SourceSettings,
  related: RelatedObjects,
): Pick<Attachment, 'gateway' | 'owner'> | string {
  const gatewayAt = (namespace: string, name: string): RelatedObject | string =>
    gatewayNamespaces !== null && !gatewayNamespaces.includes(namespace)
      ? `gatewayRoutes.gatewayNamespaces of the configuration does not have namespace ${namespace}`
      : (related.get('Gateway', namespace, name) ?? `there is no Gateway ${namespace}/${name}`);
  if (ref.kind === 'Gateway') {
    const gateway = gatewayAt(ref.namespace, ref.name);
    return typeof gateway === 'string' ? gateway : { gateway, owner: gateway };
  }
  const named = `${ref.kind} ${ref.namespace}/${ref.name}`;
  const owner = related.get(ref.kind, ref.namespace, ref.name);
  if (owner === null) return `there is no ${named}`;
  const parent = readParentRef(at(owner.facts, 'spec', 'parentRef'), ref.namespace);
  if (parent === null || parent.kind !== 'Gateway') return `spec.parentRef of ${named} names no Gateway`;
  const gateway = gatewayAt(parent.namespace, parent.name);
  if (typeof gateway === 'string') return gateway;
  return allowsListenerSet(gateway, owner, related)
    ? { gateway, owner }
    : `Gateway ${parent.namespace}/${parent.name} does not allow ${named} (spec.allowedListeners)`;
}

/**
 * True if the Gateway takes the listeners of a ListenerSet (Gateway API: GatewaySpec.allowedListeners). A Gateway that
 * says nothing about it leaves the decision to its controller, which is in the status of the route.
 */
function allowsListenerSet(gateway: RelatedObject, { ref }: RelatedObject, related: RelatedObjects): boolean {
  const allowed = at(gateway.facts, 'spec', 'allowedListeners') ?? null;
  return allowed === null || allowsNamespace(at(allowed, 'namespaces'), 'None', ref.namespace, gateway, related);
}

/** True if section name and port of the reference match the listener. */
function isMeant(listener: unknown, { sectionName, port }: ParentRef): boolean {
  if (sectionName !== null && textAt(listener, 'name') !== sectionName) return false;
  return port === null || at(listener, 'port') === port;
}

/** True if the listener allows the kind of route. A kind that its protocol cannot serve is not allowed by naming it. */
function allowsKind(listener: unknown, kind: string): boolean {
  const kinds = listAt(listener, 'allowedRoutes', 'kinds');
  const isNamed = kinds.some((one) => (at(one, 'group') ?? GROUP) === GROUP && textAt(one, 'kind') === kind);
  if (kinds.length > 0 && !isNamed) return false;
  const protocol = textAt(listener, 'protocol') ?? '';
  // A custom protocol: its controller has decided whether it takes the route.
  return Object.hasOwn(KINDS_OF_PROTOCOL, protocol)
    ? (KINDS_OF_PROTOCOL[protocol] as readonly string[]).includes(kind)
    : isNamed || protocol.includes('/');
}

/** True if the namespaces that an object allows contain this one; `byDefault` counts where it does not say `from`. */
function allowsNamespace(
  allowed: unknown,
  byDefault: 'Same' | 'None',
  namespace: string,
  owner: RelatedObject,
  related: RelatedObjects,
): boolean {
  const { from: given, selector: value } = mapping(allowed);
  const from = given ?? byDefault;
  if (from === 'All') return true;
  if (from === 'Same') return namespace === owner.ref.namespace;
  const selector = from === 'Selector' ? parseSelector(value) : null;
  if (selector === null) return false;
  const labels = textMap(at(related.get('Namespace', '', namespace)?.facts, 'metadata', 'labels'));
  return matchesSelector(selector, { ...labels, [NAMESPACE_LABEL]: namespace });
}
