// What a plan leaves out is said as plainly as what it does.
import { expect, test } from 'vitest';
import { planCluster } from '../../lib/apply/plan-cluster.ts';
import { parseRef } from '../../lib/objects/object-ref.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import { commitAll, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { describePlan } from './describe-plan.ts';
import { jsonPlan, printPlan } from './print-plan.ts';
import { plainPaint } from './terminal-text.ts';

const record = (domainName: string) => ({ domainName, type: 'A', rdata: '192.0.2.1' });

test('printPlan() names each object that no change will publish, and why', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const delegations = [{ records: [{ pattern: 'www' }] }];
  world.cluster.put(parseRef('Zone a/hosted'), { domainName: 'e.', delegations });
  world.cluster.put(parseRef('Zone a/nowhere'), { domainName: 'f.', delegations });
  for (const name of ['www.e.', 'www.f.', 'denied.e.'])
    world.cluster.put(parseRef(`Record a/${name.slice(0, -1)}`), record(name));
  const plan = describePlan(await planCluster(world.context));
  const text = printPlan(plan, plainPaint);
  expect(text.split('\n').filter((line) => /^[✗!]/.test(line))).toEqual([
    '! Zone a/nowhere (f.): Programmed=False, HostedZoneNotFound',
    '! Record a/www.f (www.f.): Programmed=False, HostedZoneNotFound',
    '✗ Record a/denied.e (denied.e.): Accepted=False, DelegationDenied',
  ]);
  expect(text).toContain('1 to update, 0 to delete, in 1 hosted zone.');
  expect(Object.keys(jsonPlan(plan))).toEqual(['hostedZones', 'errors']);
});

test('what was acknowledged and has not gone yet is said, as it goes without another word', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const refs = ['a', 'b', 'c'].map((name) => parseRef(`Record p/${name}`));
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  for (const ref of refs) world.cluster.put(ref, record(`${ref.name}.e.`));
  await commitAll(world);
  await publish(world.deps, 'Z1');
  for (const ref of refs) world.cluster.remove(ref);
  await commitAll(world);
  const result = await publish(world.deps, 'Z1');
  const digest = (result.kind === 'done' && result.held?.digest) || '';
  const deny = async () => ({ kind: 'denied', message: 'AccessDenied' }) as const;
  const denied = { ...world.deps, hostedZones: { ...world.deps.hostedZones, change: deny } };
  await publish(denied, 'Z1', { acknowledged: [digest] });
  const [hostedZone] = describePlan(await planCluster(world.context)).hostedZones;
  expect(hostedZone).toMatchObject({
    held: false,
    reasons: ['3 deletes were acknowledged before, and will go. To keep a record set, want it again.'],
  });
});
