// Anybody who may write an object can write its status and label. If an object was written without a change of its
// spec, its status and label are compared with the last report. If they differ, the ledger notes that the object must
// be reported again. After a write of our own they do not differ, so no report leads to another.

import { swap } from '../ledger/compare-and-swap.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import type { Observation } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import { showsReported } from './shown-status.ts';
import { type StatusItem, statusCodec, statusKey } from './status-item.ts';

/** Notes if somebody overwrote the last report. True if so: then the object must be reported again. */
export async function noteOverwritten({ ledger, config }: Context, observation: Observation): Promise<boolean> {
  if (observation.kind !== 'present' || observation.object.status === undefined) return false;
  // An object of a manifest has no status.
  if (observation.object.origin !== null) return false;
  const { object } = observation;
  return noteUnless(
    { ledger, config },
    object.ref,
    (reported) => object.uid === reported.uid && showsReported(object, reported),
  );
}

/** Notes that an object may show something else than the last report, because the outcome of a write is not known. */
export async function noteDoubt(context: Pick<Context, 'ledger' | 'config'>, ref: ObjectRef): Promise<void> {
  await noteUnless(context, ref, () => false);
}

const UNREPORTED: StatusItem = {
  uid: null,
  fqdn: null,
  parent: null,
  conditions: [],
  hash: null,
  serial: null,
  entries: null,
};

async function noteUnless(
  { ledger, config }: Pick<Context, 'ledger' | 'config'>,
  ref: ObjectRef,
  isShown: (reported: StatusItem) => boolean,
): Promise<boolean> {
  let overwritten = true;
  // Without an item, the first report is about to be written, or was overwritten before it was noted.
  await swap(ledger, statusKey(config.clusterId, ref), statusCodec, (noted) => {
    const reported = noted ?? UNREPORTED;
    overwritten = reported.overwritten === true || !isShown(reported);
    return overwritten && reported.overwritten !== true ? { ...reported, overwritten: true as const } : null;
  });
  return overwritten;
}
