// The item of a namespace's health checks, and the items of their uses. Creation, quota and sharing are decided by a
// compare-and-swap of the one item.
import * as z from 'zod';
import type { RecordSetKey } from '../dns/record-set.ts';
import { type Item, itemCodec } from '../ledger/item-codec.ts';
import type { LedgerKey } from '../ports/ledger.ts';
import { recordSetItemKey } from '../record-sets/record-set-item.ts';

const check = z.object({
  /** What record set items have (lib/dns/health-check.ts). */
  key: z.string(),
  /** The account of the configuration that has it; null: the stack's own. */
  account: z.string().nullable(),
  /** The first caller reference: the key of its uses. */
  uid: z.string(),
  /** The caller reference of the creation that is under way or done. */
  reference: z.string(),
  /** Null: not known yet. */
  id: z.string().nullable(),
  /** When a batch that names it was last about to be sent. */
  touchedMs: z.number(),
  /** What record sets may still have in place of the key: it was changed into this one. Absent: nothing. */
  formerKey: z.string().exactOptional(),
  /** Route 53 may have the content of the former key still. */
  isStale: z.literal(true).exactOptional(),
  /** It is being deleted, and no new record set may use it. */
  isGoing: z.literal(true).exactOptional(),
  /** The id that somebody deleted, until the record sets that have it are marked. */
  lostId: z.string().exactOptional(),
});

const body = z.object({ checks: z.array(check) });

/** A health check that zone53 made or is about to make. */
export type MadeCheck = Item<typeof check>;
export const healthChecksCodec = itemCodec(body);
export const HEALTH_CHECKS_PARTITION = 'healthchecks';

export function healthChecksKey(namespace: string): LedgerKey {
  return { partition: HEALTH_CHECKS_PARTITION, sort: namespace };
}

/** That a record set was about to name a health check, and may still. */
export const useCodec = itemCodec(
  z.object({ hostedZoneId: z.string(), name: z.string(), type: z.string(), setIdentifier: z.string().nullable() }),
);

export const USES_PARTITION = 'healthcheckuses';

/** How the keys of its uses begin. */
export function usesPrefix({ uid }: Pick<MadeCheck, 'uid'>): string {
  return `${uid}!`;
}

export function useKey(made: Pick<MadeCheck, 'uid'>, hostedZoneId: string, key: RecordSetKey): LedgerKey {
  const { sort } = recordSetItemKey(hostedZoneId, key);
  return { partition: USES_PARTITION, sort: `${usesPrefix(made)}${hostedZoneId}!${sort}` };
}
