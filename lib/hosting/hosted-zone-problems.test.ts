// A root that has no hosted zone although there seems to be one says why: in its status, and in those of its Records.
import { expect, test } from 'vitest';
import {
  deliverAll,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  sweepAll,
} from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';

const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
const OTHER = { id: 'Z1', name: 'other.' };
const ONE = { id: 'Z2', name: 'e.' };
const OBJECTS = { 'Zone p/e': ZONE, 'Record p/www': { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' } };

async function publishAll(world: ReconcileWorld): Promise<void> {
  for (const [id, spec] of Object.entries(OBJECTS)) world.cluster.put(parseRef(id), spec);
  await reconcile(world.context, Object.keys(OBJECTS).map(parseRef).map(hintFor));
  await deliverAll(world);
}

test.each([
  [
    'two of its name',
    [ONE, { id: 'Z3', name: 'e.' }],
    [],
    'the account has 2 public hosted zones named e. (Z2, Z3): choose one in the configuration',
  ],
  [
    'a configured one that does not exist',
    [ONE],
    [{ zone: 'e.', id: 'Z9' }],
    'the hosted zone Z9 that the configuration names for e. does not exist in this account',
  ],
  [
    'a configured one of another name',
    [ONE, OTHER],
    [{ zone: 'e.', id: 'Z1' }],
    'the hosted zone Z1 that the configuration names for e. is named other.',
  ],
])('%s', async (_, hostedZones, configured, message) => {
  const world = reconcileWorld({ hostedZones, config: { hostedZones: configured } });
  await publishAll(world);
  for (const id of Object.keys(OBJECTS)) {
    const programmed = world.cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Programmed');
    expect(programmed).toMatchObject({ status: 'False', reason: 'HostedZoneNotFound' });
    expect(programmed?.message).toContain(message);
  }
});

test.each([
  ['does not exist', { zone: 'e.', id: 'Z9' }],
  ['has another name', { zone: 'e.', id: 'Z1' }],
  ['is not private', { zone: 'e.', id: 'Z2', visibility: 'private' }],
] as const)('what is published stays if the configuration names a hosted zone that %s', async (_, configured) => {
  const world = reconcileWorld({ hostedZones: [ONE, OTHER], config: { soa: 'never' } });
  await publishAll(world);
  const config = { ...world.context.config, hostedZones: [configured] };
  const logged: unknown[] = [];
  const log: typeof world.context.log = (level, text) => void logged.push(`${level}: ${text}`);
  const changed = { ...world, context: { ...world.context, config, log } };
  await sweepAll(changed);
  await deliverAll(changed);
  expect(world.route53.recordSets('Z2').map(({ name }) => name)).toContain('www.e.');
  expect(logged).toContain('error: a hosted zone cannot be used, and the former one stays');
  const programmedOf = (id: string) =>
    world.cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Programmed');
  expect(programmedOf('Zone p/e')).toMatchObject({ status: 'False', reason: 'HostedZoneNotFound' });
  expect(programmedOf('Zone p/e')?.message).toContain(`the hosted zone ${configured.id} `);
  expect(programmedOf('Record p/www')).toMatchObject({ status: 'True', reason: 'Published' });
  await sweepAll(world);
  await deliverAll(world);
  expect(programmedOf('Zone p/e')).toMatchObject({ status: 'True', reason: 'Published' });
});
