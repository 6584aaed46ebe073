// A PTR that a Zone derives from addresses waits until Route 53 has the addresses, which are in another hosted zone:
// the guard may hold them there. Where Route 53 refuses an address for good, waiting is in vain, and nothing waits.

import { directoryCodec, directoryKey } from '../../directory/directory-item.ts';
import { type PointerItem, pointerCodec, pointerItemsAt } from '../../directory/pointer-item.ts';
import { compareText } from '../../dns/names/compare-text.ts';
import { realName } from '../../dns/names/view.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { readAddress, reverseName } from '../../dns/rdata/reverse-name.ts';
import type { RecordSetContent } from '../../dns/record-set.ts';
import { readItem } from '../../ledger/item-codec.ts';
import { readableItems } from '../../ledger/skip-unreadable.ts';
import { dirtyCodec, dirtyItemKey } from '../../record-sets/dirty-mark.ts';
import { isDerived } from '../../record-sets/guarded.ts';
import { hostedZoneCodec, hostedZoneItemKey } from '../../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { stateOf } from '../../record-sets/state.ts';
import { readName } from '../../record-sets/store.ts';
import type { Asker, Wait } from './waits.ts';

/** True for a change that gives an address another host. */
export function isPointer({ type, after, objects }: Change): boolean {
  return type === 'PTR' && after !== null && isDerived({ type, objects: [...objects] });
}

/** What such a change waits for; null: nothing. @throws UnreadableItemError */
export async function waitOfHosts(asker: Asker, { name, before, after }: Change): Promise<Wait | null> {
  const known = new Set(valuesOf(before));
  const added = new Set(valuesOf(after).filter((host) => !known.has(host)));
  if (added.size === 0) return null;
  const stored = await pointerItemsAt(asker.ledger, asker.hostedZone.cluster, name);
  const pointers = readableItems(pointerCodec, stored).filter(({ host }) => added.has(realName(host)));
  for (const pointer of pointers.toSorted((a, b) => compareText(a.host, b.host))) {
    const wait = await waitOfHost(asker, pointer);
    if (wait !== null) return wait;
  }
  return null;
}

async function waitOfHost(asker: Asker, { name, host, fqdn }: PointerItem): Promise<Wait | null> {
  const { ledger, hostedZone } = asker;
  const zone = await readItem(ledger, directoryKey(hostedZone.cluster, fqdn), directoryCodec);
  const target = zone?.item.target;
  if (target?.kind !== 'hosted') return null;
  const items = (await readName(ledger, target.hostedZoneId, host)).map(({ item }) => item);
  const having = items.filter(({ desired }) => hasAddress(desired, name));
  if (having.length === 0 || having.some((item) => isThere(item, name) || stateOf(item) === 'refused')) return null;
  const mark = await readItem(ledger, dirtyItemKey(target.hostedZoneId, host), dirtyCodec);
  const sinceMs = mark?.item.sinceMs ?? null;
  const held = having.some(({ refusal }) => refusal?.reason === 'HeldByGuard');
  const gone = (await readItem(ledger, hostedZoneItemKey(target.hostedZoneId), hostedZoneCodec))?.item.gone === true;
  const why = `${realName(host)} ${having[0]?.type} is not published yet in hosted zone ${target.hostedZoneId}`;
  return { why, stuck: (held && sinceMs === null) || gone, sinceMs: sinceMs ?? asker.nowMs() };
}

function isThere({ published, intent }: RecordSetItem, name: string): boolean {
  return hasAddress(published, name) && (intent === null || hasAddress(intent.content, name));
}

/** True if the content has the address of this reverse name. */
function hasAddress(content: RecordSetContent | null, name: string): boolean {
  return valuesOf(content).some((value) => {
    const address = readAddress(value);
    return address !== null && reverseName(address) === realName(name);
  });
}

function valuesOf(content: RecordSetContent | null): readonly string[] {
  return content?.kind === 'values' ? content.values : [];
}
