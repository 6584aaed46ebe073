// A call of a port that may or may not have happened: its answer was lost. Not a failure: whoever catches it looks at
// the world again before acting, and never takes it for "nothing happened".

/** Thrown by adapters when a write was sent and its outcome is not known. `cause` is what the technology said. */
export class OutcomeUnknownError extends Error {
  constructor(action: string, cause: unknown) {
    super(`${action}: the outcome is unknown: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'OutcomeUnknownError';
  }
}
