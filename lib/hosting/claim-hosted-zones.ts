// Finds the hosted zone of each live Zone, or creates it if the configuration says so. Then it saves in the ledger
// which Zone has it, with the Zone's takeover and acknowledgement. A Zone that declares name servers and has no hosted
// zone is hosted elsewhere: none is created for it.

import { ancestorsOf } from '../dns/names/name.ts';
import { PUBLIC, viewOf } from '../dns/names/view.ts';
import { raiseFormat, SEVERAL_CLUSTERS_OR_VIEWS } from '../ledger/format.ts';
import { UnreadableItemError } from '../ledger/item-codec.ts';
import { readable } from '../ledger/skip-unreadable.ts';
import { isAccountRefusal } from '../objects/account-refusal.ts';
import { parseRef, type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { isShare } from '../objects/share-id.ts';
import { type ObjectItem, objectCodec, objectKey } from '../observe/object-item.ts';
import { hostedZoneName, mayTakeOver } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { HostedZoneRefusedError } from '../ports/hosted-zones.ts';
import {
  acknowledgedDigests,
  annotatedWith,
  type HostedZoneItem,
  hostedZoneIdOf,
  newHostedZoneItem,
} from '../record-sets/hosted-zone-item.ts';
import { changeHostedZone } from '../record-sets/lease.ts';
import { recordSetCodec, recordSetItemKey } from '../record-sets/record-set-item.ts';
import type { LiveZone } from '../zones/delegation.ts';
import type { Hosting, NameServer } from '../zones/place-zones.ts';
import { createHostedZone } from './create-hosted-zone.ts';
import { findHostedZones, type Hostings, shareOf, staysAbove, unusable } from './find-hosted-zones.ts';
import { forgetLeft } from './forget-left.ts';
import { noteLookups, tryAccountsAgain } from './lookups.ts';

/** The hosted zones of the live Zones by fqdn, claimed in the ledger, and what was found of all. */
export async function claimHostedZones(
  context: Context,
  zones: readonly LiveZone[],
  declared: ReadonlyMap<ZoneKey, readonly NameServer[]>,
  objects: ReadonlyMap<ZoneKey, ObjectItem>,
): Promise<{ readonly hostings: ReadonlyMap<string, Hosting>; readonly found: Hostings }> {
  const found = await findHostedZones(context, zones);
  for (const [hostedZoneId, { message }] of found.unread) context.log('error', message, { hostedZoneId });
  if (found.besideOthers || zones.some(({ fqdn }) => viewOf(fqdn) !== PUBLIC))
    await raiseFormat(context.ledger, SEVERAL_CLUSTERS_OR_VIEWS);
  await forgetLeft(context, found.left);
  if (context.account.remembersLookups === true)
    await noteLookups(context.ledger, context.config.clusterId, found.absent, context.clock.nowMs());
  const hostings = new Map(hostingsInUse(context, zones, declared, found.byName));
  for (const zone of zones) {
    if (hostings.has(zone.fqdn) || found.problems.has(zone.fqdn)) continue;
    if (!(await mayCreate(context, zone, declared, hostings, found.known))) continue;
    const created = await createOrRefuse(context, zone, accountAbove(zone.fqdn, hostings));
    if (created !== null) hostings.set(zone.fqdn, created);
  }
  // A sub-zone without a hosted zone publishes into its parent's. A root publishes nothing, and says why.
  for (const { fqdn, parent } of zones) {
    const problem = found.problems.get(fqdn);
    if (problem !== undefined && parent === null) hostings.set(fqdn, unusable(problem));
  }
  const refused = zones.find(({ fqdn }) => {
    const { unreadable, keptBecause } = hostings.get(fqdn) ?? {};
    return isAccountRefusal(unreadable ?? keptBecause ?? found.problems.get(fqdn) ?? '');
  });
  if (refused !== undefined) await tryAccountsAgain(context, refused.key);
  const known = new Map(found.known.map((item) => [item.id, item]));
  for (const zone of zones) {
    const hosting = hostings.get(zone.fqdn);
    if (hosting !== undefined && hosting.unreadable === undefined && !found.unread.has(hosting.id))
      hostings.set(zone.fqdn, await claim(context, zone, hosting, objects.get(zone.key), known.get(hosting.id)));
  }
  return { hostings, found };
}

/**
 * Creates the hosted zone of a Zone. If Route 53 refuses that, or it is not known whether one was created (its item
 * cannot be read), the Zone publishes nothing and says why, and the others
 * go on; null: its names are published in the hosted zone of a Zone above, and stay there.
 */
async function createOrRefuse(
  context: Context,
  { fqdn, key }: LiveZone,
  account: string | undefined,
): Promise<Hosting | null> {
  const created = await createHostedZone(context, fqdn, key, account).catch((error: unknown) => {
    if (error instanceof HostedZoneRefusedError || error instanceof UnreadableItemError) return error;
    throw error;
  });
  if (!(created instanceof Error)) return created;
  context.log('error', created.message, { zone: key });
  return (await staysAbove(context, fqdn)) ? null : unusable(created.message);
}

/** The account of the nearest hosted zone above; undefined: the stack's own. */
function accountAbove(fqdn: string, hostings: ReadonlyMap<string, Hosting>): string | undefined {
  for (const name of ancestorsOf(fqdn)) {
    const above = hostings.get(name);
    if (above !== undefined) return above.account;
  }
  return undefined;
}

/**
 * True if a missing hosted zone is to be created for the Zone: a public one, so none below a private one, and none for
 * a Zone that objects delegate to other servers. `declared` may be older than they are, or they are lost with their
 * CRD and may return, so the items of its NS record set are asked too. `known`: the hosted zones that may have them.
 */
export async function mayCreate(
  context: Context,
  { fqdn, key, parent }: LiveZone,
  declared: ReadonlyMap<ZoneKey, readonly NameServer[]>,
  hostings: ReadonlyMap<string, Hosting>,
  known: readonly HostedZoneItem[],
): Promise<boolean> {
  if (context.config.createHostedZones !== 'all' || viewOf(fqdn) !== PUBLIC) return false;
  const above = ancestorsOf(fqdn);
  if (above.some((name) => hostings.get(name)?.isPrivate === true)) return false;
  if (parent !== null && (declared.get(key) ?? []).length > 0) return false;
  const delegation = { name: fqdn, type: 'NS', setIdentifier: null };
  const keys = known.filter(({ name }) => above.includes(name)).map(({ id }) => recordSetItemKey(id, delegation));
  const stored = (await Promise.all(keys.map((one) => context.ledger.get(one)))).filter((one) => one !== null);
  return !stored.some((one) => {
    const { lost, objects = [] } = readable(context, recordSetCodec, one) ?? {};
    return lost !== undefined || objects.some((id) => parseRef(id).kind !== 'Zone');
  });
}

/**
 * The hosted zones that are used, of those that were found. If hosted zones are created for all Zones, one may have
 * been created for a sub-zone before its NS Records were seen. If these name other servers, the sub-zone is hosted
 * elsewhere, as it is if the Records come first.
 */
export function hostingsInUse(
  { config }: Pick<Context, 'config'>,
  zones: readonly LiveZone[],
  declared: ReadonlyMap<ZoneKey, readonly NameServer[]>,
  found: ReadonlyMap<string, Hosting>,
): ReadonlyMap<string, Hosting> {
  if (config.createHostedZones !== 'all') return found;
  const isIdle = ({ fqdn, key, parent }: LiveZone) => {
    const hosting = found.get(fqdn);
    const nameServers = declared.get(key) ?? [];
    const isConfigured = config.hostedZones.some((one) => hostedZoneName(one) === fqdn);
    if (hosting?.made !== true || isConfigured || parent === null || nameServers.length === 0) return false;
    return !nameServers.some(({ rdata }) => hosting.nameServers.includes(rdata));
  };
  const idle = new Set(zones.filter(isIdle).map(({ fqdn }) => fqdn));
  return new Map([...found].filter(([fqdn]) => !idle.has(fqdn)));
}

/** Claims a hosted zone. Returns the cluster's share of it instead if another cluster has claimed it meanwhile. */
async function claim(
  context: Context,
  zone: LiveZone,
  hosting: Hosting,
  object: ObjectItem | undefined,
  known: HostedZoneItem | undefined,
): Promise<Hosting> {
  if (known !== undefined && claimed(context.config, known, hosting, zone, object, object !== undefined) === known) {
    if (awaitsPublish(known, object)) await context.queues.publish(hosting.id);
    return hosting;
  }
  if ((known === undefined || known.retired) && isShare(hosting.id)) await noteShare(context, hosting.id);
  let before: HostedZoneItem | undefined;
  let now: ObjectItem | null = null;
  let isTaken = false;
  const noted = await changeHostedZone(context.ledger, hosting.id, async (item) => {
    const { id, nameServers, made, isPrivate = false, account } = hosting;
    const inAccount = account === undefined ? {} : { account };
    const { clusterId } = context.config;
    isTaken = item !== null && !item.gone && item.cluster !== clusterId;
    if (isTaken) return null;
    const base =
      item ??
      newHostedZoneItem({
        ...{ id, name: zone.fqdn, zone: zone.key, nameServers, made, isPrivate, cluster: clusterId },
        ...inAccount,
      });
    before = base;
    // The Zone is read again, after the hosted zone's item. The earlier reading may be older than what another run has
    // claimed since.
    now = await readZoneItem(context, zone.key);
    const next = claimed(
      context.config,
      { ...base, isPrivate, gone: false },
      hosting,
      zone,
      now ?? object,
      now !== null,
    );
    return item !== null && sameJson(next, base) ? null : next;
  });
  if (isTaken) return claim(context, zone, shareOf(context.config, hosting), object, undefined);
  if (noted === null) return hosting;
  // Held names are not dirty, so only this message starts a run for a new annotation.
  const others = before === undefined ? [] : acknowledgedDigests(before);
  if (acknowledgedDigests(noted).some((digest) => !others.includes(digest))) await context.queues.publish(hosting.id);
  // The Zone is read once more after the write. Another run may have seen a newer annotation that the item already had:
  // it wrote nothing, and this write has replaced it.
  const after = await readZoneItem(context, zone.key);
  return after === null || sameClaim(after, now) ? hosting : claim(context, zone, hosting, after, noted);
}

/** Notes a share in the hosted zone that it is of, before anything is published for it. */
async function noteShare({ ledger }: Context, id: string): Promise<void> {
  await changeHostedZone(ledger, hostedZoneIdOf(id), (item) => {
    const shares = item?.shares ?? [];
    return item === null || shares.includes(id) ? null : { ...item, shares: [...shares, id] };
  });
}

function sameClaim(a: ObjectItem, b: ObjectItem | null): boolean {
  return a.acknowledged === b?.acknowledged && a.takeover === b.takeover && a.retains === b.retains;
}

/** True if the guard holds deletes, and no run has compared them with the digest that this object acknowledges. */
function awaitsPublish(item: HostedZoneItem, object: ObjectItem | undefined): boolean {
  return item.held !== null && annotatedWith(object?.acknowledged ?? null, item).some(({ state }) => state === 'open');
}

/** The Zone's item as it is now; null if the Zone is gone, or its item cannot be read. */
async function readZoneItem(context: Context, key: ZoneKey): Promise<ObjectItem | null> {
  const stored = await context.ledger.get(objectKey(context.config.clusterId, zoneOfKey(key)));
  const item = stored === null ? null : readable(context, objectCodec, stored);
  return item?.deleted === false ? item : null;
}

/**
 * The item with this Zone as its owner; the same value if nothing changes. `isKnown` false: the annotation is not
 * known, and the acknowledgement stays.
 */
function claimed(
  config: Context['config'],
  item: HostedZoneItem,
  { account }: Hosting,
  zone: LiveZone,
  object: ObjectItem | undefined,
  isKnown: boolean,
): HostedZoneItem {
  const takeover = object !== undefined && mayTakeOver(config, object);
  const acknowledgements = isKnown ? [...annotatedWith(object?.acknowledged ?? null, item)] : item.acknowledgements;
  const { account: _, retains: __, retired: ___, ...others } = item;
  const inAccount = account === undefined ? {} : { account };
  const retains = object?.retains === true ? { retains: true as const } : {};
  const next = { ...others, ...inAccount, zone: zone.key, takeover, ...retains, acknowledgements };
  return sameJson(next, item) ? item : next;
}
