// resolveName(), through resolveCluster, which calls it for every name: conflicts, cuts, glue, name servers, hosted
// zones.
import { describe, expect, test } from 'vitest';
import { below, hostingsOf, linesOf, reasonsOf, recordOf, worldOf, zoneOf } from '../../test/support/declared.ts';

const E = zoneOf('a/e', { domainName: 'e.' });
const S = zoneOf('a/s', { domainName: 's', ...below('a/e') });
const T = zoneOf('a/t', { domainName: 't', ...below('a/s') });

const a = (domainName: string, rdata = '192.0.2.1') => ({ domainName, type: 'A', rdata });
const ns = (domainName: string, rdata: string) => ({ domainName, type: 'NS', rdata });
const cname = (domainName: string, rdata = 'other.') => ({ domainName, type: 'CNAME', rdata });
const txt = (domainName: string) => ({ domainName, type: 'TXT', rdata: 'x' });

/** A Zone whose delegations let namespaces share names, and one with another rule beside it, for namespace b. */
const SHARED = zoneOf('a/e', { domainName: 'e.', delegations: [{ shared: true, records: [{ pattern: '*' }] }] });
const PARTLY = zoneOf('a/e', {
  domainName: 'e.',
  delegations: [
    { shared: true, records: [{ pattern: '*' }] },
    { namespaces: ['b'], records: [{ pattern: 'w', types: ['A'] }] },
  ],
});
const weighted = (id: string, rdata: string) => ({ ...a('w.e.', rdata), routing: { setIdentifier: id, weight: 1 } });

describe('a name of several namespaces', () => {
  test.each<[string, object, string]>([
    ['another address', a('w.e.', '192.0.2.2'), 'Conflict'],
    ['the same address and another', { domainName: 'w.e.', type: 'A', values: ['192.0.2.1', '192.0.2.2'] }, 'Conflict'],
    ['a type that goes together with it', { ...a('w.e.', '2001:db8::1'), type: 'AAAA' }, 'Conflict'],
    ['HTTPS', { domainName: 'w.e.', type: 'HTTPS', rdata: '1 . alpn=h2' }, 'Conflict'],
    ['a routed set', weighted('x', '192.0.2.1'), 'Conflict'],
    ['the same address', a('w.e.'), 'Adopted'],
    ['a type by itself', txt('w.e.'), 'Adopted'],
  ])('the later object of another namespace asks for %s', (_, spec, reason) => {
    const records = [recordOf('b/1', a('w.e.'), { born: 1 }), recordOf('c/2', spec, { born: 2 })];
    const world = worldOf([E], records, hostingsOf('e.'));
    expect([reasonsOf(world, 'b/1'), reasonsOf(world, 'c/2')]).toEqual(['Adopted', reason]);
    expect(linesOf(world).filter((line) => line.includes(' A '))).toEqual(['Z:e. w.e. A 192.0.2.1']);
  });

  test('an equal endpoint of another namespace is published for it too, with the TTL of the owner', () => {
    const records = [
      recordOf('b/1', { ...a('w.e.'), ttl: 300 }, { born: 1 }),
      recordOf('c/2', { ...a('w.e.'), ttl: 5 }, { born: 2 }),
    ];
    const world = worldOf([E], records, hostingsOf('e.'));
    const set = world.recordSets.find(({ type }) => type === 'A');
    expect(set).toMatchObject({ content: { ttlSeconds: 300 }, objects: ['Record b/1', 'Record c/2'] });
    expect(world.zones.get('a/e')?.entries).toMatchObject([{ type: 'A', ttl: 300, rdata: '192.0.2.1' }]);
    expect(world.objects.get('Record c/2')?.[0]?.verdict.message).toContain('belongs to another namespace, whose TTL');
  });

  test('a routed set of another namespace is in conflict, one equal to it is not', () => {
    const records = [
      recordOf('b/1', weighted('x', '192.0.2.1'), { born: 1 }),
      recordOf('c/2', weighted('y', '192.0.2.2'), { born: 2 }),
      recordOf('c/3', weighted('x', '192.0.2.1'), { born: 3 }),
    ];
    const world = worldOf([E], records, hostingsOf('e.'));
    expect(['b/1', 'c/2', 'c/3'].map((key) => reasonsOf(world, key))).toEqual(['Adopted', 'Conflict', 'Adopted']);
  });

  test('several namespaces have it if every delegation that allows them says shared', () => {
    const records = [
      recordOf('b/1', a('w.e.'), { born: 1 }),
      recordOf('c/2', a('w.e.', '192.0.2.2'), { born: 2 }),
      recordOf('c/3', { ...a('w.e.', '2001:db8::1'), type: 'AAAA' }, { born: 3 }),
    ];
    expect(linesOf(worldOf([SHARED], records, hostingsOf('e.')))).toEqual([
      'Z:e. w.e. A 192.0.2.1,192.0.2.2',
      'Z:e. w.e. AAAA 2001:db8::1',
    ]);
    expect(linesOf(worldOf([PARTLY], records, hostingsOf('e.')))).toEqual(['Z:e. w.e. A 192.0.2.1']);
  });

  test('it is of one namespace, whichever Zones of the hosted zone adopt the objects', () => {
    const sub = zoneOf('b/s', { domainName: 's.e.' });
    const records = [
      recordOf('b/1', a('w.s.e.'), { born: 1 }),
      recordOf('c/2', { type: 'A', rdata: '192.0.2.2', domainName: 'w.s', ...below('a/e') }, { born: 2 }),
    ];
    expect(linesOf(worldOf([E, sub], records, hostingsOf('e.')))).toEqual(['Z:e. w.s.e. A 192.0.2.1']);
    // A zone cut: the Record of the Zone above is in another hosted zone, and occluded there.
    const cut = worldOf([E, sub], records, hostingsOf('e.', 's.e.'));
    expect([reasonsOf(cut, 'b/1'), reasonsOf(cut, 'c/2')]).toEqual(['Adopted', 'Adopted Occluded']);
  });

  test('its name servers are those of one namespace, and make the cut', () => {
    const records = [
      recordOf('b/1', ns('s.e.', 'ns.b.'), { born: 1 }),
      recordOf('c/2', ns('s.e.', 'ns.c.'), { born: 2 }),
    ];
    const world = worldOf([E, S], records, hostingsOf('e.'));
    expect(linesOf(world)).toEqual(['Z:e. s.e. NS ns.b.']);
    expect(world.zones.get('a/s')?.placed?.nameServers.map(({ rdata }) => rdata)).toEqual(['ns.b.']);
  });
});

describe('neighbours of a CNAME', () => {
  test('the younger is in conflict, either way round', () => {
    const old = recordOf('a/1', cname('w.e.'), { born: 1 });
    const young = recordOf('a/2', a('w.e.'), { born: 2 });
    const world = worldOf([E], [young, old], hostingsOf('e.'));
    expect([reasonsOf(world, 'a/1'), reasonsOf(world, 'a/2')]).toEqual(['Adopted', 'Conflict']);
    expect(linesOf(world)).toEqual(['Z:e. w.e. CNAME other.']);
    const other = worldOf([E], [recordOf('a/1', cname('w.e.'), { born: 3 }), young], hostingsOf('e.'));
    expect([reasonsOf(other, 'a/1'), reasonsOf(other, 'a/2')]).toEqual(['Conflict', 'Adopted']);
  });

  test('of two neighbours of equal age, the one with the smaller uid is adopted', () => {
    const records = [recordOf('a/1', cname('w.e.'), { uid: 'b' }), recordOf('a/2', a('w.e.'), { uid: 'a' })];
    const world = worldOf([E], records, hostingsOf('e.'));
    expect([reasonsOf(world, 'a/1'), reasonsOf(world, 'a/2')]).toEqual(['Conflict', 'Adopted']);
  });

  test('of two neighbours of equal age and uid, one is adopted', () => {
    const records = [recordOf('a/1', cname('w.e.'), { uid: null }), recordOf('a/2', a('w.e.'), { uid: null })];
    const world = worldOf([E], records, hostingsOf('e.'));
    expect([reasonsOf(world, 'a/1'), reasonsOf(world, 'a/2')].toSorted()).toEqual(['Adopted', 'Conflict']);
    expect(linesOf(world)).toHaveLength(1);
  });

  test('each neighbour is compared with those already accepted, not with refused ones', () => {
    const records = [
      recordOf('a/1', a('w.e.'), { born: 1 }),
      recordOf('a/2', cname('w.e.'), { born: 2 }),
      recordOf('a/3', txt('w.e.'), { born: 3 }),
    ];
    const world = worldOf([E], records, hostingsOf('e.'));
    expect(['a/1', 'a/2', 'a/3'].map((key) => reasonsOf(world, key))).toEqual(['Adopted', 'Conflict', 'Adopted']);
  });

  test('an equal CNAME is not in conflict, and another one is', () => {
    const records = [cname('w.e.'), cname('w.e.'), cname('w.e.', 'else.')].map((spec, at) =>
      recordOf(`a/${at}`, spec, { born: at }),
    );
    const world = worldOf([E], records, hostingsOf('e.'));
    expect(['a/0', 'a/1', 'a/2'].map((key) => reasonsOf(world, key))).toEqual(['Adopted', 'Adopted', 'Conflict']);
  });

  test('at an apex a CNAME always is in conflict, and another class never is', () => {
    const records = [
      recordOf('a/1', cname('e.')),
      recordOf('a/2', { ...cname('w.e.'), class: 'CH' }),
      recordOf('a/3', a('w.e.')),
    ];
    const world = worldOf([E], records, hostingsOf('e.'));
    expect(['a/1', 'a/2', 'a/3'].map((key) => reasonsOf(world, key))).toEqual([
      'Conflict',
      'Adopted UnsupportedType',
      'Adopted',
    ]);
  });

  test("a CNAME at a sub-zone's apex is in conflict too, with or without a cut, and does not affect the DS there", () => {
    const records = [
      recordOf('a/1', { ...cname('s'), ...below('a/e') }, { born: 1 }),
      recordOf(
        'a/ds',
        { domainName: 's', ...below('a/e'), type: 'DS', rdata: `1 13 2 ${'ab'.repeat(32)}` },
        { born: 2 },
      ),
    ];
    for (const hostings of [hostingsOf('e.'), hostingsOf('e.', 's.e.')]) {
      const world = worldOf([E, S], records, hostings);
      expect([reasonsOf(world, 'a/1'), reasonsOf(world, 'a/ds')]).toEqual(['Conflict', 'Adopted']);
    }
    // A root with that name, which no Zone above delegates, does not affect ours.
    const stranger = zoneOf('b/s', { domainName: 's.e.' });
    const apart = worldOf(
      [zoneOf('a/e', { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] }), stranger],
      [recordOf('a/1', { ...cname('s'), ...below('a/e') })],
      hostingsOf('e.'),
    );
    expect(reasonsOf(apart, 'a/1')).toBe('Adopted');
  });

  test("a sub-zone without a cut shares its parent's neighbours; one with a cut does not", () => {
    const records = [
      recordOf('a/1', { ...cname('w.s'), ...below('a/e') }, { born: 1 }),
      recordOf('a/2', { ...a('w'), ...below('a/s') }, { born: 2 }),
    ];
    const shared = worldOf([E, S], records, hostingsOf('e.'));
    expect([reasonsOf(shared, 'a/1'), reasonsOf(shared, 'a/2')]).toEqual(['Adopted', 'Conflict']);
    const cut = worldOf([E, S], records, hostingsOf('e.', 's.e.'));
    expect([reasonsOf(cut, 'a/1'), reasonsOf(cut, 'a/2')]).toEqual(['Adopted Occluded', 'Adopted']);
    expect(linesOf(cut)).toContain('Z:s.e. w.s.e. A 192.0.2.1');
  });
});

describe('at and under a cut', () => {
  const under = [
    recordOf('a/at', { ...a('s'), ...below('a/e') }),
    recordOf('a/ds', { domainName: 's', ...below('a/e'), type: 'DS', rdata: `1 13 2 ${'ab'.repeat(32)}` }),
    recordOf('a/under', { ...a('w.s'), ...below('a/e') }),
    recordOf('a/beside', { ...a('ws'), ...below('a/e') }),
  ];

  test('the parent publishes NS, DS and glue, the rest of it is occluded', () => {
    const world = worldOf([E, S], under, hostingsOf('e.', 's.e.'));
    expect(under.map(({ ref }) => reasonsOf(world, `a/${ref.name}`))).toEqual([
      'Adopted Occluded',
      'Adopted',
      'Adopted Occluded',
      'Adopted',
    ]);
    expect(linesOf(world)).toEqual([
      `Z:e. s.e. DS 1 13 2 ${'ab'.repeat(32)}`,
      'Z:e. s.e. NS ns-1.aws.,ns-2.aws.',
      'Z:e. ws.e. A 192.0.2.1',
    ]);
    expect(world.zones.get('a/e')?.entries).toHaveLength(6);
  });

  test('a cut below a sub-zone without one occludes what the Zones above hold there', () => {
    const record = recordOf('a/r', { ...a('w.t.s'), ...below('a/e') });
    const world = worldOf([E, S, T], [record], hostingsOf('e.', 't.s.e.'));
    expect(reasonsOf(world, 'a/r')).toBe('Adopted Occluded');
    expect(linesOf(world)).toEqual(['Z:e. t.s.e. NS ns-1.aws.,ns-2.aws.']);
  });

  test("a sibling's cut occludes what publishes into the same hosted zone, above it and beside it", () => {
    // T is adopted by E and not by S. S and E share a hosted zone, which has the cut of T.
    const sibling = zoneOf('a/t', { domainName: 't.s', ...below('a/e') });
    const records = [
      recordOf('a/cname', { ...cname('w.t'), ...below('a/s') }),
      recordOf('a/at', { ...txt('t'), ...below('a/s') }),
      recordOf('a/beside', { ...txt('wt'), ...below('a/s') }),
      recordOf('a/own', { ...txt('w'), ...below('a/t') }),
    ];
    const cut = worldOf([E, S, sibling], records, hostingsOf('e.', 't.s.e.'));
    expect(['cname', 'at', 'beside', 'own'].map((one) => reasonsOf(cut, `a/${one}`))).toEqual([
      'Adopted Occluded',
      'Adopted Occluded',
      'Adopted',
      'Adopted',
    ]);
    expect(linesOf(cut)).toEqual([
      'Z:e. t.s.e. NS ns-1.aws.,ns-2.aws.',
      'Z:e. wt.s.e. TXT "x"',
      'Z:t.s.e. w.t.s.e. TXT "x"',
    ]);
    // Now S has the cut, so what T publishes into e. is behind it.
    const behind = worldOf([E, S, sibling], records, hostingsOf('e.', 's.e.'));
    expect(reasonsOf(behind, 'a/own')).toBe('Adopted Occluded');
    expect(linesOf(behind)).toContain('Z:s.e. w.t.s.e. CNAME other.');
  });

  test('without hosted zone and name servers there is no cut', () => {
    const world = worldOf([E, S], under, hostingsOf('e.'));
    expect(reasonsOf(world, 'a/under')).toBe('Adopted');
    expect(linesOf(world)).toContain('Z:e. w.s.e. A 192.0.2.1');
  });
});

describe('hosted elsewhere', () => {
  test('the parent publishes NS and glue; all else there, and any Zone below, is HostedElsewhere', () => {
    const records = [
      recordOf('a/ns', { ...ns('@', 'ns.s.e.'), ...below('a/s') }),
      recordOf('a/glue', { ...a('ns'), ...below('a/s') }),
      recordOf('a/w', { ...a('w'), ...below('a/s') }),
      recordOf('a/deep', { ...a('w'), ...below('a/t') }),
    ];
    const world = worldOf([E, S, T], records, hostingsOf('e.'));
    expect(linesOf(world)).toEqual(['Z:e. ns.s.e. A 192.0.2.1', 'Z:e. s.e. NS ns.s.e.']);
    expect(['a/ns', 'a/glue', 'a/w', 'a/deep'].map((key) => reasonsOf(world, key))).toEqual([
      'Adopted',
      'Adopted',
      'Adopted HostedElsewhere',
      'Adopted HostedElsewhere',
    ]);
    expect(world.zones.get('a/t')?.placed?.target).toMatchObject({ kind: 'elsewhere', fqdn: 's.e.' });
  });
});

describe('glue', () => {
  const glued = (address: string) => [
    recordOf('a/ns-s', { ...ns('@', 'ns.t.s.e.'), ...below('a/s') }),
    recordOf('a/ns-t', { ...ns('@', 'ns.t.s.e.'), ...below('a/t') }),
    recordOf('a/glue', { ...a('ns', address), ...below('a/t') }),
  ];

  test('is published two levels up, if each level needs it', () => {
    const world = worldOf([E, S, T], glued('192.0.2.7'), hostingsOf('e.', 's.e.', 't.s.e.'));
    const entries = (key: string) => world.zones.get(key)?.entries.map(({ fqdn, type }) => `${fqdn} ${type}`);
    expect(entries('a/e')).toEqual(['s.e. NS', 'ns.t.s.e. A']);
    expect(entries('a/s')).toEqual(['s.e. NS', 't.s.e. NS', 'ns.t.s.e. A']);
    expect(linesOf(world).filter((line) => line.includes(' A '))).toEqual([
      'Z:e. ns.t.s.e. A 192.0.2.7',
      'Z:s.e. ns.t.s.e. A 192.0.2.7',
      'Z:t.s.e. ns.t.s.e. A 192.0.2.7',
    ]);
  });

  test('skips no level: the parent of a sub-zone has only the entries of that sub-zone', () => {
    const [nsS, , glue] = glued('192.0.2.7') as [ReturnType<typeof recordOf>, unknown, ReturnType<typeof recordOf>];
    const world = worldOf([E, S, T], [nsS, glue], hostingsOf('e.', 's.e.', 't.s.e.'));
    expect(linesOf(world).filter((line) => line.includes(' A '))).toEqual(['Z:t.s.e. ns.t.s.e. A 192.0.2.7']);
    expect(world.zones.get('a/e')?.entries.map(({ type }) => type)).toEqual(['NS']);
  });

  test("is one record set with the parent's own where there is no cut", () => {
    const records = [
      recordOf('a/glue', { ...a('ns', '192.0.2.7'), ...below('a/s') }),
      recordOf('a/own', { ...a('ns.s', '192.0.2.8'), ...below('a/e') }),
    ];
    expect(linesOf(worldOf([E, S], records, hostingsOf('e.')))).toEqual(['Z:e. ns.s.e. A 192.0.2.7,192.0.2.8']);
  });
});

describe('name servers at an apex', () => {
  test('of a root without a hosted zone: HostedZoneNotFound', () => {
    expect(reasonsOf(worldOf([E], [recordOf('a/r', ns('e.', 'ns.other.'))]), 'a/r')).toBe('Adopted HostedZoneNotFound');
  });

  test("of a root with one: Route 53's own are published, others foreign; none is written", () => {
    const records = [recordOf('a/own', ns('e.', 'ns-1.aws.')), recordOf('a/other', ns('e.', 'ns.other.'))];
    const world = worldOf([E], records, hostingsOf('e.'));
    expect([reasonsOf(world, 'a/own'), reasonsOf(world, 'a/other')]).toEqual([
      'Adopted Published',
      'Adopted ForeignRecord',
    ]);
    expect(linesOf(world)).toEqual([]);
  });

  test('of a sub-zone are published in its parent; without a declaration, those of its hosted zone', () => {
    const declared = [recordOf('a/r', { ...ns('@', 'ns.other.'), ...below('a/s') })];
    expect(linesOf(worldOf([E, S], declared, hostingsOf('e.', 's.e.')))).toEqual(['Z:e. s.e. NS ns.other.']);
    expect(linesOf(worldOf([E, S], [], hostingsOf('e.', 's.e.')))).toEqual(['Z:e. s.e. NS ns-1.aws.,ns-2.aws.']);
    expect(linesOf(worldOf([E, S], [], hostingsOf('s.e.')))).toEqual([]);
  });
});

describe('record sets', () => {
  test('carry all of their objects, the lowest TTL, and each value once', () => {
    const records = [
      recordOf('a/1', { ...a('w.e.'), ttl: 60 }),
      recordOf('b/2', a('w.e.')),
      recordOf('a/3', { ...a('w.e.', '192.0.2.0'), ttl: 90 }),
    ];
    const [set] = worldOf([E], records, hostingsOf('e.')).recordSets.filter(({ type }) => type === 'A');
    expect(set).toMatchObject({
      zone: 'a/e',
      objects: ['Record a/1', 'Record a/3', 'Record b/2'],
      content: { ttlSeconds: 60, values: ['192.0.2.0', '192.0.2.1'] },
    });
  });

  test('include an SOA in a Zone with a hosted zone, and in no other', () => {
    const { recordSets } = worldOf([E, S], [], hostingsOf('e.'));
    expect(recordSets.map(({ name, type, objects }) => `${name} ${type} ${objects.join()}`)).toEqual([
      'e. SOA Zone a/e',
    ]);
  });

  test.each([
    ['a type', { type: 'LOC', rdata: '52 22 23.000 N 4 53 32.000 E -2.00m' }],
    ['a class', { class: 'CH', type: 'TXT', rdata: 'x' }],
    ['the SOA', { type: 'SOA', rdata: 'ns.e. noc.e. 1 7200 900 1209600 86400' }],
  ])('%s that Route 53 does not accept is an entry, but is not published', (_, spec) => {
    const world = worldOf([E], [recordOf('a/r', { domainName: 'w.e.', ...spec })], hostingsOf('e.'));
    expect(reasonsOf(world, 'a/r')).toBe('Adopted UnsupportedType');
    expect(linesOf(world)).toEqual([]);
    expect(world.zones.get('a/e')?.entries).toHaveLength(1);
  });

  test('follow the last valid spec while the object says InvalidSpec', () => {
    const record = recordOf('a/r', { domainName: 'w' }, { lastValid: a('w.e.') });
    const world = worldOf([E], [record], hostingsOf('e.'));
    expect(linesOf(world)).toEqual(['Z:e. w.e. A 192.0.2.1']);
    expect(world.objects.get('Record a/r')?.[0]).toMatchObject({ verdict: { reason: 'InvalidSpec' }, fqdn: 'w.e.' });
    const rival = worldOf([E], [record, recordOf('a/old', cname('w.e.'), { born: -1 })], hostingsOf('e.'));
    expect(rival.objects.get('Record a/r')?.[0]).toMatchObject({ verdict: { reason: 'InvalidSpec' }, parent: null });
  });
});
