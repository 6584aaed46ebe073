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
import { sweepContext } from '../../test/fakes/sweep-world.ts';
import type { RecordSetChange } from '../dns/record-set.ts';
import type { BatchOutcome } from '../ports/hosted-zones.ts';
import { changeHostedZone } from '../record-sets/lease.ts';
import { sweepHostedZone } from './sweep-hosted-zone.ts';

const NAME = 'www.example.org.';

function sweep(world: PublishWorld, retryRefused = false) {
  return sweepHostedZone(sweepContext(world), ZONE_ID, { retryRefused });
}

type ReadPage = PublishWorld['deps']['hostedZones']['readPage'];

/** The world with `readPage` in place of its own, which it is given. */
function readingPages(world: PublishWorld, readPage: (read: () => ReturnType<ReadPage>) => ReturnType<ReadPage>) {
  const { hostedZones } = world.deps;
  const reading: ReadPage = (...args) => readPage(() => hostedZones.readPage(...args));
  return { ...world, deps: { ...world.deps, hostedZones: { ...hostedZones, readPage: reading } } };
}

/** A world whose first batch is not answered. `sent` has that batch. */
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

/**
 * A world whose first batch landed late, more than an hour ago. No run has read the name since, and another content is
 * wanted now.
 */
async function worldThatNobodyLookedAt(): Promise<PublishWorld> {
  const { world, sent } = await worldWithoutAnswer();
  await want(world, NAME, wanted(NAME, 'A', ['192.0.2.1']));
  await run(world);
  await world.route53.port.change(ZONE_ID, sent[0] ?? [], 'late');
  world.clock.ms += 3_700_000;
  await want(world, NAME, wanted(NAME, 'A', ['192.0.2.2']));
  return world;
}

/**
 * Sweeps and publishes every five minutes for a day. Returns the minutes at which Route 53 was asked to change
 * something.
 */
async function triesOfADay(world: PublishWorld): Promise<number[]> {
  const beganMs = world.clock.ms;
  const tries: number[] = [];
  for (let minute = 5; minute <= 24 * 60; minute += 5) {
    world.clock.ms = beganMs + minute * 60_000;
    const before = world.route53.calls.filter(({ method }) => method === 'change').length;
    await sweep(world, true);
    await run(world);
    if (world.route53.calls.filter(({ method }) => method === 'change').length > before) tries.push(minute);
  }
  return tries;
}

describe('sweepHostedZone()', () => {
  it('has a lost record set published again, and counted once (simulation, seed 95)', async () => {
    const world = await publishWorld();
    await want(world, NAME, wanted(NAME, 'A', ['192.0.2.1']));
    await run(world);
    world.route53.edit(ZONE_ID, { name: NAME, type: 'A', setIdentifier: null }, null);
    expect(await sweep(world)).toMatchObject({ lost: 1, drifted: 0 });
    await run(world);
    expect(standing(world)).toEqual([`${NAME} A 192.0.2.1 300`]);
    expect((await hostedZone(world)).publishedCount).toBe(1);
  });

  it('has a record set deleted that landed late and is no longer wanted (simulation, seed 2093)', async () => {
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

  it('recognizes a late write that no run looked for within the hour (simulation, seed 1033988)', async () => {
    const world = await worldThatNobodyLookedAt();
    await run(world);
    expect(standing(world)).toEqual([`${NAME} A 192.0.2.2 300`]);
    await want(world, NAME);
    await run(world);
    expect(standing(world)).toEqual([]);
  });

  it('recognizes a late write also after a run that died over the next change', async () => {
    const world = await worldThatNobodyLookedAt();
    const change = async (): Promise<never> => Promise.reject(new Error('killed'));
    const hostedZones = { ...world.route53.port, change };
    await run({ ...world, deps: { ...world.deps, hostedZones } }).catch(() => null);
    await want(world, NAME);
    world.clock.ms += 60_000;
    await run(world);
    await sweep(world);
    await run(world);
    expect(standing(world)).toEqual([]);
  });

  it('forgets a write that can no longer land, and items without content', async () => {
    const { world } = await worldWithoutAnswer();
    await want(world, NAME, wanted(NAME, 'A', ['192.0.2.1']));
    await run(world);
    await want(world, NAME);
    await run(world);
    await sweep(world);
    expect((await itemAt(world, { name: NAME, type: 'A' }))?.late).toHaveLength(1);
    world.clock.ms += 3_700_000;
    await sweep(world);
    expect(await itemAt(world, { name: NAME, type: 'A' })).toBeNull();
  });

  it('has a wrong count corrected, and leaves a right one alone (simulation, seed 2115)', async () => {
    const world = await publishWorld();
    await want(world, NAME, wanted(NAME, 'A', ['192.0.2.1']));
    await run(world);
    const before = await hostedZone(world);
    expect(await sweep(world)).toMatchObject({ published: 1 });
    expect(await hostedZone(world)).toEqual(before);
    await changeHostedZone(world.ledger, ZONE_ID, (item) => item && { ...item, publishedCount: 7 });
    await sweep(world);
    expect((await hostedZone(world)).lease).not.toBe(null);
    await run(world);
    expect(await hostedZone(world)).toMatchObject({ lease: null, publishedCount: 1 });
  });

  it('does not say Drifted for our own late write', async () => {
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

describe('sweepHostedZone(), page by page', () => {
  const nameOf = (index: number) =>
    `n${index % 3 === 0 ? '' : '-x'}${index}.${index % 7 === 0 ? 'sub.' : ''}example.org.`;

  /** A hosted zone of several pages, all of it published. */
  async function worldOfPages(count = 700): Promise<PublishWorld> {
    const world = await publishWorld({ config: { guard: { deletesMax: 10_000, deletesShareMax: 1 } } });
    for (let index = 0; index < count; index += 1)
      await want(world, nameOf(index), wanted(nameOf(index), 'A', ['192.0.2.1']));
    for (let more = true; more; ) {
      const result = await run(world);
      more = result.kind === 'done' && result.retryAfterSeconds !== null;
    }
    expect(standing(world)).toHaveLength(count);
    return world;
  }

  function pagesRead({ route53 }: PublishWorld): number {
    return route53.calls.filter(({ method }) => method === 'readPage').length;
  }

  const key = (index: number) => ({ name: nameOf(index), type: 'A', setIdentifier: null });

  // The apex NS and SOA count as foreign, too.
  it('finds what is lost, drifted and foreign in every page, and nothing else', async () => {
    const world = await worldOfPages();
    const before = pagesRead(world);
    expect(await sweep(world)).toMatchObject({ lost: 0, drifted: 0, retried: 0, foreign: 2, gone: false });
    expect(pagesRead(world) - before).toBe(3);
    for (let index = 0; index < 700; index += 50) world.route53.edit(ZONE_ID, key(index), null);
    for (let index = 1; index < 700; index += 50) world.route53.edit(ZONE_ID, key(index), values(300, '203.0.113.1'));
    for (let index = 0; index < 400; index += 1)
      world.route53.edit(
        ZONE_ID,
        { name: `n${index}-.example.org.`, type: 'A', setIdentifier: null },
        values(60, '203.0.113.2'),
      );
    expect(await sweep(world)).toMatchObject({ lost: 14, drifted: 14, retried: 0, foreign: 402, gone: false });
  });

  it('reads a name that is larger than a page', async () => {
    const world = await worldOfPages(50);
    for (let index = 0; index < 700; index += 1) {
      const strange = { name: nameOf(7), type: 'AAAA', setIdentifier: String(index).padStart(4, '0') };
      world.route53.edit(ZONE_ID, strange, values(60, '2001:db8::1'));
    }
    world.route53.edit(ZONE_ID, key(7), null);
    world.route53.edit(ZONE_ID, key(49), null);
    expect(await sweep(world)).toMatchObject({ lost: 2, drifted: 0, foreign: 702 });
  });

  it('does not take for drift what publish wrote after the page was read', async () => {
    const world = await worldOfPages(20);
    let reads = 0;
    const overtaken = readingPages(world, async (read) => {
      const page = await read();
      reads += 1;
      if (reads > 1) return page;
      await want(world, nameOf(5), wanted(nameOf(5), 'A', ['192.0.2.7']));
      await run(world);
      return page;
    });
    expect(await sweep(overtaken)).toMatchObject({ lost: 0, drifted: 0, retried: 0, foreign: 2, gone: false });
    expect(reads).toBe(2);
    expect((await itemAt(world, key(5)))?.refusal).toBe(null);
  });

  it('leaves an item alone that was written after the page was read', async () => {
    const world = await worldOfPages(20);
    world.route53.edit(ZONE_ID, key(5), values(300, '203.0.113.1'));
    let reads = 0;
    const overtaken = readingPages(world, async (read) => {
      reads += 1;
      if (reads === 2) await want(world, nameOf(5), wanted(nameOf(5), 'A', ['192.0.2.8']));
      return read();
    });
    await sweep(overtaken);
    expect(await itemAt(world, key(5))).toMatchObject({ refusal: null, desired: values(300, '192.0.2.8') });
  });
});

describe('sweepHostedZone() and what Route 53 refuses', () => {
  it('has it tried again after growing pauses, not in every sweep', async () => {
    const world = await publishWorld({ reject: ({ name }) => (name === NAME ? 'no' : null) });
    await want(world, NAME, wanted(NAME, 'A', ['192.0.2.1']));
    await run(world);
    expect(await triesOfADay(world)).toEqual([15, 45, 105, 225, 465, 945]);
  });

  it('has a foreign record set read after growing pauses, and sends nothing for it', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, { name: NAME, type: 'A', setIdentifier: null }, values(60, '203.0.113.9'));
    await want(world, NAME, wanted(NAME, 'A', ['192.0.2.1']));
    await run(world);
    const looks = () => world.route53.calls.filter(({ method }) => method === 'readName').length;
    const before = looks();
    expect(await triesOfADay(world)).toEqual([]);
    expect(looks() - before).toBe(6);
  });

  it('never has a record set tried again that is too large for Route 53', async () => {
    const world = await publishWorld();
    await want(world, NAME, wanted(NAME, 'TXT', [`"${'a'.repeat(250)}" `.repeat(17).trim()]));
    await run(world);
    expect(await triesOfADay(world)).toEqual([]);
    expect(world.queued).toEqual([]);
  });
});
