// Judges record sets in Route 53 that external-dns may own, where something is desired: may each be taken over, which
// TXT record sets are deleted with it, and if it may not, why.
import { type RecordSet, type RecordSetKey, recordSetId, sameContent } from '../../dns/record-set.ts';
import { type ExternalDnsRegistry, isOwnershipText, ownershipOf, textsToDelete } from '../../external-dns/ownership.ts';
import type { Taking } from '../../record-sets/judge-reading.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';

/**
 * By record set id, for each of `wanted` that Route 53 has and that TXT records of external-dns mention.
 * `beside`: record sets that would be deleted for the desired ones; the TXT records among them are deleted with what
 * they speak for.
 */
export function takingsOf(
  registries: readonly ExternalDnsRegistry[],
  existing: ReadonlyMap<string, RecordSet>,
  wanted: Iterable<RecordSetKey>,
  itemAt: (id: string) => Pick<RecordSetItem, 'desired' | 'published' | 'texts' | 'sharedTexts'> | undefined,
  beside: readonly RecordSet[],
): ReadonlyMap<string, Taking> {
  const takings = new Map<string, Taking>();
  if (registries.length === 0) return takings;
  // What we published there, unless its TXT records are still to be deleted.
  const publishedAt = (id: string) => {
    const { published = null, texts = [] } = itemAt(id) ?? {};
    return texts.length === 0 ? published : null;
  };
  const isAsked = (id: string) => publishedAt(id) !== null || (itemAt(id)?.desired ?? null) !== null;
  const taken: { readonly recordSet: RecordSet; readonly texts: readonly RecordSet[] }[] = [];
  const owned = beside.filter((set) => !isOwnershipText(registries, set));
  const ids = new Set([...wanted, ...owned].map(recordSetId));
  for (const id of ids) {
    const recordSet = existing.get(id);
    if (recordSet === undefined) continue;
    // It is already ours, and no TXT record of it is left.
    if (sameContent(publishedAt(id), recordSet.content) && itemAt(id)?.sharedTexts.length === 0) continue;
    const ownership = ownershipOf(registries, recordSet, existing);
    // A TXT record that an object asks for stays, whatever it says.
    const isWanted = (text: RecordSet) => ids.has(recordSetId(text)) || isAsked(recordSetId(text));
    if (ownership.kind === 'external-dns')
      taken.push({ recordSet, texts: ownership.texts.filter((text) => !isWanted(text)) });
    else if (ownership.kind === 'other') takings.set(id, { texts: null, note: ownership.message });
  }
  if (taken.length === 0) return takings;
  const takenIds = new Set(taken.map(({ recordSet }) => recordSetId(recordSet)));
  const staying = [...existing.values()].flatMap((recordSet) => {
    const id = recordSetId(recordSet);
    // One that we published and external-dns wrote since is external-dns' again.
    const isStillOurs = sameContent(publishedAt(id), recordSet.content);
    if (takenIds.has(id) || isStillOurs || isOwnershipText(registries, recordSet)) return [];
    const ownership = ownershipOf(registries, recordSet, existing);
    return ownership.kind === 'external-dns' ? [{ texts: ownership.texts }] : [];
  });
  const going = textsToDelete(taken, staying);
  for (const { recordSet, texts } of taken) {
    const id = recordSetId(recordSet);
    takings.set(id, withShared(texts, going.get(id) ?? []));
  }
  return takings;
}

/** The taking of a record set of external-dns whose owner `texts` note, and of which `going` are deleted with it. */
function withShared(texts: readonly RecordSet[], going: readonly RecordSet[]): Taking {
  const ids = new Set(going.map(recordSetId));
  return { texts: going, note: null, sharedTexts: texts.filter((text) => !ids.has(recordSetId(text))) };
}

/** All TXT record sets that note the owner of the record set of a taking, and that no object asks for. */
export function speakersOf({ texts, sharedTexts = [] }: Taking): readonly RecordSet[] {
  return [...(texts ?? []), ...sharedTexts];
}

/** True if a TXT record set that goes with this one speaks for another one of `takings`, too. */
export function takesSharedText(takings: ReadonlyMap<string, Taking>): (key: RecordSetKey) => boolean {
  const said = [...takings.values()].flatMap((taking) => speakersOf(taking).map(recordSetId));
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
  if (kept.size === 0 || taking.texts === null) return { taking };
  const going = taking.texts.filter((text) => !kept.has(recordSetId(text)));
  return { taking: withShared(speakersOf(taking), going) };
}
