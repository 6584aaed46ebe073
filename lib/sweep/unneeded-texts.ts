// Finds TXT records of external-dns that stayed when their record set was taken over, because they noted the owner of
// another record set, too, and that no other record set needs any more. Publish decides it under its lease. Without
// this, two runs at the same time could each leave such a TXT record to the other.
import { type RecordSet, recordSetId, sameContent } from '../dns/record-set.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { readName } from '../record-sets/store.ts';

/** Such a TXT record is in the old format, which notes the owner of all types but this one. */
const NOT_NOTED = 'AAAA';

/** True if publish is to judge the TXT records of this item again. `existing` has all record sets at its name. */
export async function hasUnneededText(
  ledger: Ledger,
  hostedZoneId: string,
  { name, sharedTexts, published, refusal, intent }: RecordSetItem,
  existing: ReadonlyMap<string, RecordSet>,
): Promise<boolean> {
  if (sharedTexts.length === 0 || published === null || refusal !== null || intent !== null) return false;
  const items = new Map((await readName(ledger, hostedZoneId, name)).map(({ item }) => [recordSetId(item), item]));
  const isOurs = (set: RecordSet) => {
    const known = items.get(recordSetId(set));
    return known !== undefined && known.refusal === null && sameContent(known.published, set.content);
  };
  const texts = new Set(sharedTexts.map((text) => recordSetId({ ...text, type: 'TXT' })));
  const others = [...existing].filter(
    ([id, set]) => set.name === name && set.type !== NOT_NOTED && !texts.has(id) && !isOurs(set),
  );
  return sharedTexts.some((text) => others.every(([, set]) => set.setIdentifier !== text.setIdentifier));
}
