// publish() over a ledger and an account in memory: what stands in Route 53 and what the ledger says afterwards.
import { describe, expect, test } from 'vitest';
import {
  APEX,
  hostedZone,
  intercepted,
  itemAt,
  type PublishWorld,
  partition,
  publishWorld,
  run,
  standing,
  values,
  want,
  wanted,
  ZONE_ID,
} from '../../test/fakes/publish-world.ts';
import type { BatchOutcome } from './ports.ts';
import { markDirty } from './record-set-items.ts';

const WWW = `www.${APEX}`;
const A = (address: string, name = WWW) => wanted(name, 'A', [address]);
const key = (name: string, type: string) => ({ name, type, setIdentifier: null });

async function outcomes(world: PublishWorld): Promise<string[]> {
  const result = await run(world);
  if (result.kind !== 'done') throw new Error(`expected a run that is done, got ${result.kind}`);
  return result.outcomes.map((one) => `${one.change.action} ${one.change.name} ${one.change.type}: ${one.outcome}`);
}

function changeCalls(world: PublishWorld): number {
  return world.route53.calls.filter((call) => call.method === 'change').length;
}

async function dirtyNames(world: PublishWorld): Promise<unknown[]> {
  return (await partition(world, `dirty#${ZONE_ID}`)).map((body) => body.name);
}

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

  test('tells the objects and the Zone', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    expect(world.reported).toContainEqual({ kind: 'Record', namespace: 'default', name: 'www' });
    expect(world.reported).toContainEqual({ kind: 'Zone', namespace: 'default', name: 'zone' });
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

  test('leaves a foreign record set alone, even an equal one, and says so once', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(300, '192.0.2.1'));
    await want(world, WWW, A('192.0.2.1'));
    expect(await outcomes(world)).toEqual([`create ${WWW} A: foreign`]);
    expect((await itemAt(world, key(WWW, 'A')))?.refusal).toMatchObject({ reason: 'ForeignRecord' });
    expect((await itemAt(world, key(WWW, 'A')))?.published).toBe(null);
    expect(await dirtyNames(world)).toEqual([]);
    await want(world, WWW);
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
    expect(changeCalls(world)).toBe(1);
  });

  test('tries a refused record set again only when it changes', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(60, '203.0.113.9'));
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    await want(world, WWW, A('192.0.2.1'), wanted(WWW, 'TXT', ['"x"']));
    expect(await outcomes(world)).toEqual([`create ${WWW} A: foreign`, `create ${WWW} TXT: published`]);
    expect(changeCalls(world)).toBe(2);
    await want(world, WWW, A('192.0.2.2'), wanted(WWW, 'TXT', ['"x"']));
    await run(world);
    expect(changeCalls(world)).toBe(3);
    expect(standing(world)).toEqual([`${WWW} A 203.0.113.9 60`, `${WWW} TXT "x" 300`]);
  });

  test('takes over a foreign record set when its Zone says so', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(60, '203.0.113.9'));
    await want(world, WWW, { ...A('192.0.2.1'), takeover: true });
    expect(await outcomes(world)).toEqual([`create ${WWW} A: published`]);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
    expect((await hostedZone(world)).publishedCount).toBe(1);
  });

  test('takes over the neighbours that a CNAME cannot stand beside', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(60, '203.0.113.9'));
    world.route53.edit(ZONE_ID, key(WWW, 'TXT'), values(60, '"theirs"'));
    const cname = wanted(WWW, 'CNAME', ['target.example.net.']);
    await want(world, WWW, cname);
    expect(await outcomes(world)).toEqual([`create ${WWW} CNAME: foreign`]);
    await want(world, WWW, { ...cname, takeover: true });
    expect(await outcomes(world)).toEqual([`create ${WWW} CNAME: published`]);
    expect(standing(world)).toEqual([`${WWW} CNAME target.example.net. 300`]);
  });

  test('leaves what somebody edited alone: Drifted', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(300, '203.0.113.9'));
    await want(world, WWW, A('192.0.2.2'));
    expect(await outcomes(world)).toEqual([`update ${WWW} A: drifted`]);
    await want(world, WWW);
    expect(await outcomes(world)).toEqual([`delete ${WWW} A: drifted`]);
    expect(standing(world)).toEqual([`${WWW} A 203.0.113.9 300`]);
    await want(world, WWW, { ...A('192.0.2.3'), takeover: true });
    expect(await outcomes(world)).toEqual([`update ${WWW} A: published`]);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.3 300`]);
  });

  test('never says published of what it knows to be drifted', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(300, '203.0.113.9'));
    await want(world, WWW, A('192.0.2.2'));
    await run(world);
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    expect((await itemAt(world, key(WWW, 'A')))?.refusal).toMatchObject({ reason: 'Drifted' });
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(300, '192.0.2.1'));
    await want(world, WWW, A('192.0.2.2'));
    expect(await outcomes(world)).toEqual([`update ${WWW} A: published`]);
  });

  test('takes what somebody edited to just what is wanted for published', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(300, '192.0.2.2'));
    await want(world, WWW, A('192.0.2.2'));
    expect(await outcomes(world)).toEqual([`update ${WWW} A: published`]);
    expect((await itemAt(world, key(WWW, 'A')))?.published).toEqual(values(300, '192.0.2.2'));
  });

  test('goes on from what somebody removed', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), null);
    await want(world, WWW, A('192.0.2.2'));
    expect(await outcomes(world)).toEqual([`update ${WWW} A: published`]);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), null);
    await want(world, WWW);
    expect(await outcomes(world)).toEqual([`delete ${WWW} A: published`]);
    expect((await hostedZone(world)).publishedCount).toBe(0);
    world.clock.ms += 3_700_000;
    await markDirty(world.ledger, ZONE_ID, WWW, world.clock.ms);
    await run(world);
    expect(await partition(world, `recordsets#${ZONE_ID}`)).toEqual([]);
  });

  test('tries the record sets of a refused name one by one', async () => {
    const world = await publishWorld({ reject: (set) => (set.type === 'TXT' ? 'Invalid Resource Record' : null) });
    await want(world, WWW, A('192.0.2.1'), wanted(WWW, 'TXT', ['"x"']), wanted(WWW, 'AAAA', ['2001:db8::1']));
    expect((await outcomes(world)).sort()).toEqual([
      `create ${WWW} A: published`,
      `create ${WWW} AAAA: published`,
      `create ${WWW} TXT: rejected`,
    ]);
    expect((await itemAt(world, key(WWW, 'TXT')))?.refusal).toMatchObject({
      reason: 'Rejected',
      message: 'Invalid Resource Record',
    });
  });

  test('keeps what a change from CNAME ties together when one of them is refused', async () => {
    const world = await publishWorld({ reject: (set) => (set.type === 'AAAA' ? 'Invalid Resource Record' : null) });
    await want(world, WWW, wanted(WWW, 'CNAME', ['target.example.net.']));
    await run(world);
    await want(world, WWW, A('192.0.2.1'), wanted(WWW, 'AAAA', ['2001:db8::1']));
    expect(new Set((await outcomes(world)).map((line) => line.split(': ')[1]))).toEqual(new Set(['rejected']));
    expect(standing(world)).toEqual([`${WWW} CNAME target.example.net. 300`]);
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
  });

  test.each([{ wordless: false }, { wordless: true }])(
    'publishes 999 of 1,000 within 20 calls (%o)',
    async ({ wordless }) => {
      for (const bad of [0, 1, 499, 500, 618, 998, 999]) {
        const name = (index: number) => `h${String(index).padStart(4, '0')}.${APEX}`;
        const world = await publishWorld({
          wordless,
          reject: (set) => (set.name === name(bad) ? `RRSet with DNS name ${set.name} is not permitted` : null),
        });
        for (let index = 0; index < 1000; index += 1) await want(world, name(index), A('192.0.2.1', name(index)));
        const result = await outcomes(world);
        expect(result.filter((line) => line.endsWith('published'))).toHaveLength(999);
        expect(result.filter((line) => line.endsWith('rejected'))).toEqual([`create ${name(bad)} A: rejected`]);
        expect(world.route53.calls.length).toBeLessThanOrEqual(1 + 2 * Math.log2(1000));
      }
    },
  );

  test('finds many foreign record sets by their names in few calls', async () => {
    const world = await publishWorld();
    const name = (index: number) => `h${index}.${APEX}`;
    for (let index = 0; index < 500; index += 1) {
      if (index % 5 === 0) world.route53.edit(ZONE_ID, key(name(index), 'A'), values(60, '203.0.113.9'));
      await want(world, name(index), A('192.0.2.1', name(index)));
    }
    const result = await outcomes(world);
    expect(result.filter((line) => line.endsWith('published'))).toHaveLength(400);
    expect(result.filter((line) => line.endsWith('foreign'))).toHaveLength(100);
    // The first ten are looked at, so that their messages can say what stands there.
    expect(world.route53.calls.map(({ method }) => method)).toEqual([
      'change',
      'change',
      ...Array(10).fill('readName'),
    ]);
  });

  test('says of a foreign record set that it says exactly what is wanted', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key(`a.${APEX}`, 'A'), values(300, '192.0.2.1'));
    await want(world, `a.${APEX}`, wanted(`a.${APEX}`, 'A', ['192.0.2.1']));
    const result = await run(world);
    const [outcome] = result.kind === 'done' ? result.outcomes : [];
    expect(outcome?.outcome).toBe('foreign');
    expect(outcome?.message).toContain('exactly what is wanted');
  });

  test('publishes the SOA alone, with our timers and its own names, and reads it only then', async () => {
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

  test('leaves the apex NS set alone', async () => {
    const world = await publishWorld();
    await want(
      world,
      APEX,
      wanted(APEX, 'NS', ['ns.elsewhere.example.']),
      wanted(APEX, 'MX', ['10 mail.example.net.']),
    );
    expect(await outcomes(world)).toEqual([`create ${APEX} MX: published`]);
  });

  test('splits a record set too large for one batch into DELETE and CREATE', async () => {
    const world = await publishWorld();
    const text = (seed: string) => Array.from({ length: 70 }, (_, index) => `"${seed}${index}${'x'.repeat(240)}"`);
    await want(world, WWW, wanted(WWW, 'TXT', text('a')));
    await run(world);
    await want(world, WWW, wanted(WWW, 'TXT', text('b')));
    const result = await run(world);
    expect(result.kind === 'done' && result.outcomes.map((one) => one.message)).toEqual([
      'Published in two batches, as its old and new values do not fit into one: it was absent for a moment.',
    ]);
    expect(standing(world)[0]).toContain('"b0x');
    expect(changeCalls(world)).toBe(3);
  });

  test('waits out a throttle, and leaves everything dirty when it does not end', async () => {
    let throttles = 3;
    const throttled: BatchOutcome = { kind: 'throttled', message: 'Rate exceeded' };
    const world = await publishWorld({
      changeFault: () => (throttles-- > 0 ? { apply: false, outcome: throttled } : null),
    });
    await want(world, WWW, A('192.0.2.1'));
    expect(await outcomes(world)).toEqual([`create ${WWW} A: published`]);
    throttles = 99;
    await want(world, WWW, A('192.0.2.2'));
    expect(await outcomes(world)).toEqual([`update ${WWW} A: failed`]);
    expect(await dirtyNames(world)).toEqual([WWW]);
    expect((await itemAt(world, key(WWW, 'A')))?.intent).toBe(null);
    expect(world.queued).toEqual([{ hostedZoneId: ZONE_ID, delaySeconds: 15 }]);
    throttles = 0;
    expect(await outcomes(world)).toEqual([`update ${WWW} A: published`]);
  });

  test.each([true, false])('reads back what Route 53 never answered (applied: %s)', async (apply) => {
    let unknowns = 1;
    const outcome: BatchOutcome = { kind: 'unknown', message: 'socket hang up' };
    const world = await publishWorld({ changeFault: () => (unknowns-- > 0 ? { apply, outcome } : null) });
    await want(world, WWW, A('192.0.2.1'));
    const first = await outcomes(world);
    expect(first).toEqual([`create ${WWW} A: ${apply ? 'published' : 'failed'}`]);
    expect(await dirtyNames(world)).toEqual(apply ? [] : [WWW]);
    if (!apply) await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
    expect((await itemAt(world, key(WWW, 'A')))?.published).toEqual(values(300, '192.0.2.1'));
  });

  test('knows its own write when it lands late', async () => {
    let unknowns = 1;
    const outcome: BatchOutcome = { kind: 'unknown', message: 'socket hang up' };
    const world = await publishWorld({ changeFault: () => (unknowns-- > 0 ? { apply: false, outcome } : null) });
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(300, '192.0.2.1'));
    await want(world, WWW, A('192.0.2.2'));
    expect(await outcomes(world)).toEqual([`create ${WWW} A: published`]);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
  });

  test('keeps everything dirty when the hosted zone is gone', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    world.route53.removeHostedZone(ZONE_ID);
    expect((await run(world)).kind).toBe('gone');
    expect((await hostedZone(world)).gone).toBe(true);
    expect(await dirtyNames(world)).toEqual([WWW]);
    expect((await run(world)).kind).toBe('gone');
    expect(changeCalls(world)).toBe(1);
  });

  test('publishes around a name that is denied, and gives up when all are', async () => {
    const deny: BatchOutcome = { kind: 'denied', message: 'User is not authorized' };
    let all = false;
    const world = await publishWorld({
      changeFault: (changes) =>
        all || changes.some((change) => change.recordSet.name === `h7.${APEX}`)
          ? { apply: false, outcome: deny }
          : null,
    });
    for (let index = 0; index < 50; index += 1)
      await want(world, `h${index}.${APEX}`, A('192.0.2.1', `h${index}.${APEX}`));
    const result = await outcomes(world);
    expect(result.filter((line) => line.endsWith('failed'))).toEqual([`create h7.${APEX} A: failed`]);
    expect(result.filter((line) => line.endsWith('published'))).toHaveLength(49);
    expect(await dirtyNames(world)).toEqual([`h7.${APEX}`]);
    all = true;
    const before = changeCalls(world);
    for (let index = 0; index < 50; index += 1)
      await want(world, `h${index}.${APEX}`, A('192.0.2.2', `h${index}.${APEX}`));
    expect((await outcomes(world)).every((line) => line.endsWith('failed'))).toBe(true);
    expect(changeCalls(world) - before).toBeLessThanOrEqual(12);
  });

  test('leaves the zone to whoever holds its lease', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    const item = await hostedZone(world);
    const lease = { holder: 'other', epoch: 1, expiresAtMs: world.clock.ms + 60_000 };
    const { changeHostedZone } = await import('./lease.ts');
    await changeHostedZone(world.ledger, ZONE_ID, () => ({ ...item, epoch: 1, lease }));
    expect(await run(world)).toEqual({ kind: 'busy', retryAfterSeconds: 66 });
    world.clock.ms += 66_000;
    expect(await outcomes(world)).toEqual([`create ${WWW} A: published`]);
  });

  test('a run that was overtaken writes nothing to Route 53 and leaves no trace', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    let overtaken = false;
    const deps = intercepted(world.deps, async (port, method, call) => {
      const result = await call();
      if (port === 'ledger' && method === 'put' && !overtaken && (await itemAt(world, key(WWW, 'A')))?.intent) {
        overtaken = true;
        world.clock.ms += 120_000;
        await want(world, WWW, A('192.0.2.2'));
        await run(world);
      }
      return result;
    });
    await run({ ...world, deps });
    expect(overtaken).toBe(true);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
    expect(changeCalls(world)).toBe(1);
    expect((await itemAt(world, key(WWW, 'A')))?.published).toEqual(values(300, '192.0.2.2'));
  });

  test('publishes the newer content when it changes between plan and batch', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    let changed = false;
    const deps = intercepted(world.deps, async (port, method, call) => {
      const result = await call();
      if (
        port === 'ledger' &&
        method === 'query' &&
        !changed &&
        (await partition(world, `recordsets#${ZONE_ID}`)).length
      ) {
        changed = true;
        await want(world, WWW, A('192.0.2.2'));
      }
      return result;
    });
    await run({ ...world, deps });
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
    expect(await dirtyNames(world)).toEqual([]);
  });

  test('does more names than fit one run in several, and asks for the next', async () => {
    const world = await publishWorld({ config: { namesMax: 10 } });
    for (let index = 0; index < 25; index += 1)
      await want(world, `h${index}.${APEX}`, A('192.0.2.1', `h${index}.${APEX}`));
    await run(world);
    expect(standing(world)).toHaveLength(10);
    expect(world.queued).toEqual([{ hostedZoneId: ZONE_ID, delaySeconds: 0 }]);
    await run(world);
    await run(world);
    expect(standing(world)).toHaveLength(25);
  });

  test('an item that it cannot read costs its own name', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await want(world, `mail.${APEX}`, A('192.0.2.2', `mail.${APEX}`));
    const page = await world.ledger.query(`recordsets#${ZONE_ID}`, { prefix: 'org example www ' });
    const item = page.items[0];
    if (item === undefined) throw new Error('no item');
    await world.ledger.put(item, { ...item.body, v: 2 }, item.revision);
    expect(await outcomes(world)).toEqual([`create mail.${APEX} A: published`]);
    expect(world.logged[0]?.message).toContain('its version is 2, this code knows 1');
    expect(await dirtyNames(world)).toEqual([WWW]);
  });

  test('costs the same ledger operations whatever lies beside and below the name', async () => {
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
    expect(counts).toEqual([10, 10]);
  });
});
