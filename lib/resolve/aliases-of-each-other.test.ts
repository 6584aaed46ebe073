// Objects with aliases that have the types of names of their own, or of each other's names. A hint that finds nothing
// new is passed on to the objects behind such aliases, in case that a run died before it did so. That must end.
import { expect, test } from 'vitest';
import {
  deliverAll,
  deliverHints,
  hintFor,
  reconcile,
  reconcileWorld,
  standingInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { DEFAULT_SETTINGS } from '../objects/source-settings.ts';
import { sourcesOn } from '../sources/source.ts';

const settings = { dnsEndpoints: DEFAULT_SETTINGS };
const value = (dnsName: string) => ({ dnsName, recordType: 'A', targets: ['192.0.2.1'] });
const alias = (dnsName: string, target: string) => ({
  ...{ dnsName, recordType: 'A', targets: [target] },
  providerSpecific: [{ name: 'alias', value: 'true' }],
});

const OF_ITSELF = { 'a/v': [value('v.e'), alias('w.e', 'v.e')] };
const OF_EACH_OTHER = { 'a/v': [value('v.e'), alias('x.e', 'w.e')], 'a/w': [value('w.e'), alias('y.e', 'v.e')] };

test.each<[string, boolean, Readonly<Record<string, readonly object[]>>]>([
  ['an object with an alias to a name of its own', true, OF_ITSELF],
  ['such an object whose names wait to be published', false, OF_ITSELF],
  ['two objects with aliases to names of each other', true, OF_EACH_OTHER],
  ['such objects whose names wait to be published', false, OF_EACH_OTHER],
])('the hints for %s run dry, however often one comes again', async (_, isPublished, endpoints) => {
  const world = reconcileWorld({
    hostedZones: [{ id: 'Z1', name: 'e.' }],
    sources: sourcesOn(settings),
    config: { sources: settings },
  });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  const refs = Object.keys(endpoints).map((key) => parseRef(`DNSEndpoint ${key}`));
  for (const ref of refs) world.cluster.put(ref, { endpoints: endpoints[`${ref.namespace}/${ref.name}`] });
  const all = [parseRef('Zone p/e'), ...refs];
  for (const ref of [...all, ...all, ...all]) {
    world.clock.ms += 10_000;
    await reconcile(world.context, [hintFor(ref)]);
    await deliverHints(world);
    if (isPublished) await deliverAll(world);
  }
  await deliverAll(world);
  expect(standingInRoute53(world)).toHaveLength(Object.values(endpoints).flat().length);
});
