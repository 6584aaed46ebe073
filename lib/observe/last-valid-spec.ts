// From objects as a cluster has them to what is in force: each spec parsed, and where it is invalid now, the last valid
// spec that the ledger remembers (design section 4, "Last known good"). `render` has no memory and passes none.

import type { RecordSpec } from '../objects/endpoint.ts';
import type { Declared } from '../objects/object-ref.ts';
import type { SpecResult } from '../objects/spec-fields.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import { parseRecordOnce } from '../sources/kubizone/parse-record.ts';
import { parseZoneOnce, type ZoneSpec } from '../zones/parse-zone.ts';

/** A Zone or Record with the untyped spec that is in force, as the ledger keeps it; null when there never was a valid one. */
export type InForce<Spec> = { readonly declared: Declared<Spec>; readonly rawSpec: unknown };

/** What a Zone declares; `lastValid` is the untyped last valid spec of the same object, if any. */
export function declareZone(object: ClusterObject, lastValid: unknown = null): InForce<ZoneSpec> {
  return declare(object, lastValid, parseZoneOnce);
}

/** What a Record declares; `lastValid` is the untyped last valid spec of the same object, if any. */
export function declareRecord(object: ClusterObject, lastValid: unknown = null): InForce<RecordSpec> {
  return declare(object, lastValid, parseRecordOnce);
}

function declare<Spec>(
  object: ClusterObject,
  lastValid: unknown,
  parse: (value: unknown, namespace: string) => SpecResult<Spec>,
): InForce<Spec> {
  const { ref, uid, creationTimestamp, order } = object;
  const age = { uid, creationTimestamp, order };
  const now = parse(object.spec, ref.namespace);
  if (now.ok) return { declared: { ref, age, spec: now.spec, problems: [] }, rawSpec: object.spec };
  const before = lastValid === null ? null : parse(lastValid, ref.namespace);
  const spec = before?.ok === true ? before.spec : null;
  return { declared: { ref, age, spec, problems: now.problems }, rawSpec: spec === null ? null : lastValid };
}
