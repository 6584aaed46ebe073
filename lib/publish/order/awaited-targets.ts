// An alias that Route 53 refused may have come before its target. The item of the target says which aliases wait for
// it, so that whoever publishes the target has them tried again: they need not wait for the sweep, and nothing is asked
// meanwhile.
import type { Change } from '../../dns/plan-changes.ts';
import { recordSetId } from '../../dns/record-set.ts';
import type { Stored } from '../../ledger/item-codec.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { changeRecordSetItem } from '../../record-sets/store.ts';

/** Of one target; the sweep tries the others again. */
const ALIASES_MAX = 100;

/** A run of publish, as far as it matters here: `items` by record set id, as last read or written. */
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

/** Notes of an alias that was refused, and whose target may be in this hosted zone, that it waits for it. */
export async function awaitTarget(publishing: Publishing, { name, type, after }: Change): Promise<void> {
  if (after?.kind !== 'alias' || after.alias.hostedZoneId !== publishing.hostedZoneId) return;
  await change(publishing, { name: after.alias.dnsName, type }, (before) =>
    before.includes(name) || before.length >= ALIASES_MAX ? null : [...before, name],
  );
}

/** Has the aliases tried again that wait for what was made now. True when there are any: another run is then needed. */
export async function wakeAliases(publishing: Publishing, made: readonly Change[], nowMs: number): Promise<boolean> {
  let any = false;
  for (const { name, type, before, after } of made) {
    if (before !== null || after === null) continue;
    const item = publishing.items.get(recordSetId({ name, type, setIdentifier: null }))?.item;
    if (item === undefined || item.awaitedBy.length === 0) continue;
    // The marks first: a run that dies in between leaves them to be raised again.
    for (const alias of item.awaitedBy) {
      await markDirty(publishing.ledger, publishing.hostedZoneId, alias, nowMs, { retry: true });
    }
    await change(publishing, { name, type }, () => []);
    any = true;
  }
  return any;
}
