// Record sets that Route 53 does not accept together with what is wanted: if external-dns owns them and they may be
// taken over, they are deleted in the same batch, and the plan shows that.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import {
  apply,
  plan,
  stand,
  standing,
  TAKEOVER,
  takeoverWorld,
  text,
  values,
  want,
  writes,
  ZONE,
} from '../../test/fakes/takeover-world.ts';
import { parseRef } from '../objects/object-ref.ts';

describe('a record set of external-dns that cannot exist together with a wanted one', () => {
  test.each<[string, readonly [string, string][], string, readonly string[]]>([
    ['a TXT record of the new format', [['a-www.e.', 'prod']], 'A', ['www.e./A', 'a-www.e./TXT']],
    ['a TXT record of the old format, without prefix', [['www.e.', 'prod']], 'A', ['www.e./A', 'www.e./TXT']],
    [
      'TXT records of both',
      [
        ['a-www.e.', 'prod'],
        ['www.e.', 'prod'],
      ],
      'A',
      ['www.e./A', 'a-www.e./TXT', 'www.e./TXT'],
    ],
  ])('is deleted together with %s', async (_, texts, type, replaced) => {
    const world = takeoverWorld();
    stand(world, 'www.e.', type, values('192.0.2.1'));
    for (const [name, owner] of texts) text(world, name, owner);
    want(world, 'www', 'x.example.', 'CNAME');
    expect(await plan(world)).toEqual([['create www.e. CNAME external-dns', ...replaced].join(' ')]);
    expect(await apply(world)).toEqual(['create www.e. published']);
    expect(writes(world)).toBeLessThanOrEqual(2);
    expect(standing(world)).toEqual(['www.e. CNAME']);
    expect(await plan(world)).toEqual([]);
  });

  test('is replaced as a whole: two types, and the TXT records that name their owners', async () => {
    const world = takeoverWorld();
    stand(world, 'www.e.', 'A', values('192.0.2.1'));
    stand(world, 'www.e.', 'MX', values('10 mail.e.'));
    text(world, 'www.e.', 'prod');
    text(world, 'mx-www.e.', 'prod');
    want(world, 'www', 'x.example.', 'CNAME');
    expect(await plan(world)).toEqual(['create www.e. CNAME external-dns www.e./A www.e./MX www.e./TXT mx-www.e./TXT']);
    expect(await apply(world)).toEqual(['create www.e. published']);
    expect(standing(world)).toEqual(['www.e. CNAME']);
  });

  test('stays as a whole if a part of it may not be taken over', async () => {
    const world = takeoverWorld();
    for (const name of ['beside', 'theirs', 'spf']) stand(world, `${name}.e.`, 'A', values('192.0.2.1'));
    stand(world, 'beside.e.', 'MX', values('10 mail.e.'));
    text(world, 'a-beside.e.', 'prod');
    text(world, 'theirs.e.', 'other');
    text(world, 'a-spf.e.', 'prod');
    stand(world, 'spf.e.', 'TXT', values('"v=spf1 -all"'));
    const before = standing(world);
    for (const name of ['beside', 'theirs', 'spf']) want(world, name, 'x.example.', 'CNAME');
    expect(await plan(world)).toEqual([
      'create beside.e. CNAME foreign',
      'create spf.e. CNAME foreign',
      'create theirs.e. CNAME foreign',
    ]);
    expect(await apply(world)).toEqual([
      'create beside.e. foreign',
      'create spf.e. foreign',
      'create theirs.e. foreign',
    ]);
    expect(standing(world)).toEqual(before);
  });

  test('is shown also if the guard holds what is to go before', async () => {
    const world = takeoverWorld();
    const guard = { deletesMax: 0, deletesShareMax: 1 };
    const context = { ...world.context, config: { ...world.context.config, guard } };
    const guarded = { ...world, context, deps: { ...world.deps, config: { ...world.deps.config, guard } } };
    want(world, 'www', 'ours', 'TXT');
    await apply(guarded);
    stand(world, 'www.e.', 'A', values('192.0.2.1'));
    text(world, 'a-www.e.', 'prod');
    world.cluster.remove(parseRef('Record p/txt-www'));
    want(world, 'www', 'x.example.', 'CNAME');
    const planned = ['delete www.e. TXT -', 'create www.e. CNAME external-dns www.e./A a-www.e./TXT'];
    expect(await plan(guarded)).toEqual(planned);
    expect(await apply(guarded)).toEqual(['delete www.e. held', 'create www.e. held']);
    expect(await plan(guarded)).toEqual(planned);
  });

  test('is replaced when it is simple, and a routed record set is wanted', async () => {
    const world = takeoverWorld();
    stand(world, 'www.e.', 'A', values('192.0.2.1'));
    text(world, 'a-www.e.', 'prod');
    const spec = { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1', routing: { setIdentifier: 'x', weight: 1 } };
    world.cluster.put(parseRef('Record p/www'), spec);
    expect(await plan(world)).toEqual(['create www.e. A external-dns www.e./A a-www.e./TXT']);
    expect(await apply(world)).toEqual(['create www.e. published']);
    expect(standing(world)).toEqual(['www.e. A']);
    expect(await plan(world)).toEqual([]);
  });

  test('is replaced by the annotation too, and each TXT record is deleted once', async () => {
    const world = takeoverWorld();
    world.cluster.put(parseRef('Zone p/e'), ZONE, TAKEOVER);
    stand(world, 'www.e.', 'A', values('192.0.2.1'));
    stand(world, 'www.e.', 'AAAA', values('2001:db8::1'));
    text(world, 'www.e.', 'prod');
    want(world, 'www', 'x.example.', 'CNAME');
    expect(await plan(world)).toEqual(['create www.e. CNAME foreign www.e./A www.e./AAAA www.e./TXT']);
    expect(await apply(world)).toEqual(['create www.e. published']);
    expect(standing(world)).toEqual(['www.e. CNAME']);
  });
});

test('a delete that waited for a CNAME is judged for itself when that is no longer wanted', async () => {
  const world = takeoverWorld([]);
  for (const name of ['www', 'other']) want(world, name, '192.0.2.1');
  await apply(world);
  stand(world, 'www.e.', 'MX', values('10 mail.example.'));
  world.cluster.remove(parseRef('Record p/a-www'));
  want(world, 'www', 'x.example.', 'CNAME');
  expect(await apply(world)).toEqual(['delete www.e. foreign', 'create www.e. foreign']);
  for (const name of ['cname-www', 'a-other']) world.cluster.remove(parseRef(`Record p/${name}`));
  stand(world, 'www.e.', 'A', values('203.0.113.9'));
  const guard = { deletesMax: 0, deletesShareMax: 1 };
  const context = { ...world.context, config: { ...world.context.config, guard } };
  const guarded = { ...world, context, deps: { ...world.deps, config: { ...world.deps.config, guard } } };
  const refresh = { refresh: () => {} };
  // What somebody changed is not deleted, so it is not held.
  expect(await apply(guarded, [], refresh)).toEqual(['delete other.e. held', 'delete www.e. drifted']);
  const [planned] = (await planCluster(context, { reads: true, ...refresh })).hostedZones;
  expect(await apply(guarded, [planned?.plan.guard.digest ?? ''], refresh)).toEqual([
    'delete other.e. published',
    'delete www.e. drifted',
  ]);
});
