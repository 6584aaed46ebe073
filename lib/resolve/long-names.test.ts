// A partial name may be too long only under its Zone's name. What its object last validly said stays in force until it
// is valid again or deleted.
import { describe, expect, test } from 'vitest';
import { BOTH_WAYS, type Way } from '../../test/fakes/both-ways.ts';
import { a, expectRight, reasonOf, zone } from '../../test/fakes/reconcile-steps.ts';
import { type ReconcileWorld, reconcileWorld, standingInRoute53 } from '../../test/fakes/reconcile-world.ts';

type Objects = Readonly<Record<string, unknown>>;

/** Labels with this many octets together, the dots between them included. */
function labels(octets: number): string {
  const full = Math.floor(octets / 61);
  return [...Array.from({ length: full }, () => 'l'.repeat(60)), 'm'.repeat(octets % 61)].filter(Boolean).join('.');
}

/** Below x.e., this is one octet more than a name may have. */
const TOO_LONG = 250;
const within = (domainName: string, name = 'x') => ({ ...a(domainName), zoneRef: { name } });
const under = (domainName: string, name = 'x') => ({ ...zone(domainName), zoneRef: { name } });
const WWW = 'Record a/www';
const SUB = 'Zone a/sub';

async function started(way: Way, objects: Objects): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'x.e.' }], config: { soa: 'never' } });
  await way(world, { 'Zone a/x': zone('x.e.'), ...objects });
  return world;
}

const names = (world: ReconcileWorld) =>
  standingInRoute53(world).map((line) =>
    line
      .split(' ')
      .slice(1, 3)
      .join(' ')
      .replace(/[lm.]{40,}/, '...'),
  );
const acceptedOf = ({ cluster }: ReconcileWorld, id: string) =>
  cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Accepted');

describe.each(BOTH_WAYS)('%s with a Record whose partial name becomes too long', (_, way) => {
  test.each<[string, object, string]>([
    ['a partial name', within('www'), 'www.x.e. A'],
    ['the apex', within('@'), 'x.e. A'],
    ['a fully qualified name', a('www.x.e.'), 'www.x.e. A'],
    ['another type', { ...within('www'), type: 'TXT', rdata: 'x' }, 'www.x.e. TXT'],
    ['name servers', { ...within('www'), type: 'NS', rdata: 'ns.e.' }, 'www.x.e. NS'],
    ['an alias', { ...within('www'), rdata: undefined, type: 'A', alias: { target: 'lb.x.e.' } }, 'www.x.e. A'],
  ])('keeps its last valid name: %s', async (__, before, stands) => {
    const world = await started(way, { [WWW]: before, 'Record a/lb': a('lb.x.e.') });
    expect(names(world)).toContain(stands);
    const stood = names(world);
    await way(world, { [WWW]: within(labels(TOO_LONG)) });
    expect(names(world)).toEqual(stood);
    expect(acceptedOf(world, WWW)).toMatchObject({
      reason: 'InvalidSpec',
      message: expect.stringMatching(
        /^spec\.domainName: under its parent the name is 256 octets long, more than 255: .* its last valid spec stays in force$/,
      ),
    });
    expect(world.cluster.statuses.get(WWW)).toMatchObject({
      fqdn: stands.split(' ')[0],
      conditions: [{}, { type: 'Programmed', status: 'True', reason: 'Published' }],
    });
    await expectRight(world);
  });

  test('keeps its last valid name, however often it is wrong, and also when its spec cannot be read in between', async () => {
    const world = await started(way, { [WWW]: within('www') });
    for (let more = 0; more < 24; more += 2) await way(world, { [WWW]: within(labels(TOO_LONG + more)) });
    await way(world, { [WWW]: { domainName: 'www' } });
    for (let more = 3; more > 0; more -= 1) await way(world, { [WWW]: within(labels(TOO_LONG + more)) });
    expect(names(world)).toEqual(['www.x.e. A']);
    await expectRight(world);
  });

  test('keeps the last valid name, and not an earlier one', async () => {
    const world = await started(way, { [WWW]: within('w') });
    await way(world, { [WWW]: within('www') });
    await way(world, { [WWW]: { ...within('www'), ttl: 60 } });
    expect(names(world)).toEqual(['www.x.e. A']);
    await way(world, { [WWW]: within(labels(TOO_LONG)) });
    expect(standingInRoute53(world)).toEqual([
      'Z1 www.x.e. A {"kind":"values","ttlSeconds":60,"values":["192.0.2.1"]}',
    ]);
    await way(world, { [WWW]: within(labels(TOO_LONG - 1)) });
    expect(names(world)).toEqual(['...x.e. A']);
    await way(world, { [WWW]: within('w') });
    expect(names(world)).toEqual(['w.x.e. A']);
    await expectRight(world);
  });

  test('loses it with a valid spec, with the deletion, and under a Zone that does not exist', async () => {
    const world = await started(way, { [WWW]: within('www') });
    await way(world, { [WWW]: within(labels(TOO_LONG)) });
    await way(world, { [WWW]: within('api') });
    expect(names(world)).toEqual(['api.x.e. A']);
    await way(world, { [WWW]: within(labels(TOO_LONG)) });
    await way(world, { [WWW]: within('api', 'other') });
    expect(names(world)).toEqual([]);
    await way(world, { [WWW]: within('api') });
    await way(world, { [WWW]: within(labels(TOO_LONG)) });
    await way(world, { [WWW]: undefined });
    expect(names(world)).toEqual([]);
    await way(world, { [WWW]: within(labels(TOO_LONG)) });
    expect(names(world)).toEqual([]);
    expect(reasonOf(world, WWW)).toBe('InvalidSpec');
    await expectRight(world);
  });

  test('keeps it in another Zone when the Zone of the new name is created, and loses it with that Zone', async () => {
    const world = await started(way, { [WWW]: a('www.x.e.') });
    await way(world, { [WWW]: within(labels(TOO_LONG), 'y') });
    expect(names(world)).toEqual([]);
    expect(reasonOf(world, WWW)).toBe('ParentNotFound');
    await way(world, { 'Zone a/y': zone('y.f.') });
    expect(names(world)).toEqual(['www.x.e. A']);
    expect(reasonOf(world, WWW)).toBe('InvalidSpec');
    await expectRight(world);
    await way(world, { 'Zone a/y': undefined });
    expect(names(world)).toEqual([]);
    await expectRight(world);
  });

  // No record set is published there, so no publish has the Zone reported.
  test.each([
    ['comes to another name', zone('x.e.')],
    ['goes', undefined],
  ])(
    'is no longer in the Zone of its last valid name when the Zone of the new name %s, also without a hosted zone',
    async (__, y) => {
      const world = reconcileWorld({ config: { soa: 'never' } });
      await way(world, { 'Zone a/x': zone('x.e.'), 'Zone a/y': zone('y.f.'), [WWW]: a('www.x.e.') });
      await way(world, { [WWW]: within(labels(TOO_LONG), 'y') });
      const entries = () =>
        world.cluster.statuses.get('Zone a/x')?.zone?.entries.map(({ fqdn, type }) => `${fqdn} ${type}`);
      expect(entries()).toEqual(['x.e. SOA', 'www.x.e. A']);
      await way(world, { 'Zone a/y': y });
      expect(entries()).toEqual(['x.e. SOA']);
      await expectRight(world);
    },
  );

  test('is in force itself once its Zone has a shorter name', async () => {
    const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
    await way(world, { 'Zone a/e': zone('e.'), 'Zone a/x': zone('x.e.'), [WWW]: a('www.e.') });
    await way(world, { [WWW]: within(labels(TOO_LONG)) });
    expect(names(world)).toEqual(['www.e. A']);
    await way(world, { 'Zone a/x': zone('e.'), 'Zone a/e': undefined });
    expect(names(world)).toEqual(['...e. A']);
    expect(reasonOf(world, WWW)).toBe('Adopted');
    await expectRight(world);
  });
});

describe.each(BOTH_WAYS)('%s with a Zone whose partial name becomes too long', (_, way) => {
  test('keeps what was in force, and everything that depends on it', async () => {
    const world = await started(way, { [SUB]: under('s'), [WWW]: within('www', 'sub') });
    expect(names(world)).toEqual(['www.s.x.e. A']);
    for (let more = 0; more < 3; more += 1) await way(world, { [SUB]: under(labels(TOO_LONG + more)) });
    expect(names(world)).toEqual(['www.s.x.e. A']);
    expect(acceptedOf(world, SUB)).toMatchObject({
      reason: 'InvalidSpec',
      message: expect.stringMatching(/^spec\.domainName: under its parent .* its last valid spec stays in force$/),
    });
    expect(reasonOf(world, WWW)).toBe('Adopted');
    await way(world, { 'Record a/api': within('api', 'sub'), [WWW]: undefined });
    expect(names(world)).toEqual(['api.s.x.e. A']);
    await expectRight(world);
  });

  test('keeps it also below another Zone that went back', async () => {
    const world = await started(way, {
      [SUB]: under('s'),
      'Zone a/low': under('t', 'sub'),
      [WWW]: within('www', 'low'),
    });
    expect(names(world)).toEqual(['www.t.s.x.e. A']);
    await way(world, { [SUB]: under(labels(TOO_LONG)) });
    await way(world, { 'Zone a/low': under(labels(TOO_LONG), 'sub') });
    expect(names(world)).toEqual(['www.t.s.x.e. A']);
    await expectRight(world);
  });

  test('loses it with a valid spec, and with the deletion', async () => {
    const world = await started(way, { [SUB]: under('s'), [WWW]: within('www', 'sub') });
    await way(world, { [SUB]: under(labels(TOO_LONG)) });
    await way(world, { [SUB]: under('t') });
    expect(names(world)).toEqual(['www.t.x.e. A']);
    await way(world, { [SUB]: under(labels(TOO_LONG)) });
    await way(world, { [SUB]: undefined });
    expect(names(world)).toEqual([]);
    await expectRight(world);
  });
});
