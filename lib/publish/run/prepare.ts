// What a run of publish does before it writes to Route 53, step by step:
//
//   read   ledger     the dirty names, their items, the names that the guard held where they matter
//   look   Route 53   what is in doubt, and the SOA where it may have to change
//   plan   pure       what may go, what is withheld, what is held

import { readSpeaker } from '../../directory/responsible-zone.ts';
import type { RecordSet } from '../../dns/record-set.ts';
import { guardSettings } from '../../ports/guard-limits.ts';
import { anyHeld, readHeld, readHeldAmong } from '../../record-sets/held-name.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { servicesOfRun } from '../counts/services.ts';
import { deletesThatWait } from '../plan/deletes-that-wait.ts';
import type { ServicesView } from '../plan/guard-services.ts';
import { dirtySinceMs, nameOf, noteName } from '../plan/names.ts';
import { type HostedZonePlan, type PlanGuard, type PlanInput, planHostedZone } from '../plan/plan-hosted-zone.ts';
import { endRun, isStopped, runAgain } from '../plan/progress.ts';
import { type DirtyPage, loadNames, readDirtyNames } from './dirty-names.ts';
import type { HeldMarks } from './hold-deletes.ts';
import { readSoa } from './publish-soa.ts';
import { resolveDoubts } from './read-back.ts';
import { deletionsNow, type Run } from './run.ts';

/** What was read of the ledger. */
type Snapshot = {
  readonly page: DirtyPage;
  readonly marks: HeldMarks;
  /** `marks` are all that the hosted zone has. */
  readonly heldIsWhole: boolean;
  /** Deletes that wait for more to come, by record set id. */
  readonly waiting: ReadonlySet<string>;
  /** The Services that what would be deleted is of; null: all deletes are judged alike. */
  readonly services: ServicesView | null;
};

export type Planned = Pick<Snapshot, 'page' | 'marks' | 'heldIsWhole'> & {
  readonly plan: HostedZonePlan;
  /** Names with deletes that wait for more to come: their dirty marks stay. */
  readonly waiting: ReadonlySet<string>;
  /** No Zone owns the hosted zone, so no annotation counts. False also if nothing is held or released. */
  readonly isLeft: boolean;
};

function isDelete(item: RecordSetItem): boolean {
  return item.desired === null && item.published !== null && item.type !== 'SOA';
}

/** Of released names the hosted zone never says anything. */
async function isAnyHeld({ deps, hostedZone, lease }: Run): Promise<boolean> {
  return hostedZone.held !== null || anyHeld(deps.ledger, lease.hostedZoneId);
}

/** The held names, if they matter: for a delete that does not wait, a dirty name, or a new acknowledgement. */
async function readHeldMarks(
  run: Run,
  marked: ReadonlySet<string>,
  waiting: ReadonlySet<string>,
): Promise<{ marks: HeldMarks; heldIsWhole: boolean }> {
  const { held, acknowledgement, recount } = run.hostedZone;
  const deletes = [...run.items].some(([id, { item }]) => isDelete(item) && !waiting.has(id));
  const news = held !== null && (acknowledgement?.state === 'open' || run.options.acknowledged.length > 0);
  // After a run that died, names may be held that the hosted zone does not say.
  const whole = deletes || recount || news || marked.size > 0;
  const stored = whole ? await readHeld(run.deps.ledger, run.lease.hostedZoneId) : [];
  return { marks: new Map(stored.map((one) => [one.item.name, one])), heldIsWhole: whole };
}

/** Reads what is dirty, and what the guard held of it. */
async function read(run: Run): Promise<Snapshot> {
  const [page, any] = await Promise.all([readDirtyNames(run), isAnyHeld(run)]);
  await loadNames(run, page.names);
  // Which of the dirty names the guard holds, or has released. One read where there is none at all.
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
  // What is held is of Services, too.
  return { page, ...held, waiting, services: held.marks.size === 0 ? services : await servicesOfRun(run) };
}

/** Settles what is in doubt. Returns the SOA where it was read; `stopped`: the run says why. */
async function look(run: Run, { page }: Snapshot): Promise<RecordSet | 'stopped' | null> {
  await resolveDoubts(run, page.retryNames);
  if (isStopped(run)) return 'stopped';
  const soa = await readSoa(run, page.retryNames);
  if (soa !== 'gone') return soa;
  endRun(run, 'gone');
  return 'stopped';
}

type PlanFacts = Pick<PlanInput, 'standingSoa'> & Pick<PlanGuard, 'services' | 'isLeft'>;

function plan(run: Run, { page, marks, waiting }: Snapshot, { standingSoa, services, isLeft }: PlanFacts) {
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
    standingSoa,
    guard: { limits: config.guard, services, acknowledged: run.options.acknowledged, isLeft },
    nowMs: clock.nowMs(),
  });
}

/** Reads, looks and plans. Null when the run stops here: it says why. */
export async function prepare(run: Run): Promise<Planned | null> {
  const snapshot = await read(run);
  const { page, marks, heldIsWhole, waiting, services } = snapshot;
  if (waiting.size > 0) runAgain(run, run.deps.config.deletesQuietMs / 1_000);
  const soa = await look(run, snapshot);
  if (soa === 'stopped') return null;
  const first = plan(run, snapshot, { standingSoa: soa, services, isLeft: false });
  // What is held is said with the name of the Zone that may let it go; what is released is so by a Zone that is still
  // there.
  const asks = first.guard.held.length > 0 || first.guard.releasedBy !== null || services !== null;
  const isLeft = asks && (await readSpeaker(run.deps.ledger, run.hostedZone))?.isOwn !== true;
  const waitingNames = new Set([...waiting].flatMap((id) => run.items.get(id)?.item.name ?? []));
  // Without a Zone of its own nobody says that Services come and go there.
  const planned = isLeft ? plan(run, snapshot, { standingSoa: soa, services: null, isLeft }) : first;
  for (const name of waitingNames) noteName(run.names, name, { stays: true });
  return { page, plan: planned, marks, heldIsWhole, waiting: waitingNames, isLeft };
}
