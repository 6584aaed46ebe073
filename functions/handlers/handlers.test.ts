import { describe, expect, it } from 'vitest';
import type { QueueMessage } from '../../lib/adapters/queues/queue-message.ts';
import { parseRef } from '../../lib/objects/object-ref.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { Context } from '../../lib/ports/context.ts';
import { batchOf, failures, hintOf, INVOCATION, watching, worldOfOne } from '../../test/fakes/handler-world.ts';
import { type ReconcileWorld, standingInRoute53 } from '../../test/fakes/reconcile-world.ts';
import { pauseSeconds } from '../runtime/visibility.ts';
import { handlePublish } from './handle-publish.ts';
import { handleReconcile } from './handle-reconcile.ts';
import { handleReport } from './handle-report.ts';

/** The same world with a cluster that fails for one object. */
function failingFor(world: ReconcileWorld, name: string): Context {
  const get: Cluster['get'] = (ref, file) =>
    ref.name === name ? Promise.reject(new Error(`no answer for ${name}`)) : world.context.cluster.get(ref, file);
  return { ...world.context, cluster: { ...world.context.cluster, get } };
}

describe('reconcile', () => {
  it('reconciles a batch together, reading each object once', async () => {
    const world = worldOfOne();
    const { deps } = watching();
    const handle = handleReconcile({ ...deps, context: world.context });
    const response = await handle(batchOf(hintOf('e', 'Zone'), hintOf('www'), hintOf('www')));
    expect(failures(response)).toEqual([]);
    expect(world.cluster.calls.get).toBeLessThanOrEqual(4);
    expect([...world.queued.publish]).toEqual(['Z1']);
  });

  it('a hint that fails returns soon, and affects no other', async () => {
    const world = worldOfOne();
    const { deps, retried, counted, lines } = watching();
    const handle = handleReconcile({ ...deps, context: failingFor(world, 'bad') });
    const response = await handle(batchOf(hintOf('e', 'Zone'), hintOf('bad'), hintOf('www')));
    expect(failures(response)).toEqual(['m1']);
    expect(lines.filter((line) => line.startsWith('error: '))).toEqual([
      expect.stringMatching(/could not be handled .*"objects":\["Record a\/bad"\]/),
    ]);
    expect(retried).toEqual(['m1']);
    expect(counted.get('MessagesFailed')).toBe(1);
    expect([...world.queued.publish]).toEqual(['Z1']);
  });

  it('objects that the API server never answers for delay no other, and the run ends before it is killed', async () => {
    const world = worldOfOne();
    const { deps, retried, lines } = watching();
    const stopAtMs = world.clock.ms + 60_000;
    const get: Cluster['get'] = async (ref, file) => {
      if (!ref.name.startsWith('bad')) return world.context.cluster.get(ref, file);
      const givenUpMs = world.clock.ms + 15_000;
      await Promise.resolve();
      world.clock.ms = Math.max(world.clock.ms, givenUpMs);
      throw new Error('no answer in time');
    };
    const context = { ...world.context, cluster: { ...world.context.cluster, get } };
    const bad = Array.from({ length: 6 }, (_, index) => hintOf(`bad${index}`));
    const event = batchOf(...bad, hintOf('e', 'Zone'), hintOf('www'));
    // The hints in front were received before, but not so often that they are not tried together.
    for (const { attributes } of event.Records.slice(0, 6)) attributes.ApproximateReceiveCount = '2';
    const invocation = { getRemainingTimeInMillis: () => stopAtMs - world.clock.ms };
    const response = await handleReconcile({ ...deps, context })(event, invocation);
    expect(invocation.getRemainingTimeInMillis()).toBeGreaterThan(0);
    expect(failures(response).toSorted()).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
    expect(retried.toSorted()).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
    expect([...world.queued.publish]).toEqual(['Z1']);
    expect(lines.filter((line) => line.includes('could not be handled'))).toHaveLength(2);
    expect(lines.join()).toContain('too little time is left to begin them {"correlationIds":[],"messages":4,');
  });

  it('a hint that has failed four times is tried alone, after the others', async () => {
    const world = worldOfOne();
    const { deps, lines } = watching();
    const event = batchOf(hintOf('bad'), hintOf('e', 'Zone'), hintOf('www'));
    for (const { attributes } of event.Records.slice(0, 1)) attributes.ApproximateReceiveCount = '5';
    const response = await handleReconcile({ ...deps, context: failingFor(world, 'bad') })(event);
    expect(failures(response)).toEqual(['m0']);
    expect(lines.join()).not.toContain('fail together');
    expect([...world.queued.publish]).toEqual(['Z1']);
  });

  it('forwards a publish message whose delay is over', async () => {
    const world = worldOfOne();
    const { deps } = watching();
    const handle = handleReconcile({ ...deps, context: world.context });
    expect(failures(await handle(batchOf({ kind: 'publish', hostedZoneId: 'Z9' })))).toEqual([]);
    expect([...world.queued.publish]).toEqual(['Z9']);
  });

  it('measures the time from the event to the end', async () => {
    const world = worldOfOne();
    const { deps, counted } = watching();
    const handle = handleReconcile({ ...deps, context: world.context });
    const atMs = world.clock.ms - 250;
    await handle(batchOf({ kind: 'hint', hint: { kind: 'Zone', namespace: 'a', name: 'e', atMs } }));
    expect(counted.get('ReconcileLatency')).toBe(250);
  });
});

describe('publish', () => {
  async function reconciled() {
    const world = worldOfOne();
    const watch = watching();
    await handleReconcile({ ...watch.deps, context: world.context })(batchOf(hintOf('e', 'Zone'), hintOf('www')));
    return { world, ...watch };
  }
  const publishZ1: QueueMessage = { kind: 'publish', hostedZoneId: 'Z1' };

  it('is not repeated by a delayed message after which another run has concluded', async () => {
    const { world, deps } = await reconciled();
    await handlePublish({ ...deps, publishDeps: world.deps })(batchOf(publishZ1), INVOCATION);
    world.queued.publish.clear();
    const handle = handleReconcile({ ...deps, context: world.context });
    expect(failures(await handle(batchOf({ kind: 'publish', hostedZoneId: 'Z1', after: 0 })))).toEqual([]);
    expect([...world.queued.publish]).toEqual([]);
    expect(failures(await handle(batchOf({ kind: 'publish', hostedZoneId: 'Z1', after: 1 })))).toEqual([]);
    expect([...world.queued.publish]).toEqual(['Z1']);
  });

  it('publishes a hosted zone once for all its messages in a batch', async () => {
    const { world, deps, counted } = await reconciled();
    const handle = handlePublish({ ...deps, publishDeps: world.deps });
    expect(failures(await handle(batchOf(publishZ1, publishZ1, publishZ1), INVOCATION))).toEqual([]);
    expect(world.route53.calls.filter(({ method }) => method === 'change')).toHaveLength(2);
    expect(standingInRoute53(world).join()).toContain('www.e.');
    expect(counted.get('Changes')).toBe(2); // the record, and the SOA's timers
    expect(counted.get('PublishLatency')).toBe(0);
  });

  it('counts a refusal once, however often its object is edited', async () => {
    const { world, deps, counted, lines } = await reconciled();
    const foreign = { name: 'www.e.', type: 'A', setIdentifier: null };
    world.route53.edit('Z1', foreign, { kind: 'values', ttlSeconds: 60, values: ['203.0.113.1'] });
    for (const rdata of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      world.cluster.put(parseRef('Record a/www'), { domainName: 'www.e.', type: 'A', rdata });
      await handleReconcile({ ...deps, context: world.context })(batchOf(hintOf('www')));
      await handlePublish({ ...deps, publishDeps: world.deps })(batchOf(publishZ1), INVOCATION);
    }
    expect(counted.get('Refusals')).toBe(1);
    expect(lines.filter((line) => line.includes('"outcome":"foreign"'))).toHaveLength(3);
  });

  it('logs all changes that wait for room in a full hosted zone in one line, and counts no refusal', async () => {
    const { world, deps, counted, lines } = await reconciled();
    const change = async () => ({ kind: 'refused' as const, messages: ['LimitsExceeded: no'] });
    const publishDeps = { ...world.deps, hostedZones: { ...world.deps.hostedZones, change } };
    await handlePublish({ ...deps, publishDeps })(batchOf(publishZ1), INVOCATION);
    const waiting = lines.filter((line) => line.includes('Record a/www') && line.includes('full'));
    expect(waiting).toEqual([
      expect.stringMatching(/^warn: record sets wait for room .*"count":1,"objects":\["Record a\/www"\]/),
    ]);
    expect(counted.get('Refusals')).toBe(1); // the SOA: it adds nothing
  });

  it('sends its message again if another run has the lease, which is not a failure', async () => {
    const { world, deps } = await reconciled();
    const later: [string, number][] = [];
    const queues = { ...world.deps.queues, publish: async (id: string, s = 0) => void later.push([id, s]) };
    const slow = handlePublish({ ...deps, publishDeps: { ...world.deps, queues } });
    const blocked = handlePublish({
      ...deps,
      publishDeps: {
        ...world.deps,
        queues,
        hostedZones: {
          ...world.deps.hostedZones,
          change: async (id, changes, comment) => {
            expect(failures(await slow(batchOf(publishZ1), INVOCATION))).toEqual([]);
            return world.deps.hostedZones.change(id, changes, comment);
          },
        },
      },
    });
    await blocked(batchOf(publishZ1), INVOCATION);
    // Once for each batch of the run that held it.
    expect(later.filter(([, seconds]) => seconds > 0)).toEqual([
      ['Z1', 5],
      ['Z1', 5],
    ]);
    expect(standingInRoute53(world).join()).toContain('www.e.');
  });

  it('a failure returns the later messages of its group too, and affects no other group', async () => {
    const { world, deps, retried, lines } = await reconciled();
    const ledger: typeof world.ledger = {
      ...world.ledger,
      get: (key) => (key.sort === 'Z7' ? Promise.reject(new Error('no answer')) : world.ledger.get(key)),
    };
    const handle = handlePublish({ ...deps, publishDeps: { ...world.deps, ledger } });
    const publishZ7: QueueMessage = { kind: 'publish', hostedZoneId: 'Z7' };
    const response = await handle(batchOf(publishZ7, publishZ1, publishZ7), INVOCATION);
    expect(lines.join()).toMatch(/could not be handled .*"hostedZoneIds":\["Z7"\]/);
    expect(failures(response)).toEqual(['m0', 'm2']);
    expect(retried).toEqual(['m0', 'm2']);
    expect(standingInRoute53(world).join()).toContain('www.e.');
  });

  it('drops a message for a hosted zone that the ledger does not have', async () => {
    const { world, deps, lines } = await reconciled();
    const handle = handlePublish({ ...deps, publishDeps: world.deps });
    expect(failures(await handle(batchOf({ kind: 'publish', hostedZoneId: 'Z404' }), INVOCATION))).toEqual([]);
    expect(lines.join()).toContain('the ledger does not have this hosted zone');
  });
});

describe('report', () => {
  it('reports each object once, and a failure affects only its own object', async () => {
    const world = worldOfOne();
    const { deps } = watching();
    await handleReconcile({ ...deps, context: world.context })(batchOf(hintOf('e', 'Zone'), hintOf('www')));
    const refuse: Cluster['report'] = (ref, ...rest) =>
      ref.kind === 'Zone' ? Promise.reject(new Error('forbidden')) : world.context.cluster.report(ref, ...rest);
    const context = { ...world.context, cluster: { ...world.context.cluster, report: refuse } };
    const of = (kind: 'Zone' | 'Record', name: string): QueueMessage => ({
      kind: 'report',
      ref: { kind, namespace: 'a', name },
    });
    const response = await handleReport({ ...deps, context })(
      batchOf(of('Zone', 'e'), of('Record', 'www'), of('Record', 'www')),
    );
    expect(failures(response)).toEqual(['m0']);
    expect(world.cluster.statuses.get('Record a/www')?.fqdn).toBe('www.e.');
    expect(world.cluster.calls.report).toBe(1);
  });
});

describe('recent reports', () => {
  const sent = (event: ReturnType<typeof batchOf>, atMs: number) => ({
    Records: event.Records.map((record) => ({
      ...record,
      attributes: { ...record.attributes, SentTimestamp: String(atMs) },
    })),
  });
  const zone = { kind: 'report', ref: { kind: 'Zone', namespace: 'a', name: 'e' } } as const;

  const reporting = async (change: Partial<Cluster> = {}) => {
    const world = worldOfOne();
    const { deps, lines } = watching();
    await handleReconcile({ ...deps, context: world.context })(batchOf(hintOf('e', 'Zone'), hintOf('www')));
    const context = { ...world.context, cluster: { ...world.context.cluster, ...change } };
    const handle = handleReport({ ...deps, context });
    const beganMs = world.context.clock.nowMs();
    const reported = () => lines.filter((line) => line.includes('reported')).length;
    /** How many reports a message leads to that was sent then. */
    const reportsOf = async (atMs: number) => {
      const before = reported();
      expect(failures(await handle(sent(batchOf(zone), beganMs + atMs)))).toEqual([]);
      return reported() - before;
    };
    return { world, handle, beganMs, reportsOf };
  };

  it('skips a message that was sent before the last report of its object, and handles a later one', async () => {
    const { reportsOf } = await reporting();
    expect(await reportsOf(-5_000)).toBe(1);
    expect(await reportsOf(-2_000)).toBe(0);
    // Too close for clocks that differ.
    expect(await reportsOf(-400)).toBe(1);
    expect(await reportsOf(1_000)).toBe(1);
  });

  it('does not count a report that failed', async () => {
    let fails = true;
    const { world, handle, beganMs, reportsOf } = await reporting({
      report: (...told) => (fails ? Promise.reject(new Error('forbidden')) : world.context.cluster.report(...told)),
    });
    expect(failures(await handle(sent(batchOf(zone), beganMs - 5_000)))).toEqual(['m0']);
    fails = false;
    expect(await reportsOf(-5_000)).toBe(1);
    expect(world.cluster.statuses.get('Zone a/e')).toBeDefined();
  });
});

describe('pauseSeconds()', () => {
  it.each([
    [1, 2],
    [2, 4],
    [5, 32],
    [12, 300],
    [Number.NaN, Number.NaN],
  ])('after %i receives: %i', (receives, seconds) => {
    expect(pauseSeconds(receives)).toBe(seconds);
  });
});
