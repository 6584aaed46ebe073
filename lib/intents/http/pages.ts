// Pages: a JSON array, with the URL of the next page in the header Link (RFC 8288). A page begins after the last item
// of the page before, so items that come or go between two requests shift nothing.
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

/** A page of items. `next`: the place after which the next page begins; null at the end. */
export function pageAnswer(items: readonly unknown[], next: string | null, { at }: PageQuery): Answer {
  if (next === null) return json(200, items);
  const query = new URLSearchParams(at.query);
  query.set('after', Buffer.from(next, 'utf8').toString('base64url'));
  return json(200, items, { link: `<${at.path}?${query}>; rel="next"` });
}

/** A page of a list that is in memory, ordered by `placeOf`. */
export function slicePage<T>(
  all: readonly T[],
  placeOf: (one: T) => string,
  { after, limit }: PageQuery,
): { readonly items: readonly T[]; readonly next: string | null } {
  const begin = after === null ? 0 : all.findIndex((one) => placeOf(one) > after);
  const items = begin < 0 ? [] : all.slice(begin, begin + limit);
  const last = items.at(-1);
  const more = begin >= 0 && begin + items.length < all.length;
  return { items, next: more && last !== undefined ? placeOf(last) : null };
}
