// What external-dns has to do with what stands where something is wanted: may it be taken over, which TXT record sets
// go with it, and if not, why not.
import {
  type RecordSet,
  type RecordSetContent,
  type RecordSetKey,
  recordSetId,
  sameContent,
} from '../../dns/record-set.ts';
import { type ExternalDnsRegistry, isOwnershipText, ownershipOf, textsThatGo } from '../../external-dns/ownership.ts';
import type { Taking } from '../../record-sets/seen.ts';

/**
 * By record set id, for each of `wanted` that stands and that external-dns says something of. `publishedAt`: what we
 * published already, of which external-dns' TXT records do not speak any more; null where that is nothing. `beside`:
 * what stands and would go for the sake of what is wanted; the TXT records among it go with what they speak for.
 */
export function takingsOf(
  registries: readonly ExternalDnsRegistry[],
  standing: ReadonlyMap<string, RecordSet>,
  wanted: Iterable<RecordSetKey>,
  publishedAt: (id: string) => RecordSetContent | null,
  beside: readonly RecordSet[] = [],
): ReadonlyMap<string, Taking> {
  const takings = new Map<string, Taking>();
  if (registries.length === 0) return takings;
  const isOurs = (id: string) => publishedAt(id) !== null;
  const taken: { readonly recordSet: RecordSet; readonly texts: readonly RecordSet[] }[] = [];
  const owned = beside.filter((set) => !isOwnershipText(registries, set));
  const ids = new Set([...wanted, ...owned].map(recordSetId));
  for (const id of ids) {
    const recordSet = standing.get(id);
    // Taken over already, and none of its TXT records was to go with it.
    if (recordSet === undefined || sameContent(publishedAt(id), recordSet.content)) continue;
    const ownership = ownershipOf(registries, recordSet, standing);
    // A TXT record that an object asks for stays, whatever it says.
    const isWanted = (text: RecordSet) => ids.has(recordSetId(text)) || isOurs(recordSetId(text));
    if (ownership.kind === 'external-dns')
      taken.push({ recordSet, texts: ownership.texts.filter((text) => !isWanted(text)) });
    else if (ownership.kind === 'other') takings.set(id, { texts: null, note: ownership.message });
  }
  if (taken.length === 0) return takings;
  const going = new Set(taken.map(({ recordSet }) => recordSetId(recordSet)));
  const staying = [...standing.values()].flatMap((recordSet) => {
    const id = recordSetId(recordSet);
    if (going.has(id) || isOurs(id) || isOwnershipText(registries, recordSet)) return [];
    const ownership = ownershipOf(registries, recordSet, standing);
    return ownership.kind === 'external-dns' ? [{ texts: ownership.texts }] : [];
  });
  const texts = textsThatGo(taken, staying);
  for (const { recordSet } of taken) {
    const id = recordSetId(recordSet);
    takings.set(id, { texts: texts.get(id) ?? [], note: null });
  }
  return takings;
}

/** The part of a `Sight` that external-dns has in it. */
export function takingOf(takings: ReadonlyMap<string, Taking>, key: RecordSetKey): { readonly taking?: Taking } {
  const taking = takings.get(recordSetId(key));
  return taking === undefined ? {} : { taking };
}
