import { expect, test, vi } from 'vitest';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State } from '../../local/route53/model/state.ts';
import { createZone } from '../../test/fakes/route53-account.ts';
import { stubRoute53 } from '../../test/support/apply-request.ts';
import { withHostedZones } from './with-hosted-zones.ts';

test('withHostedZones() takes its calls from the budget of the ledger that functions share', async () => {
  const state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random, processingMs: 20 });
  const server = await startRoute53({ state });
  stubRoute53(server.url);
  const ledger = memoryLedger();
  try {
    await withHostedZones(DEFAULT_CONFIG, (hostedZones) => hostedZones.list(), ledger);
  } finally {
    vi.unstubAllEnvs();
    await server.close();
  }
  const item = await ledger.get({ partition: 'budget', sort: 'route53' });
  // One call of the bucket of requests is taken.
  expect(item?.body.fullAtMs).toBeGreaterThan(0);
});

test('withHostedZones() reads the Route 53 of a running zone53 local, unless the environment names another', async () => {
  const made = (name: string) => {
    const state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random, processingMs: 20 });
    createZone(state, name, name);
    return startRoute53({ state });
  };
  const [own, named] = [await made('own.example.'), await made('named.example.')];
  const names = () =>
    withHostedZones(DEFAULT_CONFIG, async (zones) => (await zones.list()).map(({ name }) => name), null, own.url);
  try {
    for (const variable of ['AWS_ENDPOINT_URL_ROUTE_53', 'AWS_ENDPOINT_URL']) vi.stubEnv(variable, undefined);
    expect(await names()).toEqual(['own.example.']);
    stubRoute53(named.url);
    expect(await names()).toEqual(['named.example.']);
  } finally {
    vi.unstubAllEnvs();
    await own.close();
    await named.close();
  }
});
