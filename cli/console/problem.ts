// Errors of the API, as problem documents (RFC 9457).
import { errorMessage } from '../../lib/objects/plain.ts';
import type { ProblemAnswer } from './answers.ts';
import { isDenied, permissionOf } from './permission-of.ts';

const TITLES = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  421: 'Wrong host',
  500: 'It could not be read',
} as const;
export type ProblemStatus = keyof typeof TITLES;

/** An error that the API answers as it is. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: ProblemStatus;

  constructor(status: ProblemStatus, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** The document of a status. */
export function problemOf(status: ProblemStatus, detail: string): ProblemAnswer {
  return { type: 'about:blank', title: TITLES[status], status, detail };
}

/** The document of an error: a 403 with the permission that is missing, if that is the reason. */
export function problemOfError(error: unknown): ProblemAnswer {
  if (error instanceof ProblemError) return problemOf(error.status, error.message);
  const permission = permissionOf(error);
  const problem = problemOf(permission !== null || isDenied(error) ? 403 : 500, errorMessage(error));
  return permission === null ? problem : { ...problem, permission };
}
