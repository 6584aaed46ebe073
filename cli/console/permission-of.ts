// What the user's own credentials lack, by the error of AWS or of an API server, so that the page can say "not allowed"
// and name the permission.
import { errorMessage } from '../../lib/objects/plain.ts';

/** What an error says of a right that is missing; null: it is another error. */
export function permissionOf(error: unknown): string | null {
  const text = messagesOf(error);
  const [, ofAws] = /not authorized to perform: ([a-z0-9-]+:\w+)/i.exec(text) ?? [];
  if (ofAws !== undefined) return ofAws;
  const [, verb, resource, group = ''] =
    /cannot (\w+) resource "([\w/.-]+)"(?: in API group "([\w.-]*)")?/.exec(text) ?? [];
  return resource === undefined ? null : `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
}

/** True if the error is one of missing rights, also where it does not name them. */
export function isDenied(error: unknown): boolean {
  return /AccessDenied|is forbidden/.test(messagesOf(error));
}

/** The message with those of the causes. */
function messagesOf(error: unknown): string {
  const said: string[] = [];
  for (
    let one: unknown = error;
    one !== undefined && said.length < 10;
    one = one instanceof Error ? one.cause : undefined
  )
    said.push(errorMessage(one));
  return said.join('\n');
}
