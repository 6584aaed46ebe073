import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { ChangeStatus } from '../ports/hosted-zones.ts';
import { applyCluster } from './apply-cluster.ts';

const SPEC = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };

function worldOf(): ReconcileWorld {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(parseRef('Zone p/e'), SPEC);
  return world;
}

function put({ cluster }: ReconcileWorld, address: string, ttl = 300): void {
  cluster.put(parseRef('Record p/a'), { domainName: 'a.e.', type: 'A', rdata: address, ttl });
}

type Options = { readonly timeoutMs?: number | null; readonly status?: () => ChangeStatus; readonly waits?: boolean };

/** Applies with a clock that each sleep advances. Returns for how many seconds it waited, and what it said. */
async function apply(world: ReconcileWorld, { timeoutMs = null, status, waits = true }: Options = {}) {
  const began = world.clock.ms;
  const said: string[] = [];
  let asked = 0;
  const changeStatus = async (): Promise<ChangeStatus> => {
    asked += 1;
    return status?.() ?? { kind: 'insync' };
  };
  const hostedZones = { ...world.route53.port, changeStatus };
  const sleep = async (ms: number) => {
    world.clock.ms += ms;
  };
  const context = { ...world.context, account: { hostedZones } };
  const applied = await applyCluster(context, { ...world.deps, hostedZones }, await planCluster(context), {
    acknowledged: [],
    only: () => true,
    progress: (text) => void said.push(text),
    ...(waits && { waiting: { timeoutMs, sleep } }),
  });
  const conditions = applied.resolved.records[0]?.conditions.map(({ type, reason }) => `${type} ${reason}`);
  return { seconds: (world.clock.ms - began) / 1_000, waited: applied.waited, said, asked, conditions };
}

describe('apply --wait', () => {
  test('waits for the negative TTL of a new name, and for the old TTL of a change, and says until when', async () => {
    const world = worldOf();
    put(world, '192.0.2.1');
    const first = await apply(world);
    expect(first).toMatchObject({ waited: { text: null }, asked: 1 });
    expect(first.seconds).toBeCloseTo(925, -1);
    put(world, '192.0.2.2');
    const second = await apply(world);
    expect(second.seconds).toBeCloseTo(325, -1);
    expect(second.conditions).toEqual(['Accepted Adopted', 'Programmed Published', 'Propagated Resolved']);
    expect(second.said.join('\n')).toMatch(/waiting until 2026-\S+Z: resolvers may answer/);
    expect(await apply(world)).toMatchObject({ seconds: 0, asked: 0, waited: { text: null } });
  });

  test('gives up after the time given, and the next run goes on', async () => {
    const world = worldOf();
    put(world, '192.0.2.1');
    const { seconds, waited } = await apply(world, { timeoutMs: 60_000 });
    expect(seconds).toBe(60);
    expect(waited?.text).toContain('resolvers may answer what was there before at 1 record set until');
    expect(await apply(world)).toMatchObject({ waited: { text: null }, asked: 0 });
  });

  test('ends after an hour in which Route 53 did not say it', async () => {
    const world = worldOf();
    put(world, '192.0.2.1');
    const { seconds, waited } = await apply(world, { status: () => ({ kind: 'pending' }) });
    expect(seconds).toBeCloseTo(3_600, -1);
    expect(waited?.text).toContain('did not say');
  });

  test('is not done without the flag, and then the JSON has no such condition', async () => {
    const world = worldOf();
    put(world, '192.0.2.1');
    const { seconds, asked, conditions } = await apply(world, { waits: false });
    expect([seconds, asked]).toEqual([0, 0]);
    expect(conditions).toEqual(['Accepted Adopted', 'Programmed Published']);
    const shown = world.cluster.statuses.get('Record p/a')?.conditions.at(-1);
    expect(shown).toMatchObject({ type: 'Propagated', reason: 'Changing' });
  });
});
