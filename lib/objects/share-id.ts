// A hosted zone that several clusters publish into has an id in the ledger for each of them. The cluster that used it
// first has the id of Route 53; every other one has its share, with its own numbers for the guard, under an id of its
// own: `Z1@prod-us`.

const MARK = '@';

/** The form of the id of a cluster. */
export const CLUSTER_ID = /^[A-Za-z0-9._-]{1,63}$/;

/** The ledger's id for what a cluster publishes into a hosted zone that another one used first. */
export function shareIdOf(hostedZoneId: string, cluster: string): string {
  return `${hostedZoneId}${MARK}${cluster}`;
}

/** True for the id of a share. */
export function isShare(ledgerId: string): boolean {
  return ledgerId.includes(MARK);
}

/** The id in Route 53 of a hosted zone, or of a share of one. */
export function withoutShare(ledgerId: string): string {
  return isShare(ledgerId) ? ledgerId.slice(0, ledgerId.indexOf(MARK)) : ledgerId;
}
