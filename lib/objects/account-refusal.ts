// What is said of an AWS account whose role STS does not let us assume.

/** How the message of such a refusal begins. */
export const NOT_ASSUMED = 'Cannot assume role ';

/** True for a message that says: the role of the account cannot be assumed, so nothing was asked of Route 53. */
export function isAccountRefusal(message: string): boolean {
  return message.includes(NOT_ASSUMED);
}

/** The refusal within a message about a failed call; null: it is about something else. */
export function refusalIn(message: string): string | null {
  return isAccountRefusal(message) ? message.slice(message.indexOf(NOT_ASSUMED)) : null;
}

/** What a Zone says whose hosted zone is in an account that refuses us. `reason`: the answer of STS. */
export function accountRefused(account: string, hostedZoneId: string, reason: string): string {
  return `hosted zone ${hostedZoneId} is in account ${account}, which cannot be used: ${reason}. It is tried again every five minutes; "zone53 manifests-for-account ${account}" prints the role that it needs`;
}
