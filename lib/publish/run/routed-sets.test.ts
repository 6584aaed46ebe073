// Publishing routed record sets: the content of a batch, and its order.
import { describe, expect, test } from 'vitest';
import { begun, put, refusalOf, SPEC, type Spy, through, ZONE } from '../../../test/fakes/spied-batches.ts';
import { parseRef } from '../../objects/object-ref.ts';

/** The same world, with a Route 53 that has no health check `gone`. */
function withoutCheck({ world, batches }: Spy): Spy {
  const { change } = world.deps.hostedZones;
  const checking: typeof change = async (id, changes, ...rest) => {
    const isRefused = changes.some(({ recordSet: { content } }) => content.routing?.healthCheckId === 'gone');
    return isRefused ? { kind: 'refused', messages: ['No health check found'] } : change(id, changes, ...rest);
  };
  return {
    world: { ...world, deps: { ...world.deps, hostedZones: { ...world.deps.hostedZones, change: checking } } },
    batches,
  };
}

const weighted = (id: string, weight: number, rdata: string, ttl = 60) => ({
  rdata,
  ttl,
  routing: { setIdentifier: id, weight },
});

describe('publish() of routed record sets', () => {
  test('goes from simple to weighted and back in one batch, deletes first', async () => {
    const spy = await begun();
    await through(spy, [put(spy.world, 'a', { rdata: '192.0.2.1', ttl: 60 })]);
    const refs = [
      put(spy.world, 'a', weighted('x', 1, '192.0.2.1')),
      put(spy.world, 'b', weighted('y', 1, '192.0.2.2')),
    ];
    expect(await through(spy, refs)).toEqual([['DELETE www.e. -', 'CREATE www.e. x', 'CREATE www.e. y']]);
    spy.world.cluster.remove(parseRef('Record a/b'));
    const back = [put(spy.world, 'a', { rdata: '192.0.2.9' }), parseRef('Record a/b')];
    expect(await through(spy, back)).toEqual([['DELETE www.e. x', 'DELETE www.e. y', 'CREATE www.e. -']]);
    expect(await through(spy, [...back, ZONE])).toEqual([]);
  });

  test('goes from one policy to another in one batch', async () => {
    const spy = await begun();
    await through(spy, [
      put(spy.world, 'a', weighted('x', 1, '192.0.2.1')),
      put(spy.world, 'b', weighted('y', 1, '192.0.2.2')),
    ]);
    const region = (id: string, name: string) => ({ rdata: '192.0.2.1', routing: { setIdentifier: id, region: name } });
    const refs = [put(spy.world, 'a', region('x', 'eu-west-1')), put(spy.world, 'b', region('z', 'us-east-1'))];
    expect(await through(spy, refs)).toEqual([
      ['DELETE www.e. y', 'DELETE www.e. x', 'CREATE www.e. x', 'CREATE www.e. z'],
    ]);
  });

  test('swaps primary and secondary in one batch', async () => {
    const spy = await begun();
    const role = (id: string, failover: string) => ({
      rdata: '192.0.2.1',
      routing: { setIdentifier: id, failover, healthCheckId: 'check' },
    });
    await through(spy, [put(spy.world, 'a', role('x', 'PRIMARY')), put(spy.world, 'b', role('y', 'SECONDARY'))]);
    const refs = [put(spy.world, 'a', role('x', 'SECONDARY')), put(spy.world, 'b', role('y', 'PRIMARY'))];
    expect(await through(spy, refs)).toEqual([
      ['DELETE www.e. x', 'DELETE www.e. y', 'CREATE www.e. x', 'CREATE www.e. y'],
    ]);
  });

  test('moves one weight alone', async () => {
    const spy = await begun();
    await through(spy, [
      put(spy.world, 'a', weighted('x', 1, '192.0.2.1')),
      put(spy.world, 'b', weighted('y', 1, '192.0.2.2')),
    ]);
    expect(await through(spy, [put(spy.world, 'a', weighted('x', 2, '192.0.2.1'))])).toEqual([
      ['DELETE www.e. x', 'CREATE www.e. x'],
    ]);
  });

  test('moves the TTL of all weighted sets in one batch', async () => {
    const spy = await begun();
    await through(spy, [
      put(spy.world, 'a', weighted('x', 1, '192.0.2.1')),
      put(spy.world, 'b', weighted('y', 1, '192.0.2.2')),
    ]);
    expect(await through(spy, [put(spy.world, 'a', weighted('x', 1, '192.0.2.1', 30))])).toEqual([
      ['DELETE www.e. x', 'DELETE www.e. y', 'CREATE www.e. x', 'CREATE www.e. y'],
    ]);
  });

  test('leaves a record set alone that somebody changed, and sends the others', async () => {
    const spy = await begun();
    await through(spy, [
      put(spy.world, 'a', weighted('x', 1, '192.0.2.1')),
      put(spy.world, 'b', weighted('y', 1, '192.0.2.2')),
    ]);
    const edited = { kind: 'values' as const, ttlSeconds: 60, values: ['192.0.2.99'] };
    const routing = { policy: { kind: 'weight' as const, weight: 1 }, healthCheckId: null };
    spy.world.route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: 'x' }, { ...edited, routing });
    await through(spy, [
      put(spy.world, 'a', weighted('x', 5, '192.0.2.1')),
      put(spy.world, 'b', weighted('y', 7, '192.0.2.2')),
    ]);
    expect(await refusalOf(spy, 'www.e.', 'x')).toBe('Drifted');
    expect(await refusalOf(spy, 'www.e.', 'y')).toBe(null);
  });

  test('creates a record set beside one that somebody gave the same policy, and that may not be deleted', async () => {
    const spy = await begun();
    const of = (id: string, routing: object) => ({ rdata: '192.0.2.1', routing: { setIdentifier: id, ...routing } });
    await through(spy, [put(spy.world, 'a', of('x', { multivalue: true }))]);
    const edited = { kind: 'values' as const, ttlSeconds: 60, values: ['192.0.2.99'] };
    const routing = { policy: { kind: 'region' as const, region: 'eu-west-1' }, healthCheckId: null };
    spy.world.route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: 'x' }, { ...edited, routing });
    spy.world.cluster.remove(parseRef('Record a/a'));
    const refs = [parseRef('Record a/a'), put(spy.world, 'b', of('z', { region: 'us-east-1' }))];
    expect((await through(spy, refs)).at(-1)).toEqual(['CREATE www.e. z']);
    expect(await refusalOf(spy, 'www.e.', 'x')).toBe('Drifted');
    expect(await refusalOf(spy, 'www.e.', 'z')).toBe(null);
    expect(await through(spy, [ZONE])).toEqual([]);
  });

  test('sends a new set identifier together with the delete of the old one, which stays while the new one is refused', async () => {
    const spy = withoutCheck(await begun());
    const sets = () => spy.world.route53.recordSets('Z1').flatMap(({ setIdentifier }) => setIdentifier ?? []);
    await through(spy, [
      put(spy.world, 'a', weighted('x', 1, '192.0.2.1')),
      put(spy.world, 'b', weighted('other', 1, '192.0.2.2')),
    ]);
    const gone = { setIdentifier: 'y', weight: 1, healthCheckId: 'gone' };
    const refs = [
      put(spy.world, 'a', { rdata: '192.0.2.1', ttl: 60, routing: gone }),
      put(spy.world, 'b', weighted('other', 2, '192.0.2.2')),
    ];
    expect(await through(spy, refs)).toEqual([['DELETE www.e. other', 'CREATE www.e. other']]);
    expect(sets()).toEqual(['other', 'x']);
    expect(await refusalOf(spy, 'www.e.', 'y')).toBe('Rejected');
    expect(await refusalOf(spy, 'www.e.', 'other')).toBe(null);
    expect(await through(spy, [put(spy.world, 'a', weighted('y', 1, '192.0.2.1'))])).toEqual([
      ['DELETE www.e. x', 'CREATE www.e. y'],
    ]);
    expect(sets()).toEqual(['other', 'y']);
    expect(await through(spy, [...refs, ZONE])).toEqual([]);
  });

  test("sends the record sets of different objects apart, so that one does not wait for another's refusals", async () => {
    const spy = withoutCheck(await begun());
    await through(spy, [
      put(spy.world, 'a', weighted('x', 1, '192.0.2.1')),
      put(spy.world, 'b', weighted('z', 1, '192.0.2.2')),
    ]);
    spy.world.cluster.remove(parseRef('Record a/a'));
    const gone = { setIdentifier: 'y', weight: 1, healthCheckId: 'gone' };
    const refs = [put(spy.world, 'c', { rdata: '192.0.2.1', ttl: 60, routing: gone }), parseRef('Record a/a')];
    await through(spy, refs);
    const standing = spy.world.route53.recordSets('Z1').flatMap(({ setIdentifier }) => setIdentifier ?? []);
    expect(standing).toEqual(['z']);
  });

  test('says ForeignRecord beside a foreign simple set, and with takeover replaces it in the same batch', async () => {
    const spy = await begun();
    const foreign = { kind: 'values' as const, ttlSeconds: 60, values: ['192.0.2.99'] };
    spy.world.route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: null }, foreign);
    const ref = put(spy.world, 'a', weighted('x', 1, '192.0.2.1'));
    await through(spy, [ref]);
    expect(await refusalOf(spy, 'www.e.', 'x')).toBe('ForeignRecord');
    spy.world.cluster.put(ZONE, SPEC, { 'zone53.dev/takeover': 'true' });
    const batches = await through(spy, [ZONE, ref]);
    expect(batches.at(-1)).toEqual(['DELETE www.e. -', 'CREATE www.e. x']);
    expect(spy.world.route53.recordSets('Z1').filter(({ name }) => name === 'www.e.')).toHaveLength(1);
  });

  test('takes over in one batch what several record sets replace, also beside a name that is refused', async () => {
    const spy = await begun();
    spy.world.cluster.put(ZONE, SPEC, { 'zone53.dev/takeover': 'true' });
    await through(spy, [ZONE]);
    const foreign = (value: string) => ({ kind: 'values' as const, ttlSeconds: 60, values: [value] });
    spy.world.route53.edit('Z1', { name: 'www.e.', type: 'CNAME', setIdentifier: null }, foreign('old.example.net.'));
    spy.world.route53.edit('Z1', { name: 'api.e.', type: 'A', setIdentifier: null }, foreign('192.0.2.99'));
    spy.world.route53.edit('Z1', { name: 'bad.e.', type: 'A', setIdentifier: null }, foreign('192.0.2.99'));
    const gone = { setIdentifier: 'y', weight: 1, healthCheckId: 'gone' };
    const refs = [
      put(spy.world, 'a', { rdata: '192.0.2.1' }),
      put(spy.world, 'b', { type: 'AAAA', rdata: '2001:db8::1' }),
      put(spy.world, 'c', { domainName: 'api.e.', ...weighted('x', 1, '192.0.2.1') }),
      put(spy.world, 'd', { domainName: 'api.e.', ...weighted('y', 1, '192.0.2.2') }),
      put(spy.world, 'e', { domainName: 'bad.e.', rdata: '192.0.2.3', routing: gone }),
    ];
    const batches = await through(withoutCheck(spy), refs);
    expect(batches).toContainEqual(['DELETE www.e. -', 'CREATE www.e. -', 'CREATE www.e. -']);
    expect(batches).toContainEqual(['DELETE api.e. -', 'CREATE api.e. x', 'CREATE api.e. y']);
    expect(await refusalOf(spy, 'bad.e.', 'y')).toBe('Rejected');
    const standing = spy.world.route53.recordSets('Z1').filter(({ type }) => type !== 'NS' && type !== 'SOA');
    expect(standing.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'api.e. A',
      'api.e. A',
      'bad.e. A',
      'www.e. A',
      'www.e. AAAA',
    ]);
  });

  test('says ForeignRecord beside a foreign weighted set with another TTL, and with takeover replaces it', async () => {
    const spy = await begun();
    const routing = { policy: { kind: 'weight' as const, weight: 1 }, healthCheckId: null };
    const foreign = { kind: 'values' as const, ttlSeconds: 61, values: ['192.0.2.99'], routing };
    spy.world.route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: 'theirs' }, foreign);
    const ref = put(spy.world, 'a', weighted('x', 1, '192.0.2.1'));
    await through(spy, [ref]);
    expect(await refusalOf(spy, 'www.e.', 'x')).toBe('ForeignRecord');
    spy.world.cluster.put(ZONE, SPEC, { 'zone53.dev/takeover': 'true' });
    expect((await through(spy, [ZONE, ref])).at(-1)).toEqual(['DELETE www.e. theirs', 'CREATE www.e. x']);
  });

  test('takes over a record set that was refused before in another batch than one that never was (seed 230)', async () => {
    const spy = await begun();
    const routing = { policy: { kind: 'weight' as const, weight: 1 }, healthCheckId: null };
    const foreign = { kind: 'values' as const, ttlSeconds: 60, values: ['198.51.100.1'], routing };
    for (const name of ['www.e.', 'a.e.'])
      spy.world.route53.edit('Z1', { name, type: 'A', setIdentifier: 'x' }, foreign);
    const refs = [put(spy.world, 'x', weighted('x', 1, '192.0.2.1'))];
    await through(spy, refs);
    expect(await refusalOf(spy, 'www.e.', 'x')).toBe('ForeignRecord');
    spy.world.cluster.put(ZONE, SPEC, { 'zone53.dev/takeover': 'true' });
    put(spy.world, 'x', { rdata: '192.0.2.1' });
    const all = [ZONE, ...refs, put(spy.world, 'a', { domainName: 'a.e.', rdata: '192.0.2.2' })];
    expect(await through(spy, all)).toEqual([
      ['CREATE a.e. -', 'CREATE www.e. -'],
      ['DELETE a.e. x', 'CREATE a.e. -'],
      ['DELETE www.e. x', 'CREATE www.e. -'],
    ]);
  });

  test('leaves a foreign weighted set with the same TTL, also with takeover', async () => {
    const spy = await begun();
    spy.world.cluster.put(ZONE, SPEC, { 'zone53.dev/takeover': 'true' });
    await through(spy, [ZONE]);
    const routing = { policy: { kind: 'weight' as const, weight: 1 }, healthCheckId: null };
    const foreign = { kind: 'values' as const, ttlSeconds: 60, values: ['192.0.2.99'], routing };
    spy.world.route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: 'theirs' }, foreign);
    expect(await through(spy, [put(spy.world, 'a', weighted('x', 1, '192.0.2.1'))])).toEqual([['CREATE www.e. x']]);
  });
});
