// What a run of publish does before it writes to Route 53, step by step:
//
//   read   ledger     the dirty names, their items, and the names with held deletes if they matter
//   look   Route 53   the names in doubt, and the SOA if it may have to change
//   settle ledger     the claims of other clusters, if there are any in the hosted zone
//   plan   pure       which changes may be applied, which are withheld, which are held
import { readResponsibleZone } from '../../directory/responsible-zone.ts';
import { nameOfReversedKey } from '../../dns/names/name.ts';
import type { RecordSet } from '../../dns/record-set.ts';
import type { UnreadableItemError } from '../../ledger/item-codec.ts';
import { allItems } from '../../ledger/pages.ts';
import { guardSettings } from '../../ports/guard-limits.ts';
import { countedNamespace, mayBeHeld } from '../../record-sets/guarded.ts';
import { anyHeld, heldCodec, heldPartition, readHeldAmong } from '../../record-sets/held-name.ts';
import { acknowledgedDigests } from '../../record-sets/hosted-zone-item.ts';
import { type NamespaceCounts, readNamespaces, withTallies } from '../counts/namespaces.ts';
import { servicesOfRun } from '../counts/services.ts';
import { isDoubtful } from '../existing/in-doubt.ts';
import { deletesThatWait } from '../plan/deletes-that-wait.ts';
import type { ServicesView } from '../plan/guard-services.ts';
import { dirtySinceMs, nameOf, noteName } from '../plan/names.ts';
import {
  type HostedZonePlan,
  type PlanGuard,
  type PlanInput,
  type PlannedNames,
  planHostedZone,
} from '../plan/plan-hosted-zone.ts';
import { endRun, isStopped, runAgain } from '../plan/progress.ts';
import { type DirtyPage, type HeldMarks, loadNames, readable, readDirtyNames, takeHeld } from './dirty-names.ts';
import { givingOf } from './give-away.ts';
import { readSoa } from './publish-soa.ts';
import { readNames, resolveDoubts } from './read-back.ts';
import { countsNow, type ItemsOfRun, type Run } from './run.ts';
import { type Contested, settleClaims } from './settle-claims.ts';
import { settleInherited, withoutKept } from './settle-inherited.ts';

/** What read() found in the ledger. */
type Snapshot = {
  readonly page: DirtyPage;
  readonly marks: HeldMarks;
  /** True if `marks` are all held marks of the hosted zone. */
  readonly heldIsWhole: boolean;
  /** Deletes that wait for further deletes, by record set id. */
  readonly waiting: ReadonlySet<string>;
  /** The Services whose record sets would be deleted; null: all deletes are judged by the same limits. */
  readonly services: ServicesView | null;
};

export type Planned = Pick<Snapshot, 'page' | 'marks' | 'heldIsWhole'> & {
  readonly plan: HostedZonePlan;
  /** Names with deletes that wait for further deletes: their dirty marks stay. */
  readonly waiting: ReadonlySet<string>;
  /** True if something is held or released, and no Zone owns the hosted zone: then no annotation counts. */
  readonly isLeft: boolean;
  /** The names that other clusters wait for. */
  readonly contested: readonly Contested[];
};

/** True if deletes are held or released. The hosted zone's item says nothing of released names, so marks are read. */
async function isAnyHeld({ deps, hostedZone, lease }: Run): Promise<boolean> {
  return hostedZone.held !== null || anyHeld(deps.ledger, lease.hostedZoneId);
}

/** Reads the held marks if they matter: for a delete that does not wait, a dirty name, or a new acknowledgement. */
async function readHeldMarks(
  run: Run,
  marked: ReadonlySet<string>,
  waiting: ReadonlySet<string>,
): Promise<{ marks: HeldMarks; heldIsWhole: boolean }> {
  const { held, acknowledgements } = run.hostedZone;
  const deletes = [...run.items].some(([id, { item }]) => mayBeHeld(item) && !waiting.has(id));
  const news =
    held !== null && (acknowledgements.some(({ state }) => state === 'open') || run.options.acknowledged.length > 0);
  // After a run that died, names may be held of which the hosted zone's item says nothing.
  const whole = deletes || run.abandoned !== null || news || marked.size > 0;
  const marks: HeldMarks = new Map();
  for (const stored of whole ? await allItems(run.deps.ledger, heldPartition(run.lease.hostedZoneId)) : []) {
    const item = readable(run, stored, heldCodec);
    if (item === null) noteName(run.names, nameOfReversedKey(stored.sort), { stays: true });
    else takeHeld(run, marks, { item, revision: stored.revision });
  }
  return { marks, heldIsWhole: whole };
}

/** Reads the dirty names, their items and held marks, and the Services that deletes concern. */
async function read(run: Run): Promise<Snapshot> {
  const [page, any] = await Promise.all([readDirtyNames(run), isAnyHeld(run)]);
  await loadNames(run, page.names);
  // The dirty names with held or released deletes.
  const marked = any ? await readHeldAmong(run.deps.ledger, run.hostedZone.id, page.names) : new Set<string>();
  const services = await servicesOfRun(run);
  const items = [...run.items.values()].map(({ item }) => item);
  const waiting = deletesThatWait(items, {
    hostedZone: run.hostedZone,
    dirtySinceMs: (name) => dirtySinceMs(nameOf(run.names, name)),
    marked,
    isHolding: run.hostedZone.held !== null,
    deletesMax: guardSettings(run.deps.config.guard).deletesMax,
    services,
    quietMs: run.deps.config.deletesQuietMs,
    nowMs: run.deps.clock.nowMs(),
  });
  const held = await readHeldMarks(run, marked, waiting);
  const dirty = new Set(page.names);
  await loadNames(
    run,
    [...held.marks.keys()].filter((name) => !dirty.has(name)),
  );
  // Held deletes may be of Services, too, and their items were not loaded before.
  return { page, ...held, waiting, services: held.marks.size === 0 ? services : await servicesOfRun(run) };
}

/** Reads the names in doubt back. Returns the SOA if it was read; `stopped`: the run has noted why it stops. */
async function look(run: Run, { page, marks }: Snapshot): Promise<RecordSet | 'stopped' | null> {
  const mayRelease = acknowledgedDigests(run.hostedZone).length > 0 || run.options.acknowledged.length > 0;
  const held = [...marks.values()].filter(({ item }) => !item.released && !mayRelease);
  const heldNames = new Set(held.map(({ item }) => item.name));
  // An intent of a later lease is of a run that is alive: this run was overtaken, and must not judge it.
  if ([...run.items.values()].some(({ item }) => item.intent !== null && item.intent.epoch > run.lease.epoch)) {
    endRun(run, 'lost');
    return 'stopped';
  }
  const { retryNames } = page;
  const { externalDns } = run.deps.config;
  await resolveDoubts(run, {
    isDoubtful: (item) => isDoubtful(run.hostedZone, externalDns, item, { retryNames, heldNames }),
    retryNames,
    read: (doubtful) => readNames(run, doubtful),
  });
  if (isStopped(run)) return 'stopped';
  const soa = await readSoa(run, retryNames);
  return isStopped(run) ? 'stopped' : soa;
}

/** Plans these names by the guard's numbers as the run has them now. */
export function planNames(
  run: ItemsOfRun,
  { names, existingSoa, ...guard }: Pick<PlanInput, 'names' | 'existingSoa'> & Omit<PlanGuard, 'limits'>,
): HostedZonePlan {
  const { deps, hostedZone } = run;
  return planHostedZone({
    hostedZone: { ...hostedZone, ...countsNow(run) },
    names,
    existingSoa,
    guard: { ...guard, limits: deps.config.guard },
    nowMs: deps.clock.nowMs(),
  });
}

/** What is planned of the names that a run has read. */
function namesOf({ items, names, options: { forgets } }: Run, { page, marks, waiting }: Snapshot): PlannedNames {
  return {
    items: [...items]
      .filter(([id, { item }]) => !waiting.has(id) && !nameOf(names, item.name).stays)
      .filter(([id]) => forgets?.has(id) ?? true)
      .map(([, { item }]) => item),
    heldMarks: [...marks.values()].map((stored) => stored.item),
    retryNames: page.retryNames,
    ...(forgets !== undefined && { forgets }),
  };
}

/**
 * The guard's numbers of the namespaces whose record sets are to be deleted; nothing is read if there are none. Names
 * of a namespace whose numbers this code cannot read stay as they are: what the guard cannot count is not deleted.
 */
export async function readNamespacesOf(
  run: ItemsOfRun,
  onUnread: (name: string, error: UnreadableItemError) => void,
): Promise<NamespaceCounts> {
  const { deps, hostedZone, items, names, progress } = run;
  const guarded = [...items.values()].flatMap(({ item }) => (mayBeHeld(item) ? [item] : []));
  if (guarded.length === 0) return new Map();
  const nowMs = deps.clock.nowMs();
  const unread = new Map<string, UnreadableItemError>();
  const asked = new Set(guarded.map(countedNamespace));
  const known = await readNamespaces(deps.ledger, hostedZone, asked, nowMs, unread);
  for (const item of guarded) {
    const error = unread.get(countedNamespace(item));
    if (error === undefined) continue;
    noteName(names, item.name, { stays: true });
    onUnread(item.name, error);
  }
  return withTallies(known, progress.talliesOf, nowMs);
}

/** Reads, looks and plans. Null if the run stops here: it has noted why. */
export async function prepare(run: Run): Promise<Planned | null> {
  const snapshot = await read(run);
  const { page, marks, heldIsWhole, waiting, services } = snapshot;
  if (waiting.size > 0) runAgain(run, run.deps.config.deletesQuietMs / 1_000);
  const soa = await look(run, snapshot);
  if (soa === 'stopped') return null;
  const { acknowledged, forgets } = run.options;
  const settled = await settleInherited(run, new Set([...page.names, ...marks.keys()]));
  const contested = forgets === undefined ? await settleClaims(run, givingOf(run)) : [];
  const namespaces = await readNamespacesOf(run, (name, { message }) => run.deps.log('error', message, { name }));
  const names = namesOf(run, snapshot);
  const facts = { existingSoa: soa, acknowledged, services, isLeft: false, namespaces };
  const first = planNames(run, { names, ...facts });
  // A hold names the Zone that may release it, and only a Zone that still owns the hosted zone releases anything.
  const asks = first.guard.held.length > 0 || first.guard.releasedBy.length > 0 || services !== null;
  const isLeft = asks && (await readResponsibleZone(run.deps.ledger, run.hostedZone))?.isOwn !== true;
  // The limits for Services apply only while a Zone owns the hosted zone.
  const leftFacts = { ...facts, services: null, isLeft };
  const judged = isLeft ? planNames(run, { names, ...leftFacts }) : first;
  const isHolding = judged.guard.held.length > 0 || (run.hostedZone.held !== null && !heldIsWhole);
  const items = withoutKept(names.items, settled, isHolding);
  const kept = names.items.filter((item) => !items.includes(item));
  const planned = kept.length === 0 ? judged : planNames(run, { names: { ...names, items }, ...leftFacts });
  const waitingNames = new Set([...waiting].flatMap((id) => run.items.get(id)?.item.name ?? []));
  for (const name of [...waitingNames, ...kept.map((item) => item.name)]) noteName(run.names, name, { stays: true });
  return { page, plan: planned, marks, heldIsWhole, waiting: waitingNames, isLeft, contested };
}
