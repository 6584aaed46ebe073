// One batch with messages of several clusters.
import { describe, expect, it } from 'vitest';
import type { QueueMessage } from '../../lib/adapters/queues/queue-message.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { readHostedZone } from '../../lib/record-sets/lease.ts';
import { fleetOfTwo, WWW } from '../../test/fakes/fleet-of-two.ts';
import { batchOf, failures, hintOf, INVOCATION, watching } from '../../test/fakes/handler-world.ts';
import type { ReconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { type BatchHandler, byCluster, byHostedZone } from './by-cluster.ts';
import { handlePublish } from './handle-publish.ts';
import { handleReconcile } from './handle-reconcile.ts';
import { handleReport } from './handle-report.ts';

const of = (cluster: string, message: QueueMessage): QueueMessage => ({ ...message, cluster });
const hintsOf = (cluster: string) => [of(cluster, hintOf('e', 'Zone')), of(cluster, hintOf('www'))];

/** A cluster whose API server does not answer until `end` is called. */
function hanging(cluster: Cluster): { readonly cluster: Cluster; readonly end: () => void } {
  let end = () => {};
  const ended = new Promise<never>((_, reject) => {
    end = () => reject(new Error('no answer in time'));
  });
  ended.catch(() => {});
  return { cluster: { ...cluster, get: () => ended, listPage: () => ended }, end: () => end() };
}

function handling({ eu, us }: ReturnType<typeof fleetOfTwo>) {
  const watch = watching();
  const each = (make: (world: ReconcileWorld) => BatchHandler) =>
    new Map([
      ['eu', make(eu)],
      ['us', make(us)],
    ]);
  const reconcile = each(({ context }) => handleReconcile({ ...watch.deps, context }));
  const report = each(({ context }) => handleReport({ ...watch.deps, context }));
  const publish = each((world) => handlePublish({ ...watch.deps, publishDeps: world.deps }));
  const read: string[] = [];
  const others: string[] = [];
  const clusterIn = async (id: string) => {
    read.push(id);
    return (await readHostedZone(eu.ledger, id))?.item.cluster ?? null;
  };
  const ofOther = (cluster: string): BatchHandler => {
    others.push(cluster);
    return async () => ({ batchItemFailures: [] });
  };
  return {
    ...{ ...watch, read, others, byOnly: byCluster(new Map([...reconcile].slice(0, 1)), watch.deps) },
    reconcile: byCluster(reconcile, watch.deps),
    report: byCluster(report, watch.deps),
    publish: byHostedZone(publish, ofOther, clusterIn),
    publishOfOne: byHostedZone(new Map([...publish].slice(0, 1)), ofOther, clusterIn),
  };
}

const publishOf = (hostedZoneId: string): QueueMessage => ({ kind: 'publish', hostedZoneId });
const answer = ({ route53 }: ReconcileWorld) =>
  route53
    .recordSets('Z1')
    .flatMap(({ name, content }) => (name === 'www.e.' && content.kind === 'values' ? content.values : []));

describe('byCluster()', () => {
  it('gives each message to the handler of its cluster', async () => {
    const fleet = fleetOfTwo();
    const { reconcile } = handling(fleet);
    expect(failures(await reconcile(batchOf(...hintsOf('us')), INVOCATION))).toEqual([]);
    expect([fleet.eu.cluster.calls.get, fleet.us.cluster.calls.get > 0]).toEqual([0, true]);
  });

  it('lets a cluster that does not answer delay only its own messages', async () => {
    const { eu, us } = fleetOfTwo();
    const dead = hanging(us.context.cluster);
    const { reconcile } = handling({ eu, us: { ...us, context: { ...us.context, cluster: dead.cluster } } });
    const batch = reconcile(batchOf(...hintsOf('us'), ...hintsOf('eu')), INVOCATION);
    const isDone = async () => {
      for (let turn = 0; turn < 1_000 && !eu.queued.publish.has('Z1'); turn += 1) await new Promise(setImmediate);
      return eu.queued.publish.has('Z1');
    };
    expect(await isDone()).toBe(true);
    dead.end();
    expect(failures(await batch).toSorted()).toEqual(['m0', 'm1']);
  });

  it('gives a message of the time before there were several to every cluster, and one that cannot be read to one', async () => {
    const { eu, us } = fleetOfTwo();
    const { reconcile, counted } = handling({ eu, us });
    expect(failures(await reconcile(batchOf(hintOf('www'), 'no message'), INVOCATION))).toEqual(['m1']);
    expect([eu.cluster.calls.get > 0, us.cluster.calls.get > 0]).toEqual([true, true]);
    expect(counted.get('EventsRefused')).toBe(1);
  });

  it.each([
    ['returns', '1', ['m0'], 'the configuration has no cluster \\"gone\\"'],
    ['drops', '6', [], 'are dropped {"messages":1,"clusters":["gone"]}'],
  ])(
    '%s a message of a cluster that the configuration does not have, received %s times',
    async (_, receives, failed, words) => {
      const { reconcile, byOnly, lines, retried } = handling(fleetOfTwo());
      for (const handle of [reconcile, byOnly]) {
        lines.length = 0;
        retried.length = 0;
        const event = batchOf(of('gone', hintOf('www')));
        for (const { attributes } of event.Records) attributes.ApproximateReceiveCount = receives;
        expect(failures(await handle(event, INVOCATION))).toEqual(failed);
        expect([lines.join(), retried]).toEqual([expect.stringContaining(words), failed]);
      }
    },
  );

  it('returns every message of a cluster whose handler throws, and no other', async () => {
    const { deps } = watching();
    const fine: BatchHandler = async () => ({ batchItemFailures: [] });
    const broken: BatchHandler = async () => Promise.reject(new Error('no ledger'));
    const handle = byCluster(
      new Map([
        ['eu', fine],
        ['us', broken],
      ]),
      deps,
    );
    expect(failures(await handle(batchOf(of('us', hintOf('a')), of('eu', hintOf('b'))), INVOCATION))).toEqual(['m0']);
    await expect(handle(batchOf(of('us', hintOf('a'))), INVOCATION)).rejects.toThrow('no ledger');
  });
});

describe('byHostedZone()', () => {
  async function published() {
    const fleet = fleetOfTwo();
    const handle = handling(fleet);
    await handle.reconcile(batchOf(...hintsOf('eu')), INVOCATION);
    await handle.publish(batchOf(publishOf('Z1')), INVOCATION);
    await handle.reconcile(batchOf(...hintsOf('us')), INVOCATION);
    await handle.publish(batchOf(publishOf('Z1@us')), INVOCATION);
    for (const { queued } of [fleet.eu, fleet.us]) {
      queued.publish.clear();
      queued.reports.clear();
    }
    return { ...fleet, ...handle };
  }

  it('has the objects reported that take over what another cluster lets go', async () => {
    const { eu, us, reconcile, publish, report } = await published();
    await report(batchOf(of('us', { kind: 'report', ref: WWW })), INVOCATION);
    const programmed = () =>
      us.cluster.statuses.get('Record a/www')?.conditions.find(({ type }) => type === 'Programmed')?.reason;
    expect([answer(eu), programmed()]).toEqual([['192.0.2.1'], 'OwnedByAnotherCluster']);
    eu.cluster.remove(WWW);
    await reconcile(batchOf(of('eu', hintOf('www'))), INVOCATION);
    await publish(batchOf(publishOf('Z1')), INVOCATION);
    expect([answer(eu), [...eu.queued.publish]]).toEqual([['192.0.2.1'], expect.arrayContaining(['Z1@us'])]);
    await publish(batchOf(publishOf('Z1@us')), INVOCATION);
    expect(answer(eu)).toEqual(['192.0.2.2']);
    expect([...us.queued.reports.keys()]).toContain('Record a/www');
    await report(batchOf(of('us', { kind: 'report', ref: WWW })), INVOCATION);
    expect(programmed()).toBe('Published');
  });

  it('reads whose a hosted zone is only where there are several clusters', async () => {
    const { read, publish, publishOfOne } = await published();
    read.length = 0;
    await publishOfOne(batchOf(publishOf('Z1')), INVOCATION);
    expect(read).toEqual([]);
    await publish(batchOf(publishOf('Z1')), INVOCATION);
    expect(read).toEqual(['Z1']);
  });

  it('has what a cluster published handled that the configuration does not have any more', async () => {
    const { eu, others, publish, read } = await published();
    const left = byHostedZone(
      new Map([
        ['eu', publish],
        ['ap', publish],
      ]),
      (cluster) => async () => {
        others.push(cluster);
        return { batchItemFailures: [] };
      },
      async (id) => {
        read.push(id);
        return (await readHostedZone(eu.ledger, id))?.item.cluster ?? null;
      },
    );
    expect(failures(await left(batchOf(publishOf('Z1@us')), INVOCATION))).toEqual([]);
    expect(others).toEqual(['us']);
  });
});
