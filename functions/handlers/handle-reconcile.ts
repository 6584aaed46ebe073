// Works on the hints queue. The hints of a batch are reconciled together, which reads each object and each name once.
// Only if that fails are they reconciled one by one, so that a hint that cannot be reconciled fails alone. A publish
// message here is one whose delay is over. Batches are followed behind the hints, the oldest first.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { QueueMessage } from '../../lib/adapters/queues/queue-message.ts';
import type { DnsRecordService } from '../../lib/gardener/service.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import { followChange } from '../../lib/record-sets/follow-change.ts';
import { wakeWhenDue } from '../../lib/record-sets/wake-hosted-zones.ts';
import { reconcile } from '../../lib/resolve/reconcile-hints.ts';
import { isDnsRecordHint } from '../../lib/sources/gardener/dns-record.ts';
import { aboutOf } from '../runtime/messages.ts';
import { type BatchDeps, handleBatch, type Invocation } from './handle-batch.ts';

/** The handler of the reconcile function. */
export function handleReconcile(
  deps: BatchDeps & { readonly context: Context; readonly dnsRecords?: Pick<DnsRecordService, 'hint'> | null },
) {
  const { context, meter, log, dnsRecords = null } = deps;
  const done = async (hints: readonly Hint[]) => {
    const [others, seed] = [hints.filter((hint) => !isDnsRecordHint(hint)), hints.filter(isDnsRecordHint)];
    if (others.length > 0) await reconcile(context, others);
    if (seed.length > 0) await dnsRecords?.hint(seed);
    for (const { atMs } of hints) {
      if (atMs !== undefined) meter('ReconcileLatency', Math.max(0, context.clock.nowMs() - atMs));
    }
    log('info', 'reconciled', { hints: hints.length, ...aboutOf(hints.map((hint) => ({ kind: 'hint', hint }))) });
  };
  const together = async (messages: readonly QueueMessage[]) => {
    const hinting = messages.filter((message) => message.kind === 'hint');
    const following = messages.filter((message) => message.kind === 'follow');
    if (hinting.length + following.length < 2) return [];
    if (hinting.length > 0) await done(hinting.map(({ hint }) => hint));
    const followed: QueueMessage[] = [];
    for (const message of following.toSorted((a, b) => a.change.atMs - b.change.atMs)) {
      const ok = await followChange(context, message.change).then(
        () => true,
        () => false,
      );
      // One that failed is tried again alone, and then says why.
      if (ok) followed.push(message);
    }
    return [...hinting, ...followed];
  };
  return async (event: SQSEvent, invocation?: Invocation): Promise<SQSBatchResponse> =>
    handleBatch(
      deps,
      event,
      'standard',
      async (message) => {
        if (message.kind === 'publish') await wakeWhenDue(context, message);
        if (message.kind === 'report') await context.queues.report([message.ref], message.cause);
        if (message.kind === 'hint') await done([message.hint]);
        if (message.kind === 'follow') await followChange(context, message.change);
      },
      { together, invocation },
    );
}
