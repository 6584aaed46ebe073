// Asks the API. A refusal is a problem document (RFC 9457), whose detail a person can read.

/** What the server answered in place of what was asked for. */
export class RefusedError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Question = Readonly<Record<string, string | number | null | undefined>>;

/** How long an answer may take, in milliseconds. */
const ANSWER_MS_MAX = 60_000;

/** The path of a question below `/api/v1`; what is null, undefined or empty is not asked. */
export function questionPath(path: string, question: Question = {}): string {
  const asked = Object.entries(question).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const query = new URLSearchParams(asked.map(([key, value]) => [key, String(value)])).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** GET of a path below `/api/v1`. Throws a RefusedError, or an Error if the server cannot be reached. */
export async function ask<T>(path: string, signal?: AbortSignal): Promise<T> {
  const limit = AbortSignal.timeout(ANSWER_MS_MAX);
  const response = await fetch(`/api/v1/${path}`, {
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    headers: { accept: 'application/json' },
    cache: 'no-store',
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new RefusedError(response.status, problemText(response.status, body));
  return body as T;
}

function problemText(status: number, body: unknown): string {
  if (status === 401) return 'This address is no longer valid: open the one that zone53 console printed';
  const { title, detail } = (body ?? {}) as { readonly title?: unknown; readonly detail?: unknown };
  if (typeof detail === 'string' && detail !== '') return detail;
  return typeof title === 'string' && title !== '' ? title : `the server answered ${status}`;
}

/** A failure as a sentence. */
export function failureText(error: unknown): string {
  if (error instanceof RefusedError) return error.message;
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'The server did not answer in a minute';
  return 'The server cannot be reached: is zone53 console still running?';
}

/** So many rows are enough for a page; each answer has 200 at most. */
const ROWS_ENOUGH = 100;
/** An answer may be empty though there are more, when a hosted zone has nothing that was asked for. */
const ANSWERS_MAX = 50;

/** A list: asks on until there are enough rows. `field` is that of the answer which has them. */
export function askRows<Field extends string, Row, T extends Readonly<Record<Field, readonly Row[]>> & After>(
  field: Field,
  enough = ROWS_ENOUGH,
): (path: string, signal?: AbortSignal) => Promise<T> {
  return async (path, signal) => {
    const first = await ask<T>(path, signal);
    let { after } = first;
    const rows: Row[] = [...first[field]];
    for (let answers = 1; after !== null && rows.length < enough && answers < ANSWERS_MAX; answers += 1) {
      const next: T = await ask<T>(withAfter(path, after), signal);
      rows.push(...next[field]);
      after = next.after;
    }
    return { ...first, [field]: rows, after };
  };
}

type After = { readonly after: string | null };

function withAfter(path: string, after: string): string {
  const [where = '', query = ''] = path.split('?');
  const asked = new URLSearchParams(query);
  asked.set('after', after);
  return `${where}?${asked}`;
}
