// The field that a problem names, such as `spec.delegations[0].namespace`, as a path of keys and indexes. Problems of a
// spec begin with their field; a problem of an annotation begins with its key.

/** Keys, and indexes of lists. */
export type FieldPath = readonly (string | number)[];

const FIELD = /\bspec(?:\.\w+|\[\d+\])+/;
const STEP = /\w+/g;
const ANNOTATION = /\bannotation ([\w.-]+\/[\w.-]*\w)/;

/** The first field that a message names; null: none. */
export function fieldPathIn(message: string): FieldPath | null {
  const field = FIELD.exec(message);
  const annotation = ANNOTATION.exec(message);
  if (annotation?.[1] !== undefined && (field === null || annotation.index < field.index))
    return ['metadata', 'annotations', annotation[1]];
  if (field === null) return null;
  return Array.from(field[0].matchAll(STEP), ([step]) => (/^\d+$/.test(step) ? Number(step) : step));
}
