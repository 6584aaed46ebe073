// What an invalid edit stands for stays in force, whatever an edit of a neighbour does. Where it cannot, the object
// says so: then its message does not promise that its last valid spec stays.
import { describe, expect, test } from 'vitest';
import { BOTH_WAYS } from '../../test/fakes/both-ways.ts';
import { a, expectRight, reasonOf, sweepAndPublish, zone } from '../../test/fakes/reconcile-steps.ts';
import { type ReconcileWorld, reconcileWorld, standingInRoute53 } from '../../test/fakes/reconcile-world.ts';

const CHECK = '11111111-2222-3333-4444-555555555555';
const routed = (setIdentifier: string, policy: object, rdata = '192.0.2.1') =>
  a('f.e.', { rdata, routing: { setIdentifier, ...policy } });
const failover = (of: string, role: string, rdata: string) =>
  routed(of, { failover: role, healthCheckId: CHECK }, rdata);
const country = (of: string, code: string) => routed(of, { geolocation: { country: code } }, `192.0.2.${of}`);
const weighted = (of: string, rdata: string, weight: number) => routed(of, { weight }, rdata);
const cname = (domainName: string, rdata = 'x.example.net.') => ({ domainName, type: 'CNAME', rdata });
const INVALID = a('f.e.', { rdata: '192.0.2.999' });

const STAYS = /until it is valid again or deleted, its last valid spec stays in force$/;
const LOST = /; its last valid spec is not in force either: /;

const started = async (way: (typeof BOTH_WAYS)[number][1], objects: Readonly<Record<string, unknown>>) => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
  await way(world, { 'Zone a/e': zone('e.') });
  for (const [id, spec] of Object.entries(objects)) await way(world, { [id]: spec });
  return world;
};
const messageOf = ({ cluster }: ReconcileWorld, id: string) =>
  cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Accepted')?.message;

type Row = {
  readonly name: string;
  /** Written one after the other: the first is the oldest. The object that becomes invalid is `own`. */
  readonly before: Readonly<Record<string, unknown>>;
  /** Besides the invalid edit. */
  readonly edits: Readonly<Record<string, unknown>>;
  readonly invalid?: unknown;
  /** Pieces of the lines that stand. */
  readonly stands: readonly string[];
};

const ROWS: readonly Row[] = [
  {
    name: 'an older failover record set takes its role',
    before: {
      'Record a/other': failover('p', 'PRIMARY', '192.0.2.1'),
      'Record a/own': failover('s', 'SECONDARY', '192.0.2.2'),
    },
    edits: { 'Record a/other': failover('p', 'SECONDARY', '192.0.2.1') },
    invalid: routed('s', { failover: 'PRIMARY' }),
    stands: ['"192.0.2.2"'],
  },
  {
    name: 'an older Record becomes a CNAME',
    before: { 'Record a/other': a('f.e.'), 'Record a/own': a('f.e.', { rdata: '192.0.2.2' }) },
    edits: { 'Record a/other': cname('f.e.') },
    stands: ['f.e. A {"kind":"values","ttlSeconds":360,"values":["192.0.2.2"]}'],
  },
  {
    name: 'an older CNAME becomes another CNAME',
    before: { 'Record a/other': cname('f.e.'), 'Record a/own': cname('f.e.') },
    edits: { 'Record a/other': cname('f.e.', 'y.example.net.') },
    stands: ['"x.example.net."'],
  },
  {
    name: 'an older weighted Record becomes simple',
    before: {
      'Record a/other': weighted('o', '192.0.2.1', 1),
      'Record a/own': weighted('w', '192.0.2.2', 1),
    },
    edits: { 'Record a/other': a('f.e.') },
    stands: ['"192.0.2.2"'],
  },
  {
    name: 'an older simple Record becomes weighted',
    before: { 'Record a/other': a('f.e.'), 'Record a/own': a('f.e.', { rdata: '192.0.2.2' }) },
    edits: { 'Record a/other': weighted('o', '192.0.2.1', 1) },
    stands: ['"values":["192.0.2.2"]'],
  },
  {
    name: 'an older geolocation takes its country',
    before: { 'Record a/other': country('1', 'DE'), 'Record a/own': country('2', 'FR') },
    edits: { 'Record a/other': country('1', 'FR') },
    stands: ['"192.0.2.2"'],
  },
  {
    name: 'an older Record takes its set identifier with another weight',
    before: { 'Record a/other': weighted('o', '192.0.2.2', 1), 'Record a/own': weighted('w', '192.0.2.2', 2) },
    edits: { 'Record a/other': weighted('w', '192.0.2.2', 3) },
    stands: ['"weight":2'],
  },
  {
    name: 'an older Record at another name moves here as a CNAME',
    before: { 'Record a/other': cname('g.e.'), 'Record a/own': a('f.e.', { rdata: '192.0.2.2' }) },
    edits: { 'Record a/other': cname('f.e.') },
    stands: ['"192.0.2.2"'],
  },
];

describe.each(BOTH_WAYS)('%s of an invalid edit', (_, way) => {
  test.each(ROWS)('while $name', async ({ before, edits, invalid = INVALID, stands }) => {
    for (const split of [false, true]) {
      const world = await started(way, before);
      const own = { 'Record a/own': invalid };
      if (split) await way(world, own);
      await way(world, split ? edits : { ...edits, ...own });
      for (let round = 0; round < 2; round += 1) {
        const standing = standingInRoute53(world);
        expect(standing).toEqual(stands.map((piece) => expect.stringContaining(piece)));
        expect(messageOf(world, 'Record a/own')).toMatch(STAYS);
        expect(reasonOf(world, 'Record a/other')).toBe('Conflict');
        await expectRight(world);
        await way(world, {});
        await sweepAndPublish(world);
      }
      // Once it is valid again, age decides as ever; once it is deleted, the other has the name.
      await way(world, { 'Record a/own': undefined });
      expect(reasonOf(world, 'Record a/other')).toBe('Adopted');
      await expectRight(world);
    }
  });

  test('says that it is not in force where another had the name already', async () => {
    const world = await started(way, { 'Record a/other': cname('f.e.'), 'Record a/own': a('f.e.') });
    expect(reasonOf(world, 'Record a/own')).toBe('Conflict');
    await way(world, { 'Record a/own': INVALID });
    expect(messageOf(world, 'Record a/own')).toMatch(LOST);
    expect(messageOf(world, 'Record a/own')).toContain(
      'Conflict, Record a/other has f.e. CNAME x.example.net. already',
    );
    expect(standingInRoute53(world)).toEqual([expect.stringContaining('CNAME')]);
    await expectRight(world);
  });

  test('says that it is not in force where its Zone refuses it now, and that it is again', async () => {
    const world = await started(way, { 'Record a/own': a('f.e.') });
    await way(world, { 'Record a/own': INVALID });
    await way(world, { 'Zone a/e': zone('e.', { delegations: [] }) });
    expect(standingInRoute53(world)).toEqual([]);
    expect(messageOf(world, 'Record a/own')).toMatch(LOST);
    expect(messageOf(world, 'Record a/own')).toContain('DelegationDenied, Zone a/e (e.) does not delegate f.e. (A)');
    await expectRight(world);
    await way(world, { 'Zone a/e': zone('e.') });
    expect(messageOf(world, 'Record a/own')).toMatch(STAYS);
    await expectRight(world);
  });

  test('of a Zone keeps its name, whatever an older Zone asks for, and what it asked for itself', async () => {
    for (const split of [false, true]) {
      const world = await started(way, {
        'Zone c/old': zone('other.'),
        'Zone b/s': zone('s', { zoneRef: { namespace: 'a', name: 'e' } }),
        'Record b/x': a('x.s.e.'),
      });
      const own = { 'Zone b/s': { domainName: 's', zoneRef: { namespace: 'a', name: 'e' }, ttl: -1 } };
      const edits = { 'Zone c/old': zone('s.e.', { delegations: [] }) };
      if (split) await way(world, own);
      await way(world, split ? edits : { ...edits, ...own });
      for (let round = 0; round < 2; round += 1) {
        expect(standingInRoute53(world)).toEqual([expect.stringContaining('x.s.e. A')]);
        expect(messageOf(world, 'Zone b/s')).toMatch(STAYS);
        expect(reasonOf(world, 'Zone c/old')).toBe('Conflict');
        await expectRight(world);
        await sweepAndPublish(world);
      }
    }
  });

  test('of a Zone says that it is not in force where its parent refuses it now', async () => {
    const world = await started(way, {
      'Zone b/s': { domainName: 's', zoneRef: { namespace: 'a', name: 'e' }, delegations: [] },
    });
    await way(world, { 'Zone b/s': { domainName: 5 } });
    expect(messageOf(world, 'Zone b/s')).toMatch(STAYS);
    await way(world, { 'Zone a/e': zone('e.', { delegations: [] }) });
    expect(messageOf(world, 'Zone b/s')).toMatch(LOST);
    expect(messageOf(world, 'Zone b/s')).toContain('DelegationDenied, Zone a/e (e.) does not delegate Zone s.e.');
    await expectRight(world);
  });
});
