// What a run of publish does before it writes to Route 53: the dirty names and their items, the names that the guard held
// where they matter, a look at what is in doubt, and the plan.

import { readSpeaker } from '../../directory/responsible-zone.ts';
import { type RecordSet, recordSetId } from '../../dns/record-set.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { type HostedZonePlan, planHostedZone, planRecordSets, unitsOf } from '../plan/plan-hosted-zone.ts';
import { anyHeld, type DirtyPage, loadNames, readDirtyNames, readHeld, readHeldAmong } from './dirty-names.ts';
import type { HeldMarks } from './hold-deletes.ts';
import { dirtySinceMs, nameOf, noteName } from './names.ts';
import { readSoa } from './publish-soa.ts';
import { resolveDoubts } from './read-back.ts';
import { deletionsNow, itemOf, type Run, runAgain, stopRun } from './run.ts';

/** Deletes wait no longer than this for others to come. */
const DELETES_WAIT_MS_MAX = 30_000;

export type Planned = {
  readonly page: DirtyPage;
  readonly plan: HostedZonePlan;
  readonly marks: HeldMarks;
  readonly heldIsWhole: boolean;
  /** Names with deletes that wait for more to come: their dirty marks stay. */
  readonly waiting: ReadonlySet<string>;
  /** No Zone has the hosted zone as its own: nobody's annotation is weighed. False also where nothing is held or released. */
  readonly isLeft: boolean;
};

function isDelete(item: RecordSetItem): boolean {
  return item.desired === null && item.published !== null && item.type !== 'SOA';
}

/** Which of the dirty names the guard holds, or has released. One read where there is none at all. */
async function readMarked(run: Run, page: DirtyPage): Promise<ReadonlySet<string>> {
  const { ledger } = run.deps;
  const id = run.lease.hostedZoneId;
  // Of released names the hosted zone never says anything.
  const any = run.hostedZone.held !== null || (await anyHeld(ledger, id));
  return any ? readHeldAmong(ledger, id, page.names) : new Set();
}

/** The held names, when they matter: to a delete that does not wait, to a dirty name among them, to a new acknowledgement. */
async function readHeldMarks(
  run: Run,
  marked: ReadonlySet<string>,
  waiting: ReadonlySet<string>,
): Promise<{ marks: HeldMarks; heldIsWhole: boolean }> {
  const { held, acknowledged, recount } = run.hostedZone;
  const deletes = [...run.items].some(([id, { item }]) => isDelete(item) && !waiting.has(id));
  const isNews = (digest: string) => held?.judged.includes(digest) === false;
  const news = held !== null && (acknowledged.some(isNews) || run.options.acknowledged.length > 0);
  // After a run that died, names may be held that the hosted zone does not say.
  const whole = deletes || recount || news || marked.size > 0;
  const stored = whole ? await readHeld(run.deps.ledger, run.lease.hostedZoneId) : [];
  return { marks: new Map(stored.map((one) => [one.item.name, one])), heldIsWhole: whole };
}

function planNow(
  run: Run,
  names: DirtyPage,
  marks: HeldMarks,
  waiting: ReadonlySet<string>,
  standingSoa: RecordSet | null,
  isLeft = false,
): HostedZonePlan {
  const { clock, config } = run.deps;
  const nowMs = clock.nowMs();
  const { published } = run.progress;
  return planHostedZone({
    hostedZone: {
      ...run.hostedZone,
      publishedCount: run.hostedZone.publishedCount + published,
      deletions: deletionsNow(run),
    },
    items: [...run.items]
      .filter(([id, { item }]) => !waiting.has(id) && !nameOf(run.names, item.name).stays)
      .map(([, { item }]) => item),
    heldMarks: [...marks.values()].map((stored) => stored.item),
    retryNames: names.retryNames,
    standingSoa,
    limits: config.guard,
    acknowledged: run.options.acknowledged,
    isLeft,
    nowMs,
  });
}

/**
 * The deletes that wait until no other has come for a moment, by record set id. `kubectl delete --all` deletes one object after
 * the other: were each published at once, the guard would see a mass delete only when most of it is done. A delete waits whatever
 * else stands or changes at its name. It does not wait
 *   - where a change to or from CNAME ties it to a create or an update,
 *   - when it was sent before, and its outcome is not known,
 *   - when the guard has held or released its name already,
 *   - when the guard will hold it at first sight; once it holds some, the others wait again: each look is at all of them,
 *   - longer than DELETES_WAIT_MS_MAX: somewhere a name may be deleted every second.
 */
function waitForMoreDeletes(run: Run, marked: ReadonlySet<string>): ReadonlySet<string> {
  const { clock, config } = run.deps;
  if (config.deletesQuietMs === 0) return new Set();
  const items = [...run.items.values()].map(({ item }) => item);
  const deletes = unitsOf(planRecordSets(items, run.hostedZone.name))
    .filter((unit) => unit.every(({ action }) => action === 'delete'))
    .flat()
    .filter((change) => !marked.has(change.name) && (itemOf(run, change)?.intent ?? null) === null);
  const dirtyMs = deletes.flatMap(({ name }) => dirtySinceMs(nameOf(run.names, name)) ?? []);
  const nowMs = clock.nowMs();
  const newestMs = dirtyMs.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const oldestMs = dirtyMs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const quiet = nowMs - newestMs >= config.deletesQuietMs || nowMs - oldestMs >= DELETES_WAIT_MS_MAX;
  const news = deletes.length > config.guard.deletesMax && run.hostedZone.held === null;
  if (quiet || news) return new Set();
  runAgain(run, config.deletesQuietMs / 1_000);
  return new Set(deletes.map(recordSetId));
}

/** Reads what is dirty, settles what is in doubt, and plans. Null when the hosted zone is gone: the run says so. */
export async function prepare(run: Run): Promise<Planned | null> {
  const page = await readDirtyNames(run);
  await loadNames(run, page.names);
  const marked = await readMarked(run, page);
  const waiting = waitForMoreDeletes(run, marked);
  const { marks, heldIsWhole } = await readHeldMarks(run, marked, waiting);
  const dirty = new Set(page.names);
  await loadNames(
    run,
    [...marks.keys()].filter((name) => !dirty.has(name)),
  );
  await resolveDoubts(run, page.retryNames);
  if (run.progress.stop !== null) return null;
  const soa = await readSoa(run, page.retryNames);
  if (soa === 'gone') {
    stopRun(run, 'gone', 'The hosted zone is gone.');
    return null;
  }
  const plan = planNow(run, page, marks, waiting, soa);
  // What is held is said with the name of the Zone that may let it go; what is released is so by a Zone that is still there.
  const { held, releasedBy } = plan.guard;
  const asks = held.length > 0 || releasedBy !== null;
  const isLeft = asks && (await readSpeaker(run.deps.ledger, run.hostedZone))?.isOwn !== true;
  const planned = isLeft ? planNow(run, page, marks, waiting, soa, isLeft) : plan;
  const waitingNames = new Set([...waiting].flatMap((id) => run.items.get(id)?.item.name ?? []));
  for (const name of waitingNames) noteName(run.names, name, { stays: true });
  return { page, plan: planned, marks, heldIsWhole, waiting: waitingNames, isLeft };
}
