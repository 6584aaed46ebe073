// The error of a call that may or may not have taken effect, because its answer was lost. It does not mean "nothing
// happened": whoever catches it must read the present state before acting again.
import { errorMessage } from '../objects/plain.ts';

/** Thrown by adapters when a write was sent and its outcome is not known. `cause` is the underlying error. */
export class OutcomeUnknownError extends Error {
  constructor(action: string, cause: unknown) {
    super(`${action}: the outcome is unknown: ${errorMessage(cause)}`, { cause });
    this.name = 'OutcomeUnknownError';
  }
}
