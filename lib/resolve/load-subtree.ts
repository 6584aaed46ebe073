// Reads a Zone with everything that its entries depend on: every Zone of the cluster, and the endpoints at or below its
// name. The cost grows with the zone, so this is for reports only, never for the hot path.

import { placedZone } from '../directory/directory-item.ts';
import { readAllAges } from '../directory/name-ages-item.ts';
import { readPointers } from '../directory/pointer-item.ts';
import { readDirectory, readHistory } from '../directory/read-directory.ts';
import { isAtOrBelow, isBelow, reversedKey } from '../dns/names/name.ts';
import { REVERSE_NAMES } from '../dns/names/service-name.ts';
import { realName } from '../dns/names/view.ts';
import { isReverseName } from '../dns/rdata/reverse-name.ts';
import { allItems } from '../ledger/pages.ts';
import { keyOf, type ObjectRef } from '../objects/object-ref.ts';
import { declaredBy, membersPartition, namedCodec, namesPartition } from '../observe/name-index.ts';
import { declaredZone } from '../observe/object-item.ts';
import { zoneObjects } from '../observe/zone-objects.ts';
import { clusterDnsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import { isOnSameBranch } from '../record-sets/wake-hosted-zones.ts';
import type { Pointer } from '../zones/pointers.ts';
import { type ResolvedCluster, resolveCluster } from '../zones/resolve-cluster.ts';
import { relativeLabels } from './load-name.ts';
import { resolveByAge } from './standing.ts';

/**
 * The part of the cluster that the entries of this Zone depend on.
 * @throws UnreadableItemError if the directory's item of the Zone, or of one above or below, cannot be read
 */
export async function loadSubtree(context: Context, zone: ObjectRef): Promise<ResolvedCluster> {
  const { ledger, config } = context;
  const { clusterId, roots } = config;
  const read = await readDirectory(ledger, clusterId);
  const directory = read.zones.map(({ item }) => item);
  const { items: objects } = await zoneObjects(context, read);
  const own = directory.find((item) => item.key === keyOf(zone));
  const stored: LedgerItem[] = [];
  if (own !== undefined) {
    const prefix = reversedKey(own.fqdn);
    stored.push(...(await allItems(ledger, namesPartition(clusterId), prefix)));
    for (const { key, fqdn } of directory) {
      const labels = isBelow(own.fqdn, fqdn) ? reversedKey(`${relativeLabels(own.fqdn, fqdn)}.`) : '';
      if (labels === '' && !isAtOrBelow(fqdn, own.fqdn)) continue;
      stored.push(...(await allItems(ledger, membersPartition(clusterId, key), labels)));
    }
  }
  const placed = new Map(directory.map((item) => [item.key, placedZone(item)]));
  const ages = own === undefined ? new Map() : await readAllAges(ledger, clusterId, reversedKey(own.fqdn));
  const input = {
    zones: objects.map(declaredZone),
    objects: stored.map((item) => declaredBy(namedCodec.decode(item))),
    roots,
    clusterDns: clusterDnsOf(config),
    history: await readHistory(ledger, clusterId, context.clock.nowMs(), read),
    hostings: new Map(),
    placed,
    pointers: own === undefined ? [] : await pointersBelow(context, own.fqdn),
  };
  const remembered = { ages, nowMs: context.clock.nowMs() };
  const resolved = await resolveByAge(context, remembered, (past) => resolveCluster({ ...input, past }));
  const fqdn = resolved.zones.get(keyOf(zone))?.fqdn ?? null;
  for (const [name, error] of read.unread) if (fqdn !== null && isOnSameBranch(name, fqdn)) throw error;
  return resolved;
}

/** The pointers to names at or below this one. A Zone above reverse names may be above them, too. */
async function pointersBelow({ ledger, config }: Context, fqdn: string): Promise<readonly Pointer[]> {
  if (!isReverseName(fqdn) && !REVERSE_NAMES.some((name) => isAtOrBelow(name, realName(fqdn)))) return [];
  return readPointers(ledger, config.clusterId, reversedKey(fqdn));
}
