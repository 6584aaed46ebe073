// A ring of zoneRefs makes each of its Zones InvalidSpec, and only all Zones together show it. What each of them last
// validly said stays in force until it is valid again or deleted.
import { describe, expect, test } from 'vitest';
import { BOTH_WAYS, type Way } from '../../test/fakes/both-ways.ts';
import { a, expectRight, reasonOf, zone } from '../../test/fakes/reconcile-steps.ts';
import { type ReconcileWorld, reconcileWorld, standingInRoute53 } from '../../test/fakes/reconcile-world.ts';

const under = (domainName: string, name: string) => ({ ...zone(domainName), zoneRef: { name } });
const WWW = { ...a('www'), zoneRef: { name: 'b' } };

/** Zone a. with Zone b.a. in it, and Record www.b.a. in that. */
async function started(way: Way): Promise<ReconcileWorld> {
  const world = reconcileWorld({
    hostedZones: [
      { id: 'Z1', name: 'a.' },
      { id: 'Z2', name: 'b.' },
    ],
    config: { soa: 'never' },
  });
  await way(world, { 'Zone a/a': zone('a.'), 'Zone a/b': under('b', 'a'), 'Record a/www': WWW });
  expect(names(world)).toEqual(['Z1 www.b.a.']);
  return world;
}

const names = (world: ReconcileWorld) => standingInRoute53(world).map((line) => line.split(' ').slice(0, 2).join(' '));
const messageOf = ({ cluster }: ReconcileWorld, id: string) =>
  cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Accepted')?.message;

describe.each(BOTH_WAYS)('%s with zoneRefs that form a ring', (_, way) => {
  test('keeps what was in force, and says so on each member', async () => {
    const world = await started(way);
    await way(world, { 'Zone a/a': under('a', 'b') });
    expect(names(world)).toEqual(['Z1 www.b.a.']);
    expect(messageOf(world, 'Zone a/a')).toBe(
      'spec.zoneRef: the references form a ring: a/a -> a/b -> a/a; one of them must be fully qualified; until it is valid again or deleted, its last valid spec stays in force',
    );
    expect(messageOf(world, 'Zone a/b')).toContain('the references form a ring: a/b -> a/a -> a/b;');
    expect(reasonOf(world, 'Record a/www')).toBe('Adopted');
    await expectRight(world);
  });

  test('follows changes below the ring', async () => {
    const world = await started(way);
    await way(world, { 'Zone a/a': under('a', 'b') });
    await way(world, { 'Record a/api': { ...a('api'), zoneRef: { name: 'b' } }, 'Record a/www': undefined });
    await way(world, { 'Record a/top': { ...a('top'), zoneRef: { name: 'a' } } });
    expect(names(world)).toEqual(['Z1 api.b.a.', 'Z1 top.a.']);
    await expectRight(world);
  });

  test('gives the same result, however often it is closed', async () => {
    const world = await started(way);
    for (let ttl = 1; ttl < 12; ttl += 1) await way(world, { 'Zone a/a': { ...under('a', 'b'), ttl } });
    await way(world, { 'Zone a/a': { domainName: 5 } });
    await way(world, { 'Zone a/a': under('self', 'a') });
    expect(names(world)).toEqual(['Z1 www.b.a.']);
    await expectRight(world);
  });

  test('the Zone that closed the ring goes back to its former spec; the others keep theirs', async () => {
    const world = await started(way);
    await way(world, { 'Zone a/b': zone('b.') });
    expect(names(world)).toEqual(['Z2 www.b.']);
    await way(world, { 'Zone a/a': under('a', 'b') });
    expect(names(world)).toEqual(['Z2 www.b.']);
    expect(reasonOf(world, 'Zone a/a')).toBe('Adopted');
    await way(world, { 'Zone a/b': under('b', 'a') });
    expect(names(world)).toEqual(['Z2 www.b.']);
    expect(reasonOf(world, 'Zone a/a')).toBe('InvalidSpec');
    await expectRight(world);
  });

  test('makes each member go back when all of them close it at once', async () => {
    const world = await started(way);
    await way(world, { 'Zone a/b': zone('b.') });
    await way(world, { 'Zone a/a': under('x', 'b'), 'Zone a/b': under('y', 'a') });
    expect(names(world)).toEqual(['Z2 www.b.']);
    await expectRight(world);
  });

  test('ends with a valid spec, and with the deletion', async () => {
    const world = await started(way);
    await way(world, { 'Zone a/a': under('a', 'b') });
    await way(world, { 'Zone a/a': zone('a.') });
    expect(reasonOf(world, 'Zone a/a')).toBe('Root');
    expect(reasonOf(world, 'Zone a/b')).toBe('Adopted');
    await way(world, { 'Zone a/a': under('a', 'b') });
    await way(world, { 'Zone a/a': undefined });
    expect(names(world)).toEqual([]);
    expect(reasonOf(world, 'Zone a/b')).toBe('ParentNotFound');
    await expectRight(world);
  });

  test('a new Zone that closes a ring has no former spec', async () => {
    const world = await started(way);
    await way(world, { 'Zone a/b': under('b', 'c') });
    expect(names(world)).toEqual([]);
    await way(world, { 'Zone a/c': under('c', 'b') });
    expect(names(world)).toEqual([]);
    expect(reasonOf(world, 'Zone a/b')).toBe('InvalidSpec');
    expect(reasonOf(world, 'Zone a/c')).toBe('InvalidSpec');
    await expectRight(world);
  });

  test('gives a member that closes a second one while the first opens the place that it had before both', async () => {
    const world = await started(way);
    await way(world, { 'Zone a/c': under('c', 'b') });
    await way(world, { 'Zone a/b': under('b', 'c') });
    expect(names(world)).toEqual(['Z1 www.b.a.']);
    await way(world, { 'Zone a/b': under('b', 'b'), 'Zone a/c': undefined });
    expect(names(world)).toEqual(['Z1 www.b.a.']);
    expect(messageOf(world, 'Zone a/b')).toContain('the references form a ring: a/b -> a/b;');
    expect(reasonOf(world, 'Record a/www')).toBe('Adopted');
    await expectRight(world);
  });

  test('gives a member that closes a second one after the first opened the parent that it lost', async () => {
    const world = await started(way);
    await way(world, { 'Zone a/c': under('c', 'b') });
    await way(world, { 'Zone a/b': under('b', 'c') });
    await way(world, { 'Zone a/c': undefined });
    expect(names(world)).toEqual([]);
    expect(reasonOf(world, 'Zone a/b')).toBe('ParentNotFound');
    await way(world, { 'Zone a/b': under('b', 'b') });
    expect(names(world)).toEqual([]);
    await way(world, { 'Zone a/c': zone('c.a.') });
    expect(names(world)).toEqual(['Z1 www.b.c.a.']);
    await expectRight(world);
  });
});
