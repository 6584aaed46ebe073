// What the operator lets the guard let through.
/** Deletes within an hour that the guard lets through: so many record sets, and such a share of those published. */
export type GuardLimits = {
  readonly deletesMax: number;
  readonly deletesShareMax: number;
  /** No deletion is held: whoever asks for it waits for it, and asked for just that one. */
  readonly isOff?: true;
};
