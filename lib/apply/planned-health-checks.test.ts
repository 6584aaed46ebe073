// Health checks from a Record to the plan, and through `apply`: what the plan says is what is done.
import { describe, expect, test } from 'vitest';
import { describePlan } from '../../cli/print/describe-plan.ts';
import { jsonPlan, printPlan } from '../../cli/print/print-plan.ts';
import { formatJson, plainPaint } from '../../cli/print/terminal-text.ts';
import { memoryHealthChecks } from '../../test/fakes/memory-health-checks.ts';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { apply } from '../../test/fakes/takeover-world.ts';
import { hostedZonesWithHealthChecks } from '../health-checks/hosted-zones-with-health-checks.ts';
import { UNUSED_MS } from '../health-checks/tidy-health-checks.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { HealthCheckQuota } from '../ports/config.ts';

const CHECK = { protocol: 'HTTPS', host: 'one.example.net' };
const CONFIG = { ...CHECK, port: 443 };

function worldWith(healthChecks: HealthCheckQuota = { max: 5, namespaces: null }) {
  const plain = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never', healthChecks } });
  const checks = memoryHealthChecks();
  const { ledger, clock, config } = plain.context;
  const port = { ...plain.route53.port, healthChecks: checks.port };
  const hostedZones = hostedZonesWithHealthChecks(port, { ledger, clock, config });
  const world = {
    ...plain,
    context: { ...plain.context, account: { ...plain.context.account, hostedZones } },
    deps: { ...plain.deps, hostedZones },
  };
  world.cluster.put(parseRef('Zone a/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  const put = (name: string, healthCheck: object | null, weight = 1) => {
    const routing = { setIdentifier: 'one', weight, ...(healthCheck === null ? {} : { healthCheck }) };
    const ref = parseRef(`Record a/${name}`);
    world.cluster.put(ref, { domainName: `${name}.e.`, type: 'A', rdata: '192.0.2.1', routing });
  };
  const plan = async () => describePlan(await planCluster(world.context, { reads: true }));
  type Change = { readonly name: string; readonly healthChecks?: unknown; readonly outcome?: string };
  const planned = async () => {
    const { hostedZones: zones } = JSON.parse(formatJson(jsonPlan(await plan()))) as {
      readonly hostedZones: readonly { readonly changes: readonly Change[] }[];
    };
    return Object.fromEntries(zones.flatMap(({ changes }) => changes.map((one) => [one.name, one.healthChecks])));
  };
  return { world, checks, put, plan, planned, apply: () => apply(world) };
}

test('apply goes on until all are made, though Route 53 takes a few at a time', async () => {
  const { world, checks, put, apply, planned } = worldWith({ max: 10, namespaces: null });
  let fullAtMs = 0;
  const again = { isDone: false, outcome: { kind: 'again' as const, message: 'the budget is used up' } };
  const fault = () => {
    const isFull = world.clock.ms < fullAtMs;
    fullAtMs = isFull ? fullAtMs : world.clock.ms + 2_500;
    return isFull ? again : null;
  };
  Object.defineProperty(checks, 'fault', { get: fault, set: () => {} });
  for (const port of [1, 2, 3, 4, 5]) put(`n${port}`, { ...CHECK, port });
  await apply();
  expect(checks.standing.size).toBe(5);
  expect(await planned()).toEqual({});
});

describe('plan', () => {
  test('says with the first change what is created, changed and deleted, and the cost a month', async () => {
    const { world, checks, put, planned, apply } = worldWith();
    put('www', CHECK);
    put('api', CHECK);
    expect(await planned()).toEqual({
      'api.e.': [{ action: 'create', id: null, config: CONFIG, monthly: 2.75 }],
      'www.e.': undefined,
    });
    await apply();
    const [id = ''] = checks.standing.keys();
    expect(checks.standing.size).toBe(1);
    expect(await planned()).toEqual({});

    for (const name of ['www', 'api']) put(name, { ...CHECK, path: '/health' });
    const changed = { ...CONFIG, path: '/health' };
    expect(await planned()).toEqual({
      'api.e.': [{ action: 'update', id, config: changed, monthly: 2.75 }],
      'www.e.': undefined,
    });
    await apply();
    expect([...checks.standing].map(([known, { check }]) => [known, check])).toEqual([[id, changed]]);

    put('api', { ...CHECK, protocol: 'TCP', port: 5432 });
    expect(await planned()).toEqual({
      'api.e.': [{ action: 'create', id: null, config: { ...CHECK, protocol: 'TCP', port: 5432 }, monthly: 0.75 }],
    });
    await apply();

    put('www', null);
    expect(await planned()).toEqual({ 'www.e.': [{ action: 'delete', id, config: changed, monthly: 2.75 }] });
    await apply();
    world.clock.ms += UNUSED_MS;
    await apply();
    expect([...checks.standing.values()].map(({ check }) => check.protocol)).toEqual(['TCP']);
  });

  test('says nothing of health checks where only the record set changes, and of ids', async () => {
    const { put, planned, apply, world } = worldWith();
    put('www', CHECK);
    await apply();
    put('www', CHECK, 2);
    const routing = { setIdentifier: 'one', weight: 1, healthCheckId: '01234567-89ab-cdef-0123-456789abcdef' };
    world.cluster.put(parseRef('Record a/id'), { domainName: 'id.e.', type: 'A', rdata: '192.0.2.1', routing });
    expect(await planned()).toEqual({ 'www.e.': undefined, 'id.e.': undefined });
  });

  test('shows each in the text, with every option in the price and its date', async () => {
    const { put, plan } = worldWith();
    put('www', { ...CHECK, path: '/health', searchString: 'ok', interval: 10, measureLatency: true });
    expect(printPlan(await plan(), plainPaint)).toContain(
      '+     health check HTTPS one.example.net:443/health, at most 8.75 dollars a month (prices of 2026-11-30)\n',
    );
  });

  test.each([
    ['none', { max: 0, namespaces: null }, 'the configuration allows none'],
    ['those of others', { max: 1, namespaces: ['b'] }, 'does not list namespace a'],
  ])('says that apply will not send it where the configuration allows %s', async (_, quota, message) => {
    const { put, plan, apply, checks } = worldWith(quota);
    put('www', CHECK);
    put('api', null);
    const [zone] = (await plan()).hostedZones;
    expect(
      zone?.changes.map(({ name, outcome, message: said = '' }) => [name, outcome, said.includes(message)]),
    ).toEqual([
      ['api.e.', undefined, false],
      ['www.e.', 'rejected', true],
    ]);
    await apply();
    expect(checks.calls).toEqual([]);
  });

  test('counts those of the plan itself, and not one that is replaced', async () => {
    const { put, plan, apply } = worldWith({ max: 1, namespaces: null });
    put('a', CHECK);
    put('b', { ...CHECK, port: 8443 });
    const outcomes = async () => (await plan()).hostedZones[0]?.changes.map(({ name, outcome }) => [name, outcome]);
    expect(await outcomes()).toEqual([
      ['a.e.', undefined],
      ['b.e.', 'rejected'],
    ]);
    put('b', null);
    await apply();
    put('a', { ...CHECK, interval: 10 });
    expect(await outcomes()).toEqual([['a.e.', undefined]]);
  });
});
