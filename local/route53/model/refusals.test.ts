import { describe, expect, it } from 'vitest';
import { change, createZone, testAccount, toAlias, weight } from '../../../test/fakes/route53-account.ts';

const WWW = 'www.example.com.';
const ONE = ['192.0.2.1'];

describe('changeResourceRecordSets() refuses, in Route 53 words', () => {
  const nameOf = (type: string) => `[name='${WWW}', type='${type}']`;
  it.each([
    [
      'CREATE of an existing record set',
      change('CREATE', WWW, 'A', ONE),
      `Tried to create resource record set ${nameOf('A')} but it already exists`,
    ],
    [
      'DELETE of a missing record set',
      change('DELETE', WWW, 'TXT', ['"a"']),
      `Tried to delete resource record set ${nameOf('TXT')} but it was not found`,
    ],
    [
      'DELETE of other values',
      change('DELETE', WWW, 'A', ['192.0.2.2']),
      `Tried to delete resource record set ${nameOf('A')} but the values provided do not match the current values`,
    ],
    [
      'DELETE of another TTL',
      change('DELETE', WWW, 'A', ONE, { ttl: 60 }),
      `Tried to delete resource record set ${nameOf('A')} but the values provided do not match the current values`,
    ],
    [
      'CNAME beside A',
      change('CREATE', WWW, 'CNAME', ['a.example.com.']),
      `RRSet of type CNAME with DNS name ${WWW} is not permitted as it conflicts with other records with the same DNS name in zone example.com.`,
    ],
    [
      'CNAME at the apex',
      change('UPSERT', 'example.com', 'CNAME', ['a.example.com.']),
      'RRSet of type CNAME with DNS name example.com. is not permitted at apex in zone example.com.',
    ],
    [
      'a name outside the zone',
      change('CREATE', 'www.example.org', 'A', ONE),
      'RRSet with DNS name www.example.org. is not permitted in zone example.com.',
    ],
    [
      'an invalid name',
      change('CREATE', 'a..example.com', 'A', ONE),
      "FATAL problem: DomainLabelEmpty (Domain label is empty) encountered with 'a..example.com'",
    ],
    ['duplicates', change('CREATE', 'd.example.com', 'A', [...ONE, ...ONE]), "Duplicate Resource Record: '192.0.2.1'"],
    [
      'one value in two spellings',
      change('CREATE', 'd.example.com', 'AAAA', ['2001:db8::1', '2001:DB8:0::1']),
      "Duplicate Resource Record: '2001:DB8:0::1'",
    ],
    [
      'a TXT value without quotes',
      change('CREATE', 't.example.com', 'TXT', ['abc']),
      "Invalid Resource Record: FATAL problem: InvalidCharacterString (Value should be enclosed in quotation marks) encountered with 'abc'",
    ],
    [
      'two values of a CNAME',
      change('CREATE', 'c.example.com', 'CNAME', ['a.example.com.', 'b.example.com.']),
      'RRSet of type CNAME with DNS name c.example.com. must have exactly one resource record',
    ],
    [
      'a SOA below the apex',
      change('CREATE', WWW, 'SOA', ['ns. noc. 1 2 3 4 5']),
      `RRSet of type SOA with DNS name ${WWW} is only permitted at apex in zone example.com.`,
    ],
    [
      'a DS at the apex',
      change('CREATE', 'example.com', 'DS', ['123 4 5 abcd']),
      'RRSet of type DS with DNS name example.com. is not permitted at apex in zone example.com.',
    ],
    [
      'a wildcard NS',
      change('CREATE', '*.example.com', 'NS', ['ns.example.org.']),
      'RRSet of type NS with DNS name \\052.example.com. is not permitted: wildcards cannot have type NS',
    ],
    [
      '401 values',
      change(
        'CREATE',
        'm.example.com',
        'A',
        Array.from({ length: 401 }, (_, at) => `10.0.${at >> 8}.${at & 255}`),
      ),
      'Cannot have more than 400 records in a RRSet.',
    ],
    [
      'a weighted NS',
      change('CREATE', 'n.example.com', 'NS', ['ns.example.org.'], weight('a')),
      'RRSet of type NS with DNS name n.example.com. cannot have a routing policy',
    ],
    [
      'an alias of type NS',
      change('CREATE', 'x.example.com', 'NS', [], toAlias('d.cloudfront.net', 'Z2FDTNDATAQYW2')),
      'RRSet of type NS cannot be an alias',
    ],
  ])('%s', (_, bad, message) => {
    const account = testAccount();
    account.apply(change('CREATE', WWW, 'A', ONE));
    expect(account.refused(bad)).toEqual([message]);
    expect(account.keys()).toEqual([`${WWW} A`]);
  });

  it('a record set too many in a full hosted zone, also if the batch deletes others', () => {
    const account = testAccount({ recordSetsMax: 4 });
    const [a, b, c] = ['a', 'b', 'c'].map((label) => change('CREATE', `${label}.example.com`, 'A', ONE));
    if (a === undefined || b === undefined || c === undefined) throw new Error('three changes');
    const gone = { ...a, action: 'DELETE' as const };
    const full = ['Exceeded limit on number of RRSets in this zone.'];
    expect(account.refused(a, b, c)).toEqual(full);
    account.apply(a, b);
    expect(account.refused(c)).toEqual(full);
    expect(account.refused({ ...c, action: 'UPSERT' })).toEqual(full);
    // In the order of the batch: the room is there when the delete has been played.
    expect(account.refused(c, gone)).toEqual(full);
    account.apply({ ...b, action: 'UPSERT', recordSet: { ...b.recordSet, ttl: 60 } });
    account.apply(gone, c);
    expect(account.keys()).toEqual(['b.example.com. A', 'c.example.com. A']);
  });

  it('the record sets of another hosted zone do not count', () => {
    const account = testAccount({ recordSetsMax: 3 });
    account.apply(change('CREATE', WWW, 'A', ONE));
    const other = createZone(account.state, 'example.org', 'second');
    account.state.changeResourceRecordSets(other, null, [change('CREATE', 'www.example.org', 'A', ONE)]);
    expect(account.state.recordSetsAt(other, 'www.example.org.')).toHaveLength(1);
  });

  it('the 10,001st record set, without another quota', () => {
    const account = testAccount();
    const creates = Array.from({ length: 9_998 }, (_, at) => change('CREATE', `n${at}.example.com`, 'A', ONE));
    for (let from = 0; from < creates.length; from += 1_000) account.apply(...creates.slice(from, from + 1_000));
    expect(account.refused(change('CREATE', WWW, 'A', ONE))).toHaveLength(1);
  });

  it('the deletion of the apex SOA and NS set, both named', () => {
    const account = testAccount();
    const [ns, soa] = account.state.recordSetsAt(account.zoneId, 'example.com.');
    if (ns === undefined || soa === undefined) throw new Error('no NS or SOA');
    const changes = [ns, soa].map((recordSet) => ({ action: 'DELETE' as const, recordSet }));
    expect(account.refused(...changes)).toEqual([
      'A HostedZone must contain at least one NS record for the zone itself.',
      'A HostedZone must contain exactly one SOA record.',
    ]);
  });
});
