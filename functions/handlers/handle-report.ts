// The reports queue: every object of a batch once, however often it was asked for; the event source's window is what keeps a
// busy Zone from being reported more than once in a few seconds. Together first, then one by one.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { Context } from '../../lib/ports/context.ts';
import { report } from '../../lib/report/report-object.ts';
import { shortReason } from '../runtime/messages.ts';
import { type BatchDeps, handleBatch } from './handle-batch.ts';

/** The handler of the report function. */
export function handleReport(deps: BatchDeps & { readonly context: Context }) {
  const { context, log } = deps;
  const all = async (refs: readonly ObjectRef[]) => {
    await report(context, refs);
    log('info', 'reported', { objects: refs.length });
  };
  return async (event: SQSEvent): Promise<SQSBatchResponse> => {
    const done = new Set<string>();
    return handleBatch(
      deps,
      event,
      'standard',
      async (message) => {
        if (message.kind !== 'report' || done.has(formatRef(message.ref))) return;
        await all([message.ref]);
        done.add(formatRef(message.ref));
      },
      async (messages) => {
        const refs = messages.flatMap((message) => (message.kind === 'report' ? [message.ref] : []));
        if (refs.length < 2) return false;
        try {
          await all(refs);
          return true;
        } catch (error) {
          log('warn', 'reports fail together and are tried one by one', {
            refs: refs.length,
            reason: shortReason(error),
          });
          return false;
        }
      },
    );
  };
}
