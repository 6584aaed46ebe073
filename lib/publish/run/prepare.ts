// What a run of publish does before it writes to Route 53, step by step:
//
//   read   ledger     the dirty names, their items, and the names with held deletes if they matter
//   look   Route 53   the names in doubt, and the SOA if it may have to change
//   plan   pure       which changes may be applied, which are withheld, which are held
import { readResponsibleZone } from '../../directory/responsible-zone.ts';
import { nameOfReversedKey } from '../../dns/names/name.ts';
import type { RecordSet } from '../../dns/record-set.ts';
import { allItems } from '../../ledger/pages.ts';
import { guardSettings } from '../../ports/guard-limits.ts';
import { anyHeld, heldCodec, heldPartition, readHeldAmong } from '../../record-sets/held-name.ts';
import { acknowledgedDigest } from '../../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { servicesOfRun } from '../counts/services.ts';
import { deletesThatWait } from '../plan/deletes-that-wait.ts';
import type { ServicesView } from '../plan/guard-services.ts';
import { dirtySinceMs, nameOf, noteName } from '../plan/names.ts';
import { type HostedZonePlan, type PlanGuard, type PlanInput, planHostedZone } from '../plan/plan-hosted-zone.ts';
import { isStopped, runAgain } from '../plan/progress.ts';
import { type DirtyPage, loadNames, readable, readDirtyNames } from './dirty-names.ts';
import type { HeldMarks } from './hold-deletes.ts';
import { readSoa } from './publish-soa.ts';
import { resolveDoubts } from './read-back.ts';
import { deletionsNow, type Run } from './run.ts';

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
};

function isDelete(item: RecordSetItem): boolean {
  return item.desired === null && item.published !== null && item.type !== 'SOA';
}

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
  const { held, acknowledgement, recount } = run.hostedZone;
  const deletes = [...run.items].some(([id, { item }]) => isDelete(item) && !waiting.has(id));
  const news = held !== null && (acknowledgement?.state === 'open' || run.options.acknowledged.length > 0);
  // After a run that died, names may be held of which the hosted zone's item says nothing.
  const whole = deletes || recount || news || marked.size > 0;
  const marks: HeldMarks = new Map();
  for (const stored of whole ? await allItems(run.deps.ledger, heldPartition(run.lease.hostedZoneId)) : []) {
    const item = readable(run, stored, heldCodec);
    if (item === null) noteName(run.names, nameOfReversedKey(stored.sort), { stays: true });
    else marks.set(item.name, { item, revision: stored.revision });
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
    apex: run.hostedZone.name,
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
  const mayRelease = acknowledgedDigest(run.hostedZone) !== null || run.options.acknowledged.length > 0;
  const held = [...marks.values()].filter(({ item }) => !item.released && !mayRelease);
  const heldNames = new Set(held.map(({ item }) => item.name));
  await resolveDoubts(run, { retryNames: page.retryNames, heldNames });
  if (isStopped(run)) return 'stopped';
  const soa = await readSoa(run, page.retryNames);
  return isStopped(run) ? 'stopped' : soa;
}

type PlanFacts = Pick<PlanInput, 'existingSoa'> & Pick<PlanGuard, 'services' | 'isLeft'>;

function plan(run: Run, { page, marks, waiting }: Snapshot, { existingSoa, services, isLeft }: PlanFacts) {
  const { clock, config } = run.deps;
  return planHostedZone({
    hostedZone: {
      ...run.hostedZone,
      publishedCount: run.hostedZone.publishedCount + run.progress.tallies.published,
      deletions: deletionsNow(run),
    },
    names: {
      items: [...run.items]
        .filter(([id, { item }]) => !waiting.has(id) && !nameOf(run.names, item.name).stays)
        .map(([, { item }]) => item),
      heldMarks: [...marks.values()].map((stored) => stored.item),
      retryNames: page.retryNames,
    },
    existingSoa,
    guard: { limits: config.guard, services, acknowledged: run.options.acknowledged, isLeft },
    nowMs: clock.nowMs(),
  });
}

/** Reads, looks and plans. Null if the run stops here: it has noted why. */
export async function prepare(run: Run): Promise<Planned | null> {
  const snapshot = await read(run);
  const { page, marks, heldIsWhole, waiting, services } = snapshot;
  if (waiting.size > 0) runAgain(run, run.deps.config.deletesQuietMs / 1_000);
  const soa = await look(run, snapshot);
  if (soa === 'stopped') return null;
  const first = plan(run, snapshot, { existingSoa: soa, services, isLeft: false });
  // A hold names the Zone that may release it, and only a Zone that still owns the hosted zone releases anything.
  const asks = first.guard.held.length > 0 || first.guard.releasedBy !== null || services !== null;
  const isLeft = asks && (await readResponsibleZone(run.deps.ledger, run.hostedZone))?.isOwn !== true;
  const waitingNames = new Set([...waiting].flatMap((id) => run.items.get(id)?.item.name ?? []));
  // The limits for Services apply only while a Zone owns the hosted zone.
  const planned = isLeft ? plan(run, snapshot, { existingSoa: soa, services: null, isLeft }) : first;
  for (const name of waitingNames) noteName(run.names, name, { stays: true });
  return { page, plan: planned, marks, heldIsWhole, waiting: waitingNames, isLeft };
}
