// Records that the API server admits, and its messages to those that it refuses: rows of
// test/e2e/kubernetes-door.test.ts.

/**
 * An object's spec; `message`: the API server's refusal. `stricter`: zone53's parser accepts what the API server
 * refuses.
 */
export type Row = {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly stricter?: true;
};

const record = (fields: object, message?: string): Row => ({
  spec: { domainName: 'www.example.org.', type: 'A', rdata: '192.0.2.1', ...fields },
  ...(message === undefined ? {} : { message }),
});
const data = (type: string, rdata: string, message?: string): Row => record({ type, rdata }, message);
const list = (type: string, values: unknown, message?: string): Row => ({
  spec: { domainName: 'www.example.org.', type, values },
  ...(message === undefined ? {} : { message }),
});

export const LABEL_64 = 'a'.repeat(64);
export const NAME_254 = `${'a234567.'.repeat(31)}a2345.`;
const HOST = 'have one host name, such as www.example.net.';
export const BINARY = 'may only have letters, digits, "-", "_" and "/", without spaces';

export const RECORDS: Readonly<Record<string, Row>> = {
  'an A': record({}),
  'two views': record({ views: ['public', 'internal'] }),
  'every view': record({ views: ['*'] }),
  'views null': record({ views: null }),
  'no views': record({ views: [] }, 'spec.views'),
  'a view with a dot': record({ views: ['a.b'] }, 'a view has 1 to 63 lower case letters'),
  'lower case type and class': record({ type: 'a', class: 'in' }),
  'a partial name with a zoneRef': record({ domainName: 'www', zoneRef: { name: 'example-org' } }),
  'the apex': record({ domainName: '@', zoneRef: { name: 'example-org' } }),
  'a wildcard': record({ domainName: '*.example.org.' }),
  'a wildcard alone': record({ domainName: '*', zoneRef: { name: 'example-org' } }),
  'an underscore name': record({ domainName: '_dmarc.example.org.', type: 'TXT', rdata: 'v=DMARC1; p=none' }),
  nulls: record({ ttl: null, zoneRef: null }),
  'ttl 0': record({ ttl: 0 }),
  'a type by number': data('TYPE65280', '\\# 1 00'),
  'a type that Route 53 has not': data('HINFO', 'a b'),
  'A of another class': record({ class: 'CH', rdata: 'anything' }),
  'A with spaces around': data('A', ' 192.0.2.1 '),
  AAAA: data('AAAA', '2001:DB8::1'),
  'AAAA with an IPv4 part': data('AAAA', '::ffff:192.0.2.1'),
  'CNAME without the last dot': data('CNAME', 'www.example.net'),
  'CNAME with underscores': data('CNAME', '_a.b._domainkey.example.net.'),
  'CNAME beyond ASCII': data('CNAME', 'bücher.example.'),
  MX: data('MX', '10 mail.example.net.'),
  'the null MX': data('MX', '0 .'),
  SRV: data('SRV', '0 5 5060 sip.example.net.'),
  'SRV of no service': data('SRV', '0 0 0 .'),
  'CAA bare': data('CAA', '0 issue letsencrypt.org'),
  'CAA quoted': data('CAA', '128 issuewild "ca.example.net; policy=ev"'),
  'TXT bare, with quotes inside': data('TXT', 'say "hello'),
  'TXT in strings': data('TXT', '"a b" "c\\"d" "\\195\\188"'),
  'TXT beyond 255 octets': data('TXT', 'x'.repeat(300)),
  DS: data('DS', `12345 13 2 ${'ab'.repeat(32)}`),
  'DS by mnemonic, with spaces': data('DS', `12345 ECDSAP256SHA256 2 ${'ab'.repeat(16)} ${'AB'.repeat(16)}`),
  'values of A': list('A', ['192.0.2.1', ' 192.0.2.2 ', '192.0.2.1']),
  'one value': list('A', ['192.0.2.1']),
  'values and rdata null': record({ rdata: null, values: ['192.0.2.1'] }),
  'rdata and values null': record({ values: null }),
  'values of another class': record({ class: 'CH', rdata: null, values: ['any', 'thing'] }),
  'values of AAAA': list('aaaa', ['2001:DB8::1', '::ffff:192.0.2.1']),
  'a list of one CNAME': list('CNAME', ['www.example.net']),
  'values of NS': list('NS', ['ns1.example.net.', 'NS2.example.net', 'bücher.example.', '0-1._a.example.']),
  'values of PTR': list('PTR', ['a.example.', 'b']),
  'values of MX': list('MX', ['0 .', '10 mail.example.net.', '65535 a', ' 00020\tb.example ']),
  'values of SRV': list('SRV', ['0 0 0 .', '0 5 65535 sip.example.net.', '10 7 80 99999.example']),
  'values of CAA': list('CAA', ['0 issue letsencrypt.org', '128 issuewild "ca.example.net; policy=ev"']),
  'values of TXT': list('TXT', ['say "hello', '"a b" "c\\"d"', 'x'.repeat(3953), `"${'x'.repeat(255)}" `.repeat(15)]),
  'values of DS': list('DS', [
    `65535 13 2 ${'ab'.repeat(32)}`,
    `1 ECDSAP256SHA256 2 ${'ab'.repeat(16)} ${'AB'.repeat(16)}`,
  ]),
  '400 values': list(
    'A',
    Array.from({ length: 400 }, (_, index) => `192.0.${index >> 8}.${index & 255}`),
  ),
  '400 host names': list(
    'SRV',
    Array.from({ length: 400 }, (_, index) => `0 5 ${index} host-${index}.pool.example.net.`),
  ),
  'neither rdata nor values': {
    spec: { domainName: 'a.', type: 'A' },
    message:
      'spec.rdata: Invalid value: the data is missing; write one value into rdata, several into the list values, or an alias',
  },
  'both null': record({ rdata: null, values: null }, 'the data is missing; write one value into rdata'),
  'rdata and values': record({ values: ['192.0.2.2'] }, 'there is rdata as well; write every value into values'),
  'a list in rdata': record(
    { rdata: ['192.0.2.1', '192.0.2.2'] },
    'spec.rdata in body must be of type string: "array"',
  ),
  'text in values': list('A', '192.0.2.1', 'spec.values in body must be of type array: "string"'),
  'no values': list('A', [], 'spec.values in body should have at least 1 items'),
  '401 values': list('A', Array(401).fill('192.0.2.1'), 'spec.values: Too many: 401: must have at most 400 items'),
  'an empty value': list('A', ['192.0.2.1', ''], 'spec.values[1]'),
  'a number as value': list('A', ['192.0.2.1', 5], 'spec.values[1]'),
  'null as value': list('A', ['192.0.2.1', null], 'spec.values[1]'),
  'a text of 3954 characters among values': list('TXT', ['short', 'x'.repeat(3954)], 'a text of 3953'),
  'a value of 4001 characters': list('TXT', ['x'.repeat(4001)], 'spec.values[0]: Too long'),
  'values of A with IPv6': list('A', ['192.0.2.1', '2001:db8::1'], 'each value of an A record is one IPv4 address'),
  'values of AAAA with IPv4': list('AAAA', ['::1', '192.0.2.1'], 'each value of an AAAA record is one IPv6 address'),
  'two CNAMEs': list('CNAME', ['a.example.', 'b.example.'], 'a CNAME has one value'),
  'one CNAME twice': { ...list('CNAME', ['a.example.', 'A.example'], 'a CNAME has one value'), stricter: true },
  'values of NS with a URL': list(
    'NS',
    ['a.example.', 'https://b.example/'],
    'each value of CNAME, NS and PTR is one host',
  ),
  'values of NS with an empty label': list('NS', ['a.example.', 'b..example.'], 'each value of CNAME, NS and PTR'),
  'values of NS with a long label': list('NS', [`${LABEL_64}.example.`], 'each value of CNAME, NS and PTR'),
  'values of PTR with the root': list('PTR', ['.'], 'each value of CNAME, NS and PTR'),
  'values of NS with an address': list('NS', ['a.example.', '192.0.2.1'], 'an address belongs into a record of type A'),
  'values of NS with an address and a dot': list('NS', ['192.0.2.1.'], 'an address belongs into a record of type A'),
  'values of MX without a preference': list(
    'MX',
    ['10 a.example.', 'b.example.'],
    'each value of an MX record is a preference',
  ),
  'values of MX with three fields': list('MX', ['10 20 b.example.'], 'each value of an MX record is a preference'),
  'values of MX beyond 65535': list('MX', ['65536 a.example.'], 'the numbers of MX and SRV are from 0 to 65535'),
  'values of MX far beyond 65535': list('MX', ['0 .', '70000 a.example.'], 'the numbers of MX and SRV are'),
  'values of MX with six digits': list('MX', ['100000 a.example.'], 'each value of an MX record is a preference'),
  'values of MX with a URL': list('MX', ['10 http://a.example/'], 'each value of MX and SRV ends in a host name'),
  'values of SRV with three fields': list('SRV', ['0 5060 a.example.'], 'each value of an SRV record is priority'),
  'values of SRV beyond 65535': list('SRV', ['0 0 65600 a.example.'], 'the numbers of MX and SRV are from 0 to 65535'),
  'values of SRV far beyond 65535': list('SRV', ['0 66000 1 a.example.'], 'the numbers of MX and SRV are'),
  'values of SRV with an empty label': list(
    'SRV',
    ['0 0 1 a..example.'],
    'each value of MX and SRV ends in a host name',
  ),
  'values of CAA without a value': list('CAA', ['0 issue a', '0 issue'], 'each value of a CAA record is flags'),
  'values of TXT with a quote left open': list('TXT', ['a', '"b'], 'close every quote'),
  'values of SPF with text after the quotes': list('SPF', ['"a" b'], 'may only have quoted strings'),
  'values of DS without a digest': list('DS', ['12345 13 2'], 'each value of a DS record is key tag'),
  'values of DS beyond 65535': list('DS', [`65536 13 2 ${'ab'.repeat(32)}`], 'each value of a DS record is key tag'),
  'an empty rdata': data('A', '', 'spec.rdata'),
  'no type': { spec: { domainName: 'a.', rdata: '192.0.2.1' }, message: 'missing required field "type"' },
  'a type that is none': data('AAAAA', '2001:db8::1', 'this is not a DNS record type; write one such as A'),
  'a class that is none': record({ class: 'INET' }, 'this is not a DNS class; leave it out, or write IN'),
  'a name and a zoneRef': record({ zoneRef: { name: 'z' } }, 'is fully qualified and there is a zoneRef'),
  'a partial name alone': record({ domainName: 'www' }, '"www" is partial and there is no zoneRef: end it in a dot'),
  '@ without a zoneRef': record({ domainName: '@' }, 'is partial and there is no zoneRef'),
  'a zoneRef with a line end in its name': record(
    { domainName: 'www', zoneRef: { name: 'a\u2028b' } },
    'no object can have this name',
  ),
  'a zoneRef with a line end in its namespace': record(
    { domainName: 'www', zoneRef: { name: 'z', namespace: 'a\n' } },
    'no namespace can have this name',
  ),
  '@ beside others': record({ domainName: 'www.@', zoneRef: { name: 'z' } }, '"@" alone is the Zone itself'),
  'a wildcard inside': record({ domainName: 'a.*.example.org.' }, '"*" may only be the whole leftmost label'),
  'a wildcard in a label': record({ domainName: 'a*.example.org.' }, '"*" may only be the whole leftmost label'),
  'two wildcards': record({ domainName: '*.*.example.org.' }, '"*" may only be the whole leftmost label'),
  'a label of 64 characters': record({ domainName: `${LABEL_64}.org.` }, 'has 63 characters at most'),
  'an escape in the name': record({ domainName: 'a\\.b.example.org.' }, BINARY),
  'the DNS root': record({ domainName: '.' }, 'the DNS root'),
  'an empty label in the name': record({ domainName: 'www..example.org.' }, 'write exactly one dot between two labels'),
  'a name of 255 characters': record({ domainName: `a${NAME_254}` }, '255 octets at most'),
  'a ttl beyond 31 bits': record({ ttl: 4294967295 }, 'less than or equal to 2147483647'),
  'A with IPv6': data(
    'A',
    '2001:db8::1',
    'an A record has one IPv4 address, such as 192.0.2.1; for IPv6 use type AAAA',
  ),
  'A with leading zeros': data('A', '192.0.2.01', 'an A record has one IPv4 address'),
  'A with two addresses': data(
    'A',
    '192.0.2.1 192.0.2.2',
    'for several addresses use the list values in place of rdata',
  ),
  'AAAA with IPv4': data('AAAA', '192.0.2.1', 'an AAAA record has one IPv6 address'),
  'AAAA with a zone index': data('AAAA', 'fe80::1%eth0', 'an AAAA record has one IPv6 address'),
  'CNAME to an address': data('CNAME', '192.0.2.1', HOST),
  'CNAME to a URL': data('CNAME', 'https://www.example.net/', HOST),
  'CNAME to two names': data('CNAME', 'a.example. b.example.', HOST),
  'CNAME to the root': data('CNAME', '.', HOST),
  'PTR to an address': data('PTR', '192.0.2.1', HOST),
  'NS with an empty label': data('NS', 'ns..example.net.', HOST),
  'MX without a preference': data('MX', 'mail.example.net.', 'a preference from 0 to 65535 and a host name'),
  'MX beyond 65535': data('MX', '65536 mail.example.net.', 'a preference from 0 to 65535'),
  'SRV with three fields': data('SRV', '0 5060 sip.example.net.', 'has priority, weight, port'),
  'CAA without a value': data('CAA', '0 issue', 'has flags, a tag and a value'),
  'TXT with a quote left open': data('TXT', '"v=spf1 -all', 'close every quote'),
  'TXT with text after the quotes': data('TXT', '"a" b', 'may only have quoted strings'),
  'SPF with a quote left open': data('SPF', '"v=spf1 -all', 'close every quote'),
  'TXT beyond 4000 characters': data('TXT', 'x'.repeat(3954), 'at most 4000 characters of TXT'),
  'strings beyond 4000 characters': data('TXT', `"${'x'.repeat(255)}" `.repeat(16), 'at most 4000 characters of TXT'),
  'DS at the apex': record(
    { domainName: '@', zoneRef: { name: 'z' }, type: 'DS', rdata: `1 13 2 ${'ab'.repeat(32)}` },
    'a DS belongs to the Zone above the one it signs',
  ),
  'DS without a digest': data('DS', '12345 13 2', 'a hexadecimal digest'),
};
