// The objects that one run has to have reported: each once, together with those of the same event.
import { formatRef, type ObjectRef } from '../objects/object-ref.ts';
import { earliest } from './cause.ts';
import type { Cause, Queues } from './queues.ts';

export type ReportList = {
  add(ref: ObjectRef, cause: Cause): void;
  /** Asks for them all. */
  send(queues: Pick<Queues, 'report'>): Promise<void>;
};

/** An empty list. */
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
