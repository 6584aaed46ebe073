// Pages: a JSON array, with the URL of the next page in the header Link (RFC 8288). A page begins after the last item
// of the page before, so items that come or go between two requests shift nothing.
import type { Page } from '../state/store.ts';
import { type Answer, json, type ParameterFault } from './message.ts';

export const LIMIT_DEFAULT = 100;
export const LIMIT_MAX = 200;
/** More than the longest place in a list. A key of DynamoDB may have 1,024 octets. */
const PLACE_CHARACTERS_MAX = 256;

/** The URL that a page is asked for with. */
export type At = { readonly path: string; readonly query: URLSearchParams };

/** The page that a URL asks for. */
export type PageQuery = { readonly after: string | null; readonly limit: number; readonly at: At };

/** Parses the parameters of a page, or returns the error in one of them. */
export function pageQuery(at: At): PageQuery | ParameterFault {
  const { query } = at;
  const written = query.get('limit');
  const limit = written === null ? LIMIT_DEFAULT : /^\d{1,9}$/.test(written) ? Number(written) : 0;
  if (limit < 1 || limit > LIMIT_MAX)
    return { parameter: 'limit', detail: `write a whole number from 1 to ${LIMIT_MAX}` };
  const after = query.get('after');
  if (after === null) return { after: null, limit, at };
  const place = Buffer.from(after, 'base64url').toString('utf8');
  if (place === '' || place.length > PLACE_CHARACTERS_MAX)
    return { parameter: 'after', detail: 'write what Link gave, or leave it out' };
  return { after: place, limit, at };
}

/** Lambda gives back 6 MB, in which the answer is a text in JSON: a quotation mark takes two octets. */
const ANSWER_OCTETS_MAX = 5 * 1024 * 1024;

/** How many of these, from the first on, fit into an answer. */
export function fitting(shown: readonly unknown[]): number {
  let octets = 0;
  const at = shown.findIndex((one) => {
    octets += Buffer.byteLength(JSON.stringify(JSON.stringify(one)));
    return octets > ANSWER_OCTETS_MAX;
  });
  return at < 0 ? shown.length : at;
}

/** The answer with a page, each item as `shown` has it. The page ends early where the answer would be too large. */
export function pageAnswer<T>(
  page: Page<T>,
  shown: readonly unknown[],
  placeOf: (one: T) => string,
  { at }: PageQuery,
): Answer {
  const { items, next } = fittingPage(page, shown, placeOf);
  return json(200, items, next === null ? {} : { link: nextLink(at, next) });
}

/** As much of a page, each item as `shown` has it, as fits into an answer, and one item at least. */
export function fittingPage<T, Shown>(
  { items, next }: Page<T>,
  shown: readonly Shown[],
  placeOf: (one: T) => string,
): Page<Shown> {
  const count = Math.max(fitting(shown), 1);
  const last = items[count - 1];
  return { items: shown.slice(0, count), next: count < items.length && last !== undefined ? placeOf(last) : next };
}

/** The value of Link with the URL of the page that begins after a place. */
export function nextLink({ path, query }: At, after: string): string {
  const next = new URLSearchParams(query);
  next.set('after', Buffer.from(after, 'utf8').toString('base64url'));
  return `<${path}?${next}>; rel="next"`;
}

/** A page of a list that is in memory, ordered by `placeOf`. */
export function slicePage<T>(
  all: readonly T[],
  placeOf: (one: T) => string,
  { after, limit }: Pick<PageQuery, 'after' | 'limit'>,
): Page<T> {
  const begin = after === null ? 0 : all.findIndex((one) => placeOf(one) > after);
  const items = begin < 0 ? [] : all.slice(begin, begin + limit);
  const last = items.at(-1);
  const more = begin >= 0 && begin + items.length < all.length;
  return { items, next: more && last !== undefined ? placeOf(last) : null };
}
