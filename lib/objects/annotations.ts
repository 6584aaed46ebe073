// The annotations of zone53 on Zones, and those that are probably meant as one.
import { editDistance, lettersOf } from '../dns/names/edit-distance.ts';
import { quote } from '../dns/names/quote.ts';

/** On a Zone: record sets at its names that zone53 did not write may be taken over. */
export const TAKEOVER_ANNOTATION = 'zone53.dev/takeover';
export const ACKNOWLEDGE_ANNOTATION = 'zone53.dev/acknowledge-plan';
/** On a Zone: what happens to a record set that nothing asks for any more, `delete` or `retain`. */
export const DELETION_POLICY_ANNOTATION = 'zone53.dev/deletion-policy';
/** On an object of a source: the protocols of an HTTPS record beside its addresses, or `none`. */
export const HTTPS_ANNOTATION = 'zone53.dev/https';
/** On an object of a source: the health check of its routing, as JSON or as an address such as https://host/path. */
export const HEALTH_CHECK_ANNOTATION = 'zone53.dev/health-check';
/** On an object of any kind but Zone and Record: the views in which it asks for its names. */
export const VIEWS_ANNOTATION = 'zone53.dev/views';
/** On an object of any kind: its names are published only where no other cluster asks for them. */
export const STANDBY_ANNOTATION = 'zone53.dev/standby';
/** On an object of any kind: how its names are shared with other clusters. */
export const SHARING_ANNOTATION = 'zone53.dev/sharing';
/** On an object of any kind: the weight of its names, where they are shared by weight. */
export const WEIGHT_ANNOTATION = 'zone53.dev/weight';
const OF_CLAIMS: readonly string[] = [STANDBY_ANNOTATION, SHARING_ANNOTATION, WEIGHT_ANNOTATION];
const OF_ZONES: readonly string[] = [TAKEOVER_ANNOTATION, ACKNOWLEDGE_ANNOTATION, DELETION_POLICY_ANNOTATION];
const KNOWN = [...OF_ZONES, ...OF_CLAIMS];
const PREFIX = 'zone53.dev/';

/** The part of an object that has its annotations. `oddAnnotations`: those that are no text, and what they are. */
export type Annotated = {
  readonly annotations: Readonly<Record<string, string>>;
  readonly oddAnnotations?: Readonly<Record<string, string>>;
};

/** True for a Zone whose annotation asks for takeover. Any other word than `true` does not: it is a note. */
export function asksForTakeover({ annotations }: Annotated): boolean {
  return annotations[TAKEOVER_ANNOTATION]?.trim() === 'true';
}

/** The deletion policy of a Zone, `delete` without the annotation; null: the annotation has another value. */
export function deletionPolicyOf({ annotations, oddAnnotations = {} }: Annotated): 'delete' | 'retain' | null {
  if (Object.hasOwn(oddAnnotations, DELETION_POLICY_ANNOTATION)) return null;
  const value = annotations[DELETION_POLICY_ANNOTATION]?.trim() ?? 'delete';
  return value === 'delete' || value === 'retain' ? value : null;
}

/** Why the deletion policy of a Zone is invalid. */
export function wrongDeletionPolicy({ annotations, oddAnnotations = {} }: Annotated): string {
  const odd = oddAnnotations[DELETION_POLICY_ANNOTATION];
  const got = odd ?? quote(annotations[DELETION_POLICY_ANNOTATION] ?? '');
  return `metadata.annotations["${DELETION_POLICY_ANNOTATION}"]: expected "delete" or "retain", got ${got}`;
}

/** Notes on the annotations of an object of ours: words that do nothing, and keys that are nearly ours. */
export function annotationNotes({ annotations, oddAnnotations = {} }: Annotated, isZone: boolean): readonly string[] {
  const keys = [...Object.keys(annotations), ...Object.keys(oddAnnotations)].toSorted();
  return keys.flatMap((key): readonly string[] => {
    if (OF_CLAIMS.includes(key)) return [];
    if (key === VIEWS_ANNOTATION) return isZone ? [`annotation ${key} has no effect here: write spec.view`] : [];
    if (key === HTTPS_ANNOTATION) return [insteadOfHttps(isZone ? 'spec.https' : 'a Record of type HTTPS')];
    if (key === HEALTH_CHECK_ANNOTATION)
      return [`annotation ${key} has no effect here: write spec.routing.healthCheck into a Record`];
    if (!OF_ZONES.includes(key)) return aboutKey(key);
    if (!isZone) return [`annotation ${key} has no effect here: it counts on a Zone`];
    if (key === DELETION_POLICY_ANNOTATION) return [];
    const odd = oddAnnotations[key];
    if (odd !== undefined) return [`annotation ${key}: expected a text in quotes, got ${odd}`];
    return key === TAKEOVER_ANNOTATION ? aboutTakeover(annotations[key] as string) : [];
  });
}

/** The note on the annotation for HTTPS at a kind that has another way to say it. */
export function insteadOfHttps(instead: string): string {
  return `annotation ${HTTPS_ANNOTATION} has no effect here: write ${instead}`;
}

/** Words that say in another way what the absence of the annotation says. */
const NO = ['', 'false', 'no', 'off', '0'];

function aboutTakeover(value: string): readonly string[] {
  const text = value.trim();
  if (text === 'true' || NO.includes(text.toLowerCase())) return [];
  return [`annotation ${TAKEOVER_ANNOTATION}: ${quote(text)} has no effect; only "true" has`];
}

/** The note on a key that none of ours is; none if it is somebody else's. */
function aboutKey(key: string): readonly string[] {
  const [name, host] = [key.slice(key.lastIndexOf('/') + 1), key.slice(0, Math.max(key.lastIndexOf('/'), 0))];
  const meant = KNOWN.find((one) => isLike(name, one.slice(PREFIX.length)));
  if (key.startsWith(PREFIX)) {
    const advice =
      meant === undefined
        ? `those of a Zone are ${OF_ZONES.slice(0, -1).join(', ')} and ${OF_ZONES.at(-1)}`
        : `did you mean ${meant}?`;
    return [`annotation ${key} is not read: ${advice}`];
  }
  if (meant !== undefined && isLikeOurs(host)) return [`annotation ${key} is not read: did you mean ${meant}?`];
  // The key of a Zone with a dot in place of the slash has no prefix.
  const whole = KNOWN.find((one) => isLike(key, one));
  return whole === undefined ? [] : [`annotation ${key} is not read: did you mean ${whole}?`];
}

/** True for a prefix that resembles ours or the group of our kinds, and for no prefix. */
function isLikeOurs(host: string): boolean {
  const text = lettersOf(host);
  return text === '' || text.startsWith('zone53') || text.endsWith('kubizone') || editDistance(text, 'zone53dev') <= 2;
}

function isLike(text: string, key: string): boolean {
  return editDistance(lettersOf(text), lettersOf(key)) <= 2;
}
