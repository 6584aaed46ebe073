// Which Zone is live at which name, and where it publishes: one item for each live Zone. lib/resolve writes it. Whoever
// resolves a name reads it, and so does the publisher.
import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import { anyJson, type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import { storedClaim } from '../ledger/stored-claim.ts';
import type { LedgerKey } from '../ports/ledger.ts';
import type { LiveZone } from '../zones/delegation.ts';
import { parseZoneOnce, withClaim } from '../zones/parse-zone.ts';
import type { PlacedZone } from '../zones/place-zones.ts';

export function directoryPartition(cluster: string): string {
  return `directory#${cluster}`;
}

export function directoryKey(cluster: string, fqdn: string): LedgerKey {
  return { partition: directoryPartition(cluster), sort: reversedKey(fqdn) };
}

const nameServers = z.array(z.object({ rdata: z.string(), ttl: z.number(), objects: z.array(z.string()) }));
const isPrivate = z.literal(true).exactOptional();
const decidedBy = { zone: z.string(), fqdn: z.string() };

const foreignCut = z.object({
  cluster: z.string(),
  ...decidedBy,
  hostedZoneId: z.string().nullable(),
  nameServers: z.array(z.object({ rdata: z.string(), ttl: z.number() })),
  glue: z.array(z.object({ name: z.string(), type: z.string(), ttl: z.number(), rdata: z.string() })),
  isDelegated: z.boolean(),
  ownedBy: z.string().exactOptional(),
});

const directoryBody = z.object({
  key: z.string(),
  fqdn: z.string(),
  parent: z.string().nullable(),
  spec: anyJson,
  declared: nameServers,
  nameServers,
  hosting: z
    .object({
      id: z.string(),
      nameServers: z.array(z.string()),
      made: z.boolean(),
      soa: z.boolean(),
      isPrivate,
      account: z.string().exactOptional(),
      keptBecause: z.string().exactOptional(),
    })
    .nullable(),
  cut: z.boolean(),
  group: z.string(),
  target: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('hosted'), hostedZoneId: z.string(), isPrivate, ...decidedBy }),
    z.object({ kind: z.literal('elsewhere'), ...decidedBy }),
    z.object({ kind: z.literal('none'), reason: z.string().exactOptional(), ...decidedBy }),
  ]),
  ownedBelow: z.string().exactOptional(),
  /** The cuts of other clusters below it. */
  cuts: z.array(foreignCut).exactOptional(),
  takeover: z.boolean(),
  /** As of the Zone's object. */
  retains: z.literal(true).exactOptional(),
  claim: storedClaim.exactOptional(),
});

/** A live Zone with its place. `spec` is its spec in force as JSON, `declared` the NS records at its apex. */
export type DirectoryItem = Item<typeof directoryBody>;
export const directoryCodec: Codec<DirectoryItem> = itemCodec(directoryBody);

export function placedZone(item: DirectoryItem): PlacedZone {
  const { key, fqdn, parent, nameServers, hosting, cut, group, target, ownedBelow, cuts } = item;
  const namespace = key.slice(0, key.indexOf('/'));
  const parsed = parseZoneOnce(item.spec, namespace);
  if (!parsed.ok) throw new Error(`The directory has an invalid spec for Zone ${key}: ${parsed.problems.join('; ')}`);
  const live: LiveZone = { key, namespace, fqdn, parent, spec: withClaim(parsed.spec, item.claim) };
  const inFleet = { ...(ownedBelow !== undefined && { ownedBelow }), ...(cuts !== undefined && { cuts }) };
  return { live, nameServers, hosting, cut, group, target, ...inFleet };
}
