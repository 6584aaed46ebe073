// Finds objects that are probably meant for zone53 and have a misspelt kind or apiVersion, and documents that are no
// object. Kinds of the same name in other groups are not ours, and cause no remark.
import { quote } from '../../dns/names/quote.ts';
import { apiVersionOf, ZONE_KIND } from '../../objects/kind.ts';
import { isMapping } from '../../objects/plain.ts';

export const API_VERSION = apiVersionOf(ZONE_KIND);
const KINDS = ['Zone', 'Record', 'ZoneList', 'RecordList'];
/** The prefix of our annotations, which is easily mistaken for the group of the kinds. */
const OTHER_GROUP = 'zone53.dev';

/** The remark about an object whose kind is not read; null if it belongs to others. */
export function nearMiss(kind: unknown, apiVersion: unknown): string | null {
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
  const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return letters(group) === letters(OTHER_GROUP) || editDistance(letters(group), letters(ZONE_KIND.group)) <= 2;
}

/** The kind that a text probably means: about one letter in three may be wrong. */
function nearestKind(text: string): string | null {
  if (text.length > 20) return null;
  const near = KINDS.map((kind) => ({ kind, distance: editDistance(text.toLowerCase(), kind.toLowerCase()) }))
    .filter(({ kind, distance }) => distance <= Math.floor(kind.length / 3))
    .toSorted((a, b) => a.distance - b.distance);
  return near[0]?.kind ?? null;
}

/** The edit distance from `a` to `b`: letters inserted, removed, changed, or swapped with the next. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return Number.POSITIVE_INFINITY;
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array.from({ length: b.length }, () => 0)]);
  const at = (i: number, j: number): number => (i === 0 ? j : (rows[i]?.[j] ?? 0));
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      (rows[i] as number[])[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]),
        swapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(a.length, b.length);
}
