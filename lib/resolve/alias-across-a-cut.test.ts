// An alias cannot lead out of its hosted zone. A sub-zone with name servers of its own takes the target of an alias out
// of it, and no item at the name of the alias shows that: the index of targets leads to it.
import { describe, expect, test } from 'vitest';
import { BOTH_WAYS } from '../../test/fakes/both-ways.ts';
import { a, expectRight, reasonOf, zone } from '../../test/fakes/reconcile-steps.ts';
import { reconcileWorld, standingInRoute53 } from '../../test/fakes/reconcile-world.ts';

const WWW = 'Record a/www';
const CUT = { 'Record a/ns': { domainName: 's.x.e.', type: 'NS', rdata: 'ns.y.e.' } };
const NO_CUT = { 'Record a/ns': undefined };
const ZONES = { 'Zone a/x': zone('x.e.'), 'Zone a/s': zone('s.x.e.'), 'Record a/lb': a('lb.s.x.e.') };
const ALIAS =
  'Z1 www.x.e. A {"kind":"alias","alias":{"hostedZoneId":"Z1","dnsName":"lb.s.x.e.","evaluateTargetHealth":true}}';
const A = 'Z1 www.x.e. A {"kind":"values","ttlSeconds":360,"values":["192.0.2.1"]}';

const aliasTo = (target: string, more: object = { domainName: 'www.x.e.' }) => ({
  type: 'A',
  alias: { target },
  ...more,
});
const newWorld = () => reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'x.e.' }], config: { soa: 'never' } });

function standing(world: ReturnType<typeof newWorld>): string[] {
  return standingInRoute53(world).filter((line) => line.includes(' www.x.e. '));
}

describe.each(BOTH_WAYS)('%s with an alias to a name of a sub-zone', (_, way) => {
  test.each([
    ['a full name', {}],
    ['a partial name', { domainName: 'www', zoneRef: { name: 'x' } }],
  ])('follows the zone cut: %s', async (__, more) => {
    const world = newWorld();
    await way(world, { ...ZONES, [WWW]: aliasTo('lb.s.x.e.', { domainName: 'www.x.e.', ...more }) });
    expect(standing(world)).toEqual([ALIAS]);
    await way(world, CUT);
    expect(reasonOf(world, WWW)).toBe('InvalidSpec');
    expect(standing(world)).toEqual([]);
    await expectRight(world);
    await way(world, NO_CUT);
    expect(reasonOf(world, WWW)).toBe('Adopted');
    expect(standing(world)).toEqual([ALIAS]);
    await expectRight(world);
  });

  test('follows its new target, and no longer its old one', async () => {
    const world = newWorld();
    await way(world, { ...ZONES, 'Record a/other': a('other.x.e.'), [WWW]: aliasTo('lb.s.x.e.') });
    await way(world, { [WWW]: aliasTo('other.x.e.') });
    await way(world, CUT);
    expect(reasonOf(world, WWW)).toBe('Adopted');
    await way(world, { [WWW]: aliasTo('lb.s.x.e.') });
    expect(reasonOf(world, WWW)).toBe('InvalidSpec');
    await way(world, NO_CUT);
    expect(standing(world)).toEqual([ALIAS]);
    await expectRight(world);
  });

  test('keeps its last valid spec beyond a cut, until there is no cut', async () => {
    const world = newWorld();
    await way(world, { ...ZONES, ...CUT, [WWW]: a('www.x.e.') });
    await way(world, { [WWW]: aliasTo('lb.s.x.e.') });
    expect(reasonOf(world, WWW)).toBe('InvalidSpec');
    expect(standing(world)).toEqual([A]);
    await expectRight(world);
    await way(world, NO_CUT);
    expect(reasonOf(world, WWW)).toBe('Adopted');
    expect(standing(world)).toEqual([ALIAS]);
    await way(world, CUT);
    expect(reasonOf(world, WWW)).toBe('InvalidSpec');
    await expectRight(world);
  });

  test('leaves nothing behind of an alias that is gone', async () => {
    const world = newWorld();
    await way(world, { ...ZONES, [WWW]: aliasTo('lb.s.x.e.') });
    await way(world, { [WWW]: undefined });
    await way(world, CUT);
    expect((await world.ledger.query('targets#default')).items).toEqual([]);
    await expectRight(world);
  });
});
