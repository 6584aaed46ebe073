// Ends the permission to take over that items of DNSRecords have from an operation. The items keep it until their next
// operation, and the setting may be off before that.
import type { Ledger } from '../../ports/ledger.ts';
import { dnsRecordsIdOf } from '../../record-sets/hosted-zone-item.ts';
import { changeRecordSetItem, readName } from '../../record-sets/store.ts';

/** Saves of all items at a name that nothing may be taken over there. */
export async function endTakeovers(ledger: Ledger, hostedZoneId: string, name: string): Promise<void> {
  const id = dnsRecordsIdOf(hostedZoneId);
  for (const stored of await readName(ledger, id, name))
    if (stored.item.takeover)
      await changeRecordSetItem(ledger, id, stored.item, stored, (item) => ({ ...item, takeover: false }));
}
