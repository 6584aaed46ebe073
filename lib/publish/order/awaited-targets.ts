// Wakes aliases that wait for their target. Route 53 refuses an alias whose target does not exist yet. The item of the
// target lists the aliases that wait for it, so that the run which publishes the target has them tried again. They need
// not wait for the sweep, and Route 53 is not asked meanwhile.
import type { Change } from '../../dns/plan-changes.ts';
import { recordSetId } from '../../dns/record-set.ts';
import type { Stored } from '../../ledger/item-codec.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { changeRecordSetItem } from '../../record-sets/store.ts';

/** How many aliases may wait for one target. The sweep tries the others again. */
const ALIASES_MAX = 100;

/** The parts of a run of publish that are needed here. `items` by record set id, as last read or written. */
type Publishing = {
  readonly ledger: Ledger;
  readonly hostedZoneId: string;
  readonly items: Map<string, Stored<RecordSetItem>>;
};

async function change(
  { ledger, hostedZoneId, items }: Publishing,
  { name, type }: Pick<Change, 'name' | 'type'>,
  awaitedBy: (before: readonly string[]) => string[] | null,
): Promise<void> {
  const key = { name, type, setIdentifier: null };
  const written = await changeRecordSetItem(ledger, hostedZoneId, key, items.get(recordSetId(key)) ?? null, (item) => {
    const next = awaitedBy(item.awaitedBy);
    return next === null ? null : { ...item, awaitedBy: next };
  });
  if (written !== null) items.set(recordSetId(key), written);
}

/** Notes in the item of its target that a refused alias waits, if the target is in this hosted zone. */
export async function awaitTarget(publishing: Publishing, { name, type, after }: Change): Promise<void> {
  if (after?.kind !== 'alias' || after.alias.hostedZoneId !== publishing.hostedZoneId) return;
  await change(publishing, { name: after.alias.dnsName, type }, (before) =>
    before.includes(name) || before.length >= ALIASES_MAX ? null : [...before, name],
  );
}

/**
 * True if the run saw aliases of this name refused after their target was published last. The target is not what they
 * lack, and it may be their own name, so waking them would repeat the refused call for ever.
 */
function isRefusedSince(
  { items, hostedZoneId }: Publishing,
  alias: string,
  { name, type, publishedAtMs }: Pick<RecordSetItem, 'name' | 'type' | 'publishedAtMs'>,
): boolean {
  const refused = [...items.values()].flatMap(({ item }) => {
    const to = item.name === alias && item.type === type ? item.refusal?.content : null;
    const isTo = to?.kind === 'alias' && to.alias.dnsName === name && to.alias.hostedZoneId === hostedZoneId;
    return isTo ? (item.refusal?.atMs ?? []) : [];
  });
  return refused.length > 0 && refused.every((atMs) => atMs > (publishedAtMs ?? 0));
}

/**
 * Marks aliases dirty that wait for these record sets, as far as they are published. True if there are any: then
 * another run is needed. To be called before the marks of their names are removed: if the run dies first, the next one
 * calls it, and it need not know which run created them.
 */
export async function wakeAliases(
  publishing: Publishing,
  sets: readonly Pick<RecordSetItem, 'name' | 'type' | 'published' | 'publishedAtMs'>[],
  nowMs: number,
): Promise<boolean> {
  let any = false;
  for (const target of sets) {
    const { name, type, published } = target;
    if (published === null) continue;
    const item = publishing.items.get(recordSetId({ name, type, setIdentifier: null }))?.item;
    if (item === undefined || item.awaitedBy.length === 0) continue;
    const woken = item.awaitedBy.filter((alias) => !isRefusedSince(publishing, alias, target));
    if (woken.length === 0) continue;
    // The marks come first: if the run dies before `awaitedBy` is emptied, they are written again.
    for (const alias of woken) {
      await markDirty(publishing.ledger, publishing.hostedZoneId, alias, nowMs, { retry: true });
    }
    await change(publishing, { name, type }, (before) => before.filter((alias) => !woken.includes(alias)));
    any = true;
  }
  return any;
}
