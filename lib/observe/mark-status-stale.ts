// Notes that the status of an object was overwritten and must be reported again. Anybody who may write an object can
// write its status and label. If an object was written without a change of its spec, its status and label are compared
// with the last report. If they differ, the ledger notes that the object must be reported again. After a write of our
// own they do not differ, so no report leads to another.

import { swap } from '../ledger/compare-and-swap.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import type { Observation } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import { type Asked, asksNothing } from './object-item.ts';
import { isUnreported, showsReported, statusCodec, statusKey, UNREPORTED } from './status-item.ts';

/**
 * Notes if somebody overwrote the last report. True if so: then the object must be reported again. `item`: the object
 * as it is to be saved; default: it asks for something. If it asks for nothing and has no report, none was overwritten.
 */
export async function noteOverwritten(
  { ledger, config }: Context,
  observation: Observation,
  item: Asked = { endpoints: null, problems: [] },
): Promise<boolean> {
  if (observation.kind !== 'present' || observation.object.status === undefined) return false;
  // An object of a manifest has no status.
  if (observation.object.origin !== null) return false;
  const { object } = observation;
  let overwritten = true;
  // Without an item, the first report is about to be written, or was overwritten before it was noted.
  await swap(ledger, statusKey(config.clusterId, object.ref), statusCodec, (noted) => {
    const reported = noted ?? UNREPORTED;
    if (asksNothing(item) && isUnreported(noted, object)) {
      overwritten = false;
      return null;
    }
    const isShown = object.uid === reported.uid && showsReported(object, reported);
    overwritten = reported.overwritten === true || !isShown;
    // A report that is being written cannot be saved over a new revision, and is then made again.
    const isNews = reported.overwritten !== true || reported.uid === object.uid;
    return overwritten && isNews ? { ...reported, overwritten: true as const } : null;
  });
  return overwritten;
}

/**
 * Notes that a report failed, so the object may show something else than its last report. If it was the first report
 * of the object with this uid, the next one still counts as the first: its Event may not exist yet.
 */
export async function noteDoubt(
  { ledger, config }: Pick<Context, 'ledger' | 'config'>,
  ref: ObjectRef,
  uid: string | null,
): Promise<void> {
  await swap(ledger, statusKey(config.clusterId, ref), statusCodec, (noted) => {
    const first = noted?.uid === uid ? {} : { uid, conditions: [] };
    return { ...(noted ?? UNREPORTED), ...first, overwritten: true as const };
  });
}
