// The lifecycle of a DNSRecord: what to do with it now. The first row of the table that fits decides. These are the
// operations, with the order of their writes:
//
//   reconcile   annotation away, finalizer there, Processing, publish, Succeeded
//   restore                      finalizer there, Processing, publish, Succeeded, annotation away
//   migrate                                       Processing,          Succeeded, all finalizers away, annotation away
//   delete      annotation away,                  Processing, withdraw, Succeeded, finalizer away
//   forget      annotation away,                                                  finalizer away
import { type DnsRecord, OPERATIONS, type Operation } from './dns-record.ts';
import { FINALIZER, OPERATION_ANNOTATION } from './status.ts';

export type Decision =
  | { readonly kind: 'none' }
  /** An annotation `reconcile` on an object with nothing to do: it is removed, and nothing else happens. */
  | { readonly kind: 'drop' }
  /** What was published is checked again. */
  | { readonly kind: 'check' }
  | Run;

type Run = {
  readonly kind: 'run';
  readonly operation: Operation;
  /**
   * True: an annotation, the deletion or a new generation asks for it now. False: the last operation failed, and is
   * repeated after its pause.
   */
  readonly asked: boolean;
  /** The annotation is removed before the work. The ones of Migrate and Restore are removed after it. */
  readonly removesFirst: boolean;
  /** False: Route 53 is not called. So for Migrate, and for a Delete of what was never published and has no status. */
  readonly calls: boolean;
};

export type LifecycleSettings = { readonly ignoreOperationAnnotation: boolean };

type Read = Pick<DnsRecord, 'annotations' | 'deletionTimestamp' | 'finalizers' | 'generation' | 'status'>;

/** The facts that decide, from the object and the ledger. */
type Facts = {
  readonly annotation: string | null;
  readonly isDeleted: boolean;
  readonly hasFinalizer: boolean;
  /** It was migrated: another cluster is now responsible for the record. */
  readonly isMigrated: boolean;
  readonly wasNeverPublished: boolean;
  readonly hasSucceeded: boolean;
  /** The spec differs from the one of the status. */
  readonly isEdited: boolean;
  readonly isPending: boolean;
  /** The last error was found by a check, not by an operation. */
  readonly isOfCheck: boolean;
  /** It asks for other types than it has: the annotation of its IP stack was edited, which changes no generation. */
  readonly isRestacked: boolean;
  readonly ignoresAnnotation: boolean;
  /** The operation that continues the last or begun one, if neither annotation nor deletion decides. */
  readonly continued: Operation;
};

type Row = {
  /** The situation in words. */
  readonly when: string;
  readonly fits: (facts: Facts) => boolean;
  readonly does: (facts: Facts) => Decision;
};

/** The table; the first row that fits decides. */
export const LIFECYCLE: readonly Row[] = [
  {
    when: 'wait-for-state: somebody is about to write the status',
    fits: ({ annotation }) => annotation === 'wait-for-state',
    does: nothing,
  },
  {
    when: 'migrate, also of an object that is being deleted',
    fits: ({ annotation }) => annotation === 'migrate',
    does: () => run('Migrate', { asked: true }),
  },
  {
    when: 'deleted after it was migrated, and our finalizer stayed, as the annotation was written over: it goes now',
    fits: ({ isMigrated, isDeleted, hasFinalizer }) => isMigrated && isDeleted && hasFinalizer,
    does: ({ annotation }) => run('Migrate', { asked: true, removesFirst: annotation === 'reconcile' }),
  },
  {
    when: 'migrated already, and not restored: neither reconciled nor deleted',
    fits: ({ isMigrated, annotation, isDeleted }) => isMigrated && (annotation !== 'restore' || isDeleted),
    does: dropReconcile,
  },
  {
    when: 'deleted, without our finalizer: there is nothing of ours',
    fits: ({ isDeleted, hasFinalizer }) => isDeleted && !hasFinalizer,
    does: dropReconcile,
  },
  {
    when: 'deleted, and its first creation failed: nothing was ever published',
    fits: ({ isDeleted, wasNeverPublished }) => isDeleted && wasNeverPublished,
    does: ({ annotation }) => run('Delete', { asked: true, removesFirst: annotation === 'reconcile', calls: false }),
  },
  {
    when: 'deleted',
    fits: ({ isDeleted }) => isDeleted,
    does: ({ annotation }) => run('Delete', { asked: true, removesFirst: annotation === 'reconcile' }),
  },
  {
    when: 'restore',
    fits: ({ annotation }) => annotation === 'restore',
    does: () => run('Restore', { asked: true }),
  },
  {
    when: 'reconcile: create it, or continue what did not succeed',
    fits: ({ annotation }) => annotation === 'reconcile',
    does: ({ continued }) => run(continued, { asked: true, removesFirst: true }),
  },
  {
    when: 'begun, and not ended: a run died',
    fits: ({ isPending }) => isPending,
    does: ({ continued }) => run(continued, { asked: true }),
  },
  {
    when: 'a new generation, where annotations do not count',
    fits: ({ ignoresAnnotation, isEdited }) => ignoresAnnotation && isEdited,
    does: ({ continued }) => run(continued, { asked: true }),
  },
  {
    when: 'a plain edit beside an error that a check found: the edit is not served, and the error is looked for again',
    fits: ({ isOfCheck, isEdited, isRestacked, hasSucceeded }) =>
      isOfCheck && (isEdited || isRestacked) && !hasSucceeded,
    does: () => ({ kind: 'check' }),
  },
  {
    when: 'no operation yet, or one that did not succeed',
    fits: ({ hasSucceeded }) => !hasSucceeded,
    does: ({ continued, isEdited }) => run(continued, { asked: isEdited }),
  },
  { when: 'it succeeded, and nobody asks: also a plain edit', fits: () => true, does: nothing },
];

/**
 * Decides what to do with a DNSRecord. From the ledger: `pending`, the operation that was begun and not ended; whether
 * a check found the last error; and whether it asks for other types than it has.
 */
export function decide(
  record: Read,
  settings: LifecycleSettings,
  pending: Operation | null,
  isOfCheck = false,
  isRestacked = false,
): Decision {
  const facts = factsOf(record, settings, pending, isOfCheck, isRestacked);
  return rowOf(facts).does(facts);
}

export function rowOf(facts: Facts): Row {
  return LIFECYCLE.find(({ fits }) => fits(facts)) as Row;
}

/** Derives the facts from the object. */
export function factsOf(
  record: Read,
  settings: LifecycleSettings,
  pending: Operation | null,
  isOfCheck = false,
  isRestacked = false,
): Facts {
  const { annotations, status } = record;
  const last = status.lastOperation;
  const hasSucceeded = last?.state === 'Succeeded';
  return {
    annotation: Object.hasOwn(annotations, OPERATION_ANNOTATION) ? (annotations[OPERATION_ANNOTATION] ?? null) : null,
    isDeleted: record.deletionTimestamp !== null,
    hasFinalizer: record.finalizers.includes(FINALIZER),
    isMigrated: last?.type === 'Migrate' && hasSucceeded,
    wasNeverPublished: status.created === 'False',
    hasSucceeded,
    isEdited: isEdited(record),
    isPending: pending !== null,
    isOfCheck,
    isRestacked,
    ignoresAnnotation: settings.ignoreOperationAnnotation,
    continued: pending ?? continuedOperation(last),
  };
}

/** True if the spec was edited since the last operation. */
export function isEdited({ generation, status }: Pick<DnsRecord, 'generation' | 'status'>): boolean {
  return status.observedGeneration !== generation;
}

/** Create, Migrate and Restore are repeated until they succeed; anything else is a Reconcile. */
function continuedOperation(last: DnsRecord['status']['lastOperation']): Operation {
  if (last === null) return 'Create';
  const type = OPERATIONS.find((operation) => operation === last.type) ?? 'Reconcile';
  return last.state === 'Succeeded' || type === 'Delete' ? 'Reconcile' : type;
}

function run(operation: Operation, how: Pick<Run, 'asked'> & Partial<Run>): Run {
  return { kind: 'run', operation, removesFirst: false, calls: operation !== 'Migrate', ...how };
}

function nothing(): Decision {
  return { kind: 'none' };
}

function dropReconcile({ annotation }: Facts): Decision {
  return annotation === 'reconcile' ? { kind: 'drop' } : { kind: 'none' };
}
