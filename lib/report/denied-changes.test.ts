// Route 53 denies changes of a hosted zone, as when a right is missing: its Zone says so until they are allowed.
import { expect, test } from 'vitest';
import { deliverAll, deliverReports, hintFor, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';

const OBJECTS = {
  'Zone p/e': { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] },
  'Record p/www': { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' },
};

test('the Zone of a hosted zone says that its changes are denied, and no longer when they are allowed', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const programmed = (id: string) =>
    world.cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Programmed');
  for (const [id, spec] of Object.entries(OBJECTS)) world.cluster.put(parseRef(id), spec);
  await reconcile(world.context, Object.keys(OBJECTS).map(parseRef).map(hintFor));
  const denied = { kind: 'denied', message: 'AccessDenied: not authorized to perform route53:Change' } as const;
  const hostedZones = { ...world.deps.hostedZones, change: async () => denied };
  await publish({ ...world.deps, hostedZones }, 'Z1');
  await deliverReports(world);
  expect(programmed('Zone p/e')).toMatchObject({ status: 'False', reason: 'Rejected' });
  expect(programmed('Zone p/e')?.message).toContain('Route 53: AccessDenied: not authorized');
  expect(programmed('Record p/www')).toMatchObject({ status: 'False', reason: 'Pending' });
  expect(programmed('Record p/www')?.message).toContain('Route 53: AccessDenied: not authorized');
  await deliverAll(world);
  expect(programmed('Zone p/e')).toMatchObject({ status: 'True', reason: 'Published' });
  expect(programmed('Record p/www')).toMatchObject({ status: 'True', reason: 'Published' });
});

test('a Record that was reported before its change was denied is reported again, with the cause', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const said = (id: string) =>
    world.cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Programmed')?.message;
  for (const [id, spec] of Object.entries(OBJECTS)) world.cluster.put(parseRef(id), spec);
  await reconcile(world.context, Object.keys(OBJECTS).map(parseRef).map(hintFor));
  await deliverReports(world);
  expect(said('Record p/www')).toBe('waiting to be published into hosted zone Z1');
  const denied = { kind: 'denied', message: 'AccessDenied: not authorized' } as const;
  // A report is made as soon as it is asked for, before the run has noted that the hosted zone denies changes.
  const { change } = world.deps.hostedZones;
  const { report } = world.deps.queues;
  const queues: typeof world.deps.queues = {
    ...world.deps.queues,
    report: async (...asked) => {
      await report(...asked);
      await deliverReports(world);
    },
  };
  const hostedZones = { ...world.deps.hostedZones, change: async () => denied };
  await publish({ ...world.deps, hostedZones, queues }, 'Z1');
  expect(said('Record p/www')).toContain('Route 53: AccessDenied: not authorized');
  expect(await publish({ ...world.deps, hostedZones: { ...hostedZones, change }, queues }, 'Z1')).toMatchObject({
    kind: 'done',
  });
  expect(said('Record p/www')).toBe('in hosted zone Z1');
});
