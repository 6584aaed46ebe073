// The few names and values of a simulated world.

export const APEX = 'e.';
export const SUB_ZONE = 's.e.';
/** A sub-zone of the sub-zone, where there is one. */
export const DEEP_ZONE = `d.${SUB_ZONE}`;
/** A domain that no `roots` rule allows. */
export const FORBIDDEN = 'bank.';
/** The name that is always wanted. */
export const KEPT = `kept.${APEX}`;
export const VALUES_OF_A: readonly string[] = ['192.0.2.1', '192.0.2.2'];
export const VALUES_OF_B: readonly string[] = ['192.0.2.3', '192.0.2.4'];
/** A value that our rules accept and Route 53 refuses. */
export const REJECTED = '"refuse me"';
/** The owner whose record sets may be taken over, and how it names its TXT records. */
export const EXTERNAL_DNS = {
  ownerId: 'ours',
  txtPrefix: 'own-',
  txtSuffix: '',
  wildcardReplacement: 'any',
  decrypt: null,
  deleteUnwanted: false,
} as const;
