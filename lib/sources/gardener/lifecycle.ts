// The lifecycle of a DNSRecord: what is done with it as it stands now. One table, the first row that fits holds. What
// follows says in which order things are written:
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
  /** `reconcile` on an object that nothing is done with: the annotation goes, and nothing else happens. */
  | { readonly kind: 'drop' }
  | Run;

type Run = {
  readonly kind: 'run';
  readonly operation: Operation;
  /**
   * By annotation, deletion or generation: now. False: because the last operation did not succeed, and not before its
   * pause is over.
   */
  readonly asked: boolean;
  /** The annotation goes before the work. */
  readonly removesFirst: boolean;
  /** The annotation goes after the work. */
  readonly removesAfter: boolean;
  /**
   * False: Route 53 is not asked. That is Migrate, and the Delete of what never stood, of which the status says nothing
   * either.
   */
  readonly calls: boolean;
};

export type LifecycleSettings = { readonly ignoreOperationAnnotation: boolean };

type Read = Pick<DnsRecord, 'annotations' | 'deletionTimestamp' | 'finalizers' | 'generation' | 'status'>;

/** What decides, out of the object and the ledger. */
type Facts = {
  readonly annotation: string | null;
  readonly isDeleted: boolean;
  readonly hasFinalizer: boolean;
  /** It was migrated, and what becomes of the record is another cluster's business. */
  readonly isMigrated: boolean;
  readonly neverStood: boolean;
  readonly hasSucceeded: boolean;
  /** The spec is another than the one that the status tells of. */
  readonly isEdited: boolean;
  readonly isPending: boolean;
  readonly ignoresAnnotation: boolean;
  /**
   * What the last operation, or the one that was begun, makes of an object that no annotation and no deletion decides
   * about.
   */
  readonly continued: Operation;
};

type Row = {
  /** What stands there, in words. */
  readonly when: string;
  readonly fits: (facts: Facts) => boolean;
  readonly does: (facts: Facts) => Decision;
};

/** The first row that fits holds. */
export const LIFECYCLE: readonly Row[] = [
  {
    when: 'wait-for-state: somebody is about to write the status',
    fits: ({ annotation }) => annotation === 'wait-for-state',
    does: nothing,
  },
  {
    when: 'migrate, also of an object that is being deleted',
    fits: ({ annotation }) => annotation === 'migrate',
    does: () => run('Migrate', { asked: true, removesAfter: true, calls: false }),
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
    when: 'deleted, and its first creation failed: nothing ever stood',
    fits: ({ isDeleted, neverStood }) => isDeleted && neverStood,
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
    does: () => run('Restore', { asked: true, removesAfter: true }),
  },
  {
    when: 'reconcile: create it, or continue what did not succeed',
    fits: ({ annotation }) => annotation === 'reconcile',
    does: ({ continued }) => run(continued, { asked: true, removesFirst: true, calls: continued !== 'Migrate' }),
  },
  {
    when: 'begun, and not ended: a run died',
    fits: ({ isPending }) => isPending,
    does: ({ continued }) => run(continued, { asked: true, calls: continued !== 'Migrate' }),
  },
  {
    when: 'a new generation, where annotations do not count',
    fits: ({ ignoresAnnotation, isEdited }) => ignoresAnnotation && isEdited,
    does: ({ continued }) => run(continued, { asked: true, calls: continued !== 'Migrate' }),
  },
  {
    when: 'no operation yet, or one that did not succeed',
    fits: ({ hasSucceeded }) => !hasSucceeded,
    does: ({ continued, isEdited }) => run(continued, { asked: isEdited, calls: continued !== 'Migrate' }),
  },
  { when: 'it succeeded, and nobody asks: also a plain edit', fits: () => true, does: nothing },
];

/** What is to be done with a DNSRecord. `pending`: what the ledger says was begun and not ended. */
export function decide(record: Read, settings: LifecycleSettings, pending: Operation | null): Decision {
  const facts = factsOf(record, settings, pending);
  return rowOf(facts).does(facts);
}

/** The row that holds. */
export function rowOf(facts: Facts): Row {
  return LIFECYCLE.find(({ fits }) => fits(facts)) as Row;
}

/** What decides, out of the object as it stands. */
export function factsOf(record: Read, settings: LifecycleSettings, pending: Operation | null): Facts {
  const { annotations, status } = record;
  const last = status.lastOperation;
  const hasSucceeded = last?.state === 'Succeeded';
  return {
    annotation: Object.hasOwn(annotations, OPERATION_ANNOTATION) ? (annotations[OPERATION_ANNOTATION] ?? null) : null,
    isDeleted: record.deletionTimestamp !== null,
    hasFinalizer: record.finalizers.includes(FINALIZER),
    isMigrated: last?.type === 'Migrate' && hasSucceeded,
    neverStood: status.created === 'False',
    hasSucceeded,
    isEdited: status.observedGeneration !== record.generation,
    isPending: pending !== null,
    ignoresAnnotation: settings.ignoreOperationAnnotation,
    continued: pending ?? continuedOperation(last),
  };
}

/** Create, Migrate and Restore go on until they succeed; everything else is a Reconcile. */
function continuedOperation(last: DnsRecord['status']['lastOperation']): Operation {
  if (last === null) return 'Create';
  const type = OPERATIONS.find((operation) => operation === last.type) ?? 'Reconcile';
  return last.state === 'Succeeded' || type === 'Delete' ? 'Reconcile' : type;
}

function run(operation: Operation, how: Pick<Run, 'asked'> & Partial<Run>): Run {
  return { kind: 'run', operation, removesFirst: false, removesAfter: false, calls: true, ...how };
}

function nothing(): Decision {
  return { kind: 'none' };
}

function dropReconcile({ annotation }: Facts): Decision {
  return annotation === 'reconcile' ? { kind: 'drop' } : { kind: 'none' };
}
