// An object that is to have the types of another name: those that are wanted there, and those that still stand in Route 53.
import { expect, test } from 'vitest';
import { sweepAndPublish } from '../../test/fakes/reconcile-steps.ts';
import {
  commitAll,
  deliverAll,
  deliverHints,
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  standingInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { SITE } from '../../test/fakes/toy-source.ts';
import { planCluster } from '../apply/plan-cluster.ts';
import { type ObjectRef, parseRef } from '../objects/object-ref.ts';
import { SOURCES } from '../sources/source.ts';

const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };

function siteWorld(): ReconcileWorld {
  return reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], sources: [...SOURCES, SITE] });
}

/** Edits with labels; undefined deletes. Returns the objects. */
type Edits = Readonly<Record<string, { readonly spec: unknown; readonly labels?: Record<string, string> } | undefined>>;

function edit(world: ReconcileWorld, edits: Edits): ObjectRef[] {
  return Object.entries(edits).map(([id, to]) => {
    const ref = parseRef(id);
    if (to === undefined) world.cluster.remove(ref);
    else world.cluster.put(ref, to.spec, {}, 0, to.labels ?? {});
    return ref;
  });
}

async function deliver(world: ReconcileWorld, edits: Edits): Promise<void> {
  await reconcile(world.context, edit(world, edits).map(hintFor));
  // What was published may tell others.
  for (let round = 0; round < 3; round += 1) {
    await deliverHints(world);
    await deliverAll(world);
  }
}

function backend(site: string, address: string, host = 'h1') {
  return { spec: { address, host }, labels: { site } };
}

function addresses(world: ReconcileWorld): string[] {
  return standingInRoute53(world)
    .filter((line) => / A /.test(line))
    .map((line) => `${line.split(' ')[1]} ${JSON.parse(line.slice(line.indexOf('{'))).values.join(',')}`);
}

test('an object has the types of another name, and loses them with it', async () => {
  const world = siteWorld();
  const like = { spec: { hosts: ['v.e'], like: 'w.e.' } };
  await deliver(world, {
    'Zone p/e': { spec: ZONE },
    'Site a/like': like,
    'Backend a/b1': backend('s1', '192.0.2.1'),
  });
  expect(addresses(world)).toEqual([]);
  await deliver(world, { 'Site a/s1': { spec: { hosts: ['w.e'] } } });
  expect(addresses(world)).toEqual(['v.e. 192.0.2.99', 'w.e. 192.0.2.1']);
  await sweepAndPublish(world);
  await commitAll(world);
  await deliverAll(world);
  expect(addresses(world)).toEqual(['v.e. 192.0.2.99', 'w.e. 192.0.2.1']);
  world.clock.ms += 10_000;
  await deliver(world, { 'Site a/s1': undefined });
  expect(addresses(world)).toEqual([]);
});

test('an object has the types that another name still has in Route 53, though nobody wants them any more', async () => {
  const world = siteWorld();
  const site = { spec: { hosts: ['w.e'] } };
  await deliver(world, {
    'Zone p/e': { spec: ZONE },
    'Site a/s1': site,
    'Backend a/b1': backend('s1', '192.0.2.1'),
  });
  await reconcile(world.context, edit(world, { 'Site a/s1': undefined }).map(hintFor));
  const like = { spec: { hosts: ['v.e'], like: 'w.e.' } };
  await reconcile(world.context, edit(world, { 'Site a/like': like }).map(hintFor));
  const wanted = async () => (await desiredInLedger(world)).map((line) => line.split(' ').slice(0, 3).join(' '));
  expect(await wanted()).toEqual(['Z1 e. SOA', 'Z1 v.e. A']);
  const planned = await planCluster(world.context);
  expect(planned.world.recordSets.map(({ name, type }) => `${name} ${type}`)).toEqual(['e. SOA', 'v.e. A']);
  await deliverAll(world);
  world.clock.ms += 10_000;
  await deliverHints(world);
  await deliverAll(world);
  expect(await wanted()).toEqual(['Z1 e. SOA']);
  expect(addresses(world)).toEqual([]);
});
