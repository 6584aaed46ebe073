// What becomes of the record sets of a cluster that is retired. Its claims are judged as if they were gone: what
// another cluster asks for moves to that one; the rest is deleted under the guard, or stays in Route 53 and is
// forgotten.
import { UnreadableItemError } from '../ledger/item-codec.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger } from '../ports/ledger.ts';
import { countPublished } from '../publish/run/charge-deletes.ts';
import { planNames, readNamespacesOf } from '../publish/run/prepare.ts';
import { type Given, settleClaims, type Taken } from '../publish/run/settle-claims.ts';
import { settleNothing } from '../publish/run/settle-inherited.ts';
import { type HostedZoneItem, hostedZoneIdOf, isLeft, isOfDnsRecords } from '../record-sets/hosted-zone-item.ts';
import { hostedZonesOf, readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import { type RecordSetItem, recordSetCodec, recordSetsPartition } from '../record-sets/record-set-item.ts';
import { needsPublishing } from '../record-sets/state.ts';
import type { PublishedPlan } from './apply-hosted-zone.ts';
import { namesToRetry } from './names-to-retry.ts';
import { rehearsedGiving } from './plan-given.ts';
import { readStored } from './read-stored.ts';
import { itemsIn, rehearsedRun, resolveWrites } from './rehearsed-run.ts';

/** `retain`: what no other cluster asks for stays in Route 53. */
export type AskedRetirement = { readonly cluster: string; readonly retain: boolean };

type Part = PublishedPlan & { readonly names: readonly string[] };

/** `own`: of the hosted zones of the cluster. `others`: what other clusters get there. */
export type PlannedRetirement = { readonly own: readonly Part[]; readonly others: readonly Part[] };

/** Plans it, and writes nothing. */
export async function planRetirement(context: Context, asked: AskedRetirement): Promise<PlannedRetirement> {
  const hostedZones = await withdrawnFrom(context, asked.cluster);
  const ids = hostedZones.map(({ id }) => id);
  const decided = { ...context, ledger: withdrawnLedger(context.ledger, ids) };
  const all = await readableHostedZones(context.ledger, context.log);
  const own: Part[] = [];
  const others: Part[] = [];
  for (const hostedZone of hostedZones) {
    const part = await ownPart(decided, hostedZone, asked);
    own.push(part);
    const giver = { cluster: asked.cluster, names: new Set(part.names) };
    const isAnother = ({ id, gone, retired }: HostedZoneItem) =>
      id !== hostedZone.id &&
      !gone &&
      !retired &&
      !isOfDnsRecords(id) &&
      hostedZoneIdOf(id) === hostedZoneIdOf(hostedZone.id);
    for (const taker of all.filter(isAnother)) {
      const taken = await takersPart(decided, taker, giver);
      if (taken !== null) others.push(taken);
    }
  }
  return { own, others };
}

/**
 * The hosted zones in which the claims of the cluster are withdrawn. One that is gone, or that the configuration no
 * longer lists, is only forgotten.
 */
export async function withdrawnFrom(
  { ledger, log, config }: Pick<Context, 'ledger' | 'log' | 'config'>,
  cluster: string,
): Promise<readonly HostedZoneItem[]> {
  const all = await hostedZonesOf(ledger, cluster, log);
  return all.filter((one) => !isOfDnsRecords(one.id) && !isLeft(config, one));
}

/** The item once its cluster asks for nothing; null: it is so already. What is inherited ends with the Zone. */
export function withdrawn(item: RecordSetItem): RecordSetItem | null {
  const { lost, takesEqual, standbyMs, merges, claimed, refusal, ...rest } = item;
  const isOpen = refusal !== null && refusal.reason !== 'HeldByGuard';
  const isAsked = item.desired !== null || item.objects.length > 0 || item.isAsked || lost !== undefined;
  if (item.inherits === true || (!isAsked && !isOpen)) return null;
  return { ...rest, desired: null, objects: [], isAsked: false, takeover: false, refusal: isOpen ? null : refusal };
}

/** The ledger as it is once nothing is asked for in these hosted zones, or shares of them. */
function withdrawnLedger(ledger: Ledger, ids: readonly string[]): Ledger {
  const partitions = new Set(ids.map(recordSetsPartition));
  return {
    get: (key) => ledger.get(key),
    query: async (partition, options) => {
      const page = await ledger.query(partition, options);
      if (!partitions.has(partition)) return page;
      const items = page.items.map((stored) => {
        const item = recordSetCodec.read(stored);
        const after = item instanceof UnreadableItemError ? null : withdrawn(item);
        return after === null ? stored : { ...stored, body: recordSetCodec.encode(after) };
      });
      return { ...page, items };
    },
    put: (...args) => ledger.put(...args),
    remove: (...args) => ledger.remove(...args),
  };
}

/** The part of a plan of which nothing is read in Route 53. */
const UNREAD = { pending: false, drifts: [], differences: [], read: null };

/** What goes from a hosted zone of the cluster, or is forgotten there. */
async function ownPart(context: Context, before: HostedZoneItem, { retain }: AskedRetirement): Promise<Part> {
  const hostedZone: HostedZoneItem = retain ? { ...before, retains: true } : before;
  const { stored, heldMarks, names: unread } = await readStored(context.ledger, hostedZone.id);
  const kept = new Map(unread);
  const items = stored.map(({ item }) => item);
  const run = await countPublished(rehearsedRun(context, hostedZone, items));
  await resolveWrites(context, run, true);
  await settleNothing(run);
  const given: Given[] = [];
  await settleClaims(run, rehearsedGiving(given));
  const namespaces = await readNamespacesOf(run, (name, error) => kept.set(name, error));
  const left = itemsIn(run).filter(({ name }) => !kept.has(name));
  const names = {
    items: left,
    heldMarks: heldMarks.filter(({ name }) => !kept.has(name)),
    retryNames: namesToRetry(left, context.clock.nowMs()),
  };
  // No Zone of the cluster acknowledges anything any more.
  const guard = { services: null, namespaces, acknowledged: [], isLeft: true };
  const plan = planNames(run, { names, existingSoa: null, ...guard });
  return { hostedZone, plan, kept, names: [...new Set(items.map(({ name }) => name))], ...UNREAD };
}

/**
 * What another cluster of the hosted zone gets at these names, and what it has got before and not yet replaced. Null:
 * it has nothing there.
 */
async function takersPart(
  context: Context,
  hostedZone: HostedZoneItem,
  { cluster, names }: { readonly cluster: string; readonly names: ReadonlySet<string> },
): Promise<Part | null> {
  const { stored, names: unread } = await readStored(context.ledger, hostedZone.id);
  const kept = new Map(unread);
  const all = stored.map(({ item }) => item);
  const begun = all.filter((item) => item.takenFrom?.cluster === cluster && needsPublishing(item));
  const open = names.union(new Set(begun.map(({ name }) => name)));
  const items = all.filter(({ name }) => open.has(name) && !kept.has(name));
  if (!items.some(({ desired }) => desired !== null)) return null;
  const run = await countPublished(rehearsedRun(context, hostedZone, items));
  const taken: Taken[] = begun.map((item) => ({ item, from: { cluster, id: '' } }));
  await settleClaims(run, rehearsedGiving([], taken));
  const namespaces = await readNamespacesOf(run, (name, error) => kept.set(name, error));
  const planned = { items: itemsIn(run), heldMarks: [], retryNames: new Set<string>() };
  const guard = { services: null, namespaces, acknowledged: [], isLeft: false };
  const plan = planNames(run, { names: planned, existingSoa: null, ...guard });
  return { hostedZone, plan, kept, taken, names: [...new Set(items.map(({ name }) => name))], ...UNREAD };
}
