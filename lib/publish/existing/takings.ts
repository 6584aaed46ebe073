// Judges record sets in Route 53 that external-dns may own, where something is desired: may each be taken over, which
// TXT record sets are deleted with it, and if it may not, why.
import {
  type RecordSet,
  type RecordSetContent,
  type RecordSetKey,
  recordSetId,
  sameContent,
} from '../../dns/record-set.ts';
import { type ExternalDnsRegistry, isOwnershipText, ownershipOf, textsToDelete } from '../../external-dns/ownership.ts';
import type { Taking } from '../../record-sets/judge-reading.ts';

/**
 * By record set id, for each of `wanted` that Route 53 has and that TXT records of external-dns mention.
 * `publishedAt`: what we published there, which external-dns no longer owns; null if nothing. `beside`: record sets
 * that would be deleted for the desired ones; the TXT records among them are deleted with what they speak for.
 */
export function takingsOf(
  registries: readonly ExternalDnsRegistry[],
  existing: ReadonlyMap<string, RecordSet>,
  wanted: Iterable<RecordSetKey>,
  publishedAt: (id: string) => RecordSetContent | null,
  beside: readonly RecordSet[],
): ReadonlyMap<string, Taking> {
  const takings = new Map<string, Taking>();
  if (registries.length === 0) return takings;
  const isOurs = (id: string) => publishedAt(id) !== null;
  const taken: {
    readonly recordSet: RecordSet;
    readonly texts: readonly RecordSet[];
    readonly speakers: readonly RecordSet[];
  }[] = [];
  const owned = beside.filter((set) => !isOwnershipText(registries, set));
  const ids = new Set([...wanted, ...owned].map(recordSetId));
  for (const id of ids) {
    const recordSet = existing.get(id);
    // It is already ours.
    if (recordSet === undefined || sameContent(publishedAt(id), recordSet.content)) continue;
    const ownership = ownershipOf(registries, recordSet, existing);
    // A TXT record that an object asks for stays, whatever it says.
    const isWanted = (text: RecordSet) => ids.has(recordSetId(text)) || isOurs(recordSetId(text));
    if (ownership.kind === 'external-dns')
      taken.push({
        recordSet,
        texts: ownership.texts.filter((text) => !isWanted(text)),
        speakers: ownership.texts,
      });
    else if (ownership.kind === 'other') takings.set(id, { texts: null, note: ownership.message });
  }
  if (taken.length === 0) return takings;
  const going = new Set(taken.map(({ recordSet }) => recordSetId(recordSet)));
  const staying = [...existing.values()].flatMap((recordSet) => {
    const id = recordSetId(recordSet);
    if (going.has(id) || isOurs(id) || isOwnershipText(registries, recordSet)) return [];
    const ownership = ownershipOf(registries, recordSet, existing);
    return ownership.kind === 'external-dns' ? [{ texts: ownership.texts }] : [];
  });
  const texts = textsToDelete(taken, staying);
  for (const { recordSet, speakers } of taken) {
    const id = recordSetId(recordSet);
    takings.set(id, { texts: texts.get(id) ?? [], note: null, speakers });
  }
  return takings;
}

/** True if a TXT record set that goes with this one speaks for another one of `takings`, too. */
export function takesSharedText(takings: ReadonlyMap<string, Taking>): (key: RecordSetKey) => boolean {
  const said = [...takings.values()].flatMap(({ speakers = [] }) => speakers.map(recordSetId));
  const once = new Set(said);
  const several = new Set<string>();
  for (const id of said) if (!once.delete(id)) several.add(id);
  return (key) => (takings.get(recordSetId(key))?.texts ?? []).some((text) => several.has(recordSetId(text)));
}

/** The field `taking` of a `ReadingContext`, if there is a taking. `kept`: TXT record sets that stay, by id. */
export function takingOf(
  takings: ReadonlyMap<string, Taking>,
  key: RecordSetKey,
  kept: ReadonlySet<string> = new Set(),
): { readonly taking?: Taking } {
  const taking = takings.get(recordSetId(key));
  if (taking === undefined) return {};
  const texts = taking.texts?.filter((text) => !kept.has(recordSetId(text))) ?? null;
  return { taking: kept.size === 0 ? taking : { ...taking, texts } };
}
