// touchDesired(): what is desired is noted once, and a name whose desired and published differ is marked dirty, even
// after a run that died.
import { describe, expect, test } from 'vitest';
import {
  A,
  APEX,
  intercepted,
  itemAt,
  type PublishWorld,
  partition,
  publishWorld,
  run,
  values,
  WWW,
  want,
  wanted,
  ZONE_ID,
} from '../../test/fakes/publish-world.ts';
import { UnreadableItemError } from '../ledger/item-codec.ts';
import { touchDesired } from './desired-name.ts';
import { markDirty } from './dirty-mark.ts';
import { recordSetCodec } from './record-set-item.ts';
import { samePublishing } from './same-content.ts';
import { readManyNameItems, readName, readNameItems } from './store.ts';

async function dirty(world: PublishWorld): Promise<unknown[]> {
  return (await partition(world, `dirty#${ZONE_ID}`)).map((body) => body.name);
}

describe('touchDesired()', () => {
  test('notes the content, sets the mark and says so; the same again does nothing once it is published', async () => {
    const world = await publishWorld();
    expect(await want(world, WWW, A('192.0.2.1'))).toBe(true);
    expect(await dirty(world)).toEqual([WWW]);
    await run(world);
    expect(await want(world, WWW, A('192.0.2.1'))).toBe(false);
    expect(await dirty(world)).toEqual([]);
  });

  test('completes a run that died at any call', async () => {
    for (let crashAt = 1; crashAt <= 6; crashAt += 1) {
      const world = await publishWorld();
      await want(world, WWW, A('192.0.2.1'), wanted(WWW, 'TXT', ['"x"']));
      await run(world);
      let calls = 0;
      const deps = intercepted(world.deps, async (_port, _method, call) => {
        calls += 1;
        if (calls > crashAt) throw new Error('crash');
        return call();
      });
      await want({ ...world, ledger: deps.ledger }, WWW, A('192.0.2.2')).catch(() => null);
      expect(await want(world, WWW, A('192.0.2.2')), `crash after ${crashAt}`).toBe(true);
      await run(world);
      expect((await itemAt(world, { name: WWW, type: 'A' }))?.published).toEqual(values(300, '192.0.2.2'));
    }
  });

  test('sets the mark for what another run wrote just before, and died over (seed 1571098)', async () => {
    const world = await publishWorld();
    const { ledger } = world;
    // This run reads no item; before it writes one, another writes the same item and nothing else.
    const put: typeof ledger.put = async (key, body, expected) => {
      if (key.partition.startsWith('recordsets#')) await ledger.put(key, body, expected);
      return ledger.put(key, body, expected);
    };
    expect(await want({ ...world, ledger: { ...ledger, put } }, WWW, A('192.0.2.1'))).toBe(true);
    expect(await dirty(world)).toEqual([WWW]);
  });

  test('sets no mark again for what was refused and still is', async () => {
    const world = await publishWorld({ reject: () => 'Invalid Resource Record' });
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    expect(await want(world, WWW, A('192.0.2.1'))).toBe(false);
    expect(await want(world, WWW, A('192.0.2.2'))).toBe(true);
  });

  test('does not remove an item that is published: it is only no longer desired', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    expect(await want(world, WWW)).toBe(true);
    expect(await itemAt(world, { name: WWW, type: 'A' })).toMatchObject({
      desired: null,
      objects: [],
      published: values(300, '192.0.2.1'),
    });
  });

  test('gives each mark a new generation, and keeps its time and the request to try again', async () => {
    const world = await publishWorld();
    await markDirty(world.ledger, ZONE_ID, WWW, 1_000, { retry: true });
    const [first] = (await world.ledger.query(`dirty#${ZONE_ID}`)).items;
    await markDirty(world.ledger, ZONE_ID, WWW, 2_000);
    const [second] = (await world.ledger.query(`dirty#${ZONE_ID}`)).items;
    expect(second?.revision).not.toBe(first?.revision);
    expect(second?.body).toMatchObject({ sinceMs: 1_000, retry: true });
  });

  test('does not write over an item that it cannot read', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    const [item] = (await world.ledger.query(`recordsets#${ZONE_ID}`)).items;
    if (item === undefined) throw new Error('no item');
    await world.ledger.put(item, { ...item.body, v: 2 }, item.revision);
    await expect(want(world, WWW, A('192.0.2.2'))).rejects.toThrow(UnreadableItemError);
    expect((await partition(world, `recordsets#${ZONE_ID}`))[0]?.v).toBe(2);
  });

  test('keeps fields of a body that a later version added', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    const [item] = (await world.ledger.query(`recordsets#${ZONE_ID}`)).items;
    if (item === undefined) throw new Error('no item');
    await world.ledger.put(item, { ...item.body, novelty: 1 }, item.revision);
    await want(world, WWW, A('192.0.2.2'));
    expect((await partition(world, `recordsets#${ZONE_ID}`))[0]?.novelty).toBe(1);
  });
});

describe('readName()', () => {
  test('reads one name, and nothing above, below or beside it', async () => {
    const world = await publishWorld();
    const names = [
      APEX,
      WWW,
      `a.${WWW}`,
      `1.${WWW}`,
      `*.${WWW}`,
      `_x.${WWW}`,
      `-.${WWW}`,
      `ww.${APEX}`,
      `wwwx.${APEX}`,
    ];
    for (const name of names) await want(world, name, A('192.0.2.1', name), wanted(name, 'TXT', ['"x"']));
    for (const name of names) {
      const found = await readName(world.ledger, ZONE_ID, name);
      expect(found.map((one) => `${one.item.name} ${one.item.type}`)).toEqual([`${name} A`, `${name} TXT`]);
    }
    // Many names at once give the same as each alone.
    const asked = names.filter((name) => name !== WWW);
    for (let itemsMax = 0; itemsMax <= 2 * names.length; itemsMax += 1) {
      const many = await readManyNameItems(world.ledger, ZONE_ID, asked, itemsMax);
      for (const [name, items] of many) expect(items).toEqual(await readNameItems(world.ledger, ZONE_ID, name));
      if (itemsMax === 2 * names.length) expect([...many.keys()]).toEqual(asked);
      else expect(many.size).toBeLessThan(asked.length);
    }
  });

  test('reads all record sets of a name that has more than a page of them', async () => {
    const world = await publishWorld();
    const sets = Array.from({ length: 60 }, (_, index) => ({ ...A('192.0.2.1'), setIdentifier: `s${index}` }));
    await touchDesired(world.ledger, { hostedZoneId: ZONE_ID, apex: APEX, name: WWW, recordSets: sets, heir: null }, 0);
    await want(world, `a.${WWW}`, A('192.0.2.1', `a.${WWW}`));
    expect(await readName(world.ledger, ZONE_ID, WWW)).toHaveLength(60);
  });
});

test('samePublishing() compares only TTL and timers of an SOA', () => {
  const soa = (text: string) => values(360, text);
  const base = soa('ns.example.org. noc.example.org. 1 86400 7200 3600000 360');
  expect(samePublishing('SOA', base, soa('ns-1.awsdns.org. x.amazon.com. 9 86400 7200 3600000 360'))).toBe(true);
  expect(samePublishing('SOA', base, soa('ns.example.org. noc.example.org. 1 86400 7200 3600000 361'))).toBe(false);
  expect(samePublishing('TXT', base, soa('x'))).toBe(false);
});

test.each([
  { name: 'no version', body: {}, says: 'its version is undefined, this code knows 1' },
  { name: 'a later version', body: { v: 2 }, says: 'its version is 2, this code knows 1' },
  { name: 'a damaged body', body: { v: 1, name: 7 }, says: 'name:' },
])('recordSetCodec.decode() names what is wrong with $name', ({ body, says }) => {
  const item = { partition: 'recordsets#Z1', sort: 'org A ', revision: '1', body };
  expect(() => recordSetCodec.decode(item)).toThrow(`Cannot read ledger item "recordsets#Z1" / "org A ": ${says}`);
});
