// What the operator lets the guard let through.
/** Deletes within an hour that the guard lets through: so many record sets, and such a share of those published. */
export type GuardLimits = {
  readonly deletesMax: number;
  readonly deletesShareMax: number;
  /** No deletion is held: whoever asks for it waits for it, and asked for just that one. */
  readonly isOff?: true;
  /** The names of a cluster's own DNS have limits of their own; absent: it is not published. */
  readonly services?: ServiceLimits;
};

/** How many Services of a cluster's own DNS may lose all of their names within a time. */
export type ServiceLimits = {
  /** The Zone of the names, canonical. */
  readonly zone: string;
  readonly shareMax: number;
  readonly windowMs: number;
};
