import { describe, expect, it } from 'vitest';
import type { LocalRecordSet } from './record-set.ts';
import { change, testAccount } from './test-account.ts';

const WWW = 'www.example.com.';
const ONE = ['192.0.2.1'];
const weight = (setIdentifier: string, value = '1'): Partial<LocalRecordSet> => ({
  setIdentifier,
  routing: { policy: 'Weight', value },
});
const toAlias = (dnsName: string, hostedZoneId: string): Partial<LocalRecordSet> => ({
  ttl: null,
  values: [],
  alias: { hostedZoneId, dnsName, evaluateTargetHealth: false },
});

describe('changeResourceRecordSets() refuses, in Route 53 words', () => {
  const nameOf = (type: string) => `[name='${WWW}', type='${type}']`;
  it.each([
    [
      'CREATE of what exists',
      change('CREATE', WWW, 'A', ONE),
      `Tried to create resource record set ${nameOf('A')} but it already exists`,
    ],
    [
      'DELETE of nothing',
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
      'a name outside',
      change('CREATE', 'www.example.org', 'A', ONE),
      'RRSet with DNS name www.example.org. is not permitted in zone example.com.',
    ],
    [
      'a bad name',
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
      'weighted beside simple',
      change('CREATE', WWW, 'A', ONE, weight('a')),
      `RRSet with DNS name ${WWW}, type A, SetIdentifier a cannot be created as a set of another routing policy (simple) exists with the same name and type.`,
    ],
    [
      'a weighted NS',
      change('CREATE', 'n.example.com', 'NS', ['ns.example.org.'], weight('a')),
      'RRSet of type NS with DNS name n.example.com. cannot have a routing policy',
    ],
    [
      'a multi-value CNAME',
      change('CREATE', 'n.example.com', 'CNAME', ['a.example.org.'], {
        setIdentifier: 'a',
        routing: { policy: 'MultiValueAnswer', value: 'true' },
      }),
      'RRSet of type CNAME with DNS name n.example.com. cannot be a multi-value answer RRSet',
    ],
    [
      'an alias to an unknown zone',
      change('CREATE', 'x.example.com', 'A', [], toAlias('a.example.org', 'ZNOWHERE')),
      'Tried to create an alias that targets a.example.org., type A in zone ZNOWHERE, but the alias target name does not lie within the target zone',
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

  it('an alias to nothing in its own zone, and to itself', () => {
    const account = testAccount();
    account.apply(change('CREATE', WWW, 'A', ONE));
    const head = `Tried to create an alias that targets a.example.com., type A in zone ${account.zoneId}`;
    const alias = change('CREATE', 'a.example.com', 'A', [], toAlias('a.example.com', account.zoneId));
    expect(account.refused(alias)).toEqual([`${head}, but that target was not found`]);
    account.apply(change('CREATE', 'a.example.com', 'A', [], toAlias(WWW, account.zoneId)));
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

  it('the 101st weighted record set of one name and type', () => {
    const account = testAccount();
    for (let at = 0; at < 100; at += 1) account.apply(change('CREATE', WWW, 'A', ONE, weight(`w${at}`)));
    expect(account.refused(change('CREATE', WWW, 'A', ONE, weight('w100')))).toEqual([
      `RRSet with DNS name ${WWW}, type A, SetIdentifier w100 cannot be created as it exceeds the limit of 100 sets with the same name and type.`,
    ]);
    account.apply(change('UPSERT', WWW, 'A', ONE, weight('w99', '2')));
  });

  it('two failover record sets of one kind', () => {
    const account = testAccount();
    const failover = (setIdentifier: string, value: string) => ({
      setIdentifier,
      routing: { policy: 'Failover', value },
    });
    account.apply(
      change('CREATE', WWW, 'A', ONE, failover('a', 'PRIMARY')),
      change('CREATE', WWW, 'A', ONE, failover('b', 'SECONDARY')),
    );
    expect(account.refused(change('CREATE', WWW, 'A', ONE, failover('c', 'PRIMARY')))[0]).toContain('same Failover');
  });
});
