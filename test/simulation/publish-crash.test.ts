// A publish that dies at each of its port calls, before the call or after its effect, and is then run again. In the end
// Route 53 has the wanted record sets, other people's record sets are unchanged, and the ledger agrees with Route 53.
// The worlds are seeded: two values, four names, and record sets with every kind of past.
import { describe, expect, test } from 'vitest';
import { type RecordSet, recordSetId } from '../../lib/dns/record-set.ts';
import type { DesiredRecordSet } from '../../lib/record-sets/desired-name.ts';
import { READS } from '../fakes/failing-world.ts';
import {
  APEX,
  hostedZone,
  intercepted,
  line,
  type PublishWorld,
  partition,
  publishWorld,
  run,
  standing,
  values,
  want,
  wanted,
  ZONE_ID,
} from '../fakes/publish-world.ts';
import { pick, type Random, random } from './fault-director.ts';

const NAMES = ['a', 'b', 'c', '*'].map((label) => `${label}.${APEX}`);
const VALUES = ['192.0.2.1', '192.0.2.2'];

function someSets(next: Random, name: string): DesiredRecordSet[] {
  const kind = pick(next, ['nothing', 'A', 'A', 'A+TXT', 'CNAME']);
  const address = wanted(name, 'A', [pick(next, VALUES)]);
  if (kind === 'A') return [address];
  if (kind === 'A+TXT') return [address, wanted(name, 'TXT', [`"${pick(next, VALUES)}"`])];
  return kind === 'CNAME' ? [wanted(name, 'CNAME', [`${pick(next, ['x', 'y'])}.example.net.`])] : [];
}

type Case = { readonly world: PublishWorld; readonly desired: DesiredRecordSet[]; readonly foreign: RecordSet[] };

/** A world that was published once, was then edited by its owners and by strangers, and is not yet published again. */
async function caseOf(seed: number): Promise<Case> {
  const next = random(seed);
  const world = await publishWorld({
    reject: (set) => (line(set).includes('"192.0.2.2"') ? 'Invalid Resource Record' : null),
  });
  for (const name of NAMES) await want(world, name, ...someSets(next, name));
  await want(world, APEX, wanted(APEX, 'SOA', [`ns.${APEX} noc.${APEX} 1 86400 7200 3600000 360`]));
  await run(world);
  const foreign: RecordSet[] = [];
  for (const name of NAMES) {
    const ours = world.route53.recordSets(ZONE_ID).filter((set) => set.name === name);
    const [first] = ours;
    if (next() < 0.2 && first !== undefined && first.type !== 'CNAME') {
      const edited = { ...first, content: values(60, first.type === 'TXT' ? '"theirs"' : '203.0.113.9') };
      world.route53.edit(ZONE_ID, edited, edited.content);
      foreign.push(edited);
    } else if (next() < 0.2 && first === undefined) {
      // This TTL never equals ours, because after a crash, content that equals the intent counts as ours.
      const theirs = { name, type: 'A', setIdentifier: null, content: values(60, pick(next, VALUES)) };
      world.route53.edit(ZONE_ID, theirs, theirs.content);
      foreign.push(theirs);
    } else if (next() < 0.1 && first !== undefined) {
      world.route53.edit(ZONE_ID, first, null);
    }
  }
  const desired: DesiredRecordSet[] = [];
  for (const name of NAMES) {
    const sets = next() < 0.8 ? someSets(next, name) : [];
    desired.push(...sets);
    await want(world, name, ...sets);
  }
  await want(world, APEX, wanted(APEX, 'SOA', [`ns.${APEX} noc.${APEX} 1 43200 7200 3600000 360`]));
  world.reported.length = 0;
  return { world, desired, foreign };
}

/** The same case once more: to make one takes as long as to publish it. */
function again(one: Case): Case {
  return { ...one, world: one.world.copy() };
}

/** Checks the end: foreign record sets are unchanged, and Route 53 has what it has without a crash. */
function check({ world, foreign }: Case, clean: readonly string[], label: string): void {
  const now = standing(world);
  for (const set of foreign) expect(now, label).toContain(line(set));
  expect(now, label).toEqual(clean);
}

async function ledgerOf(world: PublishWorld): Promise<unknown> {
  const items = await partition(world, `recordsets#${ZONE_ID}`);
  return items
    .map((body) => [
      recordSetId(body as never),
      body.desired,
      body.published,
      (body.refusal as { reason: string } | null)?.reason ?? null,
      body.intent,
    ])
    .filter(([, desired, published]) => desired !== null || published !== null);
}

class Crash extends Error {}

/**
 * Runs publish. Its `crashAt`-th port call and all later ones fail; with `after`, that call takes effect first. Returns
 * the names of the calls.
 */
async function runUntilCrash(world: PublishWorld, crashAt: number, after: boolean): Promise<readonly string[]> {
  const calls: string[] = [];
  const deps = intercepted(world.deps, async (_port, method, call) => {
    calls.push(method);
    if (calls.length === crashAt && after) await call();
    if (calls.length >= crashAt) throw new Crash(`crashed at call ${crashAt}`);
    return call();
  });
  try {
    await run({ ...world, deps });
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
  return calls;
}

/** Runs publish again after each lease has ended, as redelivered messages do, until it asks for no further run. */
async function settle(world: PublishWorld): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    world.clock.ms += 70_000;
    const result = await run(world);
    if (result.kind === 'done' && result.retryAfterSeconds === null) return;
  }
  throw new Error('publish does not come to rest');
}

describe('publish() after a crash', () => {
  const seeds = Array.from({ length: 24 }, (_, index) => index + 1);

  test.each(seeds)('at any port call ends as if it had not crashed, seed %i', async (seed) => {
    const start = await caseOf(seed);
    const clean = again(start);
    const calls = await runUntilCrash(clean.world, Number.POSITIVE_INFINITY, false);
    await settle(clean.world);
    const stands = standing(clean.world);
    const ledger = await ledgerOf(clean.world);
    const { publishedCount } = await hostedZone(clean.world);
    const told = new Set(clean.world.reported.map((ref) => `${ref.kind} ${ref.name}`));
    for (const after of [false, true]) {
      for (const [index, method] of calls.entries()) {
        if (after && READS.has(method)) continue;
        const crashAt = index + 1;
        const label = `seed ${seed}, crash ${after ? 'after' : 'before'} call ${crashAt} of ${calls.length}`;
        const crashed = again(start);
        await runUntilCrash(crashed.world, crashAt, after);
        await settle(crashed.world);
        check(crashed, stands, label);
        expect(await ledgerOf(crashed.world), label).toEqual(ledger);
        expect((await hostedZone(crashed.world)).publishedCount, label).toBe(publishedCount);
        expect(await partition(crashed.world, `dirty#${ZONE_ID}`), label).toEqual([]);
        expect(new Set(crashed.world.reported.map((ref) => `${ref.kind} ${ref.name}`)), label).toEqual(told);
      }
    }
  });

  test('is tested with foreign, edited, rejected, published and deleted record sets', async () => {
    const seen = new Set<string>();
    for (const seed of seeds) {
      const { world } = await caseOf(seed);
      const result = await run(world);
      if (result.kind !== 'done') continue;
      for (const one of result.outcomes) seen.add(`${one.change.action} ${one.outcome}`);
    }
    for (const kind of [
      'create foreign',
      'update drifted',
      'create rejected',
      'update published',
      'delete published',
      'delete drifted',
    ]) {
      expect(seen).toContain(kind);
    }
  });

  test('at a random port call, three times in a row, ends as if it had not crashed', async () => {
    for (let seed = 100; seed < 160; seed += 1) {
      const next = random(seed);
      const clean = await caseOf(seed);
      const crashed = again(clean);
      await settle(clean.world);
      for (let round = 0; round < 3; round += 1) {
        await runUntilCrash(crashed.world, 1 + Math.floor(next() * 40), next() < 0.5);
        crashed.world.clock.ms += 70_000;
      }
      await settle(crashed.world);
      check(crashed, standing(clean.world), `seed ${seed}`);
      expect(await ledgerOf(crashed.world), `seed ${seed}`).toEqual(await ledgerOf(clean.world));
    }
  });
});
