import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRoute53 } from '../../../local/route53/api/server.ts';
import { createRoute53State, type Route53State } from '../../../local/route53/model/state.ts';
import { answeringRoute53, credentials, refusal } from '../../../test/fakes/answering-route53.ts';
import type { HealthCheck } from '../../dns/health-check.ts';
import type { HealthChecks } from '../../ports/health-checks.ts';
import { BudgetExhaustedError } from './call-budget.ts';
import { route53Client } from './route53-client.ts';
import { route53HostedZones } from './route53-hosted-zones.ts';

const UNLIMITED = { take: async () => {} };
const CHECK: HealthCheck = { protocol: 'HTTPS', host: 'a.example.net', port: 443 };

function checksAt(url: string, budget = UNLIMITED): HealthChecks {
  const client = route53Client({ endpoint: url, region: 'us-east-1', credentials });
  const { healthChecks } = route53HostedZones(client, budget, { sleep: async () => {} });
  if (healthChecks === undefined) throw new Error('no health checks');
  return healthChecks.of(null);
}

describe('route53HealthChecks() with the local Route 53', () => {
  let state: Route53State;
  let server: Awaited<ReturnType<typeof startRoute53>>;
  beforeAll(async () => {
    state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random, processingMs: 1 });
    server = await startRoute53({ state });
  });
  afterAll(() => server.close());

  test.each<[string, HealthCheck, object]>([
    [
      'by name',
      CHECK,
      {
        ...{ Type: 'HTTPS', FullyQualifiedDomainName: 'a.example.net', Port: '443', ResourcePath: '/' },
        ...{ RequestInterval: '30', FailureThreshold: '3', EnableSNI: 'true' },
      },
    ],
    [
      'with every option',
      {
        ...{ protocol: 'HTTP', host: '198.51.100.7', port: 8080, path: '/x', searchString: 'ok <b>', interval: 10 },
        ...{ threshold: 1, inverted: true, measureLatency: true, regions: ['eu-west-1', 'us-east-1', 'us-west-2'] },
      },
      {
        ...{ Type: 'HTTP_STR_MATCH', IPAddress: '198.51.100.7', Port: '8080', ResourcePath: '/x' },
        ...{ SearchString: 'ok <b>', RequestInterval: '10', FailureThreshold: '1', Inverted: 'true' },
        ...{ MeasureLatency: 'true', Regions: { Region: ['eu-west-1', 'us-east-1', 'us-west-2'] } },
      },
    ],
    [
      'by TCP',
      { protocol: 'TCP', host: '2001:db8::1', port: 22 },
      { Type: 'TCP', IPAddress: '2001:db8::1', Port: '22', RequestInterval: '30', FailureThreshold: '3' },
    ],
  ])('creates one %s', async (reference, check, config) => {
    const made = await checksAt(server.url).create(check, reference);
    expect(made).toEqual({ kind: 'made', id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(made.kind === 'made' && state.getHealthCheck(made.id).config).toEqual(config);
  });

  test('changes what can be changed, and leaves the rest as it is', async () => {
    const checks = checksAt(server.url);
    const before: HealthCheck = { ...CHECK, interval: 10, measureLatency: true };
    const regions = ['eu-west-1', 'us-east-1', 'us-west-2'];
    const made = await checks.create({ ...before, regions, inverted: true, path: '/a' }, 'changed');
    const id = made.kind === 'made' ? made.id : '';
    expect(await checks.update(id, { ...before, host: 'b.example.net', threshold: 5 })).toEqual({ kind: 'made', id });
    expect(state.getHealthCheck(id)).toMatchObject({
      version: 2,
      config: {
        ...{ Type: 'HTTPS', FullyQualifiedDomainName: 'b.example.net', Port: '443', ResourcePath: '/' },
        ...{ RequestInterval: '10', FailureThreshold: '5', MeasureLatency: 'true', Inverted: 'false' },
      },
    });
    expect(state.getHealthCheck(id).config).not.toHaveProperty('Regions');
    await checks.remove(id);
    expect(await checks.update(id, CHECK)).toMatchObject({ kind: 'spent' });
  });

  test('creates one for a reference, never one for that of a deleted one, and lists all pages', async () => {
    const checks = checksAt(server.url);
    const [one, same] = [await checks.create(CHECK, 'r'), await checks.create(CHECK, 'r')];
    expect(one).toEqual(same);
    const id = one.kind === 'made' ? one.id : '';
    expect(await checks.list()).toContainEqual({ id, reference: 'r' });
    await checks.remove(id);
    await checks.remove(id);
    expect(await checks.list()).not.toContainEqual({ id, reference: 'r' });
    expect(await checks.create(CHECK, 'r')).toMatchObject({ kind: 'spent' });
    for (let count = 0; count < 120; count += 1) state.createHealthCheck(`many-${count}`, { Type: 'TCP' });
    const listed = await checks.list();
    expect(new Set(listed.map(({ reference }) => reference)).size).toBe(listed.length);
    expect(listed.length).toBeGreaterThan(120);
  });
});

describe('route53HealthChecks()', () => {
  const route53 = answeringRoute53();
  test.each([
    ['refused', refusal(400, 'TooManyHealthChecks')],
    ['refused', refusal(403, 'AccessDenied')],
    ['refused', refusal(400, 'InvalidInput')],
    ['again', refusal(400, 'Throttling')],
    ['again', refusal(500, 'InternalFailure')],
    ['again', { status: 0, body: '' }],
    ['again', { status: 201, body: '<CreateHealthCheckResponse/>' }],
  ])('says that a creation is %s, and sends it once', async (kind, answer) => {
    route53.answers = [answer];
    expect(await checksAt(route53.url).create(CHECK, 'r')).toMatchObject({ kind });
    expect(route53.requests).toBe(1);
  });

  test.each([
    ['again', refusal(409, 'HealthCheckVersionMismatch')],
    ['refused', refusal(403, 'AccessDenied')],
  ])('says that a change is %s', async (kind, answer) => {
    route53.answers = [answer];
    expect(await checksAt(route53.url).update('1', CHECK)).toMatchObject({ kind });
  });

  test('sends nothing while the budget has no room', async () => {
    const budget = { take: async () => Promise.reject(new BudgetExhaustedError(5)) };
    expect(await checksAt(route53.url, budget).create(CHECK, 'r', 5)).toMatchObject({ kind: 'again' });
    expect(route53.requests).toBe(0);
  });
});
