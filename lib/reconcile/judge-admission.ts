// What a validating webhook may refuse at the door: what design section 4 would refuse of the object as it would stand, in
// the words of its condition. A parent that is not there yet is no reason: it may come with the next object of the same file.
import { isDeepStrictEqual } from 'node:util';
import { formatRef, type ObjectRef } from '../kubizone/objects.ts';
import type { Config } from './config.ts';
import type { Cluster, ClusterObject, ClusterPage } from './ports.ts';
import { renderWorld } from './render-world.ts';

/** An object that somebody asks to be stored; `oldSpec` is what stands, `undefined` for a new one. */
export type AdmissionSubject = { readonly ref: ObjectRef; readonly spec: unknown; readonly oldSpec: unknown };

const REFUSED: ReadonlySet<string> = new Set(['InvalidSpec', 'DelegationDenied', 'RootNotAllowed', 'Conflict']);

/**
 * As `judgeAdmission`, over the Zones as they stand in the cluster now. Somebody waits for it: the Records, of which there may be
 * many more, are not read. Throws what the cluster throws; it is then for the caller to let pass.
 */
export async function judgeWrite(
  cluster: Pick<Cluster, 'listPage'>,
  config: Config,
  subject: AdmissionSubject,
): Promise<string | null> {
  // What the spec says of itself needs no reading.
  return judgeAdmission(subject, null, config) ?? judgeAdmission(subject, await listZones(cluster), config);
}

/** All Zones; null when they were not to be had in one go. */
async function listZones(cluster: Pick<Cluster, 'listPage'>): Promise<readonly ClusterObject[] | null> {
  const zones: ClusterObject[] = [];
  let cursor: string | null = null;
  do {
    const page: ClusterPage | null = await cluster.listPage('Zone', null, cursor);
    if (page === null) return null;
    zones.push(...page.objects);
    cursor = page.next;
  } while (cursor !== null);
  return zones;
}

/**
 * The message for whoever asked, or null where the object may pass. `zones` are all Zones as they stand; null where they are
 * not known, and then the spec is judged by itself. A spec that does not change passes, whatever it says: an object that
 * became invalid can still be labelled, and its finalizers removed.
 */
export function judgeAdmission(
  { ref, spec, oldSpec }: AdmissionSubject,
  zones: readonly ClusterObject[] | null,
  config: Config,
): string | null {
  if (oldSpec !== undefined && isDeepStrictEqual(spec, oldSpec)) return null;
  const isIt = (other: ObjectRef) => formatRef(other) === formatRef(ref);
  const before = zones?.find((zone) => isIt(zone.ref));
  const { uid = null, creationTimestamp = null } = before ?? {};
  const object: ClusterObject = {
    ref,
    uid,
    creationTimestamp,
    order: '',
    version: '',
    generation: null,
    annotations: {},
    labels: {},
    spec,
    origin: null,
  };
  const objects = [...(zones ?? []).filter((zone) => !isIt(zone.ref)), object];
  const world = renderWorld({ objects, problems: [], unreadable: new Set() }, config, 0);
  const described = (ref.kind === 'Zone' ? world.zones : world.records).find(
    ({ namespace, name }) => namespace === ref.namespace && name === ref.name,
  );
  const verdict = described?.conditions.find(({ type, status }) => type === 'Accepted' && status === 'False');
  if (verdict === undefined || !REFUSED.has(verdict.reason)) return null;
  if (zones === null && verdict.reason !== 'InvalidSpec') return null;
  return `${verdict.reason}: ${verdict.message}`;
}
