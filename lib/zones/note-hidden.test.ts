import { expect, test } from 'vitest';
import { below, hostingsOf, recordOf, worldOf, zoneOf } from '../../test/support/declared.ts';
import { noteHidden, type StandingDelegation } from './note-hidden.ts';
import { notesIn } from './notes.ts';
import type { ResolvedCluster } from './resolve-cluster.ts';

const SERVERS = { type: 'NS', values: ['ns.s.e.', 'ns.example.net.'] };
const a = (domainName: string, more: object = {}) => ({ domainName, type: 'A', rdata: '192.0.2.1', ...more });

/** The notes by object. */
function notes(resolved: ResolvedCluster, standing: readonly StandingDelegation[] = []): Record<string, string> {
  const noted = noteHidden(resolved, standing);
  const all = [
    ...[...noted.zones].map(([key, { verdict }]) => [`Zone ${key}`, verdict.message] as const),
    ...[...noted.objects].flatMap(([ref, outcomes]) => outcomes.map(({ verdict }) => [ref, verdict.message] as const)),
  ];
  return Object.fromEntries(
    all.flatMap(([ref, message]) => {
      const said = notesIn(message);
      return said === null ? [] : [[ref, said]];
    }),
  );
}

const zones = [zoneOf('a/e', { domainName: 'e.' })];
const cut = recordOf('a/cut', { domainName: 's.e.', ...SERVERS });
const BELOW =
  'it is below the delegation s.e. (Record a/cut), so resolvers ask those name servers and never see this one';

test('noteHidden() notes what is at or below NS, but for glue, DS, and the NS themselves', () => {
  const hidden = [
    recordOf('a/x', a('x.s.e.')),
    recordOf('a/wild', a('*.y.s.e.')),
    recordOf('a/txt', { domainName: 'ns.s.e.', type: 'TXT', rdata: 'x' }),
    recordOf('a/deep', { domainName: 'd.s.e.', type: 'NS', rdata: 'ns.example.net.' }),
    recordOf('a/belowDeep', a('x.d.s.e.')),
    recordOf('a/dsBelow', { domainName: 'd.s.e.', type: 'DS', rdata: `1 8 2 ${'0'.repeat(64)}` }),
    recordOf('a/at', a('s.e.')),
  ];
  const seen = [
    recordOf('a/glue', a('ns.s.e.')),
    recordOf('a/ds', { domainName: 's.e.', type: 'DS', rdata: `1 8 2 ${'0'.repeat(64)}` }),
    recordOf('a/beside', a('xs.e.')),
    recordOf('a/wildAbove', a('*.e.')),
    recordOf('a/chaos', { ...a('c.s.e.'), class: 'CH', type: 'TXT', rdata: 'x' }),
  ];
  const found = notes(worldOf(zones, [cut, ...hidden, ...seen]));
  expect(Object.keys(found).toSorted()).toEqual(hidden.map(({ ref }) => `Record a/${ref.name}`).toSorted());
  expect(found['Record a/belowDeep']).toContain(BELOW);
  expect(found['Record a/at']).toContain('it is at the delegation s.e. (Record a/cut)');
});

test('noteHidden() follows the hosted zone: a sub-zone without one of its own shares that of its parent', () => {
  const sub = zoneOf('a/m', { domainName: 'm.e.' });
  const above = recordOf('a/cut', { domainName: 'x.m', ...SERVERS, ...below('a/e') });
  const inSub = [above, recordOf('b/w', a('w.x.m.e.'))];
  const shared = notes(worldOf([...zones, sub], inSub, hostingsOf('e.')));
  expect(shared['Record b/w']).toContain('it is below the delegation x.m.e. (Record a/cut)');
  const own = notes(worldOf([...zones, sub], inSub, hostingsOf('e.', 'm.e.')));
  expect(own).toEqual({});
});

test('noteHidden() notes a Zone whose own NS are below a delegation, and nothing for NS that a Zone has', () => {
  const sub = zoneOf('a/z', { domainName: 'z.s.e.' });
  const found = notes(worldOf([...zones, sub], [cut, recordOf('a/w', a('w.z.s.e.'))], hostingsOf('e.', 'z.s.e.')));
  expect(Object.keys(found)).toEqual(['Zone a/z']);
  const own = [zoneOf('a/s', { domainName: 's.e.' }), ...zones];
  expect(notes(worldOf(own, [cut, recordOf('a/x', a('x.s.e.'))], hostingsOf('e.', 's.e.')))).toEqual({});
});

test('noteHidden() notes nothing for NS that are not published: in a private hosted zone, or refused', () => {
  const hostings = new Map([...hostingsOf('e.')].map(([name, one]) => [name, { ...one, isPrivate: true as const }]));
  expect(notes(worldOf(zones, [cut, recordOf('a/x', a('x.s.e.'))], hostings))).toEqual({});
  const strict = [zoneOf('a/e', { domainName: 'e.', delegations: [{ records: [{ pattern: '*', types: ['A'] }] }] })];
  expect(notes(worldOf(strict, [cut, recordOf('a/x', a('x.s.e.'))], hostingsOf('e.')))).toEqual({});
});

test('noteHidden() takes the NS that stand in that hosted zone, and adds its note to others', () => {
  const standing = [{ hostedZoneId: 'Z:e.', name: 's.e.', values: ['ns.s.e.'] }];
  const objects = [recordOf('a/x', a('x.s.e.', { ttl: 60 })), recordOf('a/x2', a('x.s.e.', { ttl: 90 }))];
  const found = notes(worldOf(zones, [...objects, recordOf('a/glue', a('ns.s.e.'))], hostingsOf('e.')), standing);
  expect(found['Record a/x']).toContain('the delegation s.e. (NS in Route 53, not created by zone53)');
  expect(found['Record a/x2']).toMatch(/^its TTL, 90, is not used: .*; it is below the delegation s\.e\./);
  expect(Object.keys(found)).toEqual(['Record a/x', 'Record a/x2']);
  const elsewhere = [{ hostedZoneId: 'Z:other.', name: 's.e.', values: [] }];
  expect(notes(worldOf(zones, objects.slice(0, 1), hostingsOf('e.')), elsewhere)).toEqual({});
});
