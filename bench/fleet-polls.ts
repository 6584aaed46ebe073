// One invocation of poll for 50 clusters of 100 records, in memory: the CPU of a minute in which nothing changes, and
// how much later the changes of 49 clusters are found when the API server of the last one does not answer. Each request
// takes a while, as a watch does.
import { setTimeout as sleep } from 'node:timers/promises';
import { handlePoll, pollEach } from '../functions/handlers/handle-poll.ts';
import { parseRef } from '../lib/objects/object-ref.ts';
import type { Cluster } from '../lib/ports/cluster.ts';
import { publish } from '../lib/publish/run/publish-hosted-zone.ts';
import { type ReconcileWorld, reconcileWorld, saveAll } from '../test/fakes/reconcile-world.ts';
import { median, rounded } from './statistics.ts';

const CLUSTERS = 50;
const RECORDS = 100;
const REQUEST_MS = 200;
const POLLS = 9;
const MS_MAX = 1_500;

type Polls = { readonly cpuMs: number; readonly foundMs: number; readonly foundBesideDeadMs: number };

/** Medians: CPU of a quiet invocation, and the time until the last change is found, without and with a dead cluster. */
export async function measurePolls(): Promise<Polls> {
  const fleet = await Promise.all(Array.from({ length: CLUSTERS }, (_, index) => clusterAt(index)));
  await pollAll(fleet);
  const [quiet, all, beside]: [number[], number[], number[]] = [[], [], []];
  for (let poll = 0; poll < POLLS; poll += 1) {
    quiet.push((await pollAll(fleet)).cpuMs);
    all.push((await pollAll(fleet, { changed: CLUSTERS - 1 })).foundMs);
    beside.push((await pollAll(fleet, { changed: CLUSTERS - 1, isDead: true })).foundMs);
  }
  return {
    cpuMs: rounded(median(quiet), 1),
    foundMs: rounded(median(all)),
    foundBesideDeadMs: rounded(median(beside)),
  };
}

type Polled = { readonly world: ReconcileWorld; readonly id: string };

async function clusterAt(index: number): Promise<Polled> {
  const id = `c${index}`;
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { clusterId: id } });
  world.cluster.put(parseRef('Zone a/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  for (let record = 0; record < RECORDS; record += 1)
    world.cluster.put(parseRef(`Record a/r${record}`), { domainName: `r${record}.e.`, type: 'A', rdata: '192.0.2.1' });
  await saveAll(world);
  await publish(world.deps, 'Z1');
  return { world, id };
}

/** Polls all clusters in one invocation. The first `changed` have a Record that went; the last one may be dead. */
async function pollAll(
  fleet: readonly Polled[],
  { changed = 0, isDead = false }: { readonly changed?: number; readonly isDead?: boolean } = {},
): Promise<{ readonly cpuMs: number; readonly foundMs: number }> {
  let foundMs = 0;
  const [begunMs, used] = [performance.now(), process.cpuUsage()];
  const clusters = fleet.map(({ world, id }, index) => {
    const changes: NonNullable<Cluster['changes']> = async (kind, since) => {
      if (isDead && index === fleet.length - 1) return new Promise(() => {});
      await sleep(REQUEST_MS);
      const isNews = kind === 'Record' && since !== null && index < changed;
      const version = `${Number(since ?? 0) + (isNews ? 1 : 0)}`;
      return { version, objects: [], deleted: isNews ? [parseRef('Record a/gone')] : [] };
    };
    const hint: typeof world.context.queues.hint = async () => {
      foundMs = performance.now() - begunMs;
    };
    const { cluster, queues } = world.context;
    const context = { ...world.context, cluster: { ...cluster, changes }, queues: { ...queues, hint } };
    const poll = handlePoll({ context, kinds: ['Zone', 'Record'], meter: () => {}, tag: () => {} });
    return { id, everySeconds: 60, poll };
  });
  // What is left of a dead cluster's invocation is not waited for.
  const ended = pollEach(clusters, { nowMs: Date.now })();
  await Promise.race([ended, sleep(MS_MAX)]);
  const { user, system } = process.cpuUsage(used);
  if (changed > 0 && foundMs === 0) throw new Error('no poll has found a change');
  return { cpuMs: (user + system) / 1_000, foundMs };
}
