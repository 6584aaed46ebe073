// Conditional requests (RFC 9110, 13.1). If-Match: whoever writes says which version was seen, and is refused when it
// is another by now. If-None-Match: whoever reads is told nothing new when it is still the version that was seen.
import type { Precondition } from '../state/store.ts';
import { type Answer, problem, type Request } from './message.ts';

type Headers = Request['headers'];

/** The tag of a revision. */
export function etagOf(revision: string): string {
  return `"${revision}"`;
}

/** Which revisions may be written over; null: any. */
export function preconditionOf(headers: Headers): Precondition {
  const [match, noneMatch] = [headers['if-match'], headers['if-none-match']];
  if ((match === undefined || match.trim() === '*') && noneMatch === undefined) return null;
  return (revision) => isMatched(match, revision) && !isNoneMatched(noneMatch, revision);
}

/** The answer to a reading, or what the conditions of the request make of it. */
export function ifNew(headers: Headers, revision: string, answer: Answer): Answer {
  if (!isMatched(headers['if-match'], revision)) return problem(412, 'It is another version by now: read it again');
  if (!isNoneMatched(headers['if-none-match'], revision)) return answer;
  return { status: 304, headers: { etag: etagOf(revision) }, body: '' };
}

/** A weak tag matches none. */
function isMatched(header: string | undefined, revision: string): boolean {
  return header === undefined || header.trim() === '*' || tagsIn(header).some((tag) => isTag(tag, revision));
}

/** A weak tag matches, too. */
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
