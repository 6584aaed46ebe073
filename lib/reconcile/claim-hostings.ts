// Finds, and where the policy says so makes, the hosted zone of each live Zone, and notes in the ledger whose it is,
// what the Zone allows (takeover) and what it acknowledged. A Zone that declares name servers and has no hosted zone is
// hosted elsewhere: none is made for it. For a hosted zone that its Zone has left, the nearest live Zone at or above its
// name speaks: it shows what the guard holds there, and acknowledges it.

import type { LiveZone } from '../kubizone/delegation.ts';
import type { ZoneKey } from '../kubizone/objects.ts';
import type { Hosting, NameServer } from '../kubizone/place-zones.ts';
import { ancestorsOf } from '../kubizone/resolve-zones.ts';
import type { Context } from './context.ts';
import { createHosting } from './create-hosting.ts';
import { findHostings } from './find-hostings.ts';
import { namesAnother } from './lease.ts';
import {
  decodeHostedZoneItem,
  encodeItem,
  type HostedZoneItem,
  hostedZoneItemKey,
  newHostedZoneItem,
} from './ledger-items.ts';
import type { ObjectItem } from './object-items.ts';
import { LedgerContentionError, SWAP_ATTEMPTS_MAX } from './record-set-items.ts';

/** The hosted zones of the live Zones by fqdn, claimed in the ledger. */
export async function claimHostings(
  context: Context,
  zones: readonly LiveZone[],
  declared: ReadonlyMap<ZoneKey, readonly NameServer[]>,
  objects: ReadonlyMap<ZoneKey, ObjectItem>,
): Promise<ReadonlyMap<string, Hosting>> {
  const found = await findHostings(context.ledger, context.hostedZones, context.config, zones);
  const hostings = new Map(found.byName);
  for (const zone of zones) {
    if (!mayCreate(context, zone, declared) || hostings.has(zone.fqdn) || found.problems.has(zone.fqdn)) continue;
    hostings.set(zone.fqdn, await createHosting(context, zone.fqdn, zone.key));
  }
  const known = new Map(found.known.map((item) => [item.id, item]));
  for (const zone of zones) {
    const hosting = hostings.get(zone.fqdn);
    if (hosting === undefined) continue;
    const claims = { zone: zone.key, isOwn: true, object: objects.get(zone.key) };
    await claim(context, { ...hosting, name: zone.fqdn }, claims, known.get(hosting.id));
  }
  const used = new Set([...hostings.values()].map(({ id }) => id));
  const zoneAt = new Map(zones.map((zone) => [zone.fqdn, zone.key]));
  for (const item of found.known.filter(({ id }) => !used.has(id))) {
    const zone = [item.name, ...ancestorsOf(item.name)].flatMap((name) => zoneAt.get(name) ?? [])[0];
    if (zone !== undefined) await claim(context, item, { zone, isOwn: false, object: objects.get(zone) }, item);
  }
  return hostings;
}

/** True when a hosted zone is to be made for the Zone where it has none. */
export function mayCreate(
  { config }: Pick<Context, 'config'>,
  zone: LiveZone,
  declared: ReadonlyMap<ZoneKey, readonly NameServer[]>,
): boolean {
  if (config.createHostedZones !== 'all') return false;
  return zone.parent === null || (declared.get(zone.key) ?? []).length === 0;
}

/** Which Zone speaks for a hosted zone, and whether it is its own. */
type Claim = { readonly zone: ZoneKey; readonly isOwn: boolean; readonly object: ObjectItem | undefined };

async function claim(
  context: Context,
  hostedZone: Hosting & { readonly name: string },
  claims: Claim,
  known: HostedZoneItem | undefined,
): Promise<void> {
  const { id, name, nameServers } = hostedZone;
  const { zone, isOwn, object } = claims;
  if (known !== undefined && claimed(known, claims) === known) {
    if (awaitsPublish(known, object)) await context.queues.publish(id);
    return;
  }
  const key = hostedZoneItemKey(id);
  for (let attempt = 0; attempt < SWAP_ATTEMPTS_MAX; attempt += 1) {
    const stored = await context.ledger.get(key);
    const base =
      stored === null
        ? newHostedZoneItem({ id, name, zone, nameServers, cluster: context.config.clusterId })
        : decodeHostedZoneItem(stored);
    const next = claimed(isOwn ? { ...base, gone: false } : base, claims);
    if ((await context.ledger.put(key, encodeItem(next), stored?.revision ?? null)) === null) continue;
    // The annotation is all that its author does: held names are not dirty, so nothing else would come by for them.
    if (next.acknowledged.length > base.acknowledged.length) await context.queues.publish(id);
    return;
  }
  throw new LedgerContentionError(`hosted zone ${id} of Zone ${zone}`);
}

/** True when the guard holds deletes, and no run has looked at them since this object acknowledged them, or came to speak for them. */
function awaitsPublish({ held, acknowledged, zone }: HostedZoneItem, object: ObjectItem | undefined): boolean {
  if (namesAnother(held, zone)) return true;
  const digest = object?.acknowledged ?? null;
  return digest !== null && held !== null && acknowledged.includes(digest) && !held.judged.includes(digest);
}

/** The item as this Zone wants it; the same item when it says all that already. */
function claimed(item: HostedZoneItem, { zone, isOwn, object }: Claim): HostedZoneItem {
  const digest = object?.acknowledged ?? null;
  const mayBeMeant = isOwn || item.held !== null;
  const news = digest !== null && mayBeMeant && !item.acknowledged.includes(digest) && !item.used.includes(digest);
  const takeover = isOwn && (object?.takeover ?? false);
  // An annotation that was taken away and comes again is a new acknowledgement; one that only stays is not.
  const used = item.used.filter((one) => one === digest);
  if (item.zone === zone && item.takeover === takeover && !news && used.length === item.used.length) return item;
  const acknowledged = news ? [...item.acknowledged, digest] : item.acknowledged;
  return { ...item, zone, takeover, acknowledged, used };
}
