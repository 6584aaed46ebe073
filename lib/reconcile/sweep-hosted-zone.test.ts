// What the simulation found about the sweep of a hosted zone, replayed by name.
import { describe, expect, it } from 'vitest';
import {
  hostedZone,
  itemAt,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  values,
  want,
  wanted,
  ZONE_ID,
} from '../../test/fakes/publish-world.ts';
import { DEFAULT_CONFIG } from './config.ts';
import type { BatchOutcome, RecordSetChange } from './ports.ts';
import { sweepHostedZone } from './sweep-hosted-zone.ts';

const NAME = 'www.example.org.';

function sweep({ deps }: PublishWorld) {
  const cluster = { clusterId: 'default', list: never, listPage: never, get: never, report: never };
  return sweepHostedZone({ ...deps, cluster, config: DEFAULT_CONFIG, log: () => {} }, ZONE_ID);
}

async function never(): Promise<never> {
  throw new Error('the sweep of a hosted zone asks no cluster');
}

/** A world whose first batch gets no answer; returns what was sent. */
async function worldWithoutAnswer() {
  const sent: (readonly RecordSetChange[])[] = [];
  const lost: BatchOutcome = { kind: 'unknown', message: 'timeout' };
  const world = await publishWorld({
    changeFault: (changes, call) => {
      if (call !== 1) return null;
      sent.push(changes);
      return { apply: false, outcome: lost };
    },
  });
  return { world, sent };
}

describe('sweepHostedZone()', () => {
  it('has what is lost published again, and counted once (simulation, seed 95)', async () => {
    const world = await publishWorld();
    await want(world, NAME, wanted(NAME, 'A', ['192.0.2.1']));
    await run(world);
    world.route53.edit(ZONE_ID, { name: NAME, type: 'A', setIdentifier: null }, null);
    expect(await sweep(world)).toMatchObject({ lost: 1, drifted: 0 });
    await run(world);
    expect(standing(world)).toEqual([`${NAME} A 192.0.2.1 300`]);
    expect((await hostedZone(world)).publishedCount).toBe(1);
  });

  it('has what landed late, and is wanted no more, deleted (simulation, seed 2093)', async () => {
    const { world, sent } = await worldWithoutAnswer();
    await want(world, NAME, wanted(NAME, 'A', ['192.0.2.1']));
    await run(world);
    await want(world, NAME);
    await run(world);
    await world.route53.port.change(ZONE_ID, sent[0] ?? [], 'late');
    expect(standing(world)).toEqual([`${NAME} A 192.0.2.1 300`]);
    expect(await sweep(world)).toMatchObject({ retried: 1, lost: 0, drifted: 0 });
    await run(world);
    expect(standing(world)).toEqual([]);
  });

  it('does not call drifted what is a late write of ours', async () => {
    const world = await publishWorld({
      changeFault: (_changes, call) =>
        call === 2 ? { apply: false, outcome: { kind: 'unknown', message: '' } } : null,
    });
    await want(world, NAME, wanted(NAME, 'A', ['192.0.2.1']));
    await run(world);
    await want(world, NAME, wanted(NAME, 'A', ['192.0.2.2']));
    await run(world);
    await want(world, NAME, wanted(NAME, 'A', ['192.0.2.1']));
    await run(world);
    world.route53.edit(ZONE_ID, { name: NAME, type: 'A', setIdentifier: null }, values(300, '192.0.2.2'));
    expect(await sweep(world)).toMatchObject({ retried: 1, drifted: 0 });
    await run(world);
    expect(standing(world)).toEqual([`${NAME} A 192.0.2.1 300`]);
    expect((await itemAt(world, { name: NAME, type: 'A' }))?.refusal).toBe(null);
  });
});
