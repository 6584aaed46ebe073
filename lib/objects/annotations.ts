// The annotations that we read.
/** What a Zone may ask of the publisher by annotation. */
export const TAKEOVER_ANNOTATION = 'zone53.dev/takeover';
export const ACKNOWLEDGE_ANNOTATION = 'zone53.dev/acknowledge-plan';
