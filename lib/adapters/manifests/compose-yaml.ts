// How manifests are parsed: YAML 1.2 with merge keys, in which every tag is text. Keys that are there twice are found
// in plain-value.ts, since the library would compare each key with all others.
import { Composer, type Document, type LineCounter, Parser } from 'yaml';

/** The documents of a text. */
export function composeYaml(text: string, counter: LineCounter): Iterable<Document.Parsed> {
  const composer = new Composer({
    version: '1.2',
    merge: true,
    resolveKnownTags: false,
    uniqueKeys: false,
    logLevel: 'error',
  });
  return composer.compose(new Parser(counter.addNewLine).parse(text));
}
