// The rows of the incident list (incidents.test.ts) in which one mistake affected everything else.
import { describe, expect, test } from 'vitest';
import { parseRef } from '../lib/objects/object-ref.ts';
import { publish } from '../lib/publish/run/publish-hosted-zone.ts';
import {
  A,
  APEX,
  changeCalls,
  itemAt,
  key,
  publishWorld,
  run,
  standing,
  WWW,
  want,
  wanted,
} from './fakes/publish-world.ts';
import { apply, publishedNames, reasonOf, worldOf, zone } from './fakes/reconcile-steps.ts';
import { deliverAll } from './fakes/reconcile-world.ts';
import { a, FIVE } from './fakes/sweep-world.ts';

const MINUTE_MS = 60_000;

describe('incidents that spread', () => {
  test('11 Cloudflare, October 2023: one record of an unknown type froze its zone for days', async () => {
    const odd = { domainName: 'e.', type: 'ZONEMD', rdata: '2018031500 1 1 abcd' };
    const world = await worldOf({ 'Zone a/z': zone('e.'), 'Record a/odd': odd, 'Record a/www': a('www.e.') });
    await apply(world, { 'Record a/www': a('www.e.', '192.0.2.2'), 'Record a/new': a('new.e.') });
    await deliverAll(world);
    expect(publishedNames(world)).toEqual(['new.e. A', 'www.e. A']);
    expect(reasonOf(world, 'Record a/odd', 'Programmed')).toBe('UnsupportedType');
  });

  test('12 Cloudflare, July 2025: a dormant mistake went live with an unrelated change', async () => {
    const narrow = zone('e.', { delegations: [{ records: [{ pattern: 'www' }] }] });
    const world = await worldOf({ 'Zone a/z': narrow, 'Record a/www': a('www.e.'), 'Record a/dormant': a('bank.e.') });
    world.cluster.put(parseRef('Record a/dormant'), a('bank.e.', '192.0.2.66'));
    const before = changeCalls(world);
    await apply(world, { 'Record a/www': a('www.e.', '192.0.2.2') });
    await deliverAll(world);
    expect(changeCalls(world)).toBe(before + 1);
    expect(publishedNames(world)).toEqual(['www.e. A']);
  });

  describe('13 Cloudflare, November 2025: a file with doubled rows exceeded a limit, and everything crashed', () => {
    test('every object twice changes nothing', async () => {
      const world = await worldOf({ 'Zone a/z': zone('e.'), ...FIVE });
      const before = changeCalls(world);
      await apply(world, Object.fromEntries(Object.entries(FIVE).map(([id, spec]) => [`${id}-again`, spec])));
      await deliverAll(world);
      expect(changeCalls(world)).toBe(before);
    });

    test('a record set beyond the limit of Route 53 affects only itself', async () => {
      const world = await publishWorld();
      const many = Array.from({ length: 1_001 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
      await want(world, `big.${APEX}`, wanted(`big.${APEX}`, 'A', many));
      await want(world, WWW, A('192.0.2.1'));
      await run(world);
      expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
      expect((await itemAt(world, key(`big.${APEX}`, 'A')))?.refusal?.reason).toBe('Rejected');
    });
  });

  test('14 Facebook, October 2021: each withdrawal was right by itself, and together they took everything down', async () => {
    const world = await worldOf({ 'Zone a/z': zone('e.'), ...FIVE });
    // The names go one by one, minutes apart, as health checks would withdraw them. The guard counts over an hour.
    for (const id of Object.keys(FIVE)) {
      world.clock.ms += MINUTE_MS;
      await apply(world, { [id]: undefined });
      await publish(world.deps, 'Z1');
    }
    expect(publishedNames(world).length).toBeGreaterThan(0);
    await apply(world, { 'Record a/new': a('new.e.') });
    await publish(world.deps, 'Z1');
    expect(publishedNames(world)).toContain('new.e. A');
  });
});
