// With `createHostedZones: all`, the order in which a sub-zone and its NS Record are created does not matter.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import {
  a,
  apply,
  expectRight,
  pausing,
  publishedNames,
  reasonOf,
  worldOf,
  zone,
} from '../../test/fakes/reconcile-steps.ts';
import { deliverAll } from '../../test/fakes/reconcile-world.ts';
import { HOSTED_ZONES_PARTITION } from '../record-sets/hosted-zone-item.ts';

const ALL = { createHostedZones: 'all' } as const;
const PARENT = { 'Zone a/z': zone('e.') };
const SUB = { 'Zone a/sub': zone('sub.e.') };
const WWW = { 'Record a/www': a('www.sub.e.') };

function ns(rdata: string) {
  return { 'Record a/ns': { domainName: 'sub.e.', type: 'NS', rdata } };
}
const ELSEWHERE = ns('ns1.elsewhere.net.');

test.each([
  ['its NS Record comes first', [PARENT, ELSEWHERE, SUB, WWW]],
  ['it comes first, and gets a hosted zone that nobody needs', [PARENT, SUB, WWW, ELSEWHERE]],
  ['everything comes at once', [{ ...PARENT, ...SUB, ...ELSEWHERE, ...WWW }]],
])('a sub-zone that names other servers is hosted elsewhere, if %s', async (_order, orders) => {
  const world = await worldOf({}, ALL);
  for (const objects of orders) {
    await apply(world, objects);
    await deliverAll(world);
  }
  expect(publishedNames(world)).toEqual(['sub.e. NS']);
  const [standing] = world.route53.recordSets('Z1').filter(({ name }) => name === 'sub.e.');
  expect(standing?.content).toMatchObject({ values: ['ns1.elsewhere.net.'] });
  expect(reasonOf(world, 'Record a/www', 'Programmed')).toBe('HostedElsewhere');
  await expectRight(world);
  const plan = await planCluster(world.context);
  expect(plan.hostedZones.flatMap(({ plan: { changes } }) => changes)).toEqual([]);
});

test('a sub-zone is published when its NS Record names a server of its own hosted zone, or is deleted', async () => {
  const world = await worldOf({ ...PARENT, ...SUB, ...WWW }, ALL);
  await apply(world, ns('ns-1.awsdns-01.org.'));
  await deliverAll(world);
  expect(reasonOf(world, 'Record a/www', 'Programmed')).toBe('Published');
  await apply(world, ELSEWHERE);
  await deliverAll(world);
  expect(reasonOf(world, 'Record a/www', 'Programmed')).toBe('HostedElsewhere');
  await apply(world, { 'Record a/ns': undefined });
  await deliverAll(world);
  expect(reasonOf(world, 'Record a/www', 'Programmed')).toBe('Published');
});

test('a hosted zone that the configuration names for a sub-zone is used, whatever servers the sub-zone names', async () => {
  const first = await worldOf({ ...PARENT, ...SUB, ...WWW }, ALL);
  const made = (await planCluster(first.context)).resolved.zones.get('a/sub')?.placed?.hosting?.id ?? '';
  const hostedZones = [{ zone: 'sub.e.', id: made }];
  const world = { ...first, context: { ...first.context, config: { ...first.context.config, hostedZones } } };
  await apply(world, ELSEWHERE);
  await deliverAll(world);
  expect(reasonOf(world, 'Record a/www', 'Programmed')).toBe('Published');
});

test('no hosted zone is created for a sub-zone whose NS Record is saved while the reading of its Zone goes on', async () => {
  const world = await worldOf(PARENT, ALL);
  const ledger = pausing(world.context.ledger, 'query', HOSTED_ZONES_PARTITION, () => apply(world, ELSEWHERE));
  await apply({ ...world, context: { ...world.context, ledger } }, SUB);
  await deliverAll(world);
  expect(world.route53.calls.filter(({ method }) => method === 'create')).toEqual([]);
  expect(publishedNames(world)).toEqual(['sub.e. NS']);
  await expectRight(world);
});
