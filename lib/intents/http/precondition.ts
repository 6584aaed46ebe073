// Conditional requests (RFC 9110, 13.1). If-Match: a write is refused with 412 if the item has another version than the
// client saw. If-None-Match: a read answers 304 if the item still has that version.
import type { Precondition } from '../state/store.ts';
import { type Answer, json, problem, type Request } from './message.ts';

type Headers = Request['headers'];

function etagOf(revision: string): string {
  return `"${revision}"`;
}

/** An answer with an item, its ETag, and for a new one its location. */
export function withEtag(status: number, body: object, { revision }: { readonly revision: string }, location?: string) {
  return json(status, body, { etag: etagOf(revision), ...(location === undefined ? {} : { location }) });
}

/** Whether a revision may be overwritten; null: any may. */
export function preconditionOf(headers: Headers): Precondition {
  const [match, noneMatch] = [headers['if-match'], headers['if-none-match']];
  if ((match === undefined || match.trim() === '*') && noneMatch === undefined) return null;
  return (revision) => isMatched(match, revision) && !isNoneMatched(noneMatch, revision);
}

/** The answer to a read: `answer`, 304 or 412, by the conditions of the request. */
export function ifNew(headers: Headers, revision: string, answer: Answer): Answer {
  if (!isMatched(headers['if-match'], revision)) return problem(412, 'It is another version by now: read it again');
  if (!isNoneMatched(headers['if-none-match'], revision)) return answer;
  return { status: 304, headers: { etag: etagOf(revision) }, body: '' };
}

/** If-Match compares strongly: a weak tag never matches. */
function isMatched(header: string | undefined, revision: string): boolean {
  return header === undefined || header.trim() === '*' || tagsIn(header).some((tag) => isTag(tag, revision));
}

/** If-None-Match compares weakly: a weak tag may match. */
function isNoneMatched(header: string | undefined, revision: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || tagsIn(header).some((tag) => isTag(tag.replace(/^W\//, ''), revision));
}

function tagsIn(header: string): readonly string[] {
  return header.match(/(?:W\/)?"[^"]*"|[^\s,]+/g) ?? [];
}

function isTag(tag: string, revision: string): boolean {
  return tag === etagOf(revision) || tag === revision;
}
