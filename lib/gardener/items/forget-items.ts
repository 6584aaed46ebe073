// Removes the ledger's items of the record sets of a DNSRecord. What exists in Route 53 stays there.
import type { Ledger } from '../../ports/ledger.ts';
import { dnsRecordsIdOf } from '../../record-sets/hosted-zone-item.ts';
import { type RecordSetItem, recordSetItemKey } from '../../record-sets/record-set-item.ts';
import { readName } from '../../record-sets/store.ts';
import { isOf, maybeStands, type Wish } from './own-record-sets.ts';

/** How often items are read and removed again if others write them meanwhile. */
const TRIES_MAX = 10;

/**
 * Removes the items of a DNSRecord at a name, if it is still our turn; its record sets stay in Route 53. Throws if
 * others keep writing them.
 */
export async function forgetItems(
  ledger: Ledger,
  hostedZoneId: string,
  { owner, name, types }: Pick<Wish, 'owner' | 'name' | 'types'>,
  isOurTurn: () => Promise<boolean> = async () => true,
): Promise<void> {
  const id = dnsRecordsIdOf(hostedZoneId);
  const isToGo = (item: RecordSetItem) =>
    isOf(item, owner) || (types.includes(item.type) && item.objects.length === 0 && item.publishedObjects.length === 0);
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const stored = await readName(ledger, id, name);
    let isWhole = true;
    if (!(await isOurTurn())) return;
    for (const { item, revision } of stored)
      if (isToGo(item)) isWhole = (await ledger.remove(recordSetItemKey(id, item), revision)) && isWhole;
    if (isWhole) return;
  }
  throw new Error(`Cannot forget ${owner} at ${name}: its items were written by others ${TRIES_MAX} times`);
}

/** Removes a DNSRecord's items at a name of which nothing was sent. False if a record set exists or may exist. */
export async function forgetUnsent(
  ledger: Ledger,
  hostedZoneId: string,
  { owner, name, types }: Pick<Wish, 'owner' | 'name' | 'types'>,
): Promise<boolean> {
  const id = dnsRecordsIdOf(hostedZoneId);
  for (const { item, revision } of await readName(ledger, id, name)) {
    if (!types.includes(item.type) || !isOf(item, owner)) continue;
    if (maybeStands(item) || !(await ledger.remove(recordSetItemKey(id, item), revision))) return false;
  }
  return true;
}
