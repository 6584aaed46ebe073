// Finds TXT records of external-dns that stayed when their record set was taken over, because they noted the owner of
// another record set, too, and that no other record set needs any more. Publish decides it under its lease. Without
// this, two runs at the same time could each leave such a TXT record to the other.
import { type RecordSet, recordSetId, sameContent } from '../dns/record-set.ts';
import { txtNamesOf, wildcardCounterparts } from '../external-dns/ownership.ts';
import type { Context } from '../ports/context.ts';
import { isSameText, type RecordSetItem } from '../record-sets/record-set-item.ts';
import { readName } from '../record-sets/store.ts';

/** True if publish is to judge the TXT records of this item again. `existing` has all record sets at its name. */
export async function hasUnneededText(
  { ledger, config: { takeover }, account: { hostedZones } }: Pick<Context, 'ledger' | 'config' | 'account'>,
  hostedZoneId: string,
  { name, texts: going, sharedTexts, published, refusal, intent }: RecordSetItem,
  existing: ReadonlyMap<string, RecordSet>,
): Promise<boolean> {
  // Those that are to go are publish's, or the guard holds the delete that they go with.
  const staying = sharedTexts.filter((text) => !going.some((one) => isSameText(one, text)));
  if (staying.length === 0 || published === null || refusal !== null || intent !== null) return false;
  const texts = new Set(sharedTexts.map((text) => recordSetId({ ...text, type: 'TXT' })));
  /** Those of these TXT record sets that no record set of somebody else at this name needs. */
  const unneeded = async (of: RecordSetItem['sharedTexts'], at: string, sets: Iterable<RecordSet>) => {
    const noted = [...sets].filter((set) => set.name === at && !texts.has(recordSetId(set)));
    const known = noted.length === 0 ? [] : await readName(ledger, hostedZoneId, at);
    const items = new Map(known.map(({ item }) => [recordSetId(item), item]));
    const isOurs = (set: RecordSet) => {
      const item = items.get(recordSetId(set));
      return item !== undefined && item.refusal === null && sameContent(item.published, set.content);
    };
    const others = noted.filter((set) => !isOurs(set));
    const needs = (set: RecordSet, text: (typeof of)[number]) =>
      set.setIdentifier === text.setIdentifier && txtNamesOf(takeover.externalDns, set).includes(text.name);
    return of.filter((text) => !others.some((set) => needs(set, text)));
  };
  let open = await unneeded(staying, name, existing.values());
  // A wildcard and the name that replaces it have the same TXT records. The other one may be on another page.
  for (const other of wildcardCounterparts(takeover.externalDns, name)) {
    if (open.length === 0) break;
    open = await unneeded(open, other, (await hostedZones.readName(hostedZoneId, other)) ?? []);
  }
  return open.length > 0;
}
