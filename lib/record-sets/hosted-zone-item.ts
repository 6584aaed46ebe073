// A hosted zone: whose it is, its lease, its counts, what the guard holds in it.
import * as z from 'zod';
import { itemCodec } from '../ledger/item-codec.ts';
import type { JsonObject, LedgerKey } from '../ports/ledger.ts';

const hostedZoneBody = z.object({
  id: z.string(),
  name: z.string(),
  /** The cluster whose Zone ("ns/name") this hosted zone is the own one of. */
  cluster: z.string().default('default'),
  zone: z.string(),
  nameServers: z.array(z.string()),
  /** zone53 made the hosted zone. */
  made: z.boolean().default(false),
  /** It answers inside of VPCs only: nothing delegates to it, and it delegates nothing. */
  isPrivate: z.boolean().default(false),
  lease: z.object({ holder: z.string(), epoch: z.number(), expiresAtMs: z.number() }).nullable(),
  /** The last epoch given out; grows by one with every lease. */
  epoch: z.number(),
  /** Record sets of ours in Route 53, the SOA not counted. */
  publishedCount: z.number(),
  /** What was deleted in the last hour. */
  /** With what was published before: a share is of what there was, not of what came and went since. */
  deletions: z.array(z.object({ atMs: z.number(), count: z.number(), published: z.number().default(0) })),
  /** Services of a cluster's own DNS that lost all of their names here within the guard's window. */
  servicesGone: z.array(z.object({ service: z.string(), atMs: z.number() })).default([]),
  /** What the guard holds. */
  held: z.object({ digest: z.string(), reasons: z.array(z.string()), count: z.number() }).nullable(),
  /**
   * The digest in the Zone's annotation. `open`: no run has compared it with what is held; `weighed`: one has, and it
   * did not fit; `spent`: it released deletes, and releases nothing more until the annotation was taken away or says
   * another digest.
   */
  acknowledgement: z
    .object({ digest: z.string(), state: z.enum(['open', 'weighed', 'spent']) })
    .nullable()
    .default(null),
  takeover: z.boolean(),
  gone: z.boolean(),
  /** A run ended without noting its counts: count anew before trusting them. */
  recount: z.boolean().default(false),
  /**
   * Route 53 said, `times` times in a row and last at `atMs`, that the hosted zone is full. There is no room for
   * `growth` more record sets; whether there is for fewer is unknown.
   */
  full: z
    .object({ message: z.string(), times: z.number(), atMs: z.number(), growth: z.number().default(1) })
    .nullable()
    .default(null),
  /** Sort key of a dirty mark behind which the next run begins to read; null: at the beginning. */
  dirtyAfter: z.string().nullable().default(null),
});
export type HostedZoneItem = z.infer<typeof hostedZoneBody>;
export type Acknowledgement = NonNullable<HostedZoneItem['acknowledgement']>;

/** Until 2026-11-23 there were two lists of one digest at most, and a third with what is held. */
function withOneAcknowledgement(body: JsonObject): JsonObject {
  const { acknowledged, used, ...rest } = body;
  if (!Array.isArray(acknowledged)) return body;
  const [spent] = Array.isArray(used) ? used : [];
  const [digest = spent] = acknowledged;
  const state = acknowledged.length > 0 ? 'open' : 'spent';
  return { ...rest, acknowledgement: digest === undefined ? null : { digest, state } };
}

export const hostedZoneCodec = itemCodec(hostedZoneBody, withOneAcknowledgement);

export const HOSTED_ZONES_PARTITION = 'hostedzones';
export function hostedZoneItemKey(hostedZoneId: string): LedgerKey {
  return { partition: HOSTED_ZONES_PARTITION, sort: hostedZoneId };
}

/** A hosted zone into which nothing was published yet; `zone` is the Zone ("ns/name") whose own it is. */
export function newHostedZoneItem(hostedZone: {
  readonly id: string;
  readonly name: string;
  readonly zone: string;
  readonly nameServers: readonly string[];
  readonly made?: boolean;
  readonly isPrivate?: boolean;
  readonly cluster?: string;
}): HostedZoneItem {
  return {
    cluster: 'default',
    made: false,
    isPrivate: false,
    ...hostedZone,
    nameServers: [...hostedZone.nameServers],
    lease: null,
    epoch: 0,
    publishedCount: 0,
    deletions: [],
    servicesGone: [],
    held: null,
    acknowledgement: null,
    takeover: false,
    gone: false,
    recount: false,
    full: null,
    dirtyAfter: null,
  };
}

type Acknowledging = Pick<HostedZoneItem, 'acknowledgement'>;

/** What the Zone's annotation acknowledges from now on; null: there is none. One that only stays is as it was. */
export function annotatedWith(
  digest: string | null,
  { acknowledgement: before }: Acknowledging,
): Acknowledgement | null {
  if (digest === null) return null;
  return before?.digest === digest ? before : { digest, state: 'open' };
}

/** The digest that the annotation may release deletes by; null: it acknowledges nothing, or has released once. */
export function acknowledgedDigest({ acknowledgement }: Acknowledging): string | null {
  return acknowledgement === null || acknowledgement.state === 'spent' ? null : acknowledgement.digest;
}

/** The item with its acknowledgement in that state, where it still is of one of these digests and is not spent. */
export function withAcknowledgement(
  item: HostedZoneItem,
  digests: readonly (string | null)[],
  state: Acknowledgement['state'],
): HostedZoneItem {
  const digest = acknowledgedDigest(item);
  return digest !== null && digests.includes(digest) ? { ...item, acknowledgement: { digest, state } } : item;
}

/** A hosted zone with its name. */
export type HostedZoneName = { readonly id: string; readonly apex: string };

/** The ids of hosted zones as far as DNSRecords publish into them: apart from what Zones publish there. */
const DNS_RECORDS_SUFFIX = '/dnsrecords';

/** By which the ledger knows a hosted zone as far as DNSRecords publish into it. */
export function dnsRecordsIdOf(hostedZoneId: string): string {
  return `${hostedZoneId}${DNS_RECORDS_SUFFIX}`;
}

/** The id that Route 53 knows. */
export function hostedZoneIdOf(ledgerId: string): string {
  return ledgerId.endsWith(DNS_RECORDS_SUFFIX) ? ledgerId.slice(0, -DNS_RECORDS_SUFFIX.length) : ledgerId;
}

/** By which the ledger knows the same hosted zone as far as the others publish into it: DNSRecords, or Zones. */
export function otherLedgerIdOf(ledgerId: string): string {
  return ledgerId.endsWith(DNS_RECORDS_SUFFIX) ? hostedZoneIdOf(ledgerId) : dnsRecordsIdOf(ledgerId);
}
