// publish() over a ledger and an account in memory: what Route 53 and the ledger have afterwards.
import { describe, expect, test } from 'vitest';
import {
  A,
  APEX,
  changeCalls,
  dirtyNames,
  hostedZone,
  intercepted,
  outcomes,
  publishWorld,
  run,
  standing,
  values,
  WWW,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { publish } from './publish-hosted-zone.ts';

describe('publish()', () => {
  test('creates, changes and deletes a record set in one call each', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    expect(await outcomes(world)).toEqual([`create ${WWW} A: published`]);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
    await want(world, WWW, A('192.0.2.2'));
    expect(await outcomes(world)).toEqual([`update ${WWW} A: published`]);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
    await want(world, WWW);
    expect(await outcomes(world)).toEqual([`delete ${WWW} A: published`]);
    expect(standing(world)).toEqual([]);
    expect(world.route53.calls.map((call) => call.method)).toEqual(['change', 'change', 'change']);
    expect(await dirtyNames(world)).toEqual([]);
    expect((await hostedZone(world)).publishedCount).toBe(0);
    expect((await hostedZone(world)).lease).toBe(null);
  });

  test('does nothing and calls nothing when nothing is dirty', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    expect(await want(world, WWW, A('192.0.2.1'))).toBe(false);
    expect(await outcomes(world)).toEqual([]);
    expect(changeCalls(world)).toBe(1);
  });

  test('asks for reports of the objects, of any kind, and of the Zone', async () => {
    const world = await publishWorld();
    const objects = ['Record default/www', 'Service shop/web'];
    await want(world, WWW, wanted(WWW, 'A', ['192.0.2.1'], { objects }));
    await run(world);
    expect(world.reported).toContainEqual({ kind: 'Record', namespace: 'default', name: 'www' });
    expect(world.reported).toContainEqual({ kind: 'Service', namespace: 'shop', name: 'web' });
    expect(world.reported).toContainEqual({ kind: 'Zone', namespace: 'default', name: 'zone' });
  });

  test('asks for the report of each object once', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await want(world, `api.${APEX}`, A('192.0.2.2', `api.${APEX}`));
    await run(world);
    const records = world.reported.filter(({ kind }) => kind === 'Record').map(({ name }) => name);
    expect(records.toSorted()).toEqual(['api', 'www']);
  });

  test('changes a CNAME into addresses in one batch', async () => {
    const world = await publishWorld();
    await want(world, WWW, wanted(WWW, 'CNAME', ['target.example.net.']));
    await run(world);
    await want(world, WWW, A('192.0.2.1'), wanted(WWW, 'AAAA', ['2001:db8::1']));
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`, `${WWW} AAAA 2001:db8::1 300`]);
    await want(world, WWW, wanted(WWW, 'CNAME', ['target.example.net.']));
    await run(world);
    expect(standing(world)).toEqual([`${WWW} CNAME target.example.net. 300`]);
    expect(changeCalls(world)).toBe(3);
  });

  test("publishes the SOA alone, with our timers and Route 53's names, and reads it only then", async () => {
    const world = await publishWorld();
    const soa = (refresh: number, serial = 1) =>
      wanted(APEX, 'SOA', [`ns.${APEX} noc.${APEX} ${serial} ${refresh} 7200 3600000 360`]);
    await want(world, APEX, soa(86400));
    await run(world);
    const stands = () => world.route53.recordSets(ZONE_ID).find((set) => set.type === 'SOA')?.content;
    expect(stands()).toEqual(
      values(300, 'ns-1.awsdns-01.org. awsdns-hostmaster.amazon.com. 2026010100 86400 7200 3600000 360'),
    );
    expect(await want(world, APEX, soa(86400, 2026010105))).toBe(false);
    await want(world, APEX, soa(43200));
    await run(world);
    expect(stands()).toEqual(
      values(300, 'ns-1.awsdns-01.org. awsdns-hostmaster.amazon.com. 2026010101 43200 7200 3600000 360'),
    );
    expect((await hostedZone(world)).publishedCount).toBe(0);
    await want(world, APEX);
    await run(world);
    expect(changeCalls(world)).toBe(2);
  });

  test('restores the SOA of the ledger after a run that wrote another and died (seed 1437149)', async () => {
    const world = await publishWorld();
    const soa = (refresh: number) => wanted(APEX, 'SOA', [`ns.${APEX} noc.${APEX} 1 ${refresh} 7200 3600000 360`]);
    await want(world, APEX, soa(86400));
    await run(world);
    await want(world, APEX, soa(43200));
    let dead = false;
    const { ledger, hostedZones } = world.deps;
    const die = () => Promise.reject(new Error('killed'));
    const change: typeof hostedZones.change = async (...asked) => {
      const outcome = await hostedZones.change(...asked);
      dead = true;
      return outcome;
    };
    const dying = {
      ...world.deps,
      hostedZones: { ...hostedZones, change },
      ledger: { ...ledger, put: (...asked: Parameters<typeof ledger.put>) => (dead ? die() : ledger.put(...asked)) },
    };
    await expect(publish(dying, ZONE_ID)).rejects.toThrow('killed');
    const refresh = () => {
      const content = world.route53.recordSets(ZONE_ID).find((set) => set.type === 'SOA')?.content;
      return content?.kind === 'values' ? content.values[0]?.split(' ')[3] : null;
    };
    expect(refresh()).toBe('43200');
    await want(world, APEX, soa(86400));
    world.clock.ms += 600_000;
    await run(world);
    expect(refresh()).toBe('86400');
    expect(await dirtyNames(world)).toEqual([]);
  });

  test('does not change the apex NS set', async () => {
    const world = await publishWorld();
    await want(
      world,
      APEX,
      wanted(APEX, 'NS', ['ns.elsewhere.example.']),
      wanted(APEX, 'MX', ['10 mail.example.net.']),
    );
    expect(await outcomes(world)).toEqual([`create ${APEX} MX: published`]);
  });

  test.each([
    { by: 'zone53', isEdited: false, calls: 3 },
    { by: 'somebody else, and is taken over', isEdited: true, calls: 4 },
  ])('splits a record set too large for one batch into DELETE and CREATE, if it is by $by', async (how) => {
    const world = await publishWorld();
    const key = { name: WWW, type: 'TXT', setIdentifier: null };
    const text = (seed: string) => Array.from({ length: 70 }, (_, index) => `"${seed}${index}${'x'.repeat(240)}"`);
    await want(world, WWW, wanted(WWW, 'TXT', text('a'), { takeover: how.isEdited }));
    await run(world);
    if (how.isEdited) world.route53.edit(ZONE_ID, key, values(60, ...text('z').toSorted()));
    await want(world, WWW, wanted(WWW, 'TXT', text('b'), { takeover: how.isEdited }));
    const result = await run(world);
    expect(result.kind === 'done' && result.outcomes.map((one) => one.message)).toEqual([
      'Published in two batches, because its old and new values do not fit into one: it was absent for a moment.',
    ]);
    expect(standing(world)[0]).toContain('"b0x');
    expect(changeCalls(world)).toBe(how.calls);
  });

  test('costs the same ledger operations whatever is beside and below the name', async () => {
    const counts: number[] = [];
    for (const neighbours of [0, 300]) {
      const world = await publishWorld();
      for (let index = 0; index < neighbours; index += 1) {
        await want(world, `${index}.${WWW}`, A('192.0.2.1', `${index}.${WWW}`));
        await want(world, `h${index}.${APEX}`, A('192.0.2.1', `h${index}.${APEX}`));
      }
      await want(world, WWW, A('192.0.2.1'));
      await run(world);
      await want(world, WWW, A('192.0.2.2'));
      const calls: string[] = [];
      const deps = intercepted(world.deps, async (port, method, call) => {
        calls.push(`${port}.${method}`);
        return call();
      });
      await run({ ...world, deps });
      expect(calls.filter((one) => one.startsWith('hostedZones'))).toEqual(['hostedZones.change']);
      counts.push(calls.filter((one) => one.startsWith('ledger')).length);
    }
    expect(counts).toEqual([11, 11]);
  });
});
