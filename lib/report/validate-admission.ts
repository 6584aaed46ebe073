// Decides what a validating webhook refuses: a write that the rules of lib/zones would refuse, with the message of its
// condition. It does not refuse what a later object of the same file may put right: a missing parent, a Zone that is
// not a root and that a Zone above may adopt, a name that another object has and may be about to give up. The Zones are
// read from the cluster, without the last valid spec of an invalid one. If there is an invalid one, only the written
// spec is judged.
import { isDeepStrictEqual } from 'node:util';
import { isAtOrBelow, parentOf } from '../dns/names/name.ts';
import { matchesPattern } from '../dns/names/pattern.ts';
import { cutMessage } from '../objects/conditions.ts';
import { ZONE_KIND } from '../objects/kind.ts';
import { formatRef, isZone, type ObjectRef } from '../objects/object-ref.ts';
import { sizedSpec } from '../objects/spec-size.ts';
import type { Cluster, ClusterObject, ClusterPage } from '../ports/cluster.ts';
import type { Config } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { ZoneOutput } from './describe-cluster.ts';
import { renderCluster } from './render-cluster.ts';

/** An object that somebody asks the API server to store. `oldSpec`: the stored spec; `undefined` for a new object. */
export type AdmissionSubject = { readonly ref: ObjectRef; readonly spec: unknown; readonly oldSpec: unknown };

/** The verdict on a write. `unjudged`: it passes because it could not be judged; the reason is for operators. */
export type AdmissionVerdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'refuse'; readonly message: string }
  | { readonly kind: 'unjudged'; readonly reason: string };

/** A new object is younger than every stored one. */
const YOUNGEST = '9999-12-31T23:59:59Z';
const PASS: AdmissionVerdict = { kind: 'pass' };
const REFUSED: ReadonlySet<string> = new Set(['InvalidSpec', 'DelegationDenied', 'RootNotAllowed']);

/**
 * Does `judgeAdmission()` with the Zones that are in the cluster now. Somebody waits for the answer: so Records, which
 * may be many, are not read, and no page is read once `isLate()`. Throws the errors of the cluster, and an error if it
 * is late; the caller should then let the write pass.
 */
export async function judgeWrite(
  cluster: Pick<Cluster, 'listPage'>,
  rules: Pick<Context, 'sources' | 'config'>,
  subject: AdmissionSubject,
  isLate: () => boolean,
): Promise<AdmissionVerdict> {
  // Problems of the spec itself are found without reading Zones.
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

/** An object with only these fields. */
function bare(
  ref: ObjectRef,
  spec: unknown,
  { uid, creationTimestamp }: Pick<ClusterObject, 'uid' | 'creationTimestamp'>,
): ClusterObject {
  const rest = { order: '', version: '', generation: null, annotations: {}, labels: {}, origin: null };
  return { ref, uid, creationTimestamp, ...sizedSpec(spec), ...rest };
}

/**
 * Judges a write. `zones`: all Zones of the cluster; null: they are not known, and the spec is judged by itself. A
 * write that does not change the spec passes even if the spec is invalid, so that an object that became invalid can
 * still be labelled and lose its finalizers.
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
  const resolved = renderCluster({ objects, problems: [], unreadable: new Set() }, rules, 0);
  const described = (isZone(ref) ? resolved.zones : resolved.records).find(isIt);
  const verdict = described?.conditions.find(({ type, status }) => type === 'Accepted' && status === 'False');
  if (described === undefined || verdict === undefined || !REFUSED.has(verdict.reason)) return PASS;
  const refusal: AdmissionVerdict = { kind: 'refuse', message: cutMessage(`${verdict.reason}: ${verdict.message}`) };
  if (verdict.reason === 'InvalidSpec') return refusal;
  if (zones === null) return PASS;
  if (verdict.reason === 'RootNotAllowed' && mayBeAdopted(described.fqdn, rules.config)) return PASS;
  if (verdict.reason === 'DelegationDenied' && isZone(ref) && mayStand(rules.config, spec, oldSpec)) return PASS;
  const unsure = resolved.zones
    .filter((zone) => !(isZone(ref) && isIt(zone)))
    .flatMap((zone) => {
      const why = whyMaybeLive(zone, described.fqdn, rules.config);
      return why === null ? [] : [`${formatRef({ kind: ZONE_KIND.kind, ...zone })} ${why}`];
    });
  return unsure[0] === undefined ? refusal : { kind: 'unjudged', reason: unsure[0] };
}

/** Without roots: true if the Zone keeps its full name. It may be a root that is live. */
function mayStand({ roots }: Config, spec: unknown, oldSpec: unknown): boolean {
  const [now, before] = [spec, oldSpec] as readonly ({ domainName?: unknown; zoneRef?: unknown } | null | undefined)[];
  return roots === null && now?.zoneRef == null && before?.zoneRef == null && now?.domainName === before?.domainName;
}

/** Why a Zone that seems refused may be live, and adopt `fqdn`; null: it cannot. */
function whyMaybeLive(zone: ZoneOutput, fqdn: string | null, { roots }: Config): string | null {
  const reason = zone.conditions.find(({ type }) => type === 'Accepted')?.reason;
  if (reason === 'InvalidSpec') return 'is invalid, and its last valid spec is still in force';
  const isAbove = zone.fqdn !== null && fqdn !== null && isAtOrBelow(fqdn, zone.fqdn);
  // The webhook knows no ages: the Zone may have asked for the name before the one that was created before it.
  if (isAbove && reason === 'Conflict') return 'asks for the name of another Zone, and may have asked for it longer';
  return roots === null && isAbove && reason === 'DelegationDenied'
    ? 'is covered by another Zone, and may be a root that was live before'
    : null;
}

/** True if a name above may be a root for any namespace: its Zone may be created next, and adopt this one. */
function mayBeAdopted(fqdn: string | null, { roots }: Config): boolean {
  for (let above = fqdn === null ? null : parentOf(fqdn); above !== null; above = parentOf(above)) {
    const name = above;
    if (roots?.some(({ pattern }) => matchesPattern(pattern, name, '.')) === true) return true;
  }
  return false;
}
