// What other clusters publish because of a plan: they give what it takes, get what it gives, and publish what its
// changes allow. Their runs are rehearsed by publish() itself, over a copy of the ledger, so a plan shows what apply
// does. Route 53 is not read: the rehearsal takes the ledger for what it has.
import { type Change, compareChanges, digestChanges } from '../dns/plan-changes.ts';
import { type RecordSet, recordSetId, sameContent } from '../dns/record-set.ts';
import { UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import { isShare } from '../objects/share-id.ts';
import { guardLimitsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { HostedZones } from '../ports/hosted-zones.ts';
import type { Ledger } from '../ports/ledger.ts';
import { NO_QUEUES } from '../ports/queues.ts';
import type { ChangeOutcome } from '../publish/plan/outcome.ts';
import { type HostedZonePlan, NO_CHANGES } from '../publish/plan/plan-hosted-zone.ts';
import { givingOf } from '../publish/run/give-away.ts';
import { DEFAULT_PUBLISH_CONFIG, publish } from '../publish/run/publish-hosted-zone.ts';
import { type ItemsOfRun, momentOf, type PublishDeps, type PublishOptions } from '../publish/run/run.ts';
import { type Contested, type Given, type Taken, wakeHidden, wakeWaiting } from '../publish/run/settle-claims.ts';
import { type HostedZoneItem, hostedZoneIdOf } from '../record-sets/hosted-zone-item.ts';
import { changeHostedZone, readHostedZone } from '../record-sets/lease.ts';
import { type RecordSetItem, recordSetCodec, recordSetsPartition } from '../record-sets/record-set-item.ts';
import { changeRecordSetItem, readName } from '../record-sets/store.ts';
import { withPublished } from '../record-sets/transitions.ts';
import { overlayLedger } from '../rehearse/overlay-ledger.ts';
import type { Woken } from './plan-given.ts';
import { itemsIn } from './rehearsed-run.ts';

/** How often hosted zones are published again because another cluster gave them something. */
export const ROUNDS_MAX = 5;
/** How many runs publish one hosted zone in a round. */
const RUNS_MAX = 100;

/** What a hosted zone's plan does to other clusters. All empty: nothing. */
export type Meeting = {
  readonly given: readonly Given[];
  readonly taken: readonly Taken[];
  readonly woken: readonly Woken[];
  readonly contested: readonly Contested[];
  /** What is deleted. */
  readonly gone: readonly Change[];
  /** The record sets at these names before and after the plan. */
  readonly before: readonly RecordSetItem[];
  readonly after: readonly RecordSetItem[];
};

export const NO_MEETING: Meeting = { given: [], taken: [], woken: [], contested: [], gone: [], before: [], after: [] };

/** What a planned run does to other clusters. `asked`: its items as they are desired, by id. */
export function meetingOf(
  run: ItemsOfRun,
  plan: HostedZonePlan,
  asked: ReadonlyMap<string, RecordSetItem>,
  { contested, ...met }: Pick<Meeting, 'given' | 'taken' | 'woken' | 'contested'>,
): Meeting {
  const adopted = plan.changes.filter(({ action }) => action === 'adopt');
  const made = new Map([...plan.go, ...adopted].map((change) => [recordSetId(change), change]));
  const given = new Set(met.given.map(({ item }) => recordSetId(item)));
  const moved = contested.filter(({ ids }) => ids.some((id) => made.has(id) || given.has(id)));
  const { id, shares = [] } = run.hostedZone;
  const gone = isShare(id) || shares.length > 0 ? plan.go.filter(({ after }) => after === null) : [];
  const names = new Set([
    ...gone.map(({ name }) => name),
    ...[...met.given, ...met.taken].map(({ item }) => item.name),
    ...[...met.woken, ...moved].map(({ name }) => name),
  ]);
  if (names.size === 0) return NO_MEETING;
  const moment = momentOf(run);
  const isThere = ({ name }: RecordSetItem) => names.has(name);
  const after = itemsIn(run)
    .filter(isThere)
    .map((item) => {
      const change = made.get(recordSetId(item));
      if (change === undefined) return item;
      const { after: content, objects } = change;
      return withPublished(moment, item, content, { objects, ...(content === null && { deleted: true }) });
    });
  return { ...met, contested: moved, gone, before: [...asked.values()].filter(isThere), after };
}

/** The part of a plan for another cluster. */
export type OthersPart = {
  readonly hostedZone: HostedZoneItem;
  readonly plan: HostedZonePlan;
  readonly items: ReadonlyMap<string, RecordSetItem>;
  readonly taken: readonly Taken[];
  readonly kept: ReadonlyMap<string, UnreadableItemError>;
  readonly isOthers: true;
};

/** Plans what other clusters publish because of these plans. Writes nothing. */
export async function planOthers(
  context: Context,
  planned: readonly (Pick<OthersPart, 'hostedZone' | 'plan'> & { readonly meeting: Meeting })[],
): Promise<readonly OthersPart[]> {
  const meeting = planned.filter((one) => one.meeting !== NO_MEETING);
  if (meeting.length === 0) return [];
  const sinceMs = context.clock.nowMs();
  const rehearsal = rehearse(context);
  const { ledger } = rehearsal;
  for (const {
    hostedZone,
    meeting: { before },
  } of meeting) {
    await note(ledger, hostedZone);
    for (const item of before) await write(ledger, hostedZone.id, item);
  }
  for (const {
    meeting: { taken },
  } of meeting)
    for (const [id, ofOne] of Map.groupBy(taken, ({ from }) => from.id)) {
      const names = [...new Set(ofOne.map(({ item }) => item.name))];
      await rehearsal.publish(id, { names: { names, retryNames: new Set() } });
    }
  for (const {
    hostedZone,
    meeting: { given, woken, contested, gone, after },
  } of meeting) {
    // How it was given, the other cluster has noted.
    for (const { takenFrom: _, ...item } of after) await write(ledger, hostedZone.id, item);
    const giving = givingOf({ deps: rehearsal.deps, hostedZone });
    for (const one of given) await giving.give(one);
    for (const { fellow, name } of woken) await giving.wake(fellow, name);
    await giving.finish();
    const items = new Map(after.map((item) => [recordSetId(item), { item, revision: '' }]));
    await wakeWaiting({ items }, contested, giving);
    await wakeHidden({ ledger }, hostedZone, gone, giving);
  }
  const shown = new Map(meeting.map(({ hostedZone, plan }) => [hostedZone.id, plan.go]));
  const shared = new Set(meeting.map(({ hostedZone }) => hostedZoneIdOf(hostedZone.id)));
  for (let round = 0; round < ROUNDS_MAX; round += 1)
    for (const id of rehearsal.takeWoken()) if (shared.has(hostedZoneIdOf(id))) await rehearsal.publish(id, {});
  const parts: OthersPart[] = [];
  for (const [id, all] of rehearsal.outcomes) {
    if (shown.has(id)) continue;
    // What several clusters have together is one change.
    const known = [...shown].flatMap(([one, changes]) => (hostedZoneIdOf(one) === hostedZoneIdOf(id) ? changes : []));
    const isShown = ({ change }: ChangeOutcome) =>
      known.some((one) => recordSetId(one) === recordSetId(change) && sameContent(one.after, change.after));
    const outcomes = [...all.values()].filter((one) => !isShown(one));
    const part = await partOf(context.ledger, ledger, { id, outcomes, sinceMs });
    if (part !== null) parts.push(part);
    shown.set(id, part?.plan.changes ?? []);
  }
  return parts;
}

type Rehearsal = {
  readonly ledger: Ledger;
  readonly deps: PublishDeps;
  /** The changes of each hosted zone, or share of one, by record set id, in the order in which they were made. */
  readonly outcomes: ReadonlyMap<string, ReadonlyMap<string, ChangeOutcome>>;
  readonly publish: (id: string, options: PublishOptions) => Promise<void>;
  /** The hosted zones that are to be published since this was asked. */
  readonly takeWoken: () => readonly string[];
};

/** Runs of publish that write to no ledger and to no Route 53. What was to be published before is left alone. */
function rehearse({ ledger: below, clock, config, account: { externalDns = [] } }: Context): Rehearsal {
  const isDirty = (partition: string) => partition.startsWith('dirty#');
  const ledger = overlayLedger({
    get: async (key) => (isDirty(key.partition) ? null : below.get(key)),
    query: async (partition, options) =>
      isDirty(partition) ? { items: [], next: null } : below.query(partition, options),
  });
  const woken = new Set<string>();
  const outcomes = new Map<string, Map<string, ChangeOutcome>>();
  let holders = 0;
  const deps: PublishDeps = {
    ledger,
    hostedZones: asInLedger(ledger),
    clock: { nowMs: () => clock.nowMs(), sleep: async () => {} },
    queues: { ...NO_QUEUES, publish: async (id) => void woken.add(id) },
    config: {
      ...{ ...DEFAULT_PUBLISH_CONFIG, guard: guardLimitsOf(config), namesMax: Number.MAX_SAFE_INTEGER, externalDns },
      standby: config.standby,
      extendedViews: config.extendedViews,
    },
    newHolder: () => {
      holders += 1;
      return `rehearsal ${holders}`;
    },
    log: () => {},
  };
  return {
    ledger,
    deps,
    outcomes,
    takeWoken: () => {
      const ids = [...woken];
      woken.clear();
      return ids;
    },
    publish: async (id, options) => {
      const ofOne = outcomes.get(id) ?? new Map<string, ChangeOutcome>();
      outcomes.set(id, ofOne);
      // Whoever publishes there now is done before apply is.
      await changeHostedZone(ledger, id, (item) => item && { ...item, lease: null });
      for (let runs = 0; runs < RUNS_MAX; runs += 1) {
        const result = await publish(deps, id, { ...options, callerRepeats: true });
        if (result.kind !== 'done') return;
        for (const one of result.outcomes) {
          const key = recordSetId(one.change);
          const earlier = ofOne.get(key);
          const before = earlier?.outcome === 'published' ? earlier.change.before : one.change.before;
          ofOne.set(key, { ...one, change: { ...one.change, before } });
        }
        if (result.retryAfterSeconds !== 0) return;
      }
    },
  };
}

/** Route 53 with exactly what the ledger says that each cluster has published, and that takes every change. */
function asInLedger(ledger: Ledger): HostedZones {
  const refuse = async (): Promise<never> => {
    throw new Error('a rehearsal creates no hosted zone, and finds none');
  };
  const published = (items: readonly RecordSetItem[]): readonly RecordSet[] =>
    items.flatMap(({ name, type, setIdentifier, published: content }) =>
      content === null ? [] : [{ name, type, setIdentifier, content }],
    );
  const everyId = async (id: string) => {
    const first = await readHostedZone(ledger, hostedZoneIdOf(id));
    return [hostedZoneIdOf(id), ...(first?.item.shares ?? [])];
  };
  const once = (sets: readonly RecordSet[]) => [...new Map(sets.map((set) => [recordSetId(set), set])).values()];
  return {
    list: refuse,
    get: refuse,
    create: refuse,
    change: async () => ({ kind: 'accepted' }),
    changeStatus: async () => ({ kind: 'unsaid', message: null }),
    protections: async () => [],
    readName: async (id, name) => {
      const all = await Promise.all((await everyId(id)).map((one) => readName(ledger, one, name)));
      return once(published(all.flat().map(({ item }) => item)));
    },
    readPage: async (id) => {
      const all = await Promise.all((await everyId(id)).map((one) => allItems(ledger, recordSetsPartition(one))));
      const items = all.flat().flatMap((stored) => {
        const item = recordSetCodec.read(stored);
        return item instanceof UnreadableItemError ? [] : [item];
      });
      return { recordSets: once(published(items)), next: null };
    },
  };
}

/** Notes the hosted zone, or the share of one, of a plan that is the first to use it. */
async function note(ledger: Ledger, hostedZone: HostedZoneItem): Promise<void> {
  const { id } = hostedZone;
  await changeHostedZone(ledger, id, (item) => item ?? hostedZone);
  const own = hostedZoneIdOf(id);
  if (own === id) return;
  await changeHostedZone(ledger, own, (item) => {
    const shares = item?.shares ?? [];
    return item === null || shares.includes(id) ? null : { ...item, shares: [...shares, id] };
  });
}

/** Writes the item, but for what it was taken from: without it, that stays as it is. */
async function write(ledger: Ledger, hostedZoneId: string, item: RecordSetItem): Promise<void> {
  await changeRecordSetItem(ledger, hostedZoneId, item, null, ({ takenFrom }) =>
    takenFrom === undefined ? item : { takenFrom, ...item },
  );
}

/** The part of the plan for a hosted zone, or a share of one, of another cluster; null: nothing changes there. */
async function partOf(
  below: Ledger,
  ledger: Ledger,
  {
    id,
    outcomes,
    sinceMs,
  }: { readonly id: string; readonly outcomes: readonly ChangeOutcome[]; readonly sinceMs: number },
): Promise<OthersPart | null> {
  const made = outcomes.flatMap(({ change, outcome }) => {
    const isMade = outcome === 'published' || outcome === 'held';
    if (!isMade || sameContent(change.before, change.after)) return [];
    const action = change.before === null ? 'create' : change.after === null ? 'delete' : 'update';
    return [{ change: { ...change, action } as const, isHeld: outcome === 'held' }];
  });
  const stored = await readHostedZone(below, id);
  if (made.length === 0 || stored === null) return null;
  const changes = made.map(({ change }) => change).toSorted(compareChanges);
  const held = made.flatMap(({ change, isHeld }) => (isHeld ? [change] : []));
  const after = (await readHostedZone(ledger, id))?.item.held ?? null;
  const guard = { ...NO_CHANGES.guard, held, ...(held.length > 0 && after !== null && heldOf(after)) };
  const plan = { ...NO_CHANGES, changes, digest: digestChanges(changes), guard };
  const items = new Map<string, RecordSetItem>();
  const taken: Taken[] = [];
  for (const name of new Set(changes.map((change) => change.name)))
    for (const { item } of await readName(ledger, id, name)) {
      items.set(recordSetId(item), item);
      const { takenFrom } = item;
      if (takenFrom !== undefined && takenFrom.atMs >= sinceMs)
        taken.push({ item, from: { cluster: takenFrom.cluster, id: '' } });
    }
  return { hostedZone: stored.item, plan, items, taken, kept: new Map(), isOthers: true };
}

function heldOf({ digest, holds, reasons }: NonNullable<HostedZoneItem['held']>) {
  return { digest, holds, reasons };
}
