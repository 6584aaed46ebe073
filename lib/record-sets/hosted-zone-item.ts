// The item of a hosted zone: its Zone, its lease, its counts, what the guard holds in it.
import * as z from 'zod';
import { PUBLIC, viewOf } from '../dns/names/view.ts';
import { type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import { withoutShare } from '../objects/share-id.ts';
import type { Config } from '../ports/config.ts';
import type { LedgerKey } from '../ports/ledger.ts';
import { HOUR_MS } from './retention.ts';
import { nextTryMs } from './transitions.ts';

const hostedZoneBody = z.object({
  id: z.string(),
  name: z.string(),
  /** The cluster, and the Zone ("ns/name") that has this hosted zone as its own. */
  cluster: z.string(),
  zone: z.string(),
  /** The ids of the shares of other clusters (lib/objects/share-id.ts). Absent: there are none. */
  shares: z.array(z.string()).exactOptional(),
  nameServers: z.array(z.string()),
  /** zone53 made the hosted zone. */
  made: z.boolean(),
  /** The account of the configuration that has it. Absent: the stack's own. */
  account: z.string().exactOptional(),
  /** A private hosted zone answers inside of VPCs only: nothing delegates to it, and it delegates nothing. */
  isPrivate: z.boolean(),
  /**
   * `charged`: up to this batch of this epoch, the guard's numbers have the deletes of write intents. `isDisturbed`:
   * somebody else saved something that they lack.
   */
  lease: z
    .object({
      holder: z.string(),
      epoch: z.number(),
      expiresAtMs: z.number(),
      charged: z.object({ epoch: z.number(), batch: z.number() }),
      isDisturbed: z.literal(true).exactOptional(),
    })
    .nullable(),
  /** The last epoch given out; grows by one with every lease. */
  epoch: z.number(),
  /** The epoch of the last run that concluded. It has asked for the next run, if one is needed. */
  concluded: z.number().default(0),
  /** Record sets of ours in Route 53, the SOA not counted, nor what a run is about to delete. */
  publishedCount: z.number(),
  /** The deletions of the last hour. `published`: how many record sets there were before, as the base of the share. */
  deletions: z.array(z.object({ atMs: z.number(), count: z.number(), published: z.number() })),
  /** Services of a cluster's own DNS that lost all of their names here within the guard's window. */
  servicesGone: z.array(z.object({ service: z.string(), atMs: z.number() })),
  /** The deletes that the guard holds, and of them those of each namespace. */
  held: z
    .object({
      digest: z.string(),
      reasons: z.array(z.string()),
      count: z.number(),
      holds: z.array(z.object({ namespace: z.string(), digest: z.string(), reason: z.string() })),
    })
    .nullable(),
  /**
   * The digests in the Zone's annotation. `open`: no run has compared it with the held deletes yet. `weighed`: a run
   * has, and the digest was another. `spent`: it has released deletes, and releases nothing more until the annotation
   * is removed or has another digest.
   */
  acknowledgements: z.array(z.object({ digest: z.string(), state: z.enum(['open', 'weighed', 'spent']) })),
  takeover: z.boolean(),
  /** The Zone's record sets stay in Route 53 when nothing asks for them any more; absent: they are deleted. */
  retains: z.literal(true).exactOptional(),
  gone: z.boolean(),
  /** Its cluster was retired and has nothing here any more. The item has the shares of the others, and the history. */
  retired: z.literal(true).exactOptional(),
  /**
   * Route 53 said that the hosted zone is full, `times` times in a row, the last time at `atMs`. There is no room for
   * `growth` more record sets. Whether there is room for fewer is not known.
   */
  full: z.object({ message: z.string(), times: z.number(), atMs: z.number(), growth: z.number() }).nullable(),
  /** The message of the last denied change. Null after a run that tried all changes, and none was denied. */
  denied: z.string().nullable().default(null),
  /** For how long resolvers keep that a name has nothing, by the SOA as it was last read; null: it was not read. */
  negativeSeconds: z.number().nullable().default(null),
  /** The next run begins to read dirty marks behind this sort key; null: at the beginning. */
  dirtyAfter: z.string().nullable(),
});
export type HostedZoneItem = Item<typeof hostedZoneBody>;
export type Acknowledgement = HostedZoneItem['acknowledgements'][number];

export const hostedZoneCodec: Codec<HostedZoneItem> = itemCodec(hostedZoneBody);

export const HOSTED_ZONES_PARTITION = 'hostedzones';
export function hostedZoneItemKey(hostedZoneId: string): LedgerKey {
  return { partition: HOSTED_ZONES_PARTITION, sort: hostedZoneId };
}

/** The item of a hosted zone into which nothing was published yet. `zone`: the Zone ("ns/name") that has it. */
export function newHostedZoneItem(hostedZone: {
  readonly id: string;
  readonly name: string;
  readonly zone: string;
  readonly nameServers: readonly string[];
  readonly made?: boolean;
  readonly isPrivate?: boolean;
  readonly account?: string;
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
    concluded: 0,
    publishedCount: 0,
    deletions: [],
    servicesGone: [],
    held: null,
    acknowledgements: [],
    takeover: false,
    gone: false,
    full: null,
    denied: null,
    negativeSeconds: null,
    dirtyAfter: null,
  };
}

/** The item once its cluster was retired. Its epoch goes on, so that a run that slept writes nothing. */
export function retiredHostedZone({ lease: _, epoch, shares, ...item }: HostedZoneItem): HostedZoneItem {
  return { ...newHostedZoneItem(item), epoch, ...(shares && { shares }), retired: true };
}

/**
 * True for a hosted zone of another account or view that the configuration no longer lists as that: what is published
 * there stays, and is forgotten. Those that zone53 creates in another account are not listed.
 */
export function isLeft(
  { hostedZones, createHostedZones }: Pick<Config, 'hostedZones' | 'createHostedZones'>,
  { id, name, account, made }: Pick<HostedZoneItem, 'id' | 'name' | 'account' | 'made'>,
): boolean {
  const listed = hostedZones.find((one) => one.id === hostedZoneIdOf(id));
  if (listed !== undefined) return (listed.view ?? PUBLIC) !== viewOf(name);
  if (viewOf(name) !== PUBLIC) return true;
  return account !== undefined && !(made && createHostedZones === 'all');
}

/** When a full hosted zone is tried again: within the hour, because zone53 does not learn when the quota is raised. */
export function fullAgainAtMs({ times, atMs }: NonNullable<HostedZoneItem['full']>): number {
  return Math.min(atMs + HOUR_MS, nextTryMs(times, atMs));
}

type Acknowledging = Pick<HostedZoneItem, 'acknowledgements'>;

/**
 * The acknowledgements after the annotation was read: digests separated by white space; null: there is none. A digest
 * that it had before keeps its state.
 */
export function annotatedWith(
  annotation: string | null,
  { acknowledgements: before }: Acknowledging,
): readonly Acknowledgement[] {
  const digests = new Set((annotation ?? '').split(/\s+/).filter((digest) => digest !== ''));
  return [...digests].map((digest) => before.find((one) => one.digest === digest) ?? { digest, state: 'open' });
}

/** The digests of the annotation that may still release deletes. */
export function acknowledgedDigests({ acknowledgements }: Acknowledging): readonly string[] {
  return acknowledgements.flatMap(({ digest, state }) => (state === 'spent' ? [] : [digest]));
}

/** Characters of another digest that are shown: enough to find it. */
const SHOWN_CHARACTERS = 12;

/** Says that the Zone's annotation has no digest of the held deletes; empty if it has one, or if there is none. */
export function otherAcknowledgement(
  { zone, acknowledgements }: Pick<HostedZoneItem, 'zone' | 'acknowledgements'>,
  { digest: heldDigest, holds }: Pick<NonNullable<HostedZoneItem['held']>, 'digest' | 'holds'>,
): readonly string[] {
  const held = new Set([heldDigest, ...holds.map(({ digest }) => digest)]);
  const [first] = acknowledgements;
  if (first === undefined || acknowledgements.some(({ digest }) => held.has(digest))) return [];
  const { digest } = first;
  const shown = digest.length > SHOWN_CHARACTERS ? `${digest.slice(0, SHOWN_CHARACTERS)}…` : digest;
  return [
    `The annotation zone53.dev/acknowledge-plan of Zone ${zone} has "${shown}", which is not the digest of these deletes: replace it.`,
  ];
}

/** The item with its acknowledgements of these digests in that state, but those that are spent. */
export function withAcknowledgements(
  item: HostedZoneItem,
  digests: readonly string[],
  state: Acknowledgement['state'],
): HostedZoneItem {
  const acknowledgements = item.acknowledgements.map((one) =>
    one.state !== 'spent' && digests.includes(one.digest) ? { digest: one.digest, state } : one,
  );
  return { ...item, acknowledgements };
}

export type HostedZoneName = { readonly id: string; readonly apex: string };

/** The suffix of the ledger's id for what DNSRecords publish into a hosted zone, apart from what Zones publish. */
const DNS_RECORDS_SUFFIX = '/dnsrecords';

/** The ledger's id for what DNSRecords publish into a hosted zone. */
export function dnsRecordsIdOf(hostedZoneId: string): string {
  return `${hostedZoneId}${DNS_RECORDS_SUFFIX}`;
}

/** True for the ledger's id for what DNSRecords publish. */
export function isOfDnsRecords(ledgerId: string): boolean {
  return ledgerId.endsWith(DNS_RECORDS_SUFFIX);
}

/** The id of the hosted zone in Route 53. */
export function hostedZoneIdOf(ledgerId: string): string {
  return withoutShare(isOfDnsRecords(ledgerId) ? ledgerId.slice(0, -DNS_RECORDS_SUFFIX.length) : ledgerId);
}

/** The ledger's id for what the other side, DNSRecords or Zones, publishes into the same hosted zone. */
export function otherLedgerIdOf(ledgerId: string): string {
  return isOfDnsRecords(ledgerId) ? hostedZoneIdOf(ledgerId) : dnsRecordsIdOf(hostedZoneIdOf(ledgerId));
}
