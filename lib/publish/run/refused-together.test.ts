// publish() with two changes of which one cannot be sent without the other, when Route 53 refuses one.
import { describe, expect, test } from 'vitest';
import {
  A,
  APEX,
  itemAt,
  outcomes,
  publishWorld,
  run,
  standing,
  WWW,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import type { DesiredRecordSet } from '../../record-sets/desired-name.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { publish } from './publish-hosted-zone.ts';

describe('publish() and what is refused together', () => {
  test('keeps together what a change from CNAME ties, also when one of its record sets is refused', async () => {
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

  test('sends a refused delete with what was refused beside it, also when it waits for other deletes (seed 1329953)', async () => {
    const world = await publishWorld({
      reject: (set) => (set.type === 'TXT' ? 'Invalid Resource Record' : null),
      config: { deletesQuietMs: 300 },
    });
    await want(world, WWW, wanted(WWW, 'CNAME', ['target.example.net.']));
    await run(world);
    await want(world, WWW, wanted(WWW, 'TXT', ['"x"']));
    expect((await outcomes(world)).map((line) => line.split(': ')[1])).toEqual(['rejected', 'rejected']);
    await want(world, WWW);
    expect(await outcomes(world)).toEqual([]);
    world.clock.ms += 300;
    expect(await outcomes(world)).toEqual([`delete ${WWW} CNAME: published`]);
    expect(standing(world)).toEqual([]);
  });

  test('sends a refused delete when what it was refused with is no longer wanted, and its item gone (seed 1553983)', async () => {
    const world = await publishWorld({ reject: (set) => (set.type === 'TXT' ? 'Invalid Resource Record' : null) });
    await want(world, WWW, wanted(WWW, 'CNAME', ['target.example.net.']));
    await run(world);
    await want(world, WWW, wanted(WWW, 'TXT', ['"x"']));
    const { hostedZones } = world.deps;
    // The record set is withdrawn while Route 53 refuses it.
    const change: typeof hostedZones.change = async (...asked) => {
      const outcome = await hostedZones.change(...asked);
      await want(world, WWW);
      return outcome;
    };
    await publish({ ...world.deps, hostedZones: { ...hostedZones, change } }, ZONE_ID);
    expect(await itemAt(world, { name: WWW, type: 'TXT' })).toBeNull();
    expect(await outcomes(world)).toEqual([`delete ${WWW} CNAME: published`]);
  });

  const routed = (setIdentifier: string, rdata: string): DesiredRecordSet => {
    const set = wanted(WWW, 'A', [rdata]);
    const policy = {
      kind: 'region',
      region: { x: 'eu-west-1', y: 'us-east-1' }[setIdentifier] ?? 'eu-north-1',
    } as const;
    return { ...set, setIdentifier, content: { ...set.content, routing: { policy, healthCheckId: null } } };
  };

  test.each(['before', 'after'])(
    'creates the new set identifier of an object beside the old one, which somebody edited %s a sweep saw that (seed 353118)',
    async (when) => {
      const world = await publishWorld();
      await want(world, WWW, routed('x', '192.0.2.1'));
      await run(world);
      world.route53.edit(ZONE_ID, routed('x', ''), routed('x', '192.0.2.99').content);
      if (when === 'after') {
        await markDirty(world.ledger, ZONE_ID, WWW, world.clock.ms, { retry: true });
        await run(world);
      }
      await want(world, WWW, routed('y', '192.0.2.1'));
      expect((await outcomes(world)).toSorted()).toEqual([`create ${WWW} A: published`, `delete ${WWW} A: drifted`]);
      expect(standing(world)).toEqual([`${WWW} A 192.0.2.99 300`, `${WWW} A 192.0.2.1 300`]);
      const calls = world.route53.calls.length;
      await want(world, WWW, routed('y', '192.0.2.2'));
      expect(await outcomes(world)).toContain(`update ${WWW} A: published`);
      expect(world.route53.calls).toHaveLength(calls + 1);
    },
  );

  test.each([{ wordless: false }, { wordless: true }])(
    'publishes 999 of 1,000 within 20 calls (%o)',
    async ({ wordless }) => {
      const name = (index: number) => `h${String(index).padStart(4, '0')}.${APEX}`;
      let bad = 0;
      const start = await publishWorld({
        wordless,
        reject: (set) => (set.name === name(bad) ? `RRSet with DNS name ${set.name} is not permitted` : null),
      });
      for (let index = 0; index < 1000; index += 1) await want(start, name(index), A('192.0.2.1', name(index)));
      for (bad of [0, 1, 499, 500, 618, 998, 999]) {
        const world = start.copy();
        const result = await outcomes(world);
        expect(result.filter((line) => line.endsWith('published'))).toHaveLength(999);
        expect(result.filter((line) => line.endsWith('rejected'))).toEqual([`create ${name(bad)} A: rejected`]);
        // One more lists the protections.
        const calls = world.route53.calls.filter(({ method }) => method !== 'protections');
        expect(calls.length).toBeLessThanOrEqual(1 + 2 * Math.log2(1000));
      }
    },
  );
});
