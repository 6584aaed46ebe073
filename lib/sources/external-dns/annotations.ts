// Reads the annotations of external-dns, under the first prefix that has the key. White space around a value does not
// count, and an empty value counts as absent. An invalid value is a problem that names the annotation.
import { quote } from '../../dns/names/quote.ts';
import { HEALTH_CHECK_ANNOTATION, HTTPS_ANNOTATION } from '../../objects/annotations.ts';
import { formatRef } from '../../objects/object-ref.ts';
import { at, mapping } from '../../objects/plain.ts';
import type { RelatedObject } from '../../objects/related.ts';
import type { SourceObject } from '../../objects/source.ts';
import type { SourceSettings } from '../../objects/source-settings.ts';
import { describe, TTL_SECONDS_MAX } from '../../objects/spec-fields.ts';
import { parseDurationSeconds } from '../common/go-duration.ts';
import type { Draft } from './draft.ts';
import { misspeltIn } from './misspelt.ts';
import { keyUnder, prefixesFor } from './prefixes.ts';

/** One annotation (or property): its place as messages name it, and its value, which is not empty. */
export type Annotation = { readonly path: string; readonly value: string };

/** Finds an annotation by the part of its key after the prefix, or by its whole key; null if it is absent. */
export type Annotations = (name: string) => Annotation | null;

const CONTROLLER = 'dns-controller';

export function annotationsOf(annotations: Readonly<Record<string, string>>, prefixes: readonly string[]): Annotations {
  return (name) => {
    for (const key of name.includes('/') ? [name] : prefixes.map((prefix) => keyUnder(prefix, name))) {
      const written: unknown = key !== null && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
      const value = typeof written === 'string' ? withoutSpaceAround(written) : '';
      if (value !== '') return { path: `annotation ${key}`, value };
    }
    return null;
  };
}

/**
 * The annotations of an object; null if it names another controller, or if one that may be ours is no text, which is a
 * problem: then the object asks for nothing. Keys that are probably misspelt are notes.
 */
export function readAnnotations(
  { annotations: texts, oddAnnotations = {} }: Pick<SourceObject, 'annotations' | 'oddAnnotations'>,
  { annotationPrefixes }: Pick<SourceSettings, 'annotationPrefixes'>,
  draft: Draft,
): Annotations | null {
  const { prefixes, notes } = prefixesFor(texts, annotationPrefixes);
  const annotations = annotationsOf(texts, prefixes);
  if (isOthers(annotations)) return null;
  const odd = Object.entries(oddAnnotations).filter(
    ([key]) => key === HEALTH_CHECK_ANNOTATION || prefixes.some((one) => key.startsWith(one)),
  );
  for (const [key, what] of odd) draft.problem(aboutOdd(key, what), null);
  const oddHttps = oddAnnotations[HTTPS_ANNOTATION];
  if (oddHttps !== undefined) draft.note(aboutOdd(HTTPS_ANNOTATION, oddHttps));
  for (const note of [...misspeltIn(Object.keys(texts), annotationPrefixes), ...notes]) draft.note(note);
  return odd.length === 0 ? annotations : null;
}

/** The same for a related object, of which the facts have the annotations. What is said, and each path, names it. */
export function readRelatedAnnotations(
  { ref, facts }: RelatedObject,
  settings: SourceSettings,
  draft: Draft,
): Annotations | null {
  const all = Object.entries(mapping(at(facts, 'metadata', 'annotations')));
  const odd = all.filter(([, value]) => typeof value === 'object' && value !== null);
  const object = {
    annotations: Object.fromEntries(all.flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]]))),
    oddAnnotations: Object.fromEntries(odd.map(([key, value]) => [key, describe(value)])),
  };
  const said = (message: string) => `${formatRef(ref)}: ${message}`;
  const annotations = readAnnotations(object, settings, {
    ...draft,
    problem: (message, leavesOut) => draft.problem(said(message), leavesOut),
    note: (message) => draft.note(said(message)),
  });
  if (annotations === null) return null;
  return (name) => {
    const found = annotations(name);
    return found === null ? null : { ...found, path: said(found.path) };
  };
}

/** The problem of an annotation that is no text. */
export function aboutOdd(key: string, what: string): string {
  return `annotation ${key}: expected a text, got ${what}; write one text, with commas between the items of a list`;
}

/** True if the object names another controller. */
export function isOthers(annotations: Annotations): boolean {
  const controller = annotations('controller');
  return controller !== null && controller.value !== CONTROLLER;
}

/** White space of any kind: also NEL, and the two characters that separate words without being seen. */
const SPACE = /[\s\u0085\u180e\u200b]/;
const SEPARATORS = /[\s\u0085\u180e\u200b,]+/;

/** The value without white space at both ends. */
export function withoutSpaceAround(value: string): string {
  let [start, end] = [0, value.length];
  while (start < end && SPACE.test(value[start] as string)) start += 1;
  while (end > start && SPACE.test(value[end - 1] as string)) end -= 1;
  return value.slice(start, end);
}

/** The items of a list, which commas or white space separate. No two items are ever joined. */
export function listOf(value: string): readonly string[] {
  return value.split(SEPARATORS).filter((item) => item !== '');
}

/** A host or a target as written, and its place. */
export type Written = { readonly text: string; readonly path: string };

/** The hosts or targets that an annotation lists; none if it is absent. */
export function writtenIn(annotation: Annotation | null): readonly Written[] {
  if (annotation === null) return [];
  return listOf(annotation.value).map((text) => ({ text, path: annotation.path }));
}

export function aboutAnnotation({ path, value }: Annotation, detail: string): string {
  return `${path}: ${quote(value)} ${detail}`;
}

/** `ttl` in seconds; null if it is absent or invalid. An invalid one is a problem. */
export function readTtl(annotations: Annotations, problems: (message: string) => void): number | null {
  const found = annotations('ttl');
  if (found === null) return null;
  const seconds = /^\+?[0-9]+$/.test(found.value) ? Number(found.value) : parseDurationSeconds(found.value);
  if (seconds !== null && seconds >= 1 && seconds <= TTL_SECONDS_MAX) return seconds;
  problems(
    aboutAnnotation(
      found,
      `is not a TTL, so the default applies; write seconds from 1 to ${TTL_SECONDS_MAX}, or a duration such as 1m30s`,
    ),
  );
  return null;
}

/** The value if it is one of `words`; null if it is absent, undefined if it is another word. */
export function readWord<Word extends string>(
  found: Annotation | null,
  words: readonly Word[],
): Word | null | undefined {
  return found === null ? null : words.find((word) => word === found.value);
}
