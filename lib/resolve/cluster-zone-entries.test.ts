// The entries of the Zone of a cluster's own DNS, event by event.
import { expect, test } from 'vitest';
import { hinted } from '../../test/fakes/reconcile-steps.ts';
import { reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseConfig } from '../adapters/config/config-file.ts';
import { parseRef } from '../objects/object-ref.ts';
import { sourcesOn } from '../sources/source.ts';

test.each([
  ['publishes into the hosted zone of a Zone above', [{ id: 'Z1', name: 'e.' }]],
  [
    'has a hosted zone',
    [
      { id: 'Z1', name: 'e.' },
      { id: 'Z2', name: 'k.e.' },
    ],
  ],
  ['has no hosted zone', []],
])('a Zone that %s and delegates nothing loses the entries of a Service that is gone', async (_, hostedZones) => {
  const { sources } = parseConfig('sources: { serviceDiscovery: { zone: k.e } }', 'zone53.yaml');
  const world = reconcileWorld({ hostedZones, config: { sources }, sources: sourcesOn(sources) });
  const specs = {
    'Zone p/e': { domainName: 'e.', delegations: [{ zones: ['*'] }] },
    'Zone p/k': { domainName: 'k.e.', delegations: [] },
    'Service shop/web': { clusterIP: '10.0.0.1' },
  };
  for (const [id, spec] of Object.entries(specs)) {
    world.cluster.put(parseRef(id), spec);
    await hinted(world, id);
  }
  const entries = () => world.cluster.statuses.get('Zone p/k')?.zone?.entries.map(({ fqdn }) => fqdn);
  expect(entries()).toContain('web.shop.svc.k.e.');
  world.cluster.remove(parseRef('Service shop/web'));
  await hinted(world, 'Service shop/web');
  expect(entries()).not.toContain('web.shop.svc.k.e.');
  expect(entries()).toContain('dns-version.k.e.');
});
