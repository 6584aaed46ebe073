// Validates the names of the intent API. Projects, records, clusters, clouds, apps and services become parts of
// Kubernetes names, so each is a DNS label: lower case, at most 63 characters.
import * as z from 'zod';

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** The error for a name that is not a label. */
export const WRITE_A_LABEL =
  'write a DNS label: lower-case letters, digits and "-", 63 at most, beginning and ending with a letter or digit';

/** True for a valid name of a project, a record, a cluster and so on. */
export function isLabel(text: string): boolean {
  return LABEL.test(text);
}

/** A name in a body. */
export const label = z.string(WRITE_A_LABEL).regex(LABEL, WRITE_A_LABEL);

/** A text of at most `max` characters that is not blank. */
export function text(what: string, max = 1_024) {
  return z.string(`write ${what}`).regex(/\S/, `write ${what}`).max(max, `write at most ${max} characters`);
}

const note = (max: number) => z.string('write a text').max(max, `write at most ${max} characters`).optional();

/** The metadata of every object. The design spells both `userdata1` and `userData1`: both are accepted. */
export const metadata = z.strictObject(
  {
    name: label.describe('Unique in its list; a DNS label.'),
    description: note(1_024).describe('For people.'),
    userData1: note(512).describe('Yours; zone53 does not read it.'),
    userData2: note(512).describe('Yours; zone53 does not read it.'),
    userdata1: note(512).describe('Another spelling of userData1.'),
    userdata2: note(512).describe('Another spelling of userData2.'),
  },
  'write a mapping with name',
);

/** Metadata as it is stored and returned, in one spelling. */
export type Metadata = {
  readonly name: string;
  readonly description?: string;
  readonly userData1?: string;
  readonly userData2?: string;
};

/** Metadata in one spelling. If both spellings are given, `userData1` wins. */
export function oneSpelling({ userdata1, userdata2, ...written }: z.output<typeof metadata>): Metadata {
  const first = written.userData1 ?? userdata1;
  const second = written.userData2 ?? userdata2;
  return {
    name: written.name,
    ...(written.description === undefined ? {} : { description: written.description }),
    ...(first === undefined ? {} : { userData1: first }),
    ...(second === undefined ? {} : { userData2: second }),
  };
}
