// An object that is to have the types of another name: those that are wanted there, and those that still stand in Route
// 53.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { apply, sweepAndPublish } from '../../test/fakes/reconcile-steps.ts';
import {
  deliverAll,
  deliverHints,
  desiredInLedger,
  hintFor,
  newsFromScratch,
  reconcile,
  reconcileWorld,
  saveAll,
} from '../../test/fakes/reconcile-world.ts';
import { addresses, backend, deliver, edit, siteWorld, ZONE } from '../../test/fakes/site-world.ts';
import { parseConfig } from '../adapters/config/config-file.ts';
import { parseRef } from '../objects/object-ref.ts';
import { sourcesOn } from '../sources/source.ts';

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
  await saveAll(world);
  await deliverAll(world);
  expect(addresses(world)).toEqual(['v.e. 192.0.2.99', 'w.e. 192.0.2.1']);
  world.clock.ms += 10_000;
  await deliver(world, { 'Site a/s1': undefined });
  expect(addresses(world)).toEqual([]);
});

test('an object has the types that another name still has in Route 53, though nobody wants that name any more', async () => {
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
  expect(planned.resolved.recordSets.map(({ name, type }) => `${name} ${type}`)).toEqual(['e. SOA', 'v.e. A']);
  await deliverAll(world);
  world.clock.ms += 10_000;
  await deliverHints(world);
  await deliverAll(world);
  expect(await wanted()).toEqual(['Z1 e. SOA']);
  expect(addresses(world)).toEqual([]);
});

test('an object does not have the types of a name that is occluded, nor does a plan give it them', async () => {
  const hostedZones = [
    { id: 'Z1', name: 'e.' },
    { id: 'Z2', name: 'k.e.' },
  ];
  const { sources } = parseConfig('sources: { ingresses: {} }', 'zone53.yaml');
  const world = reconcileWorld({ hostedZones, config: { sources }, sources: sourcesOn(sources) });
  const annotations = {
    'external-dns.kubernetes.io/alias': 'A',
    'external-dns.kubernetes.io/target': 'x.k.e',
  };
  world.cluster.put(parseRef('Ingress a/i'), { rules: [{ host: 'w.e' }] }, annotations);
  await apply(world, {
    'Zone p/e': { domainName: 'e.', delegations: [{ zones: ['*'], records: [{ pattern: '*' }] }] },
    'Zone p/k': { domainName: 'k.e.', delegations: [] },
    'Record a/x': { domainName: 'x.k.e.', type: 'A', rdata: '192.0.2.1' },
    'Ingress a/i': { rules: [{ host: 'w.e' }] },
  });
  await deliverAll(world);
  const desired = await desiredInLedger(world);
  expect(desired.filter((line) => line.includes(' w.e. '))).toEqual([]);
  expect(await newsFromScratch(world)).toEqual([]);
  await saveAll(world);
  expect(await desiredInLedger(world)).toEqual(desired);
});
