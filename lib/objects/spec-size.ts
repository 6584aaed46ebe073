// The maximum size of a spec. The spec in force is stored in one ledger item, and DynamoDB allows 400 KB per item.
// Huge specs must not fill the memory either. So a spec that is too large is dropped where it is read, and only its
// size is kept.

/**
 * Maximum size of a spec as JSON, in UTF-8 octets. Enough for more values than Route 53 allows at a name, or for a
 * thousand delegations.
 */
export const SPEC_OCTETS_MAX = 256 * 1024;

export type SizedSpec = {
  /** Untrusted and unparsed; null when it is too large. */
  readonly spec: unknown;
  /** The size in octets, only for a spec that is too large. */
  readonly specOctets?: number;
};

/** The spec, or its size if too large. Not for related objects: they are not stored, and must not look empty. */
export function sizedSpec(spec: unknown): SizedSpec {
  if (typeof spec !== 'object' || spec === null) return { spec };
  const text = JSON.stringify(spec);
  if (text.length * 3 <= SPEC_OCTETS_MAX) return { spec };
  const octets = Buffer.byteLength(text);
  return octets <= SPEC_OCTETS_MAX ? { spec } : { spec: null, specOctets: octets };
}

/** The problem of a spec that is too large. */
export function tooLarge(octets: number): string {
  return `spec: it has ${octets} octets, and ${SPEC_OCTETS_MAX} are the most; put part of it into another object`;
}
