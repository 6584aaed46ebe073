// Publishes the SOA of a hosted zone. It cannot be deleted, so it is the only record set that is sent as UPSERT, alone
// in its batch, if its timers or TTL differ from ours. MNAME and RNAME stay those of Route 53, so it is read first: one
// that was never read is not written. It needs no write intent, because after a run that died it is always read again.
import type { Change } from '../../dns/plan-changes.ts';
import type { RecordSet } from '../../dns/record-set.ts';
import { orDenied } from '../../ports/hosted-zones.ts';
import { NEGATIVE_SECONDS, negativeSeconds } from '../../record-sets/propagation.ts';
import { type RecordSetItem, storedContent } from '../../record-sets/record-set-item.ts';
import { samePublishing } from '../../record-sets/same-content.ts';
import { refusedAlone, withPublished, withRefusal } from '../../record-sets/transitions.ts';
import { OUTCOME_OF } from '../plan/outcome.ts';
import { askAfterDenial } from '../plan/progress.ts';
import { refusalHolds } from '../plan/withheld.ts';
import { shieldsBehind } from './protections.ts';
import { noteUnread } from './read-back.ts';
import { isUnrefused, itemOf, momentOf, noteOutcome, type Run, saveItem } from './run.ts';
import { trySteps } from './send-batch.ts';

function soaItem(run: Run): RecordSetItem | null {
  return itemOf(run, { name: run.hostedZone.name, type: 'SOA', setIdentifier: null });
}

/** Reads the SOA if it may have to change. Null: it need not, or it cannot be read, which the run notes. */
export async function readSoa(run: Run, retryNames: ReadonlySet<string>): Promise<RecordSet | null> {
  const item = soaItem(run);
  if (item === null) return null;
  if (item.desired === null) {
    if (item.published !== null)
      await saveItem(run, item, (now) => withPublished(momentOf(run), now, null, { objects: [] }));
    return null;
  }
  if (refusalHolds(item, run.hostedZone, retryNames)) return null;
  const known = item.refusal === null && samePublishing('SOA', item.desired, item.published);
  // A run that was overtaken may have written the SOA without saving it: it leaves its lease or a mark to try again.
  if (known && run.abandoned === null && !retryNames.has(item.name)) return null;
  const recordSets = await run.deps.hostedZones.readName(run.lease.hostedZoneId, item.name).catch(orDenied);
  // Without a change that could fail, its name itself must wait.
  if (recordSets === null || recordSets instanceof Error) return noteUnread(run, known ? [item] : [], recordSets);
  const existing = recordSets.find((set) => set.type === 'SOA') ?? null;
  if (!known && existing !== null && samePublishing('SOA', item.desired, existing.content)) {
    // A call of ours without an answer may have replaced it just now: what resolvers keep is of the SOA before.
    const keptSeconds = Math.max(NEGATIVE_SECONDS, negativeSeconds(item.published) ?? 0);
    await saveItem(run, item, (now) =>
      withPublished(momentOf(run), now, existing.content, { objects: now.objects, keptSeconds }),
    );
  }
  return existing;
}

/** UPSERTs the SOA. A refusal affects only the SOA. */
export async function applySoa(run: Run, change: Change): Promise<void> {
  const tried = await (change.before === null ? unread(run) : trySteps(run, [change]));
  if (tried.kind === 'refused') {
    const [shield] = (await shieldsBehind(run, tried.steps, tried.messages, tried.isCut)).filter(
      ({ name, type }) => name === change.name && type === change.type,
    );
    const message = shield?.message ?? tried.messages.join(' ');
    const content = storedContent(soaItem(run)?.desired ?? null);
    const reason = shield === undefined ? ('Rejected' as const) : ('Protected' as const);
    const of = shield === undefined ? {} : { shield: { name: shield.name, type: shield.type } };
    const refusal = { ...of, reason, message, content, atMs: run.deps.clock.nowMs() };
    const isNews = isUnrefused(run, change);
    await saveItem(run, change, (item) => ({
      ...withRefusal(item, refusal),
      refused: refusedAlone(item.refused, refusal.atMs, true),
    }));
    noteOutcome(run, [change], OUTCOME_OF[reason], message, () => isNews);
  }
  if (tried.kind === 'denied') {
    noteOutcome(run, [change], 'failed', tried.message);
    askAfterDenial(run);
  }
}

function unread(run: Run) {
  return { kind: 'denied', message: run.progress.ending.denied ?? 'Route 53 lists no SOA in the hosted zone' } as const;
}
