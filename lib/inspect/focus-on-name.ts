// Everything that decides about one name, and nothing else, so that a plan over it is quick where there are 100,000
// names: all Zones, the objects at the name, at the apexes above and at the wildcards that answer for it, those that
// have a problem, and of the ledger the items of the name. What the guard holds is taken from the ledger, because it
// judges a hosted zone as a whole.
import { type ClusterPlan, planReading } from '../apply/plan-cluster.ts';
import { agesPartition } from '../directory/name-ages-item.ts';
import { ancestorsOf, isAtOrBelow, reversedKey } from '../dns/names/name.ts';
import type { Change } from '../dns/plan-changes.ts';
import { isReverseName, readAddress, reverseName } from '../dns/rdata/reverse-name.ts';
import { recordSetId } from '../dns/record-set.ts';
import { readItem, UnreadableItemError } from '../ledger/item-codec.ts';
import { orUnread } from '../ledger/skip-unreadable.ts';
import { formatRef, isZone } from '../objects/object-ref.ts';
import type { ClusterReading, KnownObject } from '../observe/read-cluster.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger, LedgerItem } from '../ports/ledger.ts';
import { heldCodec, heldItemKey } from '../record-sets/held-name.ts';
import { HOSTED_ZONES_PARTITION, hostedZoneCodec, otherAcknowledgement } from '../record-sets/hosted-zone-item.ts';
import { readNameItems } from '../record-sets/store.ts';
import { hostsOf } from '../zones/acme.ts';
import type { Adoptions } from '../zones/resolve-cluster.ts';

/** The objects that ask for each name, as "Kind ns/name". */
export type AskingAt = ReadonlyMap<string, ReadonlySet<string>>;

/** Who asks for which name. */
export function askingAt({ endpoints }: Pick<Adoptions, 'endpoints'>): AskingAt {
  const at = new Map<string, Set<string>>();
  for (const { object, adoption } of endpoints) {
    if (adoption.fqdn === null) continue;
    const there = at.get(adoption.fqdn);
    if (there === undefined) at.set(adoption.fqdn, new Set([formatRef(object.ref)]));
    else there.add(formatRef(object.ref));
  }
  return at;
}

/** Plans one name of a reading. Of other names the plan says nothing. */
export async function planName(
  context: Context,
  reading: ClusterReading,
  asking: AskingAt,
  name: string,
): Promise<ClusterPlan> {
  const above = [name, ...ancestorsOf(name)];
  const names = [...above, ...above.map((at) => `*.${at}`), ...hostsOf(name)];
  const asked = new Set(names.flatMap((at) => [...(asking.get(at) ?? [])]));
  const objects = new Map(
    [...reading.objects].filter(([id, known]) => asked.has(id) || isAlwaysRead(known) || hasAddressOf(known, name)),
  );
  const ledger = focused(context.ledger, context.config.clusterId, name);
  const plan = await planReading({ ...context, ledger }, { ...reading, objects }, {});
  return {
    ...plan,
    reading: { ...plan.reading, listing: reading.listing },
    hostedZones: await withHeld(ledger, plan, name),
  };
}

/** Zones, and objects with something to say to whoever asks for a name that they do not get. */
function isAlwaysRead({ now }: KnownObject): boolean {
  if (isZone(now.ref) || now.endpoints === null || now.problems.length > 0) return true;
  return now.leftOut !== undefined || now.waiting !== undefined;
}

/** True if a PTR at this name may follow from an address that the object asks for. */
function hasAddressOf({ now: { endpoints } }: KnownObject, name: string): boolean {
  if (!isReverseName(name)) return false;
  return (endpoints ?? []).some(({ values }) =>
    values.some((value) => {
      const address = readAddress(value);
      return address !== null && reverseName(address) === name;
    }),
  );
}

/** Partitions of a hosted zone whose sort keys are names. */
const BY_NAME = /^(?:dirty|held|readings|differences)#/;
const RECORD_SETS = /^recordsets#(.*)$/s;

/** The ledger with the items of one name where it has those of all names. */
function focused(ledger: Ledger, clusterId: string, name: string): Ledger {
  const itemsIn = async (partition: string): Promise<readonly LedgerItem[] | null> => {
    const [, hostedZoneId] = RECORD_SETS.exec(partition) ?? [];
    if (hostedZoneId !== undefined) return readNameItems(ledger, hostedZoneId, name);
    if (BY_NAME.test(partition) || partition === agesPartition(clusterId)) {
      const item = await ledger.get({ partition, sort: reversedKey(name) });
      return item === null ? [] : [item];
    }
    return null;
  };
  return {
    ...ledger,
    query: async (partition, options = {}) => {
      const { prefix = '', after = '' } = options;
      if (partition === HOSTED_ZONES_PARTITION) {
        const page = await ledger.query(partition, options);
        return { ...page, items: page.items.filter((item) => mayHave(item, name)) };
      }
      const items = prefix === '' ? await itemsIn(partition) : null;
      if (items === null) return ledger.query(partition, options);
      return { items: items.filter(({ sort }) => sort > after), next: null };
    },
  };
}

/** True for a hosted zone at or above the name. One that cannot be read may be. */
function mayHave(stored: LedgerItem, name: string): boolean {
  const item = hostedZoneCodec.read(stored);
  return item instanceof UnreadableItemError || isAtOrBelow(name, item.name);
}

async function withHeld(ledger: Ledger, plan: ClusterPlan, name: string): Promise<ClusterPlan['hostedZones']> {
  return Promise.all(
    plan.hostedZones.map(async (planned) => {
      const { hostedZone } = planned;
      if (hostedZone.held === null) return planned;
      const stored = await orUnread(() => readItem(ledger, heldItemKey(hostedZone.id, name), heldCodec));
      if (stored === null || stored instanceof UnreadableItemError || stored.item.released) return planned;
      const isHeld = (change: Change) =>
        change.action === 'delete' || planned.items.get(recordSetId(change))?.refusal?.reason === 'HeldByGuard';
      const held = planned.plan.changes.filter((change) => change.name === name && isHeld(change));
      const { digest, holds, reasons } = hostedZone.held;
      const ids = new Set(held.map(recordSetId));
      const go = planned.plan.guard.go.filter((change) => !ids.has(recordSetId(change)));
      const guard = { ...planned.plan.guard, go, held, digest, holds, reasons };
      return {
        ...planned,
        plan: { ...planned.plan, guard, annotated: otherAcknowledgement(hostedZone, hostedZone.held) },
      };
    }),
  );
}
