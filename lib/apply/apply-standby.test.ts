// A command that makes a cluster standby, and dies at each of its writes: the same command again continues.
import { expect, test } from 'vitest';
import type { ReconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { answer, dyingAfter, say, settle, twoWorlds } from '../../test/fakes/two-clusters.ts';
import { findEntries } from '../history/find-entries.ts';
import type { Ledger } from '../ports/ledger.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import { applyStandby } from './apply-standby.ts';
import { planStandby } from './plan-standby.ts';

const OPTIONS = { acknowledged: [], only: () => true, progress: () => {} };

async function command({ context, deps }: ReconcileWorld, standby: boolean, ledger: Ledger = context.ledger) {
  const asked = { cluster: 'eu', standby };
  const planned = await planStandby({ ...context, ledger }, asked);
  return applyStandby({ ...context, ledger }, { ...deps, ledger }, asked, planned, OPTIONS);
}

test.each([true, false])('whichever write a command dies at, the same command continues (standby: %s)', async (to) => {
  let isWhole = false;
  let deaths = 0;
  for (let writes = 0; !isWhole; writes += 1) {
    const { eu, us } = twoWorlds();
    await say(eu, '192.0.2.1');
    await say(us, '192.0.2.2');
    await settle(eu, us);
    if (!to) await command(eu, true);
    expect(answer(eu)).toEqual([to ? '192.0.2.1' : '192.0.2.2']);
    isWhole = await command(eu, to, dyingAfter(eu.ledger, writes)).then(
      (applied) => applied.every(({ outcomes }) => outcomes.every(({ outcome }) => outcome === 'published')),
      () => false,
    );
    if (!isWhole) deaths += 1;
    expect(answer(eu)).toHaveLength(1);
    eu.clock.ms += 40_000;
    us.clock.ms = eu.clock.ms;
    await command(eu, to);
    expect(answer(eu)).toEqual([to ? '192.0.2.2' : '192.0.2.1']);
  }
  expect(deaths).toBeGreaterThan(3);
});

test('a cluster that becomes standby withdraws its share of a name, and the plan shows it', async () => {
  const { eu, us } = twoWorlds([], { 'zone53.dev/sharing': 'weighted' });
  await say(eu, '192.0.2.1');
  await say(us, '192.0.2.2');
  await settle(eu, us);
  expect(answer(eu)).toEqual(['192.0.2.1', '192.0.2.2']);
  const { parts } = await planStandby(eu.context, { cluster: 'eu', standby: true });
  expect(parts.map(({ hostedZone, plan }) => [hostedZone.cluster, plan.go.map(({ action }) => action)])).toEqual([
    ['eu', ['delete']],
  ]);
  await command(eu, true);
  expect(answer(eu)).toEqual(['192.0.2.2']);
  await command(eu, false);
  expect(answer(eu)).toEqual(['192.0.2.1', '192.0.2.2']);
});

test('the history has a name that moves as a handover, of the cluster that has it now', async () => {
  const { eu, us } = twoWorlds();
  await say(eu, '192.0.2.1');
  await say(us, '192.0.2.2');
  await settle(eu, us);
  const told = async () => {
    const hostedZones = await readableHostedZones(eu.ledger, eu.context.log);
    const { entries } = await findEntries(eu.ledger, { hostedZones, sinceMs: 0, untilMs: 9e12, limit: 100 });
    return entries
      .filter(({ action, type }) => action !== 'refused' && type === 'A')
      .map(({ action, cluster }) => `${action} ${cluster}`);
  };
  expect(await told()).toEqual(['create eu']);
  eu.clock.ms += 1_000;
  await command(eu, true);
  expect(await told()).toEqual(['handover us', 'create eu']);
  us.clock.ms = eu.clock.ms + 1_000;
  await say(us, '192.0.2.3');
  await settle(eu, us);
  expect(await told()).toEqual(['update us', 'handover us', 'create eu']);
});
