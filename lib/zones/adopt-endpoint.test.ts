import { describe, expect, test } from 'vitest';
import { below, recordOf, zoneOf } from '../../test/support/declared.ts';
import { adoptEndpoint, refuseObject, type ZoneLookup } from './adopt-endpoint.ts';
import { resolveZones } from './resolve-zones.ts';

const DIGEST = 'ab'.repeat(32);
const DEAD = zoneOf('a/dead', { domainName: 'd', ...below('a/missing') });

/** e. delegates everything to everybody, s.e. only type A to namespace b. */
const ZONES = [
  zoneOf('a/e', { domainName: 'e.' }),
  zoneOf('a/s', {
    domainName: 's',
    ...below('a/e'),
    delegations: [{ namespace: 'b', records: [{ pattern: '*', types: ['A'] }] }],
  }),
  zoneOf('a/closed', { domainName: 'f.', delegations: [] }),
  DEAD,
];

function adoptionOf(record: ReturnType<typeof recordOf>) {
  const resolved = resolveZones(ZONES, null);
  const liveAt = new Map(
    [...resolved.values()].flatMap(({ live }) => (live === null ? [] : [[live.fqdn, live] as const])),
  );
  const zones: ZoneLookup = { byKey: (key) => resolved.get(key), liveAt: (name) => liveAt.get(name) };
  const [endpoint] = record.spec ?? [];
  return endpoint === undefined ? refuseObject(record) : adoptEndpoint(record, endpoint, zones);
}

function adopt(record: ReturnType<typeof recordOf>): string {
  const { fqdn, parent, verdict } = adoptionOf(record);
  return `${verdict.reason} ${fqdn ?? '-'} ${parent?.key ?? '-'}`;
}

describe('adoptEndpoint()', () => {
  const a = { type: 'A', rdata: '192.0.2.1' };
  const ds = { type: 'DS', rdata: `1 13 2 ${DIGEST}` };
  test.each<[string, string, object, string]>([
    ['the longest fqdn that allows it', 'b/r', { domainName: 'w.s.e.', ...a }, 'Adopted w.s.e. a/s'],
    ['a shorter fqdn if the longest denies it', 'a/r', { domainName: 'w.s.e.', ...a }, 'Adopted w.s.e. a/e'],
    ['a shorter fqdn for another type', 'b/r', { domainName: 'w.s.e.', type: 'TXT', rdata: 'x' }, 'Adopted w.s.e. a/e'],
    ['by reference, only by that Zone', 'a/r', { domainName: 'w', ...below('a/s'), ...a }, 'DelegationDenied w.s.e. -'],
    ['by reference, the Zone itself', 'a/r', { domainName: '@', ...below('a/e'), ...a }, 'Adopted e. a/e'],
    [
      'by reference, a name below a sub-zone',
      'a/r',
      { domainName: 'w.s', ...below('a/e'), ...a },
      'Adopted w.s.e. a/e',
    ],
    ['a reference to no Zone', 'a/r', { domainName: 'w', ...below('a/none'), ...a }, 'ParentNotFound - -'],
    [
      'a reference to a Zone that is not live',
      'a/r',
      { domainName: 'w', ...below('a/dead'), ...a },
      'ParentNotLive - -',
    ],
    ['a name that no live Zone covers', 'a/r', { domainName: 'w.g.', ...a }, 'ParentNotFound w.g. -'],
    ['a name whose only Zone denies it', 'a/r', { domainName: 'w.f.', ...a }, 'DelegationDenied w.f. -'],
    ['a DS at a cut, by the Zone above', 'a/r', { domainName: 's.e.', ...ds }, 'Adopted s.e. a/e'],
    ['a DS at a root, by no Zone', 'a/r', { domainName: 'e.', ...ds }, 'ParentNotFound e. -'],
    ['an invalid spec', 'a/r', { domainName: 'w' }, 'InvalidSpec - -'],
  ])('%s', (_, key, spec, outcome) => {
    expect(adopt(recordOf(key, spec))).toBe(outcome);
  });

  test('says of a reference to no Zone what to do', () => {
    expect(adoptionOf(recordOf('a/r', { domainName: 'w', ...below('a/none'), ...a })).verdict.message).toBe(
      'spec.zoneRef: there is no Zone a/none: create it, or correct the zoneRef',
    );
  });

  test('does not advise a Zone at the own name of a DS, which could not adopt it', () => {
    expect(adoptionOf(recordOf('a/r', { domainName: 'e.', ...ds })).verdict.message).toBe(
      'no live Zone is above e., as a DS needs: declare a Zone for a name above it, or name one by zoneRef',
    );
  });

  test('adopts a name of 255 octets under its Zone, and refuses a longer one as invalid', () => {
    const long = Array.from({ length: 4 }, () => 'x'.repeat(62)).join('.');
    expect(adopt(recordOf('a/r', { domainName: long, ...below('a/e'), ...a }))).toBe(`Adopted ${long}.e. a/e`);
    expect(adopt(recordOf('a/r', { domainName: `${long}x`, ...below('a/e'), ...a }))).toBe('InvalidSpec - -');
  });

  test('adopts the last valid spec while the object says InvalidSpec', () => {
    const record = recordOf('a/r', { domainName: 'w' }, { lastValid: { domainName: 'w.e.', ...a } });
    expect(adopt(record)).toBe('InvalidSpec w.e. a/e');
  });
});
