import { describe, expect, test } from 'vitest';
import {
  APEX,
  type PublishWorld,
  publishWorld,
  values,
  WWW,
  want,
  wanted,
  ZONE_ID,
} from '../../test/fakes/publish-world.ts';
import type { Context } from '../ports/context.ts';
import type { ChangeStatus } from '../ports/hosted-zones.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { type FollowContext, followChange, lookAtChange, needsLook } from './follow-change.ts';
import { isGivenUp, propagationOf, untilMs } from './propagation.ts';
import type { RecordSetItem } from './record-set-item.ts';
import { readName } from './store.ts';

type Following = { readonly world: PublishWorld; readonly context: FollowContext; readonly warned: string[] };

async function following(status: () => ChangeStatus = () => ({ kind: 'insync' })): Promise<Following> {
  const world = await publishWorld({ changeStatus: status });
  const warned: string[] = [];
  const { ledger, queues, hostedZones, clock } = world.deps;
  const log: Context['log'] = (_, message) => void warned.push(message);
  return { world, context: { ledger, queues, clock, log, account: { hostedZones } }, warned };
}

async function publishes({ world }: Following, name: string, ...addresses: string[]): Promise<void> {
  await want(world, name, ...(addresses.length === 0 ? [] : [wanted(name, 'A', addresses)]));
  await publish(world.deps, ZONE_ID);
}

async function itemAt({ world }: Following, name: string, type = 'A'): Promise<RecordSetItem | undefined> {
  return (await readName(world.ledger, ZONE_ID, name)).find(({ item }) => item.type === type)?.item;
}

/** Delivers the messages that are due until none is left, or until there are too many. */
async function deliver({ world, context }: Following): Promise<readonly number[]> {
  const delays: number[] = [];
  for (let next = world.followed.shift(); next !== undefined && delays.length < 1_000; next = world.followed.shift()) {
    delays.push(next.delaySeconds);
    world.clock.ms += next.delaySeconds * 1_000;
    await followChange(context, next.change);
  }
  return delays;
}

function calls({ world }: Following): number {
  return world.route53.calls.filter(({ method }) => method === 'changeStatus').length;
}

describe('followChange()', () => {
  test('asks once for a batch of many record sets, first after 20 s, and ends when the negative TTL is over', async () => {
    const of = await following();
    const names = Array.from({ length: 50 }, (_, index) => `n${index}.${APEX}`);
    for (const name of names) await want(of.world, name, wanted(name, 'A', ['192.0.2.1']));
    await publish(of.world.deps, ZONE_ID);
    expect(of.world.followed).toMatchObject([{ delaySeconds: 20 }]);
    of.world.reported.length = 0;
    const beganMs = of.world.clock.ms;
    expect(await deliver(of)).toEqual([20, 905]);
    expect(of.world.clock.ms - beganMs).toBe(925_000);
    expect(calls(of)).toBe(1);
    expect((await itemAt(of, names[0] as string))?.propagation).toBeUndefined();
    expect(of.world.reported).toHaveLength(100);
  });

  test('asks again every 5 s while name servers lack it, and then waits for the TTL of what was there', async () => {
    let pending = 0;
    const of = await following(() => ({ kind: pending-- > 0 ? 'pending' : 'insync' }));
    await publishes(of, WWW, '192.0.2.1');
    await deliver(of);
    pending = 3;
    await publishes(of, WWW, '192.0.2.2');
    expect(await deliver(of)).toEqual([20, 5, 5, 5, 305]);
  });

  test('makes no call when nothing waits, or when the record set has changed again', async () => {
    const of = await following();
    await publishes(of, WWW, '192.0.2.1');
    const [first] = of.world.followed.splice(0);
    await publishes(of, WWW, '192.0.2.2');
    if (first !== undefined) await followChange(of.context, first.change);
    expect(calls(of)).toBe(0);
    await deliver(of);
    const before = of.world.route53.calls.length;
    if (first !== undefined) await followChange(of.context, first.change);
    await publish(of.world.deps, ZONE_ID);
    expect([of.world.route53.calls.length - before, of.world.followed.length]).toEqual([0, 0]);
  });

  test('says nothing of a delete, and keeps for how long resolvers have what was deleted', async () => {
    const of = await following();
    await want(of.world, WWW, { ...wanted(WWW, 'A', ['192.0.2.1']), content: values(86_400, '192.0.2.1') });
    await publish(of.world.deps, ZONE_ID);
    await deliver(of);
    await publishes(of, WWW);
    expect(of.world.followed).toEqual([]);
    await publishes(of, WWW, '192.0.2.2');
    const wait = (await itemAt(of, WWW))?.propagation;
    expect(wait).toMatchObject({ keptSeconds: 86_400, isNew: true });
  });

  test('leaves what takes longer than 15 minutes to the sweep', async () => {
    const of = await following();
    await want(of.world, WWW, { ...wanted(WWW, 'A', ['192.0.2.1']), content: values(86_400, '192.0.2.1') });
    await publish(of.world.deps, ZONE_ID);
    await deliver(of);
    await publishes(of, WWW, '192.0.2.2');
    expect(await deliver(of)).toEqual([20]);
    const item = (await itemAt(of, WWW)) as RecordSetItem;
    expect(needsLook(item, of.world.clock.ms)).toBe(false);
    of.world.clock.ms += 86_405_000;
    expect(needsLook(item, of.world.clock.ms)).toBe(true);
    await lookAtChange(of.context, ZONE_ID, 'C2', await readName(of.world.ledger, ZONE_ID, WWW));
    expect((await itemAt(of, WWW))?.propagation).toBeUndefined();
  });

  test('gives up after an hour, reports that once, and never says Resolved', async () => {
    const of = await following(() => ({ kind: 'pending' }));
    await publishes(of, WWW, '192.0.2.1');
    const delays = await deliver(of);
    expect(delays.slice(0, 3)).toEqual([20, 5, 5]);
    expect(delays.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(900 + 20);
    expect(calls(of)).toBeLessThan(100);
    const look = async () => lookAtChange(of.context, ZONE_ID, 'C1', await readName(of.world.ledger, ZONE_ID, WWW));
    of.world.clock.ms += 3_600_000;
    of.world.reported.length = 0;
    await look();
    expect(of.world.reported).toHaveLength(1);
    await look();
    expect(of.world.reported).toHaveLength(1);
    const item = (await itemAt(of, WWW)) as RecordSetItem;
    expect(needsLook(item, of.world.clock.ms)).toBe(false);
    expect(propagationOf(item.propagation, of.world.clock.ms + 1e12).reason).toBe('Unknown');
  });

  test('tells why Route 53 does not say it, and asks more rarely', async () => {
    const of = await following(() => ({ kind: 'unsaid', message: 'AccessDenied: not authorized' }));
    await publishes(of, WWW, '192.0.2.1');
    expect((await deliver(of)).slice(0, 3)).toEqual([20, 60, 60]);
    expect(of.warned[0]).toContain('AccessDenied');
  });

  test('waits for a wildcard that resolvers may have got for a new name, and for its CNAME', async () => {
    const of = await following();
    const wild = `*.${APEX}`;
    await want(of.world, wild, { ...wanted(wild, 'A', ['192.0.2.9']), content: values(7_200, '192.0.2.9') });
    await publish(of.world.deps, ZONE_ID);
    await deliver(of);
    await publishes(of, WWW, '192.0.2.1');
    of.world.followed.length = 0;
    of.world.clock.ms += 20_000;
    await lookAtChange(of.context, ZONE_ID, 'C2', await readName(of.world.ledger, ZONE_ID, WWW));
    const wait = (await itemAt(of, WWW))?.propagation;
    expect(wait === undefined ? null : untilMs(wait) - of.world.clock.ms).toBe(7_205_000);
  });

  test('waits for a CNAME that becomes an address', async () => {
    const of = await following();
    const cname = { ...wanted(WWW, 'CNAME', ['a.example.']), content: values(1_200, 'a.example.') };
    await want(of.world, WWW, cname);
    await publish(of.world.deps, ZONE_ID);
    await deliver(of);
    await publishes(of, WWW, '192.0.2.1');
    expect((await itemAt(of, WWW))?.propagation).toMatchObject({ keptSeconds: 1_200, isNew: true });
  });

  test('has no id to ask with after a call without an answer, and gives up after an hour', async () => {
    const fault = { apply: true, outcome: { kind: 'unknown', message: 'no answer' } } as const;
    const world = await publishWorld({ changeFault: (_, call) => (call === 1 ? fault : null) });
    await want(world, WWW, wanted(WWW, 'A', ['192.0.2.1']));
    await publish(world.deps, ZONE_ID);
    const item = (await readName(world.ledger, ZONE_ID, WWW))[0]?.item as RecordSetItem;
    expect(item.propagation).toMatchObject({ changeId: null, insyncMs: null });
    expect(world.followed).toEqual([]);
    expect([needsLook(item, world.clock.ms), needsLook(item, world.clock.ms + 3_600_000)]).toEqual([false, true]);
    expect(isGivenUp(item.propagation as NonNullable<typeof item.propagation>, world.clock.ms + 3_600_000)).toBe(true);
  });
});
