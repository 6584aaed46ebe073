// Reads the annotations of external-dns, under the first prefix that has the key. An empty value counts as absent. An
// invalid value is a problem that names the annotation.
import { quote } from '../../dns/names/quote.ts';
import { TTL_SECONDS_MAX } from '../../objects/spec-fields.ts';
import { parseDurationSeconds } from '../common/go-duration.ts';

/** One annotation (or property): its place as messages name it, and its value, which is not empty. */
export type Annotation = { readonly path: string; readonly value: string };

/** Finds an annotation by the part of its key after the prefix; null if it is absent. */
export type Annotations = (name: string) => Annotation | null;

const CONTROLLER = 'dns-controller';

export function annotationsOf(annotations: Readonly<Record<string, string>>, prefixes: readonly string[]): Annotations {
  return (name) => {
    for (const prefix of prefixes) {
      const key = `${prefix}${name}`;
      const value: unknown = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
      if (typeof value === 'string' && value !== '') return { path: `annotation ${key}`, value };
    }
    return null;
  };
}

/** True if the object names another controller. */
export function isOthers(annotations: Annotations): boolean {
  const controller = annotations('controller');
  return controller !== null && controller.value !== CONTROLLER;
}

/** The items of a comma-separated list, without spaces and empty items. */
export function listOf(value: string): readonly string[] {
  return value
    .split(',')
    .map((item) => item.replace(/\s+/g, ''))
    .filter((item) => item !== '');
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
