// The names and units of all figures that the functions record. docs/runbook.md has a table of them.

export const METRICS = {
  /** Objects that incoming events named. */
  Hints: 'Count',
  /** Events and messages that could not be read, or whose sender was not known. */
  EventsRefused: 'Count',
  /** Requests of an API server that were refused: its webhook shows another secret, or sends too much at once. */
  HintsLost: 'Count',
  /** From the event to the end of its reconciling. */
  ReconcileLatency: 'Milliseconds',
  /** From the event, or where there was none from the dirty mark, to the batch that Route 53 accepted. */
  PublishLatency: 'Milliseconds',
  /** Batches that Route 53 accepted. */
  Batches: 'Count',
  /** Record sets published. */
  Changes: 'Count',
  /**
   * Record sets newly refused by Route 53 or our own rules, or held by the guard; by reason. One that is refused again
   * counts no more.
   */
  Refusals: 'Count',
  /** Calls of Route 53, and what they waited for the budget. */
  BudgetCalls: 'Count',
  BudgetWait: 'Milliseconds',
  /** Calls that Route 53 throttled. */
  Throttled: 'Count',
  /** Names waiting to be published, and the age of the oldest. */
  DirtyNames: 'Count',
  OldestDirty: 'Seconds',
  /** For how long sweeps in a row have found the same object unsettled. */
  OldestUnsettled: 'Seconds',
  /** Record sets whose delete the guard holds. */
  HeldDeletes: 'Count',
  /** The time since the beginning of the last complete sweep; by hosted zone. */
  SweepAge: 'Seconds',
  /** What a sweep found in Route 53 that is not as we published it. */
  Drifted: 'Count',
  /** Writes that the validating webhook refused, and those that it let pass because there was no verdict. */
  WritesRefused: 'Count',
  WritesUnjudged: 'Count',
  /** Times that the configuration or the cluster could not be read; by `what`. An invalid configuration counts, too. */
  Unreadable: 'Count',
  /** Messages that could not be worked on and come back. */
  MessagesFailed: 'Count',
} as const satisfies Readonly<Record<string, 'Count' | 'Milliseconds' | 'Seconds'>>;

export type Metric = keyof typeof METRICS;

/** The metrics that `observability: lean` has alarms for, and records without dimensions. */
export const LEAN_METRICS: readonly Metric[] = ['SweepAge', 'Unreadable'];
