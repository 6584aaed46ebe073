// What a sweep takes away of related objects, and of kinds that are read no more; what is needed stays.
import { describe, expect, test } from 'vitest';
import { sweepAndPublish } from '../../test/fakes/reconcile-steps.ts';
import {
  deliverAll,
  deliverHints,
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  standingInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { SITE } from '../../test/fakes/toy-source.ts';
import { allItems } from '../ledger/pages.ts';
import { parseRef } from '../objects/object-ref.ts';
import { DEFAULT_SETTINGS } from '../objects/source-settings.ts';
import { SOURCES, sourcesOn } from '../sources/source.ts';

const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
const HOUR_MS = 3_600_000;

async function deliver(world: ReconcileWorld, objects: Readonly<Record<string, unknown>>): Promise<void> {
  const refs = Object.keys(objects).map(parseRef);
  for (const [id, spec] of Object.entries(objects)) {
    if (spec === undefined) world.cluster.remove(parseRef(id));
    else world.cluster.put(parseRef(id), spec, {}, 0, { site: 's1' });
  }
  await reconcile(world.context, refs.map(hintFor));
  await deliverHints(world);
  await deliverAll(world);
}

async function remembered(world: ReconcileWorld): Promise<readonly string[]> {
  const { clusterId } = world.context.config;
  const partitions = ['Backend', 'Host', 'types'].flatMap((kind) =>
    ['dependents', 'related'].map((what) => `${what}#${clusterId}#${kind}`),
  );
  const items = await Promise.all(
    [...partitions, `rechecks#${clusterId}`].map((partition) => allItems(world.ledger, partition)),
  );
  return items.flat().map(({ partition, sort }) => `${partition} ${sort}`);
}

describe('a sweep', () => {
  test('forgets related objects that no object depends on, an hour later, and nothing else', async () => {
    const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], sources: [...SOURCES, SITE] });
    await deliver(world, { 'Zone p/e': ZONE, 'Site a/s1': { hosts: ['w.e'] } });
    await deliver(world, { 'Backend a/b1': { address: '192.0.2.1', host: 'h1' } });
    await deliver(world, { 'Host /h1': { cordoned: false } });
    const needed = await remembered(world);
    for (const what of ['dependents#', 'related#', 'rechecks#'])
      expect(needed.some((item) => item.startsWith(what))).toBe(true);
    world.clock.ms += 2 * HOUR_MS;
    await sweepAndPublish(world);
    expect(await remembered(world)).toEqual(needed);
    await deliver(world, { 'Site a/s1': undefined });
    await sweepAndPublish(world);
    world.clock.ms += 2 * HOUR_MS;
    await sweepAndPublish(world);
    await sweepAndPublish(world);
    expect(await remembered(world)).toEqual([]);
  });

  test('withdraws what a kind asked for that is no longer read', async () => {
    const world = reconcileWorld({
      hostedZones: [{ id: 'Z1', name: 'e.' }],
      sources: sourcesOn({ dnsEndpoints: DEFAULT_SETTINGS }),
    });
    const endpoints = [{ dnsName: 'w.e', recordType: 'A', targets: ['192.0.2.1'] }];
    await deliver(world, { 'Zone p/e': ZONE, 'DNSEndpoint a/d': { endpoints } });
    expect(standingInRoute53(world).join()).toContain(' w.e. A ');
    const off = { ...world, context: { ...world.context, sources: sourcesOn({}) } };
    await sweepAndPublish(off);
    await deliverHints(off);
    await deliverAll(off);
    expect(standingInRoute53(off).join()).not.toContain(' w.e. A ');
  });
});
