// Judges record sets in Route 53 that external-dns may own, where something is desired: may each be taken over, which
// TXT record sets are deleted with it, and if it may not, why. Where a TXT is desired, it replaces the one of
// external-dns, unless external-dns needs that for a record set that stays.
import { type RecordSet, type RecordSetKey, recordSetId, sameContent, showRecordSet } from '../../dns/record-set.ts';
import {
  type ExternalDnsRegistry,
  isOwnershipText,
  needsText,
  ownershipOf,
  registryTextOf,
  textsToDelete,
} from '../../external-dns/ownership.ts';
import type { Taking } from '../../record-sets/judge-reading.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { isBegun } from '../../record-sets/state.ts';

/**
 * By record set id, for each of `wanted` that Route 53 has and that TXT records of external-dns mention.
 * `beside`: record sets that would be deleted for the desired ones; the TXT records among them are deleted with what
 * they speak for. `areJudged`: the others than TXT record sets of external-dns are taken over by now, or stay.
 */
export function takingsOf(
  registries: readonly ExternalDnsRegistry[],
  existing: ReadonlyMap<string, RecordSet>,
  wanted: Iterable<RecordSetKey>,
  itemAt: (id: string) => RecordSetItem | undefined,
  beside: readonly RecordSet[],
  areJudged = false,
): ReadonlyMap<string, Taking> {
  const takings = new Map<string, Taking>();
  if (registries.length === 0) return takings;
  // What we published there, unless its TXT records are still to be deleted, or its takeover has only begun.
  const publishedAt = (id: string) => {
    const item = itemAt(id);
    return item === undefined || item.texts.length > 0 || isBegun(item) ? null : item.published;
  };
  const isAsked = (id: string) => publishedAt(id) !== null || (itemAt(id)?.desired ?? null) !== null;
  // A TXT record that an object asks for stays, whatever it says.
  const isWanted = (text: RecordSet) => isAsked(recordSetId(text));
  const taken: { readonly recordSet: RecordSet; readonly texts: readonly RecordSet[] }[] = [];
  const gone: { readonly recordSet: RecordSetKey; readonly texts: readonly RecordSet[] }[] = [];
  const owned = beside.filter((set) => !isOwnershipText(registries, set));
  const ids = new Set([...wanted, ...owned].map(recordSetId));
  const notes: RecordSet[] = [];
  for (const id of ids) {
    const recordSet = existing.get(id);
    if (recordSet === undefined) {
      const left = leftTexts(registries, existing, itemAt(id));
      if (left !== null) gone.push({ ...left, texts: left.texts.filter((text) => !isWanted(text)) });
      continue;
    }
    if ((itemAt(id)?.desired ?? null) !== null && isOwnershipText(registries, recordSet)) notes.push(recordSet);
    // It is already ours, and no TXT record of it is left.
    if (sameContent(publishedAt(id), recordSet.content) && itemAt(id)?.sharedTexts.length === 0) continue;
    const ownership = ownershipOf(registries, recordSet, existing);
    if (ownership.kind === 'external-dns')
      taken.push({ recordSet, texts: ownership.texts.filter((text) => !isWanted(text)) });
    else if (ownership.kind === 'other') takings.set(id, { texts: null, note: ownership.message });
  }
  if (taken.length + gone.length + notes.length === 0) return takings;
  const takenIds = new Set(taken.map(({ recordSet }) => recordSetId(recordSet)));
  const others = [...existing.values()].filter((recordSet) => {
    const id = recordSetId(recordSet);
    // One that we published and external-dns wrote since is external-dns' again.
    const isStillOurs = sameContent(publishedAt(id), recordSet.content);
    return !takenIds.has(id) && !isStillOurs && !isOwnershipText(registries, recordSet);
  });
  // A takeover that has only begun ends where nothing is desired any more.
  const isGivenUp = (id: string) => {
    const item = itemAt(id);
    if (item === undefined) return false;
    return item.published === null ? areJudged || item.desired === null : isBegun(item) && item.desired === null;
  };
  const givenUp = taken.map(({ recordSet }) => recordSet).filter((set) => isGivenUp(recordSetId(set)));
  for (const note of notes) {
    const needed = [...others, ...givenUp].find((set) => needsText(registries, note, set, existing));
    takings.set(recordSetId(note), takingOfNote(registries, note, needed));
  }
  const staying = others.flatMap((recordSet) => {
    const ownership = ownershipOf(registries, recordSet, existing);
    return ownership.kind === 'external-dns' ? [{ texts: ownership.texts }] : [];
  });
  const going = textsToDelete(taken, staying);
  for (const { recordSet, texts } of taken) {
    const id = recordSetId(recordSet);
    takings.set(id, withShared(texts, going.get(id) ?? []));
  }
  const goingAlone = textsToDelete(gone, [...staying, ...taken]);
  for (const { recordSet, texts } of gone) {
    const id = recordSetId(recordSet);
    takings.set(id, withShared(texts, goingAlone.get(id) ?? []));
  }
  return takings;
}

/**
 * The TXT record sets that an earlier run found for a desired record set, and that are left after somebody else deleted
 * it. Null: it found none.
 */
function leftTexts(
  registries: readonly ExternalDnsRegistry[],
  existing: ReadonlyMap<string, RecordSet>,
  item: RecordSetItem | undefined,
): { readonly recordSet: RecordSetKey; readonly texts: readonly RecordSet[] } | null {
  const noted = item === undefined ? [] : [...item.texts, ...item.sharedTexts];
  if (item === undefined || item.desired === null || noted.length === 0) return null;
  const standing = noted.flatMap((text) => existing.get(recordSetId({ ...text, type: 'TXT' })) ?? []);
  const texts = new Map(standing.map((text) => [recordSetId(text), text]));
  return {
    recordSet: item,
    texts: [...texts.values()].filter((text) => registryTextOf(registries, text)?.isConfigured === true),
  };
}

/** The taking of external-dns' TXT record set where a TXT is desired. `needed`: what stays with external-dns by it. */
function takingOfNote(
  registries: readonly ExternalDnsRegistry[],
  note: RecordSet,
  needed: RecordSet | undefined,
): Taking {
  const { owner = '', isConfigured = false } = registryTextOf(registries, note) ?? {};
  if (!isConfigured) return { texts: null, note: `In it, external-dns with the owner "${owner}" notes what it owns.` };
  if (needed !== undefined)
    return {
      texts: null,
      note: `In it, external-dns notes that it owns ${showRecordSet(needed)}: if zone53 is to take that over, declare it, too.`,
    };
  return { texts: [], note: 'It is what external-dns noted about its ownership, and is replaced.' };
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
