// How far the sweep of a cluster has come: one small item, written by compare-and-swap after every piece. The next call
// continues from it. So a function that is killed loses one piece, and of two that run at the same time one stops.
import * as z from 'zod';
import { swap } from '../ledger/compare-and-swap.ts';
import { type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import { walkCursor } from '../ledger/scan.ts';
import { readable } from '../ledger/skip-unreadable.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';

const found = z.object({
  lost: z.number(),
  drifted: z.number(),
  retried: z.number(),
  foreign: z.number(),
  /** How many record sets the ledger has as published, the SOA not counted. */
  published: z.number(),
});
const recordSetKey = z.object({ name: z.string(), type: z.string(), setIdentifier: z.string().nullable() });

/** A hosted zone that is being compared: the next page, the last name compared, and what was found so far. */
const hostedZonePage = z.object({
  from: recordSetKey.nullable(),
  after: z.string().nullable(),
  found,
  beganMs: z.number(),
  /** How often this page could not be read. */
  failures: z.number(),
});

/** What to do next. For hosted zones, `after` is the id of the last one done, and `failed` has those given up. */
const position = z.discriminatedUnion('phase', [
  z.object({
    phase: z.literal('objects'),
    kind: z.string(),
    token: z.string().nullable(),
    after: z.string().nullable(),
    /** What is done about new objects of this kind. */
    ofNew: z.enum(['hint', 'note', 'note all', 'noted']),
    /** How often this page could not be read. */
    failures: z.number(),
  }),
  z.object({ phase: z.literal('zones') }),
  /** `failures`: how often this piece could not be done. Absent: never. */
  z.object({ phase: z.literal('names'), cost: z.number(), failures: z.number().exactOptional() }),
  z.object({
    phase: z.literal('hosted zones'),
    after: z.string().nullable(),
    page: hostedZonePage.nullable(),
    failed: z.array(z.string()),
  }),
  z.object({ phase: z.literal('done') }),
]);

/** An object that sweeps in a row have sent a hint for: when the first and when the last of them began. */
const unsettledObject = z.object({
  object: z.string(),
  /** What the ledger had of it. */
  state: z.string(),
  sinceMs: z.number(),
  seenMs: z.number(),
});

const state = z.object({
  /** Tells this sweep from those before and after it. */
  sweepId: z.string(),
  /** Milliseconds since the epoch. */
  beganMs: z.number(),
  at: position,
  /** How many hints the sweep has sent. */
  hinted: z.number(),
  failedKinds: z.array(z.string()),
  /** Where updating names continues. The next sweep continues here, too. Null: at the beginning. */
  names: walkCursor.nullable(),
  /** The id of a sweep that begins when this one is done, for what may have happened behind it. Absent: none. */
  nextSweepId: z.string().exactOptional(),
  /** The version of the configuration that the sweep uses. Absent: it has none. */
  configuration: z.string().exactOptional(),
  /** Objects that this sweep or the one before found unsettled. Absent: none. */
  unsettled: z.array(unsettledObject).exactOptional(),
});

export type HostedZoneFound = Item<typeof found>;
export type HostedZonePage = Item<typeof hostedZonePage>;
export type UnsettledObject = Item<typeof unsettledObject>;
export type SweepPosition = Item<typeof position>;
export type SweepState = Item<typeof state>;
export const stateCodec: Codec<SweepState> = itemCodec(state);

/** The state in the ledger. `state` null: there is none, or none that this code can read. */
export type StoredSweep = { readonly state: SweepState | null; readonly revision: string | null };

/** Reads the state of the cluster's sweep. A state of another version is ignored: starting again is always right. */
export async function readSweep(context: Context): Promise<StoredSweep> {
  const stored = await context.ledger.get(key(context.config.clusterId));
  if (stored === null) return { state: null, revision: null };
  return { state: readable(context, stateCodec, stored), revision: stored.revision };
}

/** Whether a function has ever swept the cluster. */
export async function wasSwept(ledger: Ledger, cluster: string): Promise<boolean> {
  return (await ledger.get(key(cluster))) !== null;
}

/** The id of the sweep that is under way, or is to begin; null if there is none. */
export async function sweepUnderWay(context: Context): Promise<string | null> {
  return idUnderWay((await readSweep(context)).state);
}

/** `sweepUnderWay()` of a state that was read. */
export function idUnderWay(known: SweepState | null): string | null {
  if (known?.at.phase === 'done') return known.nextSweepId ?? null;
  return known?.sweepId ?? null;
}

/** If a sweep is under way, has another one begin when it is done. */
export async function sweepAgain(context: Context, sweepId: string): Promise<void> {
  if ((await sweepUnderWay(context)) === null) return;
  await swap(context.ledger, key(context.config.clusterId), stateCodec, (known) =>
    known === null || known.at.phase === 'done' ? null : { ...known, nextSweepId: sweepId },
  );
}

/** Writes the state. Returns the new revision; null if another run has written the item since. */
export async function writeSweep(
  { ledger, config }: Context,
  next: SweepState,
  revision: string | null,
): Promise<string | null> {
  return ledger.put(key(config.clusterId), stateCodec.encode(next), revision);
}

function key(clusterId: string): LedgerKey {
  return { partition: `sweep#${clusterId}`, sort: 'state' };
}
