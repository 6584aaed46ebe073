import { expect, test } from 'vitest';
import { hostingsOf, zoneOf } from '../../test/support/declared.ts';
import type { LiveZone } from './delegation.ts';
import { type NameServer, placeZones } from './place-zones.ts';

function live(fqdn: string, parent: string | null): LiveZone {
  const { spec } = zoneOf(`a/${fqdn}`, { domainName: fqdn });
  if (spec === null) throw new Error('the test has an invalid Zone');
  return { key: `a/${fqdn}`, namespace: 'a', fqdn, parent: parent === null ? null : `a/${parent}`, spec };
}

const NS: NameServer = { rdata: 'ns.other.', ttl: 60, objects: ['Record a/ns'] };
const ZONES = [live('u.t.s.e.', 't.s.e.'), live('t.s.e.', 's.e.'), live('s.e.', 'e.'), live('e.', null)];

function place(hosted: readonly string[], declaring: readonly string[]): Record<string, string> {
  const declared = new Map(declaring.map((fqdn) => [`a/${fqdn}`, [NS]]));
  return Object.fromEntries(
    [...placeZones(ZONES, declared, hostingsOf(...hosted)).values()].map(({ live: { fqdn }, target, cut, group }) => [
      fqdn,
      `${target.kind} ${target.fqdn} ${cut ? 'cut' : 'no cut'} ${group.slice(2)}`,
    ]),
  );
}

test.each<[string, string[], string[], Record<string, string>]>([
  [
    'a root without a hosted zone publishes nowhere, nor does any Zone below',
    [],
    [],
    {
      'e.': 'none e. cut e.',
      's.e.': 'none e. no cut e.',
      't.s.e.': 'none e. no cut e.',
      'u.t.s.e.': 'none e. no cut e.',
    },
  ],
  [
    'a Zone without a hosted zone publishes into that of its nearest ancestor, without a cut',
    ['e.', 't.s.e.'],
    [],
    {
      'e.': 'hosted e. cut e.',
      's.e.': 'hosted e. no cut e.',
      't.s.e.': 'hosted t.s.e. cut t.s.e.',
      'u.t.s.e.': 'hosted t.s.e. no cut t.s.e.',
    },
  ],
  [
    'a Zone with name servers and no hosted zone is hosted elsewhere, with all Zones below',
    ['e.'],
    ['s.e.'],
    {
      'e.': 'hosted e. cut e.',
      's.e.': 'elsewhere s.e. cut s.e.',
      't.s.e.': 'elsewhere s.e. no cut s.e.',
      'u.t.s.e.': 'elsewhere s.e. no cut s.e.',
    },
  ],
  [
    'a Zone with a hosted zone, below one that is hosted elsewhere, publishes into its own',
    ['e.', 'u.t.s.e.'],
    ['s.e.', 'u.t.s.e.'],
    {
      'e.': 'hosted e. cut e.',
      's.e.': 'elsewhere s.e. cut s.e.',
      't.s.e.': 'elsewhere s.e. no cut s.e.',
      'u.t.s.e.': 'hosted u.t.s.e. cut u.t.s.e.',
    },
  ],
  [
    'a root with name servers is not hosted elsewhere',
    [],
    ['e.'],
    {
      'e.': 'none e. cut e.',
      's.e.': 'none e. no cut e.',
      't.s.e.': 'none e. no cut e.',
      'u.t.s.e.': 'none e. no cut e.',
    },
  ],
])('placeZones(): %s', (_, hosted, declaring, expected) => {
  expect(place(hosted, declaring)).toEqual(expected);
});

test('placeZones() gives a Zone without name servers those of its hosted zone, with its own TTL', () => {
  const placed = placeZones(ZONES, new Map([['a/t.s.e.', [NS]]]), hostingsOf('e.', 's.e.', 't.s.e.'));
  const hosted = ['ns-1.aws.', 'ns-2.aws.'].map((rdata) => ({ rdata, ttl: 360, objects: ['Zone a/s.e.'] }));
  expect(placed.get('a/s.e.')?.nameServers).toEqual(hosted);
  expect(placed.get('a/t.s.e.')?.nameServers).toEqual([NS]);
});
