// What a validating webhook may refuse at the door: what the rules of lib/zones would refuse of the object as it would
// stand, in the words of its condition. What the next object of the same file may put right is no reason: a parent that
// is not there yet, a Zone above that may adopt what is no root, another object of the same name that may be on its way
// out. The Zones are seen as they stand, without the last valid spec of one that is invalid now: where there is one,
// only the spec itself tells.
import { isDeepStrictEqual } from 'node:util';
import { parentOf } from '../dns/names/name.ts';
import { matchesPattern } from '../dns/names/pattern.ts';
import { cutMessage } from '../objects/conditions.ts';
import { ZONE_KIND } from '../objects/kind.ts';
import { formatRef, isZone, type ObjectRef } from '../objects/object-ref.ts';
import { sizedSpec } from '../objects/spec-size.ts';
import type { Cluster, ClusterObject, ClusterPage } from '../ports/cluster.ts';
import type { Config } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { renderWorld } from './render-cluster.ts';

/** An object that somebody asks to be stored; `oldSpec` is what stands, `undefined` for a new one. */
export type AdmissionSubject = { readonly ref: ObjectRef; readonly spec: unknown; readonly oldSpec: unknown };

/** `unjudged`: it passes because there was no telling; the reason is for operators. */
export type AdmissionVerdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'refuse'; readonly message: string }
  | { readonly kind: 'unjudged'; readonly reason: string };

/** What is not there yet is younger than all that is. */
const YOUNGEST = '9999-12-31T23:59:59Z';
const PASS: AdmissionVerdict = { kind: 'pass' };
const REFUSED: ReadonlySet<string> = new Set(['InvalidSpec', 'DelegationDenied', 'RootNotAllowed']);

/**
 * As `judgeAdmission`, over the Zones as they stand in the cluster now. Somebody waits for it: the Records, of which
 * there may be many more, are not read, and no page is asked for once `isLate`. Throws what the cluster throws, and
 * when it is late; it is then for the caller to let pass.
 */
export async function judgeWrite(
  cluster: Pick<Cluster, 'listPage'>,
  rules: Pick<Context, 'sources' | 'config'>,
  subject: AdmissionSubject,
  isLate: () => boolean,
): Promise<AdmissionVerdict> {
  // What the spec says of itself needs no reading.
  const ofItself = judgeAdmission(subject, null, rules);
  return ofItself.kind === 'refuse' ? ofItself : judgeAdmission(subject, await listZones(cluster, isLate), rules);
}

/** All Zones, without their status, which may be large. */
async function listZones(cluster: Pick<Cluster, 'listPage'>, isLate: () => boolean): Promise<readonly ClusterObject[]> {
  const zones: ClusterObject[] = [];
  let cursor: string | null = null;
  do {
    if (isLate()) throw new Error('the list of Zones takes too long');
    const page: ClusterPage | null = await cluster.listPage(ZONE_KIND.kind, null, cursor);
    if (page === null) throw new Error('the Zones changed while they were listed');
    for (const { ref, uid, creationTimestamp, spec, specOctets } of page.objects)
      zones.push({
        ...bare(ref, spec, { uid, creationTimestamp }),
        ...(specOctets === undefined ? {} : { specOctets }),
      });
    cursor = page.next;
  } while (cursor !== null);
  return zones;
}

/** An object of which only that matters. */
function bare(
  ref: ObjectRef,
  spec: unknown,
  { uid, creationTimestamp }: Pick<ClusterObject, 'uid' | 'creationTimestamp'>,
): ClusterObject {
  const rest = { order: '', version: '', generation: null, annotations: {}, labels: {}, origin: null };
  return { ref, uid, creationTimestamp, ...sizedSpec(spec), ...rest };
}

/**
 * What to say to whoever asks for this write. `zones` are all Zones as they stand; null where they are not known, and
 * then the spec is judged by itself. A spec that does not change passes, whatever it says: an object that became
 * invalid can still be labelled, and its finalizers removed.
 */
export function judgeAdmission(
  { ref, spec, oldSpec }: AdmissionSubject,
  zones: readonly ClusterObject[] | null,
  rules: Pick<Context, 'sources' | 'config'>,
): AdmissionVerdict {
  if (oldSpec !== undefined && isDeepStrictEqual(spec, oldSpec)) return PASS;
  const isIt = (other: { readonly namespace: string; readonly name: string }) =>
    other.namespace === ref.namespace && other.name === ref.name;
  const before = isZone(ref) ? zones?.find((zone) => isIt(zone.ref)) : undefined;
  const object = bare(ref, spec, {
    uid: before?.uid ?? null,
    creationTimestamp: before?.creationTimestamp ?? YOUNGEST,
  });
  const objects = [...(zones ?? []).filter((zone) => zone !== before), object];
  const world = renderWorld({ objects, problems: [], unreadable: new Set() }, rules, 0);
  const described = (isZone(ref) ? world.zones : world.records).find(isIt);
  const verdict = described?.conditions.find(({ type, status }) => type === 'Accepted' && status === 'False');
  if (described === undefined || verdict === undefined || !REFUSED.has(verdict.reason)) return PASS;
  const refusal: AdmissionVerdict = { kind: 'refuse', message: cutMessage(`${verdict.reason}: ${verdict.message}`) };
  if (verdict.reason === 'InvalidSpec') return refusal;
  if (zones === null) return PASS;
  if (verdict.reason === 'RootNotAllowed' && mayBeAdopted(described.fqdn, rules.config)) return PASS;
  const isInvalid = world.zones.find(
    (zone) =>
      !(isZone(ref) && isIt(zone)) &&
      zone.conditions.some(({ type, reason }) => type === 'Accepted' && reason === 'InvalidSpec'),
  );
  if (isInvalid === undefined) return refusal;
  const other = formatRef({ kind: ZONE_KIND.kind, namespace: isInvalid.namespace, name: isInvalid.name });
  return { kind: 'unjudged', reason: `${other} is invalid, and what it allowed before is still in force` };
}

/** True where a root that the operator allows to anybody lies above: its Zone may be on its way, and adopt this one. */
function mayBeAdopted(fqdn: string | null, { roots }: Config): boolean {
  for (let above = fqdn === null ? null : parentOf(fqdn); above !== null; above = parentOf(above)) {
    const name = above;
    if (roots?.some(({ pattern }) => matchesPattern(pattern, name, '.')) === true) return true;
  }
  return false;
}
