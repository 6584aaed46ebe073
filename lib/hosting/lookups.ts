// Remembers in the ledger what Route 53 said about hosted zones, for a command that starts again each time: hosted
// zones are listed once a run, and a sub-zone for which none was found is not looked for again within the hour. A root
// without a hosted zone is looked for in every run: somebody waits for it.
import * as z from 'zod';
import { itemCodec, UnreadableItemError } from '../ledger/item-codec.ts';
import { type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import type { HostedZones } from '../ports/hosted-zones.ts';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';
import { NO_QUEUES } from '../ports/queues.ts';
import { HOUR_MS } from '../record-sets/retention.ts';

/** The most names that are remembered: they must fit into one item. Others are looked for in each run. */
const NAMES_MAX = 2_000;

const lookupsBody = z.object({ names: z.array(z.object({ name: z.string(), atMs: z.number() })) });
type Lookups = z.infer<typeof lookupsBody>;
export const lookupsCodec = itemCodec(lookupsBody);

/** Names of sub-zones for which no hosted zone was found within the hour before `nowMs`. */
export async function readLookups(ledger: Ledger, clusterId: string, nowMs: number): Promise<ReadonlySet<string>> {
  const stored = await ledger.get(lookupsKey(clusterId));
  const known = stored === null ? null : lookupsCodec.read(stored);
  return new Set(recentLookups(known, nowMs).map(({ name }) => name));
}

/**
 * Notes that no hosted zone was found for these names. If another run writes at the same moment, the names of one of
 * the two are lost, and are looked for once more.
 */
export async function noteLookups(
  ledger: Ledger,
  clusterId: string,
  names: readonly string[],
  nowMs: number,
): Promise<void> {
  if (names.length === 0) return;
  const key = lookupsKey(clusterId);
  const stored = await ledger.get(key);
  const known = stored === null ? null : lookupsCodec.read(stored);
  if (known instanceof UnreadableItemError) return;
  const others = recentLookups(known, nowMs).filter(({ name }) => !names.includes(name));
  const all = [...names.map((name) => ({ name, atMs: nowMs })), ...others].slice(0, NAMES_MAX);
  await ledger.put(key, lookupsCodec.encode({ names: all }), stored?.revision ?? null);
}

/** After so many seconds an account is tried again whose role could not be assumed. */
const AGAIN_SECONDS = 300;

/**
 * Queues a hint for a Zone whose hosted zone is in an account that refuses us, so that all such Zones are looked at
 * again; none if one is under way. A command drops its messages, and notes nothing.
 */
export async function tryAccountsAgain(
  { ledger, config, clock, queues }: Pick<Context, 'ledger' | 'config' | 'clock' | 'queues'>,
  zone: ZoneKey,
): Promise<void> {
  if (queues === NO_QUEUES) return;
  const key = { ...lookupsKey(config.clusterId), sort: 'refused accounts' };
  const stored = await ledger.get(key);
  const known = stored === null ? null : lookupsCodec.read(stored);
  const nowMs = clock.nowMs();
  const last = recentLookups(known, nowMs)[0]?.atMs ?? Number.NEGATIVE_INFINITY;
  if (known instanceof UnreadableItemError || nowMs - last < AGAIN_SECONDS * 1_000) return;
  await queues.hint([zoneOfKey(zone)], AGAIN_SECONDS);
  await ledger.put(key, lookupsCodec.encode({ names: [{ name: zone, atMs: nowMs }] }), stored?.revision ?? null);
}

/** The same hosted zones, listed once at most. After one was created, they are listed again. */
export function listOnce(hostedZones: HostedZones): HostedZones {
  let listed: ReturnType<HostedZones['list']> | null = null;
  return {
    ...hostedZones,
    list: () => {
      listed ??= hostedZones.list();
      return listed;
    },
    create: async (...asked) => {
      listed = null;
      return hostedZones.create(...asked);
    },
  };
}

function recentLookups(known: Lookups | UnreadableItemError | null, nowMs: number): Lookups['names'] {
  if (known === null || known instanceof UnreadableItemError) return [];
  return known.names.filter(({ atMs }) => atMs > nowMs - HOUR_MS && atMs <= nowMs);
}

function lookupsKey(clusterId: string): LedgerKey {
  return { partition: `lookups#${clusterId}`, sort: 'sub-zones' };
}
