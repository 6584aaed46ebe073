// Sabotages of what keeps the clusters of a fleet apart and settles their claims. Part of the list in sabotages.ts.

import { isShare } from '../../../lib/objects/share-id.ts';
import type { JsonObject, LedgerItem, LedgerKey } from '../../../lib/ports/ledger.ts';
import { bend, bendReads, bendWrites, breaks, isRecordSet, of, type Sabotage } from '../bend.ts';
import type { FunctionRun, World } from '../world.ts';
import { clusterOfLedgerId, isFleet } from './world.ts';

/** True for what another cluster than that of the run has. */
function isOthers(world: World, run: FunctionRun, partition: string): boolean {
  const cluster = clusterOfLedgerId(world, partition.slice(partition.indexOf('#') + 1));
  return cluster !== null && cluster !== run.member.config.clusterId;
}

const isPublish = (key: LedgerKey, run: FunctionRun) => isRecordSet(key) && run.kind === 'publish';

function without(body: JsonObject, field: string): JsonObject {
  const { [field]: _, ...rest } = body;
  return rest;
}

function inOneNamespace({ objects, publishedObjects, ...body }: JsonObject): JsonObject {
  const inOne = (refs: JsonObject[string] = []) => (refs as readonly string[]).map((ref) => ref.replace(' b/', ' a/'));
  return { ...body, objects: inOne(objects), publishedObjects: inOne(publishedObjects) };
}

/** The record set with what another cluster has published there, if this one has nothing. */
function withTheirs({ auditor }: World, item: LedgerItem): LedgerItem {
  const { published, desired, intent } = item.body;
  if (published !== null || desired === null || intent !== null) return item;
  const theirs = [...auditor.shadow.items].find(
    ([key, body]) => key.startsWith('recordsets#') && key.endsWith(` ${item.sort}`) && body.published !== null,
  );
  return theirs === undefined ? item : { ...item, body: { ...item.body, published: theirs[1].published ?? null } };
}

const ALL: readonly Sabotage[] = [
  breaks(
    'I32',
    bend('publish reads nothing of other clusters', ({ ledger }, run, world) => ({
      ledger: {
        query: async (partition, options) => {
          const isHidden =
            run.kind === 'publish' && partition.startsWith('recordsets#') && isOthers(world, run, partition);
          return isHidden ? { items: [], next: null } : ledger.query(partition, options);
        },
      },
    })),
  ),
  breaks(
    'I33',
    bend('what another cluster has published counts as its own', ({ ledger }, run, world) => ({
      ledger: {
        query: async (partition, options) => {
          const page = await ledger.query(partition, options);
          if (run.kind !== 'publish' || !partition.startsWith('recordsets#')) return page;
          if (isOthers(world, run, partition)) return { items: [], next: null };
          return { ...page, items: page.items.map((item) => withTheirs(world, item)) };
        },
      },
    })),
  ),
  breaks(
    'I34',
    bendReads('all claims are for one namespace', isPublish, (item) => ({ ...item, body: inOneNamespace(item.body) })),
  ),
  breaks(
    'I34',
    bendReads('all claims merge', isPublish, (item) => ({ ...item, body: { ...item.body, merges: true } })),
  ),
  breaks(
    'I35',
    bend('the record sets of a cluster are written among those of the first', ({ ledger }, run) => ({
      ledger: {
        put: (key, ...rest) => {
          const { partition, sort } = key;
          if (run.kind !== 'reconcile' || !isRecordSet(key)) return ledger.put(key, ...rest);
          return ledger.put({ partition: partition.replace(/@.*$/, ''), sort }, ...rest);
        },
      },
    })),
  ),
  breaks('I36', {
    name: 'the guard is off for all clusters but the first',
    guard: (limits, { messages: [message] }) =>
      message?.work.kind === 'publish' && isShare(message.work.hostedZoneId) ? { ...limits, isOff: true } : limits,
  }),
  breaks(
    'Q7',
    bendWrites('that a claim is on standby is lost', isRecordSet, (body) => without(body, 'standbyMs')),
  ),
  breaks(
    'Q7',
    bend('no cluster wakes another one', ({ ledger, queues }, run, world) => ({
      ledger: {
        put: async (key, ...rest) => {
          const isLost = run.kind === 'publish' && of('dirty#')(key) && isOthers(world, run, key.partition);
          return isLost ? 'lost' : ledger.put(key, ...rest);
        },
      },
      queues: {
        publish: async (id, ...rest) => {
          if (run.kind !== 'publish' || !isOthers(world, run, `#${id}`)) await queues.publish(id, ...rest);
        },
      },
    })),
  ),
];

/** Only worlds with several clusters have what they weaken. */
export const FLEET_SABOTAGES: readonly Sabotage[] = ALL.map((one) => ({ ...one, concerns: isFleet }));
