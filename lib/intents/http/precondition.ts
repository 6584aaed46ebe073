// If-Match (RFC 9110): whoever writes says which version was seen, and is refused when it is another by now.
import type { Precondition } from '../state/store.ts';

/** The tag of a revision. */
export function etagOf(revision: string): string {
  return `"${revision}"`;
}

/** Which revisions may be written over; null: any. A weak tag matches none. */
export function preconditionOf(header: string | undefined): Precondition {
  if (header === undefined || header.trim() === '*') return null;
  const tags: readonly string[] = header.match(/(?:W\/)?"[^"]*"|[^\s,]+/g) ?? [];
  return (revision) => tags.includes(etagOf(revision)) || tags.includes(revision);
}
