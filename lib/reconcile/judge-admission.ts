// What a validating webhook may refuse at the door: what design section 4 would refuse of the object as it would stand, in
// the words of its condition. A parent that is not there yet is no reason: it may come with the next object of the same file.
import { isDeepStrictEqual } from 'node:util';
import { formatRef, type ObjectRef } from '../kubizone/objects.ts';
import type { Config } from './config.ts';
import type { ClusterObject } from './ports.ts';
import { renderWorld } from './render-world.ts';

/** An object that somebody asks to be stored; `oldSpec` is what stands, `undefined` for a new one. */
export type AdmissionSubject = { readonly ref: ObjectRef; readonly spec: unknown; readonly oldSpec: unknown };

const REFUSED: ReadonlySet<string> = new Set(['InvalidSpec', 'DelegationDenied', 'RootNotAllowed', 'Conflict']);

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
