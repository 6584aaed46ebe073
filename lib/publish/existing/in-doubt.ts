// Which items are in doubt: what Route 53 has there must be read before their names are planned. Pure.
import type { ExternalDnsRegistry } from '../../external-dns/ownership.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { isBegun, isForWordsOnly, isPublishable, mustReadTexts, stateOf, takesOver } from '../../record-sets/state.ts';

export type Doubts = {
  /** The names at which refused changes are tried again. */
  readonly retryNames: ReadonlySet<string>;
  /** The names whose deletes the guard will hold. */
  readonly heldNames: ReadonlySet<string>;
};

/** True for an item whose content in Route 53 is not known, or that must be read again. */
export function isDoubtful(
  hostedZone: HostedZoneItem,
  externalDns: readonly ExternalDnsRegistry[],
  item: RecordSetItem,
  { retryNames, heldNames }: Doubts,
): boolean {
  if (!isPublishable(item, hostedZone.name)) return false;
  const state = stateOf(item);
  if (state === 'sending') return true;
  if (retryNames.has(item.name)) return !isForWordsOnly(item);
  // Before a takeover Route 53 is read: a record set that already has the desired content is not written. A TXT may be
  // refused because external-dns needed its own there for another record set of the name, and may need it no more.
  if (state === 'wanted' || (state === 'refused' && item.refusal?.reason === 'ForeignRecord')) {
    const mayBeTheirs = externalDns.length > 0 && (state === 'wanted' || item.type === 'TXT');
    return takesOver(item, hostedZone) || item.takesEqual === true || mayBeTheirs;
  }
  if (item.desired === null && heldNames.has(item.name)) return false;
  return mustReadTexts(item) || isBegun(item) || (state === 'reopened' && item.refusal?.reason === 'Drifted');
}
