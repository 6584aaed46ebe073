// publish() and record sets that it may not or cannot write: foreign ones, drifted ones, and those that Route 53
// refuses.
import { describe, expect, test } from 'vitest';
import {
  A,
  APEX,
  changeCalls,
  dirtyNames,
  hostedZone,
  itemAt,
  key,
  outcomes,
  partition,
  publishWorld,
  run,
  standing,
  values,
  WWW,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import type { BatchOutcome } from '../../ports/hosted-zones.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { storedContent } from '../../record-sets/record-set-item.ts';
import { changeRecordSetItem } from '../../record-sets/store.ts';

describe('publish() and refusals', () => {
  test('does not change a foreign record set, also when its content is equal, and reports it once', async () => {
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
    expect(await outcomes(world)).toEqual([`update ${WWW} A: published`]);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
    expect((await hostedZone(world)).publishedCount).toBe(1);
  });

  test.each([
    ['with takeover', true],
    ['without takeover', false],
  ])('leaves it alone if it could not be taken over before its object went: %s', async (_, takeover) => {
    let isDenied = true;
    const world = await publishWorld({
      changeFault: () => (isDenied ? { apply: false, outcome: { kind: 'denied', message: 'no' } } : null),
    });
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(60, '203.0.113.9'));
    await want(world, WWW, { ...A('192.0.2.1'), takeover: true });
    await run(world);
    isDenied = false;
    await want(world, WWW, ...(takeover ? [] : [A('192.0.2.1')]));
    world.clock.ms += 600_000;
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 203.0.113.9 60`]);
  });

  test('takes over the record sets that a CNAME cannot exist together with', async () => {
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

  test('takes a record set of a late write for ours: it is noted, and the guard decides (seed 1100101)', async () => {
    const guard = { deletesMax: 0, deletesShareMax: 1 };
    const world = await publishWorld({ config: { guard } });
    const cname = wanted(WWW, 'CNAME', ['target.example.net.']);
    const late = [{ content: storedContent(cname.content), atMs: world.clock.ms }];
    await changeRecordSetItem(world.ledger, ZONE_ID, cname, null, (item) => ({ ...item, late }));
    world.route53.edit(ZONE_ID, key(WWW, 'CNAME'), cname.content);
    await want(world, WWW, { ...A('192.0.2.1'), takeover: true });
    expect(await outcomes(world)).toEqual([`create ${WWW} A: failed`]);
    expect(world.queued).toHaveLength(1);
    expect((await itemAt(world, key(WWW, 'CNAME')))?.published).toEqual(cname.content);
    expect(await itemAt(world, key(WWW, 'A'))).toMatchObject({ intent: null, late: [] });
    expect(await outcomes(world)).toEqual([`delete ${WWW} CNAME: held`, `create ${WWW} A: held`]);
    expect(standing(world)).toEqual([`${WWW} CNAME target.example.net. 300`]);
  });

  test('says Drifted for what somebody edited, and does not change it', async () => {
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

  test('never says Published for a record set that it knows to be drifted', async () => {
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

  test('says Published for what somebody edited to exactly the wanted content', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(300, '192.0.2.2'));
    await want(world, WWW, A('192.0.2.2'));
    expect(await outcomes(world)).toEqual([`update ${WWW} A: published`]);
    expect((await itemAt(world, key(WWW, 'A')))?.published).toEqual(values(300, '192.0.2.2'));
  });

  test('continues with what somebody removed', async () => {
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

  test.each([
    [
      '401 values',
      Array.from({ length: 401 }, (_, index) => `192.0.${index >> 8}.${index & 255}`),
      'A',
      'at most 400 values',
    ],
    [
      'a value of more than 4,000 characters',
      [`"${'a'.repeat(248)}" `.repeat(16).trim()],
      'TXT',
      'at most 4000 characters',
    ],
    [
      '150 values of 242 characters',
      Array.from({ length: 150 }, (_, i) => `"${String(i).padStart(240, 'a')}"`),
      'TXT',
      'at most 32000 characters of values',
    ],
  ])('does not send a record set of %s, which Route 53 would refuse, and says why', async (_, values, type, words) => {
    const world = await publishWorld();
    const other = `other.${APEX}`;
    await want(world, WWW, wanted(WWW, type, values));
    await want(world, other, wanted(other, 'A', ['192.0.2.1']));
    expect(await outcomes(world)).toEqual([`create ${WWW} ${type}: rejected`, `create ${other} A: published`]);
    const { refusal } = (await itemAt(world, { name: WWW, type })) ?? {};
    expect(refusal).toMatchObject({ reason: 'Rejected', message: expect.stringContaining(words) });
    const calls = changeCalls(world);
    await markDirty(world.ledger, ZONE_ID, WWW, world.clock.ms, { retry: true });
    await run(world);
    expect(changeCalls(world)).toBe(calls);
    await want(world, WWW, wanted(WWW, type, [type === 'A' ? '192.0.2.1' : '"short"']));
    expect(await outcomes(world)).toEqual([`create ${WWW} ${type}: published`]);
    expect(changeCalls(world)).toBe(calls + 1);
  });

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
    // The first ten are read, so that their messages can give their contents.
    expect(world.route53.calls.map(({ method }) => method)).toEqual([
      'change',
      'change',
      ...Array(10).fill('readName'),
    ]);
  });

  test('says that a foreign record set has the same content, and what to do', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key(`a.${APEX}`, 'A'), values(300, '192.0.2.1'));
    await want(world, `a.${APEX}`, wanted(`a.${APEX}`, 'A', ['192.0.2.1']));
    const result = await run(world);
    const [outcome] = result.kind === 'done' ? result.outcomes : [];
    expect(outcome?.outcome).toBe('foreign');
    expect(outcome?.message).toContain('The content is identical. To manage it, annotate Zone');
  });

  test('waits longer each time also when it is to change a record set, and sends it in a batch of its own', async () => {
    const isBad = (address: string) => address === '192.0.2.66';
    const world = await publishWorld({
      reject: ({ content }) =>
        content.kind === 'values' && content.values.some(isBad) ? 'Invalid Resource Record' : null,
    });
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    await want(world, WWW, A('192.0.2.66'));
    await run(world);
    for (const times of [1, 2, 3]) {
      expect((await itemAt(world, key(WWW, 'A')))?.refused).toMatchObject({ times });
      world.clock.ms += 4 * 3_600_000;
      await markDirty(world.ledger, ZONE_ID, WWW, world.clock.ms, { retry: true });
      const other = `other${times}.${APEX}`;
      await want(world, other, A('192.0.2.1', other));
      const before = changeCalls(world);
      expect(await outcomes(world)).toEqual([`create ${other} A: published`, `update ${WWW} A: rejected`]);
      expect(changeCalls(world) - before).toBe(2);
    }
    await want(world, WWW, A('192.0.2.2'));
    await run(world);
    expect((await itemAt(world, key(WWW, 'A')))?.refused).toBeNull();
  });

  test('publishes all names but one that is denied, and gives up when all are denied', async () => {
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
});
