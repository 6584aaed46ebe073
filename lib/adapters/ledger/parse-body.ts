// Reads the body of an item from its text. Text that is no JSON object must not fail the page that it is part of: its
// version is null, which no codec can read, so it affects its own item only.
import type { JsonObject } from '../../ports/ledger.ts';

/** The body of an item whose text is no JSON object. */
export const NO_BODY: JsonObject = Object.freeze({ v: null });

/** The body that this text has. */
export function parseBody(text: string): JsonObject {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as JsonObject) : NO_BODY;
  } catch {
    return NO_BODY;
  }
}
