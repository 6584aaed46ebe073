// The entries of the Zone of a cluster's own DNS, and of the Zones of its PTRs, event by event.
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

test.each([
  ['moves', { domainName: 'k.f.', delegations: [] }],
  ['is deleted', undefined],
])('a sub-zone for reverse names loses its PTRs when the Zone of the names %s', async (_, spec) => {
  const { sources } = parseConfig('sources: { serviceDiscovery: { zone: k.e } }', 'zone53.yaml');
  const hostedZones = [{ id: 'Z1', name: '10.in-addr.arpa.' }];
  const world = reconcileWorld({ hostedZones, config: { sources }, sources: sourcesOn(sources) });
  const specs = {
    'Zone p/k': { domainName: 'k.e.', delegations: [] },
    'Zone p/r': { domainName: '10.in-addr.arpa.', delegations: [{ zones: ['*'] }] },
    'Zone p/s': { domainName: '0.10.in-addr.arpa.', delegations: [{ records: [{ pattern: '*' }] }] },
    'Service shop/web': { clusterIP: '10.0.0.1' },
  };
  for (const [id, one] of Object.entries(specs)) {
    world.cluster.put(parseRef(id), one);
    await hinted(world, id);
  }
  const entries = () => world.cluster.statuses.get('Zone p/s')?.zone?.entries.map(({ fqdn }) => fqdn);
  expect(entries()).toContain('1.0.0.10.in-addr.arpa.');
  if (spec === undefined) world.cluster.remove(parseRef('Zone p/k'));
  else world.cluster.put(parseRef('Zone p/k'), spec);
  await hinted(world, 'Zone p/k');
  expect(entries()).not.toContain('1.0.0.10.in-addr.arpa.');
});
