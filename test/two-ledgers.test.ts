// Two zone53 with a ledger each on one AWS account: neither knows what the other one takes from the account's buckets,
// or has learned of them.
import { expect, onTestFinished, test } from 'vitest';
import { callBudget } from '../lib/adapters/route53/call-budget.ts';
import { localRoute53Client } from '../lib/adapters/route53/route53-client.ts';
import { route53HostedZones } from '../lib/adapters/route53/route53-hosted-zones.ts';
import { DEFAULT_BUDGET } from '../lib/ports/budget-limits.ts';
import { publish } from '../lib/publish/run/publish-hosted-zone.ts';
import { startRoute53 } from '../local/route53/api/server.ts';
import { createRoute53State } from '../local/route53/model/state.ts';
import { A, APEX, publishWorld, want, ZONE_ID } from './fakes/publish-world.ts';
import { fixedRandom } from './fakes/route53-account.ts';

const NAMES = 150;
const nameOf = (side: string, index: number) => `${side}${index}.${APEX}`;

async function twoLedgers(changes: { readonly perSecond: number; readonly size: number }) {
  const time = { ms: 1_000_000 };
  const sleep = async (ms: number) => {
    time.ms += ms;
  };
  const clock = { nowMs: () => time.ms, sleep };
  const state = createRoute53State({ clock, random: fixedRandom() });
  const { zone } = state.createHostedZone({ name: APEX, callerReference: 'test', comment: null, vpc: null });
  const server = await startRoute53({ state, clock, limits: { requests: { perSecond: 10, size: 50 }, changes } });
  const client = localRoute53Client(server.url);
  onTestFinished(async () => {
    client.destroy();
    await server.close();
  });
  let calls = 0;
  const sideOf = async (side: string) => {
    const world = await publishWorld();
    const port = route53HostedZones(client, callBudget({ ...DEFAULT_BUDGET, clock, sleep }), { sleep });
    for (let index = 0; index < NAMES; index += 1) {
      const name = nameOf(side, index);
      await want(world, name, A('192.0.2.1', name));
    }
    const change: typeof port.change = (_, ...rest) => {
      calls += 1;
      return port.change(zone.id, ...rest);
    };
    const readName: typeof port.readName = (_, name) => port.readName(zone.id, name);
    const deps = { ...world.deps, clock, hostedZones: { ...port, change, readName } };
    return () => publish(deps, ZONE_ID);
  };
  const sides = [await sideOf('a'), await sideOf('b')];
  const standing = () => (state.zones()[0]?.recordSets ?? []).filter(({ type }) => type === 'A').length;
  return { sides, standing, time, calls: () => calls };
}

test.each([
  { perSecond: 1, size: 1 },
  { perSecond: 50, size: 50 },
  { perSecond: 50, size: 500 },
])('both publish everything through one bucket of changes: %j', async (changes) => {
  const { sides, standing, time, calls } = await twoLedgers(changes);
  for (let round = 0; standing() < 2 * NAMES && round < 200; round += 1) {
    for (const run of sides) await run();
    time.ms += 1_000;
  }
  expect(standing()).toBe(2 * NAMES);
  // Twice what I28 allows to one that has the bucket to itself.
  expect(calls()).toBeLessThanOrEqual(2 * ((2 * 2 * NAMES) / Math.min(changes.size, changes.perSecond) + 10));
});
