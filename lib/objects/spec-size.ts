// How large a spec may be. What is in force of an object is kept in one item of the ledger, and DynamoDB takes 400 KB
// an item; a cluster of objects that are larger than any could mean must not fill the memory either. So one that is too
// large is left behind where it is read, and only its size is remembered.

/** Octets of a spec at most, as JSON in UTF-8: more than what Route 53 takes of a name, or a thousand delegations. */
export const SPEC_OCTETS_MAX = 256 * 1024;

export type SizedSpec = {
  /** Untrusted and unparsed; null where it is too large. */
  readonly spec: unknown;
  /** Only of a spec that is too large: how many octets it has. */
  readonly specOctets?: number;
};

/** The spec, or its size if it is too large. Not for related objects: they go into no item, and must not look empty. */
export function sizedSpec(spec: unknown): SizedSpec {
  if (typeof spec !== 'object' || spec === null) return { spec };
  const text = JSON.stringify(spec);
  if (text.length * 3 <= SPEC_OCTETS_MAX) return { spec };
  const octets = Buffer.byteLength(text);
  return octets <= SPEC_OCTETS_MAX ? { spec } : { spec: null, specOctets: octets };
}

/** What is wrong with a spec that is too large. */
export function tooLarge(octets: number): string {
  return `spec: it has ${octets} octets, and ${SPEC_OCTETS_MAX} are the most; put part of it into another object`;
}
