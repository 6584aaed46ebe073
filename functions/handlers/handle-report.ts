// Works on the reports queue. Each object of a batch is reported once, however many messages name it, and not at all if
// it was reported after its message was sent (recent-reports.ts). The batch is tried together first, then one by one.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { QueueMessage } from '../../lib/adapters/queues/queue-message.ts';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { Context } from '../../lib/ports/context.ts';
import { report } from '../../lib/report/report-object.ts';
import { aboutOf, readMessages } from '../runtime/messages.ts';
import { type BatchDeps, handleBatch, type Invocation } from './handle-batch.ts';
import { recentReports } from './recent-reports.ts';

/** The handler of the report function. */
export function handleReport(deps: BatchDeps & { readonly context: Context }) {
  const { context, log } = deps;
  const recent = recentReports(context.clock);
  const all = async (refs: readonly ObjectRef[]) => {
    const beganMs = context.clock.nowMs();
    await report(context, refs);
    recent.note(refs, beganMs);
    log('info', 'reported', { reports: refs.length, ...aboutOf(refs.map((ref) => ({ kind: 'report', ref }))) });
  };
  const together = async (messages: readonly QueueMessage[]) => {
    const refs = messages.flatMap((message) => (message.kind === 'report' ? [message.ref] : []));
    if (refs.length < 2) return [];
    await all(refs);
    return messages;
  };
  return async (event: SQSEvent, invocation?: Invocation): Promise<SQSBatchResponse> => {
    const done = new Set<string>();
    const { messages: read } = readMessages(event.Records);
    const Records = event.Records.filter((record) => {
      const message = read.get(record.messageId);
      return message?.kind !== 'report' || !recent.covers(record, message.ref, message.afterSeconds);
    });
    return handleBatch(
      deps,
      { Records },
      'standard',
      async (message) => {
        if (message.kind !== 'report' || done.has(formatRef(message.ref))) return;
        await all([message.ref]);
        done.add(formatRef(message.ref));
      },
      { together, invocation },
    );
  };
}
