// Finds objects that are probably meant for zone53 and have a misspelt kind or apiVersion, and documents that are no
// object. Kinds of the same name in the groups of other projects are not ours, and cause no remark.
//
//   our own kinds     a group that is nearly ours, or no apiVersion and a kind that is nearly ours
//   kinds of sources  the kind, in a group that cannot have it; or nearly the kind, in its own group or nearly that
import { didYouMean, editDistance, lettersOf } from '../../dns/names/edit-distance.ts';
import { quote } from '../../dns/names/quote.ts';
import { apiKindOf, apiVersionOf, type Kind, ZONE_KIND } from '../../objects/kind.ts';
import { isMapping, mapping } from '../../objects/plain.ts';

export const API_VERSION = apiVersionOf(ZONE_KIND);
const KINDS = ['Zone', 'Record', 'ZoneList', 'RecordList'];
/** The prefix of our annotations, which is easily mistaken for the group of the kinds. */
const OTHER_GROUP = 'zone53.dev';

/** Kinds of Kubernetes and of the Gateway API: whatever they resemble, they are no misspelling. */
const REAL_KINDS = new Set([
  ...['Binding', 'ComponentStatus', 'ConfigMap', 'Endpoints', 'Event', 'LimitRange', 'Namespace', 'Node', 'Pod'],
  ...['PersistentVolume', 'PersistentVolumeClaim', 'PodTemplate', 'ReplicationController', 'ResourceQuota', 'Secret'],
  ...['Service', 'ServiceAccount', 'ServiceCIDR', 'IPAddress', 'Ingress', 'IngressClass', 'NetworkPolicy'],
  ...['EndpointSlice', 'Gateway', 'GatewayClass', 'HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'],
  ...['ReferenceGrant', 'BackendTLSPolicy', 'BackendLBPolicy', 'ListenerSet', 'XListenerSet', 'DNSEndpoint'],
]);
/** Groups of Kubernetes without a dot. Those with a dot end in `.k8s.io`. */
const PLAIN_GROUPS = ['', 'core', 'extensions', 'apps', 'batch', 'policy', 'autoscaling', 'networking', 'discovery'];
/** A shorter kind, such as Node, resembles too many words. */
const KIND_CHARACTERS_MIN = 6;

/** True for a kind of others whose name is a rare word. */
function isResembled({ kind, group, scope }: Kind): boolean {
  return group !== ZONE_KIND.group && scope !== 'cluster' && kind.length >= KIND_CHARACTERS_MIN;
}

/** The remark about an object that none of `kinds`, those that are read, is; null if it belongs to others. */
export function nearMiss(kinds: readonly Kind[], kind: unknown, apiVersion: unknown): string | null {
  return nearOwn(kind, apiVersion) ?? nearOthers(kinds, kind, apiVersion);
}

/** The remark about an object that probably is of a kind that is read and has a group of others. */
function nearOthers(kinds: readonly Kind[], kind: unknown, apiVersion: unknown): string | null {
  if (typeof kind !== 'string') return null;
  const group = typeof apiVersion === 'string' ? coreOr(groupOf(apiVersion)) : null;
  const named = kinds.map((one) => ({ ...one, kind: apiKindOf(one) }));
  const others = named.filter((one) => isResembled(one) && isNearKind(kind, one.kind));
  const meant = others.toSorted((a, b) => distance(kind, a.kind) - distance(kind, b.kind))[0];
  if (meant === undefined) return null;
  const isExact = meant.kind === kind;
  if (!isExact && REAL_KINDS.has(kind)) return null;
  if (!isLikelyGroup(group, meant) && !(group === null && isLikeWord(kind, meant.kind))) return null;
  const right = apiVersionOf(meant);
  const advice = [
    ...(isExact ? [] : [`kind: ${meant.kind}`]),
    ...(group === meant.group && hasVersion(apiVersion, meant) ? [] : [`apiVersion: ${right}`]),
  ];
  const version = typeof apiVersion === 'string' ? `apiVersion ${quote(apiVersion)}` : 'no apiVersion';
  return `kind ${quote(kind)} of ${version} is not read: did you mean "${advice.join('" and "')}"?`;
}

/** True for the group of a kind or nearly that, and for a group that has no such kind. Null: there is no group. */
function isLikelyGroup(group: string | null, meant: Kind): boolean {
  if (group === null) return false;
  if (group === meant.group || isMisspelt(group, meant.group)) return true;
  if (PLAIN_GROUPS.includes(group) || /[.-]k8s\.io$/.test(group)) return true;
  // Other projects define the kind of external-dns again, for external-dns to read.
  return [group, meant.group].every((one) => lettersOf(one).includes('externaldns'));
}

/** True for an apiVersion with a version. A kind of others is read in any. */
function hasVersion(apiVersion: unknown, { group }: Kind): boolean {
  return group === '' || (typeof apiVersion === 'string' && apiVersion.includes('/'));
}

/** The group of an apiVersion such as "v1": the core group, which has no name. */
function coreOr(group: string | null): string {
  return group === null || lettersOf(group) === 'v1' ? '' : group;
}

function isMisspelt(a: string, b: string): boolean {
  return b !== '' && editDistance(lettersOf(a), lettersOf(b)) <= 2;
}

/** True for the same word, whatever its case, or its plural. */
function isLikeWord(text: string, kind: string): boolean {
  const [a, b] = [text.toLowerCase(), kind.toLowerCase()];
  return a === b || a === `${b}s` || a === `${b}es`;
}

/** True for a word that is the kind, but for its case, its number, and about one letter in three. */
function isNearKind(text: string, kind: string): boolean {
  if (text === kind || isLikeWord(text, kind)) return true;
  return distance(text, kind) <= Math.min(3, Math.floor(kind.length / 3));
}

function distance(a: string, b: string): number {
  return editDistance(a.toLowerCase(), b.toLowerCase());
}

/** The remark about an object that probably is a Zone or a Record. */
function nearOwn(kind: unknown, apiVersion: unknown): string | null {
  const group = typeof apiVersion === 'string' ? groupOf(apiVersion) : null;
  const meant = typeof kind === 'string' ? nearestKind(kind) : null;
  const ours = group === ZONE_KIND.group || isNearGroup(group);
  if (!ours && (group !== null || meant === null)) return null;
  const version = typeof apiVersion === 'string' ? `apiVersion ${quote(apiVersion)}` : 'no apiVersion';
  if (typeof kind !== 'string')
    return `an object of ${version} without a kind is not read: write "kind: Zone" or "kind: Record"`;
  const read = `kind ${quote(kind)} of ${version} is not read`;
  const advice = [
    ...(meant === null || meant === kind ? [] : [`kind: ${meant}`]),
    ...(apiVersion === API_VERSION ? [] : [`apiVersion: ${API_VERSION}`]),
  ];
  return advice.length === 0
    ? `${read}: the kinds are Zone and Record`
    : `${read}: did you mean "${advice.join('" and "')}"?`;
}

/** The fields of `metadata` (Kubernetes API: ObjectMeta). */
const METADATA = [
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'labels', 'annotations', 'ownerReferences', 'finalizers'],
  ...['managedFields', 'clusterName'],
];

/** The remarks about fields of `metadata` that are probably misspelt: the object would be of another namespace. */
export function metadataMisses(kind: string, metadata: unknown): readonly string[] {
  return Object.keys(mapping(metadata))
    .filter((key) => !METADATA.includes(key))
    .slice(0, METADATA.length)
    .flatMap((key) => {
      const advice = didYouMean(key, METADATA);
      return advice === '' ? [] : [`metadata.${key} of a ${kind} is not read${advice}`];
    });
}

/** The remark about a document, or an item of a List, that is a list or a scalar. */
export function noObject(value: unknown): string {
  const isList = Array.isArray(value);
  const advice = isList ? ': write "kind: List" with "items:", or a line "---" between two objects' : '';
  return `${isList ? 'a list' : `a ${typeof value}`} is not read, only objects with apiVersion and kind${advice}`;
}

/** True for a list of another tool, such as a patch of kustomize. */
export function isOthersList(value: unknown): boolean {
  const isOthers = (item: unknown) => isMapping(item) && item.kind === undefined && item.apiVersion === undefined;
  return Array.isArray(value) && value.length > 0 && value.every(isOthers);
}

/** The group of an apiVersion; null when it has none, as "v1" has none. */
function groupOf(apiVersion: string): string | null {
  const slash = apiVersion.indexOf('/');
  if (slash >= 0) return apiVersion.slice(0, slash);
  return /^v\d/.test(apiVersion) ? null : apiVersion;
}

function isNearGroup(group: string | null): boolean {
  if (group === null) return false;
  return lettersOf(group) === lettersOf(OTHER_GROUP) || editDistance(lettersOf(group), lettersOf(ZONE_KIND.group)) <= 2;
}

/** The kind that a text probably means: about one letter in three may be wrong. */
function nearestKind(text: string): string | null {
  if (text.length > 20) return null;
  const near = KINDS.map((kind) => ({ kind, distance: editDistance(text.toLowerCase(), kind.toLowerCase()) }))
    .filter(({ kind, distance }) => distance <= Math.floor(kind.length / 3))
    .toSorted((a, b) => a.distance - b.distance);
  return near[0]?.kind ?? null;
}
