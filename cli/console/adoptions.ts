// Which Zones are live, and what they adopt, by the same code as everywhere: of the objects that are read, or of those
// that the ledger remembers.
import { readDirectory, readHistory } from '../../lib/directory/read-directory.ts';
import { eachItem } from '../../lib/ledger/pages.ts';
import { readable } from '../../lib/ledger/skip-unreadable.ts';
import { declaredBy, namedCodec, namesPartition } from '../../lib/observe/name-index.ts';
import { declaredZone } from '../../lib/observe/object-item.ts';
import { declaredIn } from '../../lib/observe/read-cluster.ts';
import { zoneObjects } from '../../lib/observe/zone-objects.ts';
import { clusterDnsOf } from '../../lib/ports/config.ts';
import type { DeclaredObject } from '../../lib/zones/adopt-endpoint.ts';
import { type Adoptions, adoptAll } from '../../lib/zones/resolve-cluster.ts';
import type { ConsoleWorld } from './world.ts';

/** Resolves the Zones, and adopts nothing. */
export function resolveZonesOf(world: ConsoleWorld): Promise<Adoptions> {
  return adopt(world, async () => []);
}

/** Resolves the Zones, and adopts what is asked for; of a table, what is asked for by a full name. */
export function adoptAllOf(world: ConsoleWorld): Promise<Adoptions> {
  return adopt(world, async () => {
    if (world.hasSource || world.isEmbedded) return declaredIn(await world.reading());
    const { ledger, config, log } = world.context;
    const named: DeclaredObject[] = [];
    for await (const stored of eachItem(ledger, namesPartition(config.clusterId))) {
      const item = readable({ log }, namedCodec, stored);
      if (item !== null) named.push(declaredBy(item));
    }
    return named;
  });
}

async function adopt(world: ConsoleWorld, objectsOf: () => Promise<readonly DeclaredObject[]>): Promise<Adoptions> {
  const { context, hasSource } = world;
  const { ledger, config, clock } = context;
  const rules = { roots: config.roots, clusterDns: clusterDnsOf(config) };
  if (hasSource) {
    const { zones, history } = await world.reading();
    return adoptAll({ ...rules, zones, history, objects: await objectsOf() });
  }
  const directory = await readDirectory(ledger, config.clusterId);
  const { items } = await zoneObjects(context, directory);
  const history = await readHistory(ledger, config.clusterId, clock.nowMs(), directory);
  return adoptAll({ ...rules, zones: items.map(declaredZone), history, objects: await objectsOf() });
}
