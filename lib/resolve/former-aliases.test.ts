// An alias whose hosted zone does not follow from its target is invalid, and only the live Zones know that. Until it is
// valid again or deleted, what its Record last validly said stays in force.
import { describe, expect, test } from 'vitest';
import { BOTH_WAYS, type Way } from '../../test/fakes/both-ways.ts';
import { a, expectRight, reasonOf, zone } from '../../test/fakes/reconcile-steps.ts';
import { type ReconcileWorld, reconcileWorld, standingInRoute53 } from '../../test/fakes/reconcile-world.ts';

const aliasTo = (target: string, domainName = 'www.x.e.') => ({ domainName, type: 'A', alias: { target } });
const WWW = 'Record a/www';
const LB = { 'Record a/lb': a('lb.x.e.') };
/** A name outside x.e., so that its hosted zone is not known. */
const NOWHERE = 'lb.y.e.';
const A = '{"kind":"values","ttlSeconds":360,"values":["192.0.2.1"]}';
const ALIAS = '{"kind":"alias","alias":{"hostedZoneId":"Z1","dnsName":"lb.x.e.","evaluateTargetHealth":true}}';

type Objects = Readonly<Record<string, unknown>>;

async function started(way: Way, objects: Objects): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'x.e.' }], config: { soa: 'never' } });
  await way(world, { 'Zone a/x': zone('x.e.'), ...LB, ...objects });
  return world;
}

/** The record sets other than lb. */
function standing(world: ReconcileWorld): string[] {
  return standingInRoute53(world).filter((line) => !line.includes(' lb.x.e. '));
}

describe.each(BOTH_WAYS)('%s with an alias whose hosted zone is not known', (_, way) => {
  test.each<[string, object, string]>([
    ['values', a('www.x.e.'), `Z1 www.x.e. A ${A}`],
    [
      'another type',
      a('www.x.e.', { type: 'TXT', rdata: 'x' }),
      'Z1 www.x.e. TXT {"kind":"values","ttlSeconds":360,"values":["\\"x\\""]}',
    ],
    ['an alias within the hosted zone', aliasTo('lb.x.e.'), `Z1 www.x.e. A ${ALIAS}`],
    ['another name', a('api.x.e.'), `Z1 api.x.e. A ${A}`],
    ['a partial name', { ...a('www'), zoneRef: { name: 'x' } }, `Z1 www.x.e. A ${A}`],
  ])('keeps its last valid spec: %s', async (__, before, stands) => {
    const world = await started(way, { [WWW]: before });
    expect(standing(world)).toEqual([stands]);
    await way(world, { [WWW]: aliasTo(NOWHERE) });
    expect(standing(world)).toEqual([stands]);
    expect(world.cluster.statuses.get(WWW)).toMatchObject({
      fqdn: stands.split(' ')[1],
      conditions: [
        {
          type: 'Accepted',
          status: 'False',
          reason: 'InvalidSpec',
          message: expect.stringMatching(
            /^the alias \S+ needs the hosted zone of its target: .* its last valid spec stays in force$/,
          ),
        },
        { type: 'Programmed', status: 'True', reason: 'Published' },
      ],
    });
    await expectRight(world);
  });

  test('keeps its last valid spec, however often it is wrong, and also when its spec cannot be read in between', async () => {
    const world = await started(way, { [WWW]: a('www.x.e.') });
    for (let index = 0; index < 12; index += 1) await way(world, { [WWW]: aliasTo(`lb${index}.y.e.`) });
    await way(world, { [WWW]: { domainName: 'www.x.e.' } });
    await way(world, { [WWW]: aliasTo(NOWHERE) });
    expect(standing(world)).toEqual([`Z1 www.x.e. A ${A}`]);
    await expectRight(world);
  });

  test('keeps the last valid spec, and not an earlier one', async () => {
    const world = await started(way, { [WWW]: a('www.x.e.') });
    await way(world, { [WWW]: aliasTo('lb.x.e.') });
    await way(world, { [WWW]: aliasTo(NOWHERE) });
    expect(standing(world)).toEqual([`Z1 www.x.e. A ${ALIAS}`]);
    await expectRight(world);
  });

  test('loses the last valid spec with a valid one, with the deletion, and with an object of another uid', async () => {
    const world = await started(way, { [WWW]: a('www.x.e.') });
    await way(world, { [WWW]: aliasTo(NOWHERE) });
    await way(world, { [WWW]: a('www.x.e.', { ttl: 60 }) });
    expect(standing(world)).toEqual([`Z1 www.x.e. A ${A.replace('360', '60')}`]);
    await way(world, { [WWW]: aliasTo(NOWHERE) });
    await way(world, { [WWW]: undefined });
    expect(standing(world)).toEqual([]);
    await way(world, { [WWW]: aliasTo(NOWHERE) });
    expect(standing(world)).toEqual([]);
    expect(reasonOf(world, WWW)).toBe('InvalidSpec');
    await expectRight(world);
  });

  test('is in force itself once a Zone has its target', async () => {
    const world = reconcileWorld({ hostedZones: [{ id: 'Z2', name: 'e.' }], config: { soa: 'never' } });
    await way(world, { 'Zone a/x': zone('x.e.'), [WWW]: a('www.x.e.') });
    await way(world, { [WWW]: aliasTo('y.e.', 'api.x.e.') });
    expect(reasonOf(world, WWW)).toBe('InvalidSpec');
    await way(world, { 'Zone a/e': zone('e.'), 'Record a/y': a('y.e.') });
    expect(standing(world).map((line) => line.split(' ')[1])).toEqual(['api.x.e.', 'y.e.']);
    expect(reasonOf(world, WWW)).toBe('Adopted');
    await expectRight(world);
  });
});

test.each(BOTH_WAYS)('%s finds the Zone of a newer target in the view of the newer name', async (_, way) => {
  const world = await started(way, {
    'Zone a/inside': { ...zone('f.'), view: 'internal' },
    'Zone b/e': { ...zone('e.'), view: 'internal' },
    [WWW]: a('www.x.e.'),
  });
  await way(world, { [WWW]: { domainName: '@', zoneRef: { name: 'inside' }, type: 'A', alias: { target: 'w.e.' } } });
  const [accepted] = world.cluster.statuses.get(WWW)?.conditions ?? [];
  expect(accepted?.message).toContain('w.e. in view internal is in Zone b/e (e. in view internal)');
  await expectRight(world);
});
