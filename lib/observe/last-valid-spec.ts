// From an object as a cluster has it to what is in force of it: its spec parsed, and where that is invalid now, what the ledger
// remembers of the last valid one (design section 4, "Last known good"). `render` has no memory and passes none.

import type { Endpoint } from '../objects/endpoint.ts';
import { isZone } from '../objects/object-ref.ts';
import { NOTHING_RELATED } from '../objects/related.ts';
import { type Source, settingsOf } from '../objects/source.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import type { JsonValue } from '../ports/ledger.ts';
import { parseZoneOnce } from '../zones/parse-zone.ts';

/** What is in force of an object, as the ledger keeps it. */
export type InForce = {
  /** A Zone's untyped spec; null where there never was a valid one, and for every other kind. */
  readonly spec: JsonValue;
  /** What every other kind asks for; null where there never was a valid spec, and for a Zone. */
  readonly endpoints: readonly Endpoint[] | null;
  /** What is wrong with the object as it stands; empty when it is valid. */
  readonly problems: readonly string[];
};

const NOTHING: InForce = { spec: null, endpoints: null, problems: [] };

/** What is in force of an object; `lastValid` is what was in force of the same object before. Throws where no source reads its kind. */
export function inForce(sources: readonly Source[], object: ClusterObject, lastValid: InForce = NOTHING): InForce {
  const { ref, spec } = object;
  if (isZone(ref)) {
    const now = parseZoneOnce(spec, ref.namespace);
    if (now.ok) return { spec: spec as JsonValue, endpoints: null, problems: [] };
    const stands = lastValid.spec !== null && parseZoneOnce(lastValid.spec, ref.namespace).ok;
    return { spec: stands ? lastValid.spec : null, endpoints: null, problems: now.problems };
  }
  const source = sources.find(({ kind }) => kind === ref.kind);
  if (source === undefined)
    throw new Error(`Cannot read ${ref.kind} ${ref.namespace}/${ref.name}: no source has its kind`);
  const now = source.endpointsOf(object, settingsOf(source), NOTHING_RELATED);
  if (now.ok) return { spec: null, endpoints: now.endpoints, problems: [] };
  return { spec: null, endpoints: lastValid.endpoints, problems: now.problems };
}
