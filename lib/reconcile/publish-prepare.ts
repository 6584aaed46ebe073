// What a run of publish does before it writes to Route 53: the dirty names and their items, the names that the guard held
// where they matter, a look at what is in doubt, and the plan.
import type { RecordSetItem } from './ledger-items.ts';
import { type HostedZonePlan, planHostedZone } from './plan-hosted-zone.ts';
import type { RecordSet } from './ports.ts';
import type { HeldMarks } from './publish-guarded.ts';
import { resolveDoubts } from './publish-look.ts';
import { type DirtyPage, loadNames, readDirtyNames, readHeld, readHeldAmong } from './publish-names.ts';
import { deletionsNow, type Run } from './publish-run.ts';
import { readSoa } from './publish-soa.ts';

export type Planned = {
  readonly page: DirtyPage;
  readonly plan: HostedZonePlan;
  readonly marks: HeldMarks;
  readonly heldIsWhole: boolean;
};

function isDelete(item: RecordSetItem): boolean {
  return item.desired === null && item.published !== null && item.type !== 'SOA';
}

/** The held names, when they matter: to a delete of this run, to a dirty name among them, to a new acknowledgement. */
async function readHeldMarks(run: Run, page: DirtyPage): Promise<{ marks: HeldMarks; heldIsWhole: boolean }> {
  const { held, acknowledged } = run.hostedZone;
  const { ledger } = run.deps;
  const id = run.lease.hostedZoneId;
  const deletes = [...run.items.values()].some(({ item }) => isDelete(item));
  const news = acknowledged.some((digest) => held?.judged.includes(digest) !== true);
  // After a run that died, names may be held that the hosted zone does not say.
  const whole =
    deletes || run.hostedZone.recount || (held !== null && (news || (await readHeldAmong(ledger, id, page.names))));
  const stored = whole ? await readHeld(ledger, id) : [];
  return { marks: new Map(stored.map((one) => [one.item.name, one])), heldIsWhole: whole };
}

function planNow(run: Run, names: DirtyPage, marks: HeldMarks, standingSoa: RecordSet | null): HostedZonePlan {
  const { clock, config } = run.deps;
  const nowMs = clock.nowMs();
  const { published } = run.tallies;
  return planHostedZone({
    hostedZone: {
      ...run.hostedZone,
      publishedCount: run.hostedZone.publishedCount + published,
      deletions: deletionsNow(run),
    },
    items: [...run.items.values()].map((stored) => stored.item).filter((item) => !run.unsettled.has(item.name)),
    heldMarks: [...marks.values()].map((stored) => stored.item),
    retryNames: names.retryNames,
    standingSoa,
    limits: config.guard,
    nowMs,
  });
}

/** Reads what is dirty, settles what is in doubt, and plans. Null when the hosted zone is gone: `run.stop` says so. */
export async function prepare(run: Run): Promise<Planned | null> {
  const page = await readDirtyNames(run);
  await loadNames(run, page.names);
  const { marks, heldIsWhole } = await readHeldMarks(run, page);
  const dirty = new Set(page.names);
  await loadNames(
    run,
    [...marks.keys()].filter((name) => !dirty.has(name)),
  );
  await resolveDoubts(run, page.retryNames);
  if (run.stop !== null) return null;
  const soa = await readSoa(run, page.retryNames);
  if (soa === 'gone') {
    run.stop = { kind: 'gone', message: 'The hosted zone is gone.' };
    return null;
  }
  return { page, plan: planNow(run, page, marks, soa), marks, heldIsWhole };
}
