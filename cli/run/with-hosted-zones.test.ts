import { expect, test, vi } from 'vitest';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State } from '../../local/route53/model/state.ts';
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
  expect(item?.body.begun).toHaveLength(1);
});
