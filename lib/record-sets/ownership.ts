// What publish may write at all, and what it may replace.
import type { HostedZoneItem } from './hosted-zone-item.ts';
import type { RecordSetItem } from './record-set-item.ts';

/** True when the Zone of the record set lets it replace what is not ours. */
export function takesOver(item: RecordSetItem, hostedZone: Pick<HostedZoneItem, 'takeover' | 'zone'>): boolean {
  return item.takeover || (hostedZone.takeover && item.zone === hostedZone.zone);
}

/** True for what publish may write at all; the SOA goes its own way, the apex NS set is Route 53's. */
export function isPublishable(item: Pick<RecordSetItem, 'name' | 'type'>, apex: string): boolean {
  return item.type !== 'SOA' && !(item.type === 'NS' && item.name === apex);
}
