// Collects the objects that a run wants reported, each once, and sends them grouped by event.
import { formatRef, type ObjectRef } from '../objects/object-ref.ts';
import { type Cause, earliest, type Queues } from './queues.ts';

export type ReportList = {
  add(ref: ObjectRef, cause: Cause): void;
  /** Sends one message for each event. */
  send(queues: Pick<Queues, 'report'>): Promise<void>;
};

export function reportList(): ReportList {
  const objects = new Map<string, { readonly ref: ObjectRef; readonly cause: Cause }>();
  return {
    add: (ref, cause) => {
      const before = objects.get(formatRef(ref));
      objects.set(formatRef(ref), { ref, cause: before === undefined ? cause : earliest([before.cause, cause]) });
    },
    send: async (queues) => {
      for (const together of Map.groupBy(objects.values(), ({ cause }) => cause.correlationId).values()) {
        const refs = together.map(({ ref }) => ref);
        await queues.report(refs, earliest(together.map(({ cause }) => cause)));
      }
    },
  };
}
