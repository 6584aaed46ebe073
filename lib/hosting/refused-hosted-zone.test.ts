// A hosted zone that Route 53 refuses to create affects its own Zone and no other.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { deliverAll, hintFor, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { applyCluster } from '../apply/apply-cluster.ts';
import { parseRef } from '../objects/object-ref.ts';
import { HostedZoneRefusedError, type HostedZones } from '../ports/hosted-zones.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';

const EVERYTHING = [{ records: [{ pattern: '*' }], zones: ['*'] }];
const REFUSAL = 'InvalidDomainName: it is reserved by AWS!';
const OBJECTS = {
  'Zone p/good': { domainName: 'good.', delegations: EVERYTHING },
  'Zone p/bad': { domainName: 'bad.', delegations: EVERYTHING },
  'Zone p/sub': { domainName: 'bad.good.', delegations: EVERYTHING },
  'Record p/good': { domainName: 'www.good.', type: 'A', rdata: '192.0.2.1' },
  'Record p/bad': { domainName: 'www.bad.', type: 'A', rdata: '192.0.2.1' },
  'Record p/sub': { domainName: 'www.bad.good.', type: 'A', rdata: '192.0.2.1' },
};

type World = ReconcileWorld & { readonly refuses: { isOn: boolean } };

/** A world in which hosted zones are created, except those of names that begin with `bad`, until that is allowed. */
function worldOf(): World {
  const world = reconcileWorld({ config: { createHostedZones: 'all', roots: null, soa: 'never' } });
  const refuses = { isOn: true };
  const { port } = world.route53;
  const create: HostedZones['create'] = async (name, reference) => {
    if (refuses.isOn && name.startsWith('bad')) throw new HostedZoneRefusedError(REFUSAL);
    return port.create(name, reference);
  };
  for (const [id, spec] of Object.entries(OBJECTS)) world.cluster.put(parseRef(id), spec);
  return { ...world, refuses, context: { ...world.context, account: { hostedZones: { ...port, create } } } };
}

async function reconciled(world: World): Promise<void> {
  await reconcile(world.context, Object.keys(OBJECTS).map(parseRef).map(hintFor));
  await deliverAll(world);
}

async function applied(world: World): Promise<void> {
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  await applyCluster(world.context, world.deps, await planCluster(world.context), options);
}

async function published({ route53 }: World): Promise<readonly string[]> {
  const hostedZones = await route53.port.list();
  return hostedZones.flatMap(({ id, name }) =>
    route53.recordSets(id).flatMap((set) => (set.type === 'A' ? [`${name} ${set.name}`] : [])),
  );
}

test.each([
  ['the functions', reconciled],
  ['apply', applied],
])('by %s: its Zone says why, and is published as soon as that is allowed', async (_, settle) => {
  const world = worldOf();
  await settle(world);
  expect(await published(world)).toEqual(['good. www.good.']);
  for (const id of ['Zone p/bad', 'Zone p/sub', 'Record p/bad', 'Record p/sub']) {
    const programmed = world.cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Programmed');
    expect(programmed).toMatchObject({ status: 'False', reason: 'HostedZoneNotFound', message: REFUSAL });
  }
  world.refuses.isOn = false;
  await settle(world);
  expect((await published(world)).toSorted()).toEqual(['bad. www.bad.', 'bad.good. www.bad.good.', 'good. www.good.']);
});

test('a sub-zone that publishes into the hosted zone of its parent stays there', async () => {
  const world = worldOf();
  const never: World = {
    ...world,
    context: { ...world.context, config: { ...world.context.config, createHostedZones: 'never' } },
  };
  await world.route53.port.create('good.', 'by hand');
  await reconciled(never);
  expect(await published(world)).toEqual(['good. www.bad.good.', 'good. www.good.']);
  await reconciled(world);
  expect(await published(world)).toEqual(['good. www.bad.good.', 'good. www.good.']);
});

test.each([
  ['the functions', reconciled],
  ['apply', applied],
])('by %s: what a Zone above published for a new sub-zone stays', async (_, settle) => {
  const world = worldOf();
  world.cluster.remove(parseRef('Zone p/sub'));
  await settle(world);
  expect(await published(world)).toEqual(['good. www.bad.good.', 'good. www.good.']);
  world.cluster.put(parseRef('Zone p/sub'), OBJECTS['Zone p/sub']);
  await settle(world);
  expect(await published(world)).toEqual(['good. www.bad.good.', 'good. www.good.']);
});
