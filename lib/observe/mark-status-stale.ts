// Status and label of an API server's object can be written by anybody who may write the object. Whoever reads one that
// was written without a change of its spec compares what it shows with what was reported last, and notes in the ledger
// that it is to be reported again. What we wrote ourselves shows just that, so that no report leads to another.

import { swap } from '../ledger/compare-and-swap.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import type { Observation } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import { showsReported } from './shown-status.ts';
import { type StatusItem, statusCodec, statusKey } from './status-item.ts';

/** Notes whether somebody wrote over what was reported; true when so, and the object is to be reported. */
export async function noteOverwritten({ ledger, config }: Context, observation: Observation): Promise<boolean> {
  if (observation.kind !== 'present' || observation.object.status === undefined) return false;
  // Manifests show nothing.
  if (observation.object.origin !== null) return false;
  const { object } = observation;
  return noteUnless(
    { ledger, config },
    object.ref,
    (reported) => object.uid === reported.uid && showsReported(object, reported),
  );
}

/** Notes that an object may show something else than was reported last: nobody knows what became of a write of it. */
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
  // What was never reported is about to be; or was just now, and written over before that was noted.
  await swap(ledger, statusKey(config.clusterId, ref), statusCodec, (noted) => {
    const reported = noted ?? UNREPORTED;
    overwritten = reported.overwritten === true || !isShown(reported);
    return overwritten && reported.overwritten !== true ? { ...reported, overwritten: true as const } : null;
  });
  return overwritten;
}
