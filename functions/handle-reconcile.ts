// The hints queue: hints are reconciled together, which reads each object and each name once; only when that fails, one by
// one, so that a hint which cannot be reconciled loses only itself. A publish message here is one whose delay is over.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Context } from '../lib/reconcile/context.ts';
import type { Hint } from '../lib/reconcile/ports.ts';
import { reconcile } from '../lib/reconcile/reconcile.ts';
import { type BatchDeps, handleBatch } from './handle-batch.ts';
import { readMessages, shortReason } from './messages.ts';

/** The handler of the reconcile function. */
export function handleReconcile(deps: BatchDeps & { readonly context: Context }) {
  const { context, meter, log } = deps;
  const done = async (hints: readonly Hint[]) => {
    await reconcile(context, hints);
    for (const { atMs } of hints) {
      if (atMs !== undefined) meter('ReconcileLatency', Math.max(0, context.clock.nowMs() - atMs));
    }
  };
  return async (event: SQSEvent): Promise<SQSBatchResponse> => {
    const messages = readMessages(event.Records, deps);
    const hints = [...messages.values()].flatMap((message) => (message.kind === 'hint' ? [message.hint] : []));
    let together = hints.length > 1;
    if (together) {
      await done(hints).catch((error: unknown) => {
        together = false;
        log('warn', 'hints fail together and are tried one by one', {
          hints: hints.length,
          reason: shortReason(error),
        });
      });
    }
    return handleBatch(deps, event, 'standard', async ({ messageId }) => {
      const message = messages.get(messageId);
      if (message?.kind === 'publish') await context.queues.publish(message.hostedZoneId);
      if (message?.kind === 'report') await context.queues.report([message.ref]);
      if (message?.kind === 'hint' && !together) await done([message.hint]);
    });
  };
}
