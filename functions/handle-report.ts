// The reports queue: every object of a batch once, however often it was asked for; the event source's window is what keeps a
// busy Zone from being reported more than once in a few seconds. Together first, then one by one.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { formatRef } from '../lib/kubizone/objects.ts';
import type { Context } from '../lib/reconcile/context.ts';
import { report } from '../lib/reconcile/report.ts';
import { type BatchDeps, handleBatch } from './handle-batch.ts';
import { readMessages, shortReason } from './messages.ts';

/** The handler of the report function. */
export function handleReport(deps: BatchDeps & { readonly context: Context }) {
  const { context, log } = deps;
  return async (event: SQSEvent): Promise<SQSBatchResponse> => {
    const messages = readMessages(event.Records, deps);
    const refs = [...messages.values()].flatMap((message) => (message.kind === 'report' ? [message.ref] : []));
    const done = new Set<string>();
    let together = refs.length > 1;
    if (together) {
      await report(context, refs).catch((error: unknown) => {
        together = false;
        log('warn', 'reports fail together and are tried one by one', {
          refs: refs.length,
          reason: shortReason(error),
        });
      });
    }
    return handleBatch(deps, event, 'standard', async ({ messageId }) => {
      const message = messages.get(messageId);
      if (message?.kind !== 'report' || together || done.has(formatRef(message.ref))) return;
      await report(context, [message.ref]);
      done.add(formatRef(message.ref));
    });
  };
}
