// A headless Service: its names lead to the addresses in its EndpointSlices, or to those of the Nodes behind them. An
// endpoint with a hostname also gets a name of its own. The annotation `target` of a Pod replaces its addresses.
import { quote } from '../../dns/names/quote.ts';
import { at, textAt, textsAt } from '../../objects/plain.ts';
import type { RelatedObject } from '../../objects/related.ts';
import { aboutAnnotation, readRelatedAnnotations, readWord, type Written, writtenIn } from './annotations.ts';
import { askTargets } from './ask.ts';
import { nameOf } from './hostnames.ts';
import {
  firstOfEachFamily,
  inOrder,
  isAddress,
  isReady,
  nodeAddresses,
  type ServiceWork,
  type SliceEndpoint,
  sliceEndpoints,
} from './service-work.ts';
import { hasTargets, parseTargets } from './targets.ts';

/** The origin of addresses: the endpoints themselves, or their Nodes. */
type From = 'pods' | 'HostIP' | 'NodeExternalIP';

/** Up to this many Pods are read one by one; more are listed by namespace. */
const SINGLE_PODS_MAX = 20;

/**
 * Adds the endpoints of a headless Service. Returns false if it has no addresses, so that default targets may count.
 * `internal`: do not use the addresses of Nodes, whatever `endpoints-type` and the settings say.
 */
export function askHeadless(work: ServiceWork, names: readonly string[], internal: boolean): boolean {
  const { asking } = work;
  const from = internal ? 'pods' : addressesFrom(work);
  if (from === null) return true;
  const found = gather(work, from);
  const targets = parseTargets(addressesIn(found), asking.draft, null);
  if (targets === null) return true;
  if (!hasTargets(targets)) return false;
  const named = found.flatMap(({ hostname, ...one }) => (hostname === null ? [] : [{ ...one, hostname }]));
  const byHostname = inOrder(Map.groupBy(named, ({ hostname }) => hostname));
  for (const name of names) {
    askTargets(name, targets, asking);
    // A wildcard answers for all names below it, so no name is added there.
    if (name.startsWith('*.')) continue;
    for (const [hostname, own] of byHostname) {
      const fqdn = nameOf({ text: `${hostname}.${name}`, path: `hostname ${quote(hostname)}` }, asking.draft);
      const parsed = fqdn === null ? null : parseTargets(addressesIn(own), asking.draft, fqdn);
      if (fqdn !== null && parsed !== null) askTargets(fqdn, parsed, asking);
    }
  }
  return true;
}

/** Null for an unknown value of the annotation, which is a problem. */
function addressesFrom({ annotations, settings, asking }: ServiceWork): From | null {
  const found = annotations('endpoints-type');
  const word = readWord(found, ['NodeExternalIP', 'HostIP']);
  if (found !== null && word === undefined) {
    asking.draft.problem(aboutAnnotation(found, 'is not a type of endpoints; write NodeExternalIP or HostIP'), null);
    return null;
  }
  return word ?? (settings.publishHostIp ? 'HostIP' : 'pods');
}

type Found = { readonly hostname: string | null; readonly targets: readonly Written[] };

function addressesIn(found: readonly Found[]): readonly Written[] {
  return found.flatMap(({ targets }) => targets);
}

/** The hostname and the addresses of each endpoint that counts. */
function gather(work: ServiceWork, from: From): readonly Found[] {
  const all = sliceEndpoints(work);
  const showsAll = at(work.object.spec, 'publishNotReadyAddresses') === true;
  const counted = showsAll ? all : all.filter(({ endpoint }) => isReady(endpoint));
  const pods = podsBehind(work, counted);
  return counted.map((one) => {
    const stated = targetsOfPod(work, pods(one.endpoint));
    const hostname = textAt(one.endpoint, 'hostname')?.toLowerCase() ?? null;
    return { hostname, targets: stated.length > 0 ? stated : addressesOf(work, one, from) };
  });
}

function addressesOf(work: ServiceWork, { path, endpoint }: SliceEndpoint, from: From): readonly Written[] {
  if (from === 'pods') {
    const text = textsAt(endpoint, 'addresses')[0];
    if (text !== undefined && isAddress(text)) return [{ text, path }];
    if (text !== undefined) work.asking.draft.problem(`${path}: ${quote(text)} is not an IP address; it is left out`);
    return [];
  }
  const nodeName = textAt(endpoint, 'nodeName');
  const node = nodeName === null ? null : work.related.get('Node', '', nodeName);
  if (node === null) return [];
  return from === 'HostIP' ? firstOfEachFamily(nodeAddresses(node, 'InternalIP')) : nodeAddresses(node, 'ExternalIP');
}

/** Finds the Pod behind an endpoint. A slice may only name Pods of its own namespace. */
function podsBehind(
  { object, related }: ServiceWork,
  endpoints: readonly SliceEndpoint[],
): (endpoint: unknown) => RelatedObject | null {
  const { namespace } = object.ref;
  const nameOfPod = (endpoint: unknown): string | null => {
    if (textAt(endpoint, 'targetRef', 'kind') !== 'Pod') return null;
    const isOwn = (textAt(endpoint, 'targetRef', 'namespace') ?? namespace) === namespace;
    return isOwn ? textAt(endpoint, 'targetRef', 'name') : null;
  };
  const names = new Set(endpoints.map(({ endpoint }) => nameOfPod(endpoint)).filter((name) => name !== null));
  const pods = new Map<string, RelatedObject>();
  if (names.size > SINGLE_PODS_MAX) {
    for (const pod of related.list('Pod', namespace, null)) pods.set(pod.ref.name, pod);
  } else {
    for (const name of names) {
      const pod = related.get('Pod', namespace, name);
      if (pod !== null) pods.set(name, pod);
    }
  }
  return (endpoint) => pods.get(nameOfPod(endpoint) ?? '') ?? null;
}

function targetsOfPod({ settings, asking }: ServiceWork, pod: RelatedObject | null): readonly Written[] {
  if (pod === null) return [];
  const annotations = readRelatedAnnotations(pod, settings, asking.draft);
  if (annotations === null) return [];
  return writtenIn(annotations('target'));
}
