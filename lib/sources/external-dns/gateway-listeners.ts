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
/** The controller name of our own entry in `status.parents`, which attaches nothing. */
const OUR_CONTROLLER = 'zone53.dev/dns';
/** Each Namespace has this label with its own name (Kubernetes documentation: well-known labels). */
const NAMESPACE_LABEL = 'kubernetes.io/metadata.name';

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
};

type ParentRef = {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly sectionName: string | null;
  readonly port: unknown;
};

/** All listeners that the route is attached to. */
export function attachmentsOf(
  route: SourceObject,
  settings: SourceSettings,
  related: RelatedObjects,
): readonly Attachment[] {
  const { namespace } = route.ref;
  const wanted = listAt(route.spec, 'parentRefs').flatMap((ref) => readParentRef(ref, namespace) ?? []);
  const accepted = listAt(route.status, 'parents')
    .filter(isAccepted)
    .flatMap((parent) => readParentRef(at(parent, 'parentRef'), namespace) ?? []);
  return wanted.flatMap((ref) => {
    const by = accepted.filter((one) => sameParent(one, ref));
    const parent = by.length === 0 ? null : findParent(ref, settings, related);
    if (parent === null) return [];
    return listAt(parent.owner.facts, 'spec', 'listeners')
      .filter((listener) => isMeant(listener, ref) && by.some((one) => isMeant(listener, one)))
      .filter((listener) => allowsKind(listener, route.ref.kind))
      .filter((listener) => {
        const allowed = at(listener, 'allowedRoutes', 'namespaces');
        return allowsNamespace(allowed, 'Same', namespace, parent.owner, related);
      })
      .map((listener) => ({ ...parent, hostname: textAt(listener, 'hostname') }));
  });
}

/** Null for a reference to anything but a Gateway or ListenerSet. */
function readParentRef(value: unknown, namespace: string): ParentRef | null {
  const name = textAt(value, 'name');
  const kind = textAt(value, 'kind') ?? 'Gateway';
  if (name === null || (at(value, 'group') ?? GROUP) !== GROUP || (kind !== 'Gateway' && kind !== 'ListenerSet'))
    return null;
  return {
    kind,
    namespace: textAt(value, 'namespace') ?? namespace,
    name,
    sectionName: textAt(value, 'sectionName'),
    port: at(value, 'port') ?? null,
  };
}

function isAccepted(parent: unknown): boolean {
  if (textAt(parent, 'controllerName') === OUR_CONTROLLER) return false;
  return listAt(parent, 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Accepted' && textAt(condition, 'status') === 'True',
  );
}

function sameParent(a: ParentRef, b: ParentRef): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

/** The Gateway behind a reference, with the object that has the listeners. */
function findParent(
  ref: ParentRef,
  { gatewayNamespaces }: SourceSettings,
  related: RelatedObjects,
): Pick<Attachment, 'gateway' | 'owner'> | null {
  const gatewayAt = (namespace: string, name: string) =>
    gatewayNamespaces !== null && !gatewayNamespaces.includes(namespace)
      ? null
      : related.get('Gateway', namespace, name);
  if (ref.kind === 'Gateway') {
    const gateway = gatewayAt(ref.namespace, ref.name);
    return gateway === null ? null : { gateway, owner: gateway };
  }
  const owner = related.get('ListenerSet', ref.namespace, ref.name);
  const parent = owner === null ? null : readParentRef(at(owner.facts, 'spec', 'parentRef'), ref.namespace);
  if (owner === null || parent === null || parent.kind !== 'Gateway') return null;
  const gateway = gatewayAt(parent.namespace, parent.name);
  return gateway === null || !allowsListenerSet(gateway, owner, related) ? null : { gateway, owner };
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
