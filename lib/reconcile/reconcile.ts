// From hints to dirty names: observes the objects behind a batch of hints, brings the directory up to date when a Zone
// moved, settles the names that are touched, and asks for reports. Every step may be done twice; the object items say
// *unsettled* until the last one is, so that a run that dies anywhere is done again by the redelivered hint or the sweep.
import { isAtOrBelow } from '../dns/name.ts';
import { formatRef, keyOf, type ObjectRef, parseRef, type ZoneKey } from '../kubizone/objects.ts';
import type { Context } from './context.ts';
import { inParallel } from './in-parallel.ts';
import { decodeHostedZoneItem, HOSTED_ZONES_PARTITION } from './ledger-items.ts';
import { allItems, eachItem } from './ledger-pages.ts';
import { membersPartition, objectsPartition, type RecordItem } from './object-items.ts';
import { type Observed, observe } from './observe.ts';
import type { Hint, ObjectKind } from './ports.ts';
import { type HostedZoneName, settle } from './settle.ts';
import { settleZones } from './settle-zones.ts';
import { readSubtreeTasks } from './subtree-task.ts';

/** Objects observed, and names settled, at once. */
const AT_ONCE = 8;
/** A write that a webhook saw may not be readable yet: look again after so many seconds, so many times. */
const LOOK_AGAIN_SECONDS = 1;
const LOOK_AGAIN_MAX = 5;

/** Reconciles a batch of hints. Throws when anything is left undone: the hints then come back. */
export async function reconcile(context: Context, hints: readonly Hint[]): Promise<void> {
  const refs = await objectsBehind(context, hints);
  const settled: { readonly ref: ObjectRef; readonly note: Observed['settled'] }[] = [];
  const names = new Map<string, Set<string>>();
  const reports = new Map<string, ObjectRef>();
  const zones: ZoneKey[] = [];
  let again = false;
  await inParallel(refs.values(), AT_ONCE, async (ref) => {
    const observed = await observe(context, ref);
    if (observed === null) return;
    reports.set(formatRef(ref), ref);
    if (observed.reportOnly === true) return;
    settled.push({ ref, note: observed.settled });
    again ||= observed.again;
    if (ref.kind === 'Zone') zones.push(keyOf(ref));
    for (const name of observed.names) names.set(name, (names.get(name) ?? new Set()).add(ref.namespace));
  });
  const apexMoved = await settleNames(context, names, again, reports);
  const moved = zones.length > 0 || apexMoved.size > 0;
  if (moved || (again && (await readSubtreeTasks(context)).length > 0)) {
    for (const key of zones) await addMembers(context, key, reports);
    for (const ref of await settleZones(context, apexMoved)) reports.set(formatRef(ref), ref);
  }
  // Before the objects are settled: who is to be told of a name that was left is not known afterwards.
  if (reports.size > 0) await context.queues.report([...reports.values()]);
  for (const { ref, note } of settled) if (!(await note())) await context.queues.hint([ref], LOOK_AGAIN_SECONDS);
  await lookAgain(context, hints);
}

async function settleNames(
  context: Context,
  names: ReadonlyMap<string, ReadonlySet<string>>,
  again: boolean,
  reports: Map<string, ObjectRef>,
): Promise<Set<ZoneKey>> {
  const apexMoved = new Set<ZoneKey>();
  // A run that died may have written where no Zone leads any more.
  const hostedZones = again ? await hostedZonesKnown(context) : [];
  await inParallel(names, AT_ONCE, async ([name, namespaces]) => {
    const alsoIn = hostedZones.filter(({ apex }) => isAtOrBelow(name, apex));
    const settled = await settle(context, name, { namespaces, alsoIn });
    for (const ref of settled.objects) reports.set(formatRef(ref), ref);
    if (settled.apexMoved !== null) apexMoved.add(settled.apexMoved);
  });
  return apexMoved;
}

async function hostedZonesKnown({ ledger, config }: Context): Promise<readonly HostedZoneName[]> {
  const items = (await allItems(ledger, HOSTED_ZONES_PARTITION)).map(decodeHostedZoneItem);
  return items.filter(({ cluster }) => cluster === config.clusterId).map(({ id, name }) => ({ id, apex: name }));
}

/** Records that name this Zone: what is said of them changes with it, also while it is not live. */
async function addMembers({ ledger, config }: Context, zone: ZoneKey, reports: Map<string, ObjectRef>): Promise<void> {
  for await (const item of eachItem(ledger, membersPartition(config.clusterId, zone))) {
    const { ref } = item.body as unknown as RecordItem;
    reports.set(formatRef(ref), ref);
  }
}

/** The objects that hints stand for. One without a name stands for all of its kind there: those that are, and those that were. */
async function objectsBehind(context: Context, hints: readonly Hint[]): Promise<ReadonlyMap<string, ObjectRef>> {
  const refs = new Map<string, ObjectRef>();
  const wide = hints.filter((hint) => hint.name === null || hint.namespace === null);
  for (const { kind, namespace, name } of hints) {
    if (name === null || namespace === null) continue;
    refs.set(formatRef({ kind, namespace, name }), { kind, namespace, name });
  }
  if (wide.length === 0) return refs;
  const matches = (ref: ObjectRef) =>
    wide.some((hint) => hint.kind === ref.kind && (hint.namespace === null || hint.namespace === ref.namespace));
  const { objects } = await context.cluster.list();
  for (const { ref } of objects) if (matches(ref)) refs.set(formatRef(ref), ref);
  for (const kind of ['Zone', 'Record'] satisfies ObjectKind[]) {
    for await (const item of eachItem(context.ledger, objectsPartition(context.config.clusterId, kind))) {
      const ref = parseRef(`${kind} ${item.sort}`);
      if (matches(ref)) refs.set(formatRef(ref), ref);
    }
  }
  return refs;
}

async function lookAgain(context: Context, hints: readonly Hint[]): Promise<void> {
  for (const hint of hints) {
    const { oldVersion, namespace, name, kind, attempt = 0 } = hint;
    if (oldVersion === undefined || namespace === null || name === null || attempt >= LOOK_AGAIN_MAX) continue;
    const observation = await context.cluster.get({ kind, namespace, name }, null);
    const unchanged = observation.kind === 'present' ? observation.object.version === oldVersion : oldVersion === '';
    if (unchanged) await context.queues.hint([{ ...hint, attempt: attempt + 1 }], LOOK_AGAIN_SECONDS);
  }
}
