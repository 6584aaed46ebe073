// Wakes aliases that wait for their target. Route 53 refuses an alias whose target does not exist yet. The item of the
// target lists the aliases that wait for it, so that the run which publishes the target has them tried again. They need
// not wait for the sweep, and Route 53 is not asked meanwhile.
import type { Change } from '../../dns/plan-changes.ts';
import { recordSetId } from '../../dns/record-set.ts';
import type { Stored } from '../../ledger/item-codec.ts';
import { readableItems } from '../../ledger/skip-unreadable.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { type RecordSetItem, recordSetCodec } from '../../record-sets/record-set-item.ts';
import { changeRecordSetItem, readNameItems } from '../../record-sets/store.ts';

/** How many aliases may wait for one target. The sweep tries the others again. */
const ALIASES_MAX = 100;
/** The clocks of two functions may differ by so much. */
const CLOCKS_MS = 5_000;

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
  await noteAwaiting(publishing, { name: after.alias.dnsName, type }, name);
}

/** Notes in the item of a target that the alias of this name follows it. */
export async function noteAwaiting(
  publishing: Publishing,
  target: Pick<Change, 'name' | 'type'>,
  alias: string,
): Promise<void> {
  await change(publishing, target, (before) =>
    before.includes(alias) || before.length >= ALIASES_MAX ? null : [...before, alias],
  );
}

/**
 * True if an alias of this name was refused before its target was published last. One that was refused later does not
 * lack its target, and waking it would repeat the refused call for ever: its target may be its own name, or an alias
 * that waits for it.
 */
async function mustWake(
  { ledger, hostedZoneId }: Publishing,
  alias: string,
  { name, type, publishedAtMs }: Pick<RecordSetItem, 'name' | 'type' | 'publishedAtMs'>,
): Promise<boolean> {
  const items = readableItems(recordSetCodec, await readNameItems(ledger, hostedZoneId, alias));
  return items.some((item) => {
    const to = item.type === type ? item.refusal?.content : null;
    const isTo = to?.kind === 'alias' && to.alias.dnsName === name;
    return isTo && (item.refusal?.atMs ?? 0) <= (publishedAtMs ?? 0) + CLOCKS_MS;
  });
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
    const woken: string[] = [];
    for (const alias of item.awaitedBy) if (await mustWake(publishing, alias, target)) woken.push(alias);
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
