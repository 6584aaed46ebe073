// The annotations of zone53.
/** On a Zone: record sets at its names that zone53 did not write may be taken over. */
export const TAKEOVER_ANNOTATION = 'zone53.dev/takeover';
export const ACKNOWLEDGE_ANNOTATION = 'zone53.dev/acknowledge-plan';
