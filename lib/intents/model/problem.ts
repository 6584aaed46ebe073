// Turns the errors of a body into a JSON pointer and a sentence each, as RFC 9457 has them.
import type * as z from 'zod';

/** One error, at a path of keys and indices from the top of the body. */
export type Problem = { readonly path: readonly PropertyKey[]; readonly detail: string };

/** `#/spec/provider`: a JSON pointer (RFC 6901) as a URI fragment. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return `#${path.map((key) => `/${encodePart(String(key))}`).join('')}`;
}

/** A longer key is cut: it is that of a wrong body, and an answer has limits. */
const KEY_CHARACTERS_MAX = 200;

function encodePart(written: string): string {
  const key = written.length <= KEY_CHARACTERS_MAX ? written : `${written.slice(0, KEY_CHARACTERS_MAX)}…`;
  // An unpaired surrogate has no UTF-8.
  return encodeURIComponent(key.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The problems of a body, in order, one for each field. */
export function problemsOf(error: z.core.$ZodError): readonly Problem[] {
  const problems = error.issues.flatMap((issue): Problem[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ path: [...issue.path, key], detail: 'unknown here: leave it out' }));
    return [deepest(issue)];
  });
  return [...Map.groupBy(problems, ({ path }) => pointerTo(path)).values()].flatMap(([first]) => first ?? []);
}

/** For a union of one value and a list, the wrong entry of the list; else the value itself. */
function deepest(issue: z.core.$ZodIssue): Problem {
  const inner = issue.code === 'invalid_union' ? issue.errors.flat().find(({ path }) => path.length > 0) : undefined;
  const detail = issue.message === 'Required' ? 'missing: write it' : issue.message;
  return { path: inner === undefined ? issue.path : [...issue.path, ...inner.path], detail };
}
