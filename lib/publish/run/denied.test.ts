// publish() while Route 53 denies all changes of a hosted zone, as after somebody took a right away: nothing is tried
// again without a pause.
import { describe, expect, test } from 'vitest';
import {
  APEX,
  changeCalls,
  dirtyNames,
  hostedZone,
  intercepted,
  itemAt,
  key,
  publishWorld,
  run,
  standing,
  values,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { reconcileWorld } from '../../../test/fakes/reconcile-world.ts';
import { ALL, say } from '../../../test/fakes/sub-zone-world.ts';
import { parseRef } from '../../objects/object-ref.ts';
import { type BatchOutcome, HostedZonesDeniedError } from '../../ports/hosted-zones.ts';
import type { Cause } from '../../ports/queues.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { wakeWhenDue } from '../../record-sets/wake-hosted-zones.ts';
import { publish } from './publish-hosted-zone.ts';
import type { PublishOptions } from './run.ts';

const DENIED: BatchOutcome = { kind: 'denied', message: 'AccessDenied: not authorized' };
const NAMES = 40;
const PAUSE_SECONDS = 300;

describe('publish() of a hosted zone whose changes are denied', () => {
  test('asks again after a pause, however many names were denied before, and publishes them all when it may', async () => {
    let isDenied = true;
    const world = await publishWorld({ changeFault: () => (isDenied ? { apply: false, outcome: DENIED } : null) });
    for (let index = 0; index < NAMES; index += 1)
      await want(world, `h${index}.${APEX}`, wanted(`h${index}.${APEX}`, 'A', ['192.0.2.1']));
    for (let runs = 0; runs < 60; runs += 1) {
      const before = changeCalls(world);
      world.queued.length = 0;
      await run(world);
      expect(world.queued.map(({ delaySeconds }) => delaySeconds)).toEqual([PAUSE_SECONDS]);
      expect(changeCalls(world) - before).toBeLessThanOrEqual(16);
      world.clock.ms += PAUSE_SECONDS * 1_000;
    }
    isDenied = false;
    for (let runs = 0; runs < 10 && (await dirtyNames(world)).length > 0; runs += 1) {
      world.queued.length = 0;
      await run(world);
      if ((await dirtyNames(world)).length > 0) expect(world.queued).toMatchObject([{ delaySeconds: 0 }]);
    }
    expect(await dirtyNames(world)).toEqual([]);
  });

  test('is tried again by one series of runs, however many edits there are meanwhile', async () => {
    const world = await publishWorld({ changeFault: () => ({ apply: false, outcome: DENIED }) });
    const later: number[] = [];
    const wanting = async (index: number, options: PublishOptions = {}) => {
      await want(world, `h${index}.${APEX}`, wanted(`h${index}.${APEX}`, 'A', ['192.0.2.1']));
      const publishLater = async (_id: string, _seconds?: number, _cause?: Cause, after?: number) =>
        void later.push(after ?? Number.NaN);
      const queues = { ...world.deps.queues, publish: publishLater };
      await publish({ ...world.deps, queues }, ZONE_ID, options);
    };
    const areSentOn = async () => {
      world.queued.length = 0;
      for (const after of later) await wakeWhenDue(world.deps, { hostedZoneId: ZONE_ID, after });
      return world.queued.length;
    };
    for (let index = 0; index < 10; index += 1) await wanting(index);
    expect(later).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await areSentOn()).toBe(1);
    // A run of apply asks nobody for the next one. So the message of the last one that did is still needed.
    await wanting(10, { callerRepeats: true });
    expect(later).toHaveLength(10);
    expect(await areSentOn()).toBe(1);
    await wanting(11);
    expect(later).toHaveLength(11);
    expect(await areSentOn()).toBe(1);
  });

  test('does not wake another one that waits for a delegation, and is denied, too', async () => {
    const hostedZones = ['e.', 's.e.', 'd.s.e.'].map((name, index) => ({ id: `Z${index + 1}`, name }));
    const world = reconcileWorld({ hostedZones });
    for (const name of ['e', 's.e', 'd.s.e'])
      world.cluster.put(parseRef(`Zone p/${name}`), { domainName: `${name}.`, delegations: ALL });
    await say(world, 'Zone p/e', 'Zone p/s.e', 'Zone p/d.s.e');
    const woken: [string, number][] = [];
    const deps = {
      ...world.deps,
      hostedZones: { ...world.deps.hostedZones, change: async () => DENIED },
      queues: {
        ...world.deps.queues,
        publish: async (id: string, delaySeconds = 0) => void woken.push([id, delaySeconds]),
      },
    };
    for (const id of ['Z1', 'Z2', 'Z3', 'Z1', 'Z2']) {
      woken.length = 0;
      await publish(deps, id);
    }
    expect(woken).toEqual([['Z2', PAUSE_SECONDS]]);
  });
});

describe('publish() of a hosted zone that we may not read', () => {
  const denied = new HostedZonesDeniedError('Cannot read record sets of hosted zone "Z1": AccessDenied: no');

  /** A world in which reads are denied, and what the tests do in it. */
  async function blindWorld(changeFault?: NonNullable<Parameters<typeof publishWorld>[0]>['changeFault']) {
    const world = await publishWorld(changeFault === undefined ? {} : { changeFault });
    const blind = intercepted(world.deps, async (_port, method, call) => {
      if (method === 'readName' || method === 'readPage') throw denied;
      return call();
    });
    const wantOne = (name: string, address = '192.0.2.1') =>
      want(world, `${name}.${APEX}`, wanted(`${name}.${APEX}`, 'A', [address]));
    const runBlind = async () => {
      world.queued.length = 0;
      return publish(blind, ZONE_ID);
    };
    /** The names wait, their Zone says why, and the next run comes after a pause. */
    const isSaid = async (...names: string[]) => {
      expect(await dirtyNames(world)).toEqual(names);
      expect((await hostedZone(world)).denied).toBe(denied.message);
      expect(world.reported).toContainEqual({ kind: 'Zone', namespace: 'default', name: 'zone' });
      expect(world.queued.map(({ delaySeconds }) => delaySeconds)).toEqual([PAUSE_SECONDS]);
    };
    return { world, wantOne, runBlind, isSaid };
  }

  test('leaves names in doubt to a later run, says so, and publishes the others', async () => {
    const lost = { apply: false, outcome: { kind: 'unknown', message: 'lost' } } as const;
    const { world, wantOne, runBlind, isSaid } = await blindWorld((_, call) => (call === 1 ? lost : null));
    await wantOne('a');
    const first = await runBlind();
    expect(first).toMatchObject({ kind: 'done', outcomes: [{ outcome: 'failed' }] });
    expect(first.kind === 'done' && first.outcomes[0]?.message).toContain(denied.message);
    await isSaid(`a.${APEX}`);
    await wantOne('b');
    await runBlind();
    expect(standing(world)).toEqual([`b.${APEX} A 192.0.2.1 300`]);
    await isSaid(`a.${APEX}`);
    await run(world);
    expect(standing(world)).toHaveLength(2);
    expect((await hostedZone(world)).denied).toBe(null);
  });

  test('leaves what was refused and must be read to a later run, and publishes the others', async () => {
    const { world, wantOne, runBlind, isSaid } = await blindWorld();
    await wantOne('a');
    await run(world);
    world.route53.edit(ZONE_ID, key(`a.${APEX}`, 'A'), values(60, '203.0.113.9'));
    await wantOne('a', '192.0.2.2');
    await wantOne('b');
    await runBlind();
    expect(standing(world)).toEqual([`a.${APEX} A 203.0.113.9 60`, `b.${APEX} A 192.0.2.1 300`]);
    await isSaid(`a.${APEX}`);
    expect(await itemAt(world, key(`a.${APEX}`, 'A'))).toMatchObject({ intent: null, refusal: null });
    const calls = changeCalls(world);
    await runBlind();
    expect(changeCalls(world) - calls).toBe(1);
    await isSaid(`a.${APEX}`);
    await run(world);
    expect((await itemAt(world, key(`a.${APEX}`, 'A')))?.refusal).toMatchObject({ reason: 'Drifted' });
    expect((await hostedZone(world)).denied).toBe(null);
  });

  test('leaves the SOA to a later run, says so, and publishes the others, also at the apex', async () => {
    const { world, wantOne, runBlind, isSaid } = await blindWorld();
    const soaWanted = wanted(APEX, 'SOA', [`ns.${APEX} noc.${APEX} 0 43200 7200 3600000 360`]);
    await want(world, APEX, soaWanted, wanted(APEX, 'A', ['192.0.2.1']));
    await wantOne('a');
    const soa = () => world.route53.recordSets(ZONE_ID).find((set) => set.type === 'SOA')?.content;
    const before = soa();
    const ofSoa = { change: { type: 'SOA' }, outcome: 'failed', message: denied.message };
    expect(await runBlind()).toMatchObject({ outcomes: [ofSoa, { outcome: 'published' }, { outcome: 'published' }] });
    expect(standing(world)).toEqual([`a.${APEX} A 192.0.2.1 300`, `${APEX} A 192.0.2.1 300`]);
    expect(soa()).toEqual(before);
    await isSaid(APEX);
    await run(world);
    expect(soa()).toEqual(
      values(300, 'ns-1.awsdns-01.org. awsdns-hostmaster.amazon.com. 2026010100 43200 7200 3600000 360'),
    );
    expect(await dirtyNames(world)).toEqual([]);
    expect((await hostedZone(world)).denied).toBe(null);
  });

  test('leaves an SOA that another run may have written to a later run', async () => {
    const { world, runBlind, isSaid } = await blindWorld();
    await want(world, APEX, wanted(APEX, 'SOA', [`ns.${APEX} noc.${APEX} 0 43200 7200 3600000 360`]));
    await run(world);
    await markDirty(world.ledger, ZONE_ID, APEX, world.clock.ms, { retry: true });
    await runBlind();
    await isSaid(APEX);
  });

  test("says on an object what Route 53's words alone tell", async () => {
    const { world, wantOne, runBlind } = await blindWorld();
    world.route53.edit(ZONE_ID, key(`a.${APEX}`, 'A'), values(60, '203.0.113.9'));
    await wantOne('a');
    for (let runs = 0; runs < 2; runs += 1) {
      await runBlind();
      const refusal = (await itemAt(world, key(`a.${APEX}`, 'A')))?.refusal;
      expect(refusal).toMatchObject({ reason: 'ForeignRecord', message: expect.stringContaining('already exists') });
    }
    expect(await dirtyNames(world)).toEqual([]);
    expect(changeCalls(world)).toBe(1);
  });
});
