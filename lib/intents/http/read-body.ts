// Reads a body: from octets to the value of its schema, or to the answer with its errors.
import { isUtf8 } from 'node:buffer';
import type * as z from 'zod';
import { type Problem, problemsOf } from '../model/problem.ts';
import { type Answer, badBody, problem, type Request } from './message.ts';

/** Lambda accepts 6 MB for the whole request. */
const BODY_OCTETS_MAX = 5 * 1024 * 1024;
/** An item of DynamoDB may have 400 KB. */
const KEPT_OCTETS_MAX = 300_000;
/** The deepest valid body has seven levels. */
const DEPTH_MAX = 100;

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly answer: Answer };

/** The answer to a body that is too large to be parsed; null for any other. */
export function tooLarge({ body }: Pick<Request, 'body'>): Answer | null {
  if (body.byteLength <= BODY_OCTETS_MAX) return null;
  return problem(413, `The body has ${body.byteLength} octets; at most ${BODY_OCTETS_MAX} are taken`);
}

/** The answer to something that is too large for an item; null for anything else. */
export function tooLargeToKeep(what: string, kept: unknown): Answer | null {
  const octets = Buffer.byteLength(JSON.stringify(kept));
  if (octets <= KEPT_OCTETS_MAX) return null;
  return problem(413, `The ${what} has ${octets} octets; at most ${KEPT_OCTETS_MAX} are kept`);
}

export function readBody<S extends z.ZodType>({ body }: Pick<Request, 'body'>, schema: S): Read<z.output<S>> {
  if (!isUtf8(body)) return { ok: false, answer: problem(422, 'The body is not JSON: it is not UTF-8') };
  // Without a byte order mark, which JSON may have (RFC 8259, 8.1).
  const text = new TextDecoder().decode(body);
  if (depthOfJson(text) > DEPTH_MAX) {
    const faults = [{ path: [], detail: `nested deeper than ${DEPTH_MAX} levels` }];
    return { ok: false, answer: badBody(faults) };
  }
  const parsed = parse(text);
  if (!parsed.ok) return { ok: false, answer: problem(422, `The body is not JSON: ${parsed.message}`) };
  const read = schema.safeParse(parsed.value);
  const problems = read.success ? halfPairs(read.data, []) : problemsOf(read.error);
  return read.success && problems.length === 0
    ? { ok: true, value: read.data }
    : { ok: false, answer: badBody(problems) };
}

/**
 * The keys and texts with half a surrogate pair, which JSON can escape and UTF-8 cannot hold. The API server would
 * store another text than was given, so its object would differ from what is wanted for ever.
 */
function halfPairs(value: unknown, path: readonly string[]): readonly Problem[] {
  if (typeof value === 'string')
    return value.isWellFormed() ? [] : [{ path, detail: 'half a surrogate pair, which is not Unicode text' }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, key];
    return [...halfPairs(key, at), ...halfPairs(inner, at)];
  });
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** Wraps JSON.parse, which throws, so that errors are returned. */
function parse(text: string): Parsed {
  if (text.trim() === '') return { ok: false, message: 'it is empty' };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, message: whereWrong(error instanceof Error ? error.message : '') };
  }
}

/** Only the position of the error: the message of the engine quotes the body, which may contain a secret. */
function whereWrong(message: string): string {
  const at = /line (\d+) column (\d+)/.exec(message);
  return at === null ? 'a character is where none may be' : `wrong at line ${at[1]}, column ${at[2]}`;
}

/** The depth of nested objects and arrays. Strings are skipped. */
function depthOfJson(text: string): number {
  let [depth, deepest, quoted] = [0, 0, false];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (quoted) {
      if (character === '\\') index += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}
