// Requests and answers of the intent API, independent of the server. Errors are problem documents (RFC 9457).
import { type Problem, pointerTo } from '../model/problem.ts';

export type Request = {
  readonly method: string;
  /** Path and query as the client sent them. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty: no body. */
  readonly body: string;
};

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

export const NO_CONTENT: Answer = { status: 204, headers: {}, body: '' };

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  500: 'Internal Server Error',
};

/** An error in a part of a request: in the body by its path, or in the path or query by the name of a parameter. */
export type Fault = Problem | ParameterFault;
export type ParameterFault = { readonly parameter: string; readonly detail: string };

/** A problem document. `faults`: where the errors are, and what to write there. */
export function problem(
  status: number,
  detail: string,
  faults: readonly Fault[] = [],
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const errors = faults.map((fault) =>
    'path' in fault
      ? { pointer: pointerTo(fault.path), detail: fault.detail }
      : { parameter: fault.parameter, detail: fault.detail },
  );
  const title = TITLES[status] ?? 'Error';
  const body = { type: 'about:blank', title, status, detail, ...(errors.length > 0 ? { errors } : {}) };
  return { status, headers: { 'content-type': 'application/problem+json', ...headers }, body: JSON.stringify(body) };
}

/** The answer to a POST of something that exists already. */
export function exists(detail: string): Answer {
  return problem(409, detail, [{ path: ['metadata', 'name'], detail: 'exists: PUT replaces it' }]);
}

/** A problem document about a body. Its detail lists the faults. */
export function badBody(faults: readonly Problem[], status = 400): Answer {
  const detail = faults.map(({ path, detail: said }) => `${pointerTo(path)}: ${said}`).join('; ');
  return problem(status, detail.slice(0, 4_000), faults.slice(0, 100));
}
