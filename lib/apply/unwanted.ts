// Record sets that external-dns owns and no object asks for, to be deleted if the configuration says so
// (`deleteUnwanted`). They are adopted first, with their TXT records. Then they are deleted like our own, so that the
// guard counts these deletes and may hold them.
import { type RecordSet, recordSetId } from '../dns/record-set.ts';
import { type ExternalDnsRegistry, isOwnershipText, isSurelyWritten, ownershipOf } from '../external-dns/ownership.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import type { Taking } from '../record-sets/judge-reading.ts';
import { abandonLease } from '../record-sets/lease.ts';
import { newRecordSetItem, type RecordSetItem, storedContent, storedTexts } from '../record-sets/record-set-item.ts';
import { isPublishable } from '../record-sets/state.ts';
import { changeRecordSetItem } from '../record-sets/store.ts';

/** How many ledger writes are made at once. */
const AT_ONCE = 16;

export function deletesUnwanted(registries: readonly ExternalDnsRegistry[]): boolean {
  return registries.some((registry) => registry.deleteUnwanted);
}

/** The unwanted record sets of a whole hosted zone. `isKnown`: a record set is desired, or ours already. */
export function unwantedSets(
  registries: readonly ExternalDnsRegistry[],
  apex: string,
  existing: ReadonlyMap<string, RecordSet>,
  isKnown: (id: string) => boolean,
): readonly RecordSet[] {
  return [...existing.values()].filter((set) => {
    if (isKnown(recordSetId(set)) || !isPublishable(set, apex) || isOwnershipText(registries, set)) return false;
    const ownership = ownershipOf(registries, set, existing);
    if (ownership.kind !== 'external-dns' || !ownership.registry.deleteUnwanted) return false;
    return isSurelyWritten(ownership, set, existing);
  });
}

/** The item that an unwanted record set gets when it is adopted. */
export function unwantedItem(
  set: RecordSet,
  known: RecordSetItem | undefined,
  taking: Taking | undefined,
  { zone }: HostedZoneItem,
): RecordSetItem {
  const published = storedContent(set.content);
  return { ...(known ?? newRecordSetItem(set)), zone, published, texts: storedTexts(taking?.texts ?? []) };
}

/** Saves unwanted record sets as ours, except those that are desired or ours by now. Returns all their names. */
export async function claimUnwanted(
  { ledger, clock }: Context,
  { id }: HostedZoneItem,
  unwanted: readonly RecordSetItem[],
): Promise<readonly string[]> {
  if (unwanted.length === 0) return [];
  const nowMs = clock.nowMs();
  await inParallel(unwanted, AT_ONCE, async ({ published, texts, zone, ...key }) => {
    const claim = (now: RecordSetItem) =>
      now.desired === null && now.published === null && now.intent === null
        ? { ...now, zone, published, texts, publishedAtMs: nowMs }
        : null;
    if ((await changeRecordSetItem(ledger, id, key, null, claim)) !== null)
      await markDirty(ledger, id, key.name, nowMs);
  });
  await abandonLease(ledger, id);
  return [...new Set(unwanted.map(({ name }) => name))];
}
