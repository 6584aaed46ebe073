// Zone cuts of other clusters, as resolveCluster() judges them: what the Zone above publishes, and what it occludes.
import { expect, test } from 'vitest';
import { below, hostingsOf, linesOf, reasonsOf, recordOf, worldOf, zoneOf } from '../../test/support/declared.ts';
import type { Fleet, ForeignZone } from './foreign-cuts.ts';

const RECORDS = { records: [{ pattern: '*' }] };
const TO_US = { clusters: ['us'], zones: ['s', 't.u'] };
const E = zoneOf('a/e', { domainName: 'e.', delegations: [RECORDS, { zones: ['u', 'u.s'] }] });
const E_TO_US = zoneOf('a/e', { domainName: 'e.', delegations: [RECORDS, { zones: ['u', 'u.s'] }, TO_US] });
const U = zoneOf('a/u', {
  domainName: 'u',
  ...below('a/e'),
  delegations: [RECORDS, { clusters: ['us'], zones: ['t'] }],
});
const OWN_S = zoneOf('a/s', { domainName: 's.e.' });
const BELOW_S = zoneOf('a/below', { domainName: 'u.s', ...below('a/e'), delegations: [RECORDS] });

const S: ForeignZone = {
  ...{ cluster: 'us', namespace: 'b', zone: 'b/s', fqdn: 's.e.', hostedZoneId: 'Z9' },
  nameServers: [{ rdata: 'ns.s.e.', ttl: 60 }],
  glue: [{ name: 'ns.s.e.', type: 'A', ttl: 60, rdata: '192.0.2.53' }],
};
const T: ForeignZone = { ...S, zone: 'b/t', fqdn: 't.u.e.', nameServers: [{ rdata: 'ns.other.', ttl: 60 }], glue: [] };
const ELSEWHERE: ForeignZone = { ...T, fqdn: 's.e.', hostedZoneId: null };
const GLUE = ['Z:e. ns.s.e. A 192.0.2.53', 'Z:e. s.e. NS ns.s.e.'];

const fleet = (zones: readonly ForeignZone[], owned: Readonly<Record<string, string>> = {}): Fleet => {
  return { zones, ownerBelow: new Map(Object.entries(owned)) };
};

const records = [
  recordOf('a/at', { domainName: 's.e.', type: 'TXT', rdata: 'x' }),
  recordOf('a/ns', { domainName: 's.e.', type: 'NS', rdata: 'ns.x.' }),
  recordOf('a/w', { domainName: 'w.s.e.', type: 'A', rdata: '192.0.2.1' }),
  recordOf('a/beside', { domainName: 'ws.e.', type: 'A', rdata: '192.0.2.1' }),
];
const BESIDE = 'Z:e. ws.e. A 192.0.2.1';
const OWN_NS = 'Z:e. s.e. NS ns.x.';
const NO_CUT = [OWN_NS, 'Z:e. s.e. TXT "x"', 'Z:e. w.s.e. A 192.0.2.1'];

test.each<readonly [string, Parameters<typeof worldOf>[0], Fleet, readonly string[], string]>([
  ['nobody delegates to', [E], fleet([S]), [OWN_NS], 'at w'],
  ['the Zone delegates to', [E_TO_US], fleet([S]), GLUE, 'at ns w'],
  ['has names of another cluster below it', [E_TO_US], fleet([S], { 's.e.': 'ap' }), NO_CUT, ''],
  ['is hosted elsewhere, and delegated', [E_TO_US], fleet([ELSEWHERE]), ['Z:e. s.e. NS ns.other.'], 'at ns w'],
  ['is hosted elsewhere', [E], fleet([ELSEWHERE]), NO_CUT, ''],
  ['is of a cluster that the rule does not name', [E_TO_US], fleet([{ ...S, cluster: 'ap' }]), [OWN_NS], 'at w'],
  ['two clusters use, and one is delegated', [E_TO_US], fleet([{ ...S, cluster: 'ap' }, S]), GLUE, 'at ns w'],
  ['a sub-zone delegates to', [E, U], fleet([T]), [...NO_CUT, 'Z:e. t.u.e. NS ns.other.'], ''],
])('beside a Zone of another cluster that %s', (_, zones, theirs, lines, occluded) => {
  const world = worldOf(zones, records, hostingsOf('e.'), theirs);
  expect(linesOf(world)).toEqual([...lines, BESIDE].toSorted());
  const names = records.map(({ ref }) => ref.name).filter((name) => reasonsOf(world, `a/${name}`) !== 'Adopted');
  expect(names.join(' ')).toBe(occluded);
  for (const name of names) expect(reasonsOf(world, `a/${name}`)).toBe('Adopted Occluded');
});

test('a CNAME is no conflict at the apex of a Zone of another cluster, but occluded there', () => {
  const cname = recordOf('a/c', { domainName: 's.e.', type: 'CNAME', rdata: 'x.' });
  expect(reasonsOf(worldOf([E], [cname], hostingsOf('e.'), fleet([S])), 'a/c')).toBe('Adopted Occluded');
  const owned = worldOf([E], [cname], hostingsOf('e.'), fleet([S], { 's.e.': 'ap' }));
  expect(linesOf(owned)).toEqual(['Z:e. s.e. CNAME x.']);
});

test('the entries of the Zone above show what it publishes for the other cluster', () => {
  const shown = worldOf([E_TO_US], [], hostingsOf('e.'), fleet([S])).zones.get('a/e')?.entries;
  expect(shown?.map(({ fqdn, type }) => `${fqdn} ${type}`)).toEqual(['s.e. NS', 'ns.s.e. A']);
  const owned = worldOf([E_TO_US], [], hostingsOf('e.'), fleet([S], { 's.e.': 'ap' })).zones.get('a/e')?.entries;
  expect(owned).toEqual([]);
});

test('where the own cluster has a Zone, that one is the cut, unless another cluster owns names below it', () => {
  const own = zoneOf('a/e', { domainName: 'e.' });
  const cut = worldOf([own, OWN_S], [], hostingsOf('e.', 's.e.'), fleet([S]));
  expect(linesOf(cut)).toEqual(['Z:e. s.e. NS ns-1.aws.,ns-2.aws.']);
  const owned = worldOf([own, OWN_S], [], hostingsOf('e.', 's.e.'), fleet([S], { 's.e.': 'ap' }));
  expect(linesOf(owned)).toEqual([]);
  expect(owned.zones.get('a/s')?.hidden).toMatchObject({
    reason: 'OwnedByAnotherCluster',
    message: expect.stringMatching(/^Cluster ap owns names at or below s\.e\. in a hosted zone above\./),
  });
});

test('a Zone with a hosted zone of its own below the cut of another cluster says that no resolver finds it', () => {
  const world = worldOf([E, BELOW_S], [], hostingsOf('e.', 'u.s.e.'), fleet([S]));
  expect(linesOf(world)).toEqual([]);
  expect(world.zones.get('a/below')?.hidden).toMatchObject({
    reason: 'Occluded',
    message: expect.stringContaining('because u.s.e. is below hosted zone Z9 (s.e.) of cluster us'),
  });
});

test('an alias cannot lead to a name that another cluster has below a hosted zone of its own', () => {
  const alias = recordOf('a/alias', { domainName: 'x.e.', type: 'A', alias: { target: 'w.s.e.' } });
  const world = worldOf([E], [alias], hostingsOf('e.'), fleet([S]));
  expect(world.objects.get('Record a/alias')?.[0]?.verdict).toMatchObject({
    reason: 'InvalidSpec',
    message: expect.stringContaining('w.s.e. is at or below hosted zone Z9 (s.e.) of cluster us'),
  });
});

test('there is no cut in a private hosted zone', () => {
  const hosting = {
    ...hostingsOf('e.').get('e.'),
    id: 'Z:e.',
    nameServers: [],
    made: false,
    soa: false,
    isPrivate: true,
  } as const;
  const world = worldOf([E], records.slice(2), new Map([['e.', hosting]]), fleet([S]));
  expect(linesOf(world)).toEqual(['Z:e. w.s.e. A 192.0.2.1', BESIDE]);
});
