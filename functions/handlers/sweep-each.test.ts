// The function sweep for two clusters that share a hosted zone.
import { expect, it } from 'vitest';
import { parseRef } from '../../lib/objects/object-ref.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import { noteSweep } from '../../lib/sweep/last-swept.ts';
import { fleetOfTwo } from '../../test/fakes/fleet-of-two.ts';
import { INVOCATION, sample, watching } from '../../test/fakes/handler-world.ts';
import { type ReconcileWorld, saveAll } from '../../test/fakes/reconcile-world.ts';
import { handleSweep, sweepEach } from './handle-sweep.ts';

/** Both clusters have published; the clock of both is the same from then on. */
async function swept({ isDead = false } = {}) {
  const { eu, us } = fleetOfTwo();
  await saveAll(eu);
  await publish(eu.deps, 'Z1');
  await saveAll(us);
  await publish(us.deps, 'Z1@us');
  const { deps, counted, lines } = watching();
  const listPage: Cluster['listPage'] = () => Promise.reject(new Error('no answer'));
  const handlerOf = ({ context }: ReconcileWorld, id: string) => {
    const cluster = isDead && id === 'us' ? { ...context.cluster, listPage } : context.cluster;
    const log: typeof deps.log = (level, message, fields) => deps.log(level, message, { cluster: id, ...fields });
    return handleSweep({ ...deps, context: { ...context, cluster, log }, ownRoles: [] });
  };
  const handle = sweepEach(
    [
      { id: 'eu', everySeconds: 900, handle: handlerOf(eu, 'eu') },
      { id: 'us', everySeconds: 3_600, handle: handlerOf(us, 'us') },
    ],
    eu.context.clock,
  );
  const compared = () =>
    lines.flatMap((line) => /swept a hosted zone .*"hostedZoneId":"([^"]+)"/.exec(line)?.[1] ?? []).toSorted();
  return { eu, us, handle, counted, lines, compared };
}

it('sweepEach() sweeps each cluster at its own times, and measures all', async () => {
  const { eu, handle, compared, lines, counted } = await swept();
  await handle(sample('schedule.sweep'), INVOCATION);
  expect(compared()).toEqual(['Z1', 'Z1@us']);
  lines.length = 0;
  eu.clock.ms += 900_000;
  await handle(sample('schedule.sweep'), INVOCATION);
  expect(compared()).toEqual(['Z1']);
  await handle(sample('schedule.measure'), INVOCATION);
  expect(counted.has('SweepAge')).toBe(true);
});

it('a cluster that the configuration does not have any more rings as long as it has record sets', async () => {
  const { eu, us, handle } = await swept();
  await handle(sample('schedule.sweep'), INVOCATION);
  const { deps, counted, lines } = watching();
  const measureWith = async (configured: readonly string[]) => {
    counted.clear();
    const context = { ...eu.context, log: deps.log };
    await handleSweep({ ...deps, context, ownRoles: [], configured })(sample('schedule.measure'), INVOCATION);
    return counted.get('Unreadable') ?? 0;
  };
  // It has nothing there: eu has the name.
  expect([await measureWith(['eu', 'us']), await measureWith(['eu'])]).toEqual([0, 0]);
  us.cluster.put(parseRef('Record a/own'), { domainName: 'own.e.', type: 'A', rdata: '192.0.2.3' });
  await saveAll(us);
  await publish(us.deps, 'Z1@us');
  expect([await measureWith(['eu', 'us']), await measureWith(['eu'])]).toEqual([0, 1]);
  expect(lines.join()).toContain('"left":"us","recordSets":1}');
});

it('sweepEach() sweeps the others although a cluster does not answer, and throws its name', async () => {
  const { handle, compared } = await swept({ isDead: true });
  await expect(handle(sample('schedule.sweep'), INVOCATION)).rejects.toThrow(
    'Cannot serve every cluster: us: no answer',
  );
  expect(compared()).toContain('Z1');
});

it('a hosted zone that somebody changed is compared with what every cluster has there, once', async () => {
  const { eu, us, handle, compared, lines } = await swept();
  // biome-ignore lint/suspicious/noExplicitAny: the sample is changed at will
  const event = sample('event-bridge.route53-call') as any;
  Object.assign(event.detail, { eventTime: new Date(eu.clock.ms).toISOString() });
  event.detail.requestParameters.hostedZoneId = 'Z1';
  await handle(event, INVOCATION);
  expect(compared()).toEqual(['Z1', 'Z1@us']);
  lines.length = 0;
  for (const [cluster, hostedZoneId] of [
    ['eu', 'Z1'],
    ['us', 'Z1@us'],
  ] as const)
    await noteSweep(us.ledger, cluster, { hostedZoneId, beganMs: eu.clock.ms + 5_000, whole: false });
  await handle(event, INVOCATION);
  expect(compared()).toEqual([]);
});
