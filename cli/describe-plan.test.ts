// What a plan leaves out is said as plainly as what it does.
import { expect, test } from 'vitest';
import { parseRef } from '../lib/kubizone/objects.ts';
import { planCluster } from '../lib/reconcile/plan-cluster.ts';
import { reconcileWorld } from '../test/fakes/reconcile-world.ts';
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
    '✗ Record a/denied.e (denied.e.): Accepted=False, DelegationDenied',
    '! Record a/www.f (www.f.): Programmed=False, HostedZoneNotFound',
  ]);
  expect(text).toContain('1 to update, 0 to delete, in 1 hosted zone.');
  expect(Object.keys(jsonPlan(plan))).toEqual(['hostedZones', 'errors']);
});
