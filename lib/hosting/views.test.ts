// Hosted zones of views: a missing or a wrong line of the configuration publishes nothing to the world.
import { expect, test } from 'vitest';
import {
  deliverAll,
  hintFor,
  type ReconcileWorld,
  type ReconcileWorldOptions,
  reconcile,
  reconcileWorld,
  saveAll,
  standingInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { isLeft } from '../record-sets/hosted-zone-item.ts';
import { readHostedZone } from '../record-sets/lease.ts';

const EVERYTHING = [{ records: [{ pattern: '*' }, { pattern: '@' }] }];
const IN_PUBLIC = { id: 'ZP', name: 'e.' };
const IN_INTERNAL = { id: 'ZI', name: 'e.', isPrivate: true, view: 'internal' };

async function publishAll(world: ReconcileWorld): Promise<void> {
  await reconcile(world.context, ['Zone p/outside', 'Zone p/inside', 'Record p/w'].map(parseRef).map(hintFor));
  await deliverAll(world);
}

/** A world with Zones of both views, and a Record that asks in these views. */
async function worldOf(
  views: readonly string[],
  hostedZones: NonNullable<ReconcileWorldOptions['hostedZones']>,
): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones, config: { soa: 'never' } });
  world.cluster.put(parseRef('Zone p/outside'), { domainName: 'e.', delegations: EVERYTHING });
  world.cluster.put(parseRef('Zone p/inside'), { domainName: 'e.', view: 'internal', delegations: EVERYTHING });
  world.cluster.put(parseRef('Record p/w'), { domainName: 'w.e.', type: 'A', rdata: '10.0.0.1', views });
  await publishAll(world);
  return world;
}

const standing = (world: ReconcileWorld) => standingInRoute53(world).map((line) => line.split(' ', 2).join(' '));
const reasons = ({ cluster }: ReconcileWorld, id: string) =>
  cluster.statuses.get(id)?.conditions.map(({ type, reason }) => `${type} ${reason}`);

test('each view is published into its own hosted zone of one name', async () => {
  expect(standing(await worldOf(['public', 'internal'], [IN_PUBLIC, IN_INTERNAL]))).toEqual([
    'ZI w.e.@internal.',
    'ZP w.e.',
  ]);
  expect(standing(await worldOf(['internal'], [IN_PUBLIC, IN_INTERNAL]))).toEqual(['ZI w.e.@internal.']);
});

test('what one view does not accept is published in the other one, and the whole is not Programmed', async () => {
  const world = await worldOf(['public', 'internal'], [IN_PUBLIC, IN_INTERNAL]);
  expect(reasons(world, 'Record p/w')).toContain('Programmed Published');
  world.cluster.put(parseRef('Zone p/inside'), { domainName: 'e.', view: 'internal', delegations: [] });
  await publishAll(world);
  expect(standing(world)).toContain('ZP w.e.');
  expect(reasons(world, 'Record p/w')).toEqual(['Accepted DelegationDenied']);
  const views = world.cluster.statuses.get('Record p/w')?.views?.map(({ view, programmed }) => `${view} ${programmed}`);
  expect(views).toEqual(['public True', 'internal Unknown']);
});

test('a Zone of a view without a line of the configuration has no hosted zone, though the account has some', async () => {
  for (const more of [[], [{ id: 'ZX', name: 'e.', isPrivate: true }]]) {
    const world = await worldOf(['internal'], [IN_PUBLIC, ...more]);
    expect(standing(world)).toEqual([]);
    expect(reasons(world, 'Zone p/inside')).toContain('Programmed HostedZoneNotFound');
    expect(reasons(world, 'Record p/w')).toContain('Programmed HostedZoneNotFound');
  }
});

test('hosted zones are created for the public view alone', async () => {
  const world = reconcileWorld({ config: { createHostedZones: 'all' } });
  world.cluster.put(parseRef('Zone p/inside'), { domainName: 'e.', view: 'internal', delegations: EVERYTHING });
  await saveAll(world);
  expect(world.route53.calls.filter(({ method }) => method === 'create')).toEqual([]);
});

test('a misspelt view is nowhere, and a word that is no view leaves the last valid form', async () => {
  expect(standing(await worldOf(['internl'], [IN_PUBLIC, IN_INTERNAL]))).toEqual([]);
  expect(standing(await worldOf(['Internal'], [IN_PUBLIC, IN_INTERNAL]))).toEqual([]);
  const world = await worldOf(['internal'], [IN_PUBLIC, IN_INTERNAL]);
  world.cluster.put(parseRef('Record p/w'), { domainName: 'w.e.', type: 'A', rdata: '10.0.0.1', views: [] });
  await publishAll(world);
  expect(standing(world)).toEqual(['ZI w.e.@internal.']);
  expect(reasons(world, 'Record p/w')).toContain('Accepted InvalidSpec');
});

test('what is published in a view stays, and is forgotten, when its line is removed', async () => {
  const world = await worldOf(['public', 'internal'], [IN_PUBLIC, IN_INTERNAL]);
  const config = { ...world.context.config, hostedZones: [] };
  const context = { ...world.context, config, account: { hostedZones: world.route53.port } };
  const leaves = (item: Parameters<typeof isLeft>[1]) => isLeft(config, item);
  const now = { ...world, context, deps: { ...world.deps, hostedZones: world.route53.port, leaves } };
  await publishAll(now);
  expect(standing(now)).toEqual(['ZI w.e.@internal.', 'ZP w.e.']);
  expect(await readHostedZone(world.ledger, 'ZI')).toBe(null);
  expect(reasons(now, 'Zone p/inside')).toContain('Programmed HostedZoneNotFound');
});
