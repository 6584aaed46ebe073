// The line that every screen shows: how far each cluster is, from the ledger alone.
import * as z from 'zod';
import { readItem, UnreadableItemError } from '../../lib/ledger/item-codec.ts';
import { eachItem } from '../../lib/ledger/pages.ts';
import { orUnread, readable } from '../../lib/ledger/skip-unreadable.ts';
import type { LedgerItem } from '../../lib/ports/ledger.ts';
import { clusterCodec, clusterKey } from '../../lib/record-sets/cluster-item.ts';
import { dirtyCodec, dirtyPartition } from '../../lib/record-sets/dirty-mark.ts';
import { type HostedZoneItem, hostedZoneIdOf } from '../../lib/record-sets/hosted-zone-item.ts';
import { lastReadingMs, readSweepNotes } from '../../lib/sweep/last-swept.ts';
import { readSweep } from '../../lib/sweep/sweep-cursor.ts';
import type { StatusAnswer } from './answers.ts';
import type { ConsoleWorld } from './world.ts';

/** What every function that calls Route 53 notes of its budget, if functions share it. */
const BUDGET = { partition: 'budget', sort: 'route53' } as const;
const budgetBody = z.object({ size: z.number(), rate: z.number(), shrunkAtMs: z.number() });

export async function statusAnswerOf(
  world: ConsoleWorld,
  hostedZones: readonly HostedZoneItem[],
): Promise<StatusAnswer> {
  const { context, described, version } = world;
  const { config, clock, ledger } = context;
  const ids = new Set([config.clusterId, ...hostedZones.map(({ cluster }) => cluster)]);
  const clusters = [];
  for (const id of ids) clusters.push(await clusterOf(world, id, hostedZones));
  const budget = budgetOf(await ledger.get(BUDGET));
  return {
    version,
    now: timeOf(clock.nowMs()),
    ...described,
    historyDays: config.history.days,
    clusters,
    budget:
      budget === null
        ? null
        : {
            changesPerSecond: budget.rate,
            changesAtOnce: Math.floor(budget.size),
            requestsPerSecond: config.budget.requestsPerSecond * (1 - config.budget.reserve),
          },
    throttledAt: budget === null || budget.shrunkAtMs === 0 ? null : timeOf(budget.shrunkAtMs),
    problems: hostedZones.flatMap(({ id, name, denied, gone }) => [
      ...(denied === null ? [] : [`Route 53 denies changes of hosted zone ${id} (${name}): ${denied}`]),
      ...(gone ? [`Hosted zone ${id} (${name}) does not exist any more.`] : []),
    ]),
  };
}

async function clusterOf(
  { context, readAtMs, hasSource }: ConsoleWorld,
  id: string,
  all: readonly HostedZoneItem[],
): Promise<StatusAnswer['clusters'][number]> {
  const { ledger, config, log } = context;
  const hostedZones = all.filter(({ cluster, gone }) => cluster === id && !gone);
  let dirty = 0;
  let oldest: { readonly name: string; readonly sinceMs: number; readonly of: HostedZoneItem } | null = null;
  for (const of of hostedZones) {
    for await (const stored of eachItem(ledger, dirtyPartition(of.id))) {
      dirty += 1;
      const mark = readable({ log }, dirtyCodec, stored);
      if (mark !== null && (oldest === null || mark.sinceMs < oldest.sinceMs))
        oldest = { name: mark.name, sinceMs: mark.sinceMs, of };
    }
  }
  const notes = (await readSweepNotes(ledger, id)).filter((note) =>
    hostedZones.some((one) => one.id === note.hostedZoneId),
  );
  const whole = notes.flatMap(({ wholeMs }) => wholeMs ?? []);
  const isOwn = id === config.clusterId;
  const sweep = isOwn ? (await readSweep(context)).state : null;
  const noted = await orUnread(() => readItem(ledger, clusterKey(id), clusterCodec));
  const known = noted === null || noted instanceof UnreadableItemError ? null : noted.item;
  const readMs = Math.max(
    lastReadingMs(known, notes) ?? 0,
    sweep?.beganMs ?? 0,
    isOwn && hasSource ? (readAtMs() ?? 0) : 0,
  );
  return {
    id,
    lastReading: readMs === 0 ? null : timeOf(readMs),
    lastSweep: whole.length < notes.length || whole.length === 0 ? null : timeOf(Math.min(...whole)),
    hostedZones: hostedZones.length,
    dirty,
    oldestDirty:
      oldest === null
        ? null
        : {
            name: oldest.name,
            since: timeOf(oldest.sinceMs),
            hostedZone: { id: hostedZoneIdOf(oldest.of.id), name: oldest.of.name },
          },
    held: hostedZones.reduce((sum, { held }) => sum + (held?.count ?? 0), 0),
  };
}

function budgetOf(stored: LedgerItem | null): z.infer<typeof budgetBody> | null {
  const parsed = budgetBody.safeParse(stored?.body);
  return parsed.success ? parsed.data : null;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
