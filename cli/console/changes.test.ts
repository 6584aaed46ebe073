// What changed, over a ledger that counts its queries: at most one a question.
import { expect, test } from 'vitest';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import { consoleWorld } from '../../test/fakes/console-world.ts';
import { A, publishWorld, run, want, ZONE_ID } from '../../test/fakes/publish-world.ts';
import { type Changes, changesOf } from './changes.ts';

/** Asks until there is no more. */
async function all(changes: Changes, from: string) {
  const names: string[] = [];
  let [since, more, waiting] = [from, true, false];
  while (more) {
    const answer = await changes(Number(since));
    expect(answer.names.length).toBeLessThanOrEqual(200);
    names.push(...answer.names);
    waiting ||= answer.waiting;
    ({ now: since, more } = answer);
  }
  return { names, waiting, since };
}

test('changesOf() tells each changed name once, by one query a question', async () => {
  const published = await publishWorld();
  const { world, queries } = consoleWorld(published);
  const counting: Changes = async (since) => {
    const before = queries.length;
    const answer = await changes(since);
    expect(queries.length - before).toBe(1);
    return answer;
  };
  const changes = changesOf(world);
  const first = await counting(null);
  expect(first).toEqual({ now: expect.any(String), names: [], more: false, waiting: false });
  expect(await all(counting, first.now)).toMatchObject({ names: [], waiting: false });
  published.clock.ms += 1_000;
  await want(published, 'a.example.org.', A('192.0.2.1', 'a.example.org.'));
  await want(published, 'b.example.org.', A('192.0.2.1', 'b.example.org.'));
  await run(published);
  const told = await all(counting, first.now);
  expect([told.names.toSorted(), told.waiting]).toEqual([['a.example.org.', 'b.example.org.'], true]);
  expect(await all(counting, told.since)).toMatchObject({ names: [], waiting: false });
  // Another tab asks from an earlier answer.
  expect((await all(counting, first.now)).names.toSorted()).toEqual(['a.example.org.', 'b.example.org.']);
});

test('changesOf() has at most 200 names in an answer, and all of them in the end', async () => {
  const published = await publishWorld();
  const { world } = consoleWorld(published);
  const changes = changesOf(world);
  const { now } = await changes(null);
  published.clock.ms += 1_000;
  const names = Array.from({ length: 450 }, (_, index) => `n${index}.example.org.`);
  for (const name of names) await want(published, name, A('192.0.2.1', name));
  await run(published);
  const told = await all(changes, now);
  expect(told.names.toSorted()).toEqual(names.toSorted());
});

test('changesOf() tells a name again whose batch was seen while its run was under way', async () => {
  const published = await publishWorld();
  const { world } = consoleWorld(published);
  const changes = changesOf(world);
  let { now: since } = await changes(null);
  published.clock.ms += 1_000;
  await want(published, 'a.example.org.', A('192.0.2.1', 'a.example.org.'));
  const { port } = published.route53;
  const early: string[] = [];
  const change: typeof port.change = async (...given) => {
    const told = await all(changes, since);
    early.push(...told.names);
    since = told.since;
    return port.change(...given);
  };
  await publish({ ...published.deps, hostedZones: { ...port, change } }, ZONE_ID, {});
  expect(early).toEqual(['a.example.org.']);
  expect((await all(changes, since)).names).toEqual(['a.example.org.']);
});
