// What views inherit where several clusters publish, by commands: names that one cluster moves, lets go or is retired
// with are in the views of the others at once, and are not lost.
import { expect, test } from 'vitest';
import { type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { hostedZonesInViews } from '../adapters/route53/hosted-zones-in-views.ts';
import { hostedZonesByAccount } from '../adapters/route53/hosted-zones-of-accounts.ts';
import { parseRef } from '../objects/object-ref.ts';
import { readCluster } from '../observe/read-cluster.ts';
import { applyCluster } from './apply-cluster.ts';
import { applyRetirement } from './apply-retirement.ts';
import { applyStandby } from './apply-standby.ts';
import { planReading } from './plan-cluster.ts';
import { planRetirement } from './plan-retirement.ts';
import { planStandby } from './plan-standby.ts';

const HOSTED_ZONES = [
  { id: 'ZP', name: 'e.' },
  { id: 'ZI', name: 'e.', isPrivate: true, view: 'internal' },
];
const EVERYTHING = [{ records: [{ pattern: '*' }] }];
const OUTSIDE = { 'Zone p/outside': { domainName: 'e.', delegations: EVERYTHING } };
const INSIDE = { 'Zone p/inside': { domainName: 'e.', view: 'internal', delegations: EVERYTHING } };
const OPTIONS = { acknowledged: [], only: () => true, progress: () => {} };
const www = (rdata: string) => ({ 'Record p/www': { domainName: 'www.e.', type: 'A', rdata } });

type Worlds = { readonly eu: ReconcileWorld; readonly us: ReconcileWorld };

function worlds(): Worlds {
  const worldOf = (clusterId: string) => {
    const config = { clusterId, soa: 'never' as const, extendedViews: { internal: 'public' } };
    return reconcileWorld({ hostedZones: HOSTED_ZONES, config });
  };
  const eu = worldOf('eu');
  const over = (world: ReconcileWorld): ReconcileWorld => {
    const { config } = world.context;
    const port = hostedZonesInViews(eu.route53.port, config);
    const hostedZones = hostedZonesByAccount(port, new Map(), { config });
    const { ledger } = eu;
    const context = { ...world.context, ledger, account: { hostedZones } };
    return { ...world, ledger, route53: eu.route53, context, deps: { ...world.deps, ledger, hostedZones } };
  };
  return { eu: over(eu), us: over(worldOf('us')) };
}

/** Has a cluster want these objects and no others, and applies them. */
async function apply({ cluster, context, deps, clock }: ReconcileWorld, objects: Readonly<Record<string, object>>) {
  for (const { ref } of cluster.objects()) cluster.remove(ref);
  for (const [id, spec] of Object.entries(objects)) cluster.put(parseRef(id), spec);
  clock.ms += 1_000;
  await applyCluster(context, deps, await planReading(context, await readCluster(context), {}), OPTIONS);
}

/** The names with their addresses that a hosted zone has. */
function inside({ eu }: Worlds, id = 'ZI'): readonly string[] {
  const sets = eu.route53.recordSets(id).filter(({ type }) => type === 'A');
  return sets.map(({ name, content }) => `${name} ${content.kind === 'values' ? content.values : ''}`).toSorted();
}

test('a view of one cluster follows at once what another one publishes in the view that it extends', async () => {
  const both = worlds();
  await apply(both.eu, { ...OUTSIDE, ...www('192.0.2.1') });
  await apply(both.us, INSIDE);
  expect(inside(both)).toEqual(['www.e. 192.0.2.1']);
  await apply(both.eu, { ...OUTSIDE, ...www('192.0.2.2') });
  expect(inside(both)).toEqual(['www.e. 192.0.2.2']);
  await apply(both.eu, OUTSIDE);
  expect(inside(both)).toEqual([]);
});

test('a view has what it inherits as long as a Zone of any cluster has the hosted zone', async () => {
  const both = worlds();
  await apply(both.eu, { ...OUTSIDE, ...INSIDE, ...www('192.0.2.1') });
  await apply(both.us, INSIDE);
  await apply(both.eu, { ...OUTSIDE, ...www('192.0.2.1') });
  expect(inside(both)).toEqual(['www.e. 192.0.2.1']);
  await apply(both.eu, { ...OUTSIDE, ...www('192.0.2.2') });
  expect(inside(both)).toEqual(['www.e. 192.0.2.2']);
  await apply(both.us, {});
  await apply(both.eu, { ...OUTSIDE, ...www('192.0.2.2') });
  expect(inside(both)).toEqual([]);
});

test('names that a cluster gives up by standby are in the view as the next cluster has them', async () => {
  const both = worlds();
  await apply(both.eu, { ...OUTSIDE, ...INSIDE, ...www('192.0.2.1') });
  await apply(both.us, { ...OUTSIDE, ...INSIDE, ...www('192.0.2.2') });
  const asked = { cluster: 'eu', standby: true };
  await applyStandby(both.us.context, both.us.deps, asked, await planStandby(both.us.context, asked), OPTIONS);
  expect([inside(both, 'ZP'), inside(both)]).toEqual([['www.e. 192.0.2.2'], ['www.e. 192.0.2.2']]);
});

test('after a cluster was retired, the next one inherits', async () => {
  const both = worlds();
  await apply(both.eu, { ...OUTSIDE, ...INSIDE, ...www('192.0.2.1') });
  const other = { 'Record p/other': { domainName: 'other.e.', type: 'A', rdata: '192.0.2.3' } };
  const wanted = { ...OUTSIDE, ...INSIDE, ...www('192.0.2.2'), ...other };
  await apply(both.us, wanted);
  const asked = { cluster: 'eu', retain: false };
  const planned = await planRetirement(both.us.context, asked);
  const { left } = await applyRetirement(both.us.context, both.us.deps, asked, planned, { ...OPTIONS, releases: true });
  expect(left).toEqual([]);
  const names = ['other.e. 192.0.2.3', 'www.e. 192.0.2.2'];
  expect([inside(both, 'ZP'), inside(both)]).toEqual([names, names]);
  await apply(both.us, { ...wanted, ...www('192.0.2.9') });
  expect(inside(both)).toEqual(['other.e. 192.0.2.3', 'www.e. 192.0.2.9']);
});
