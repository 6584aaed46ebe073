// Two names that had addresses, and are then each to be an alias of the other: Route 53 takes that, and nobody answers.
// Both objects say so, until one of them leads somewhere again.
import { expect, test } from 'vitest';
import {
  deliverAll,
  deliverHints,
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  saveAll,
} from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { DEFAULT_SETTINGS } from '../objects/source-settings.ts';
import { sourcesOn } from '../sources/source.ts';

const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
const settings = { dnsEndpoints: DEFAULT_SETTINGS };

const values = (dnsName: string) => ({ endpoints: [{ dnsName, recordType: 'A', targets: ['192.0.2.1'] }] });
const aliasTo = (dnsName: string, target: string) => ({
  endpoints: [{ dnsName, recordType: 'A', targets: [target], providerSpecific: [{ name: 'alias', value: 'true' }] }],
});

async function deliver(world: ReconcileWorld, objects: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [id, spec] of Object.entries(objects)) world.cluster.put(parseRef(id), spec);
  await reconcile(
    world.context,
    Object.keys(objects).map((id) => hintFor(parseRef(id))),
  );
  for (let round = 0; round < 3; round += 1) {
    world.clock.ms += 10_000;
    await deliverHints(world);
    await deliverAll(world);
  }
}

function started(): ReconcileWorld {
  return reconcileWorld({
    hostedZones: [{ id: 'Z1', name: 'e.' }],
    sources: sourcesOn(settings),
    config: { sources: settings },
  });
}

const said = (world: ReconcileWorld, name: string) =>
  world.cluster.statuses
    .get(`DNSEndpoint a/${name}`)
    ?.conditions.map(({ message }) => message)
    .join() ?? '';

const RING = { 'DNSEndpoint a/v': aliasTo('v.e', 'w.e'), 'DNSEndpoint a/w': aliasTo('w.e', 'v.e') };
const VALUES = { 'DNSEndpoint a/v': values('v.e'), 'DNSEndpoint a/w': values('w.e') };

test.each([
  ['at once', [RING]],
  ['one after the other', Object.entries(RING).map(([id, spec]) => ({ [id]: spec }))],
])('a ring of aliases that are made %s is reported on both, until one of them leads somewhere', async (_, edits) => {
  const world = started();
  await deliver(world, { 'Zone p/e': ZONE, ...VALUES });
  for (const objects of edits) await deliver(world, objects);
  expect(said(world, 'v')).toContain('v.e. → w.e. → v.e. is a ring of aliases');
  expect(said(world, 'w')).toContain('w.e. → v.e. → w.e. is a ring of aliases');
  await deliver(world, { 'DNSEndpoint a/w': values('w.e') });
  expect(said(world, 'v')).not.toContain('ring');
  expect(said(world, 'w')).not.toContain('ring');
});

test('a ring that is applied all at once gives the same result', async () => {
  const world = started();
  for (const objects of [VALUES, RING]) {
    for (const [id, spec] of Object.entries({ 'Zone p/e': ZONE, ...objects })) world.cluster.put(parseRef(id), spec);
    await saveAll(world);
    await deliverAll(world);
  }
  expect(said(world, 'v')).toContain('v.e. → w.e. → v.e. is a ring of aliases');
  expect(said(world, 'w')).toContain('w.e. → v.e. → w.e. is a ring of aliases');
});
