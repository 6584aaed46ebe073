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
  await deliverAll(world);
  expect(programmed('Zone p/e')).toMatchObject({ status: 'True', reason: 'Published' });
  expect(programmed('Record p/www')).toMatchObject({ status: 'True', reason: 'Published' });
});
