import { describe, expect, it } from 'vitest';
import { checkValue, RECORD_TYPES } from './check-value.ts';

const HEX_20 = 'ab'.repeat(20);
const HEX_32 = 'ab'.repeat(32);
const HEX_48 = 'ab'.repeat(48);
const HEX_64 = 'ab'.repeat(64);
const SOA = 'ns1.example.com. noc.example.com.';

const ACCEPTED: Record<string, readonly string[]> = {
  A: ['192.0.2.1', '0.0.0.0', '255.255.255.255'],
  AAAA: ['2001:db8::1', '2001:0DB8:0:0:0:0:0:1', '::', '::1', '::ffff:192.0.2.1'],
  CAA: ['0 issue "ca.example.net"', '0 issue ";"', '128 iodef "mailto:a@example.com"', '255 issuewild ""'],
  CNAME: ['host.example.com.', 'host.example.com', '_a_b.example.com', '\\052.example.com'],
  DS: [`1 5 1 ${HEX_20}`, `65535 13 2 ${HEX_32.toUpperCase()}`, `1 13 4 ${HEX_48}`, '123 4 5 1234567890abcdef'],
  HTTPS: ['1 .', '1 . alpn="h3,h2"', '1 . alpn=h2 no-default-alpn port=443', '16 svc.example.net. ech=AEj+DQ=='],
  MX: ['10 mail.example.com.', '0 .', '65535 mail'],
  NAPTR: [
    '100 50 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .',
    '10 10 "s" "SIP+D2U" "" _sip._udp.example.com.',
    '10 10 "" "" "!a\\\\b!c!" .',
  ],
  NS: ['ns1.example.net.'],
  PTR: ['host.example.net', '1-2.example.net.'],
  SOA: [`${SOA} 1 7200 900 1209600 86400`, `${SOA} 4294967295 0 0 0 0`],
  SPF: ['"v=spf1 -all"'],
  SRV: ['10 5 443 host.example.net.', '0 0 0 .', '65535 65535 65535 a'],
  SSHFP: [`4 1 ${HEX_20}`, `4 2 ${HEX_32}`],
  SVCB: ['0 target.example.net.', '1 svc. mandatory=port,alpn port=8080 alpn=h2', '1 . key667=hello', '1 . key667'],
  TLSA: [`3 1 1 ${HEX_32}`, `3 1 2 ${HEX_64}`, '0 0 0 abcd'],
  TXT: [
    '""',
    '"a"',
    '"a" "b"',
    '"a"   "b"',
    '"\\000\\377"',
    '"\\"\\\\"',
    `"${'x'.repeat(255)}"`,
    `"${'\\303'.repeat(255)}"`,
    '"a;b,c=d"',
  ],
};

const REFUSED: Record<string, readonly string[]> = {
  A: ['', '192.0.2', '192.0.2.256', '192.0.2.01', ' 192.0.2.1', '192.0.2.1 192.0.2.2', '2001:db8::1', 'a'],
  AAAA: ['192.0.2.1', '2001:db8:::1', '2001:db8::g', 'fe80::1%eth0', '1:2:3:4:5:6:7:8:9'],
  CAA: ['0 issue ca.example.net', '256 issue "a"', '0 is-sue "a"', '0 issue', '0 issue "a" "b"', '0 issue "a'],
  CNAME: ['.', 'a b', 'a..b', `${'a'.repeat(64)}.com`, 'café.example', 'a.example. b.example.'],
  DS: [`65536 5 1 ${HEX_20}`, `1 256 1 ${HEX_20}`, `1 5 1 ${HEX_32}`, '1 5 9 abc', '1 5 9', '1 5 9 xy'],
  HTTPS: [
    '1',
    '65536 .',
    'x .',
    '0 . port=1',
    '1 . port',
    '1 . port=65536',
    '1 . alpn=h2 alpn=h3',
    '1 . alpn=',
    '1 . no-default-alpn',
    '1 . alpn=h2 no-default-alpn=x',
    '1 . ipv4hint=2001:db8::1',
    '1 . ipv6hint=192.0.2.1',
    '1 . mandatory=port',
    '1 . mandatory=mandatory',
    '1 . mandatory=port,port port=1',
    '1 . unknown=1',
    '1 . key65535=a',
    '1 . key07=a',
    '1 . alpn="h2',
    '1 . ech=*',
  ],
  MX: ['mail.example.com.', '10', '-1 mail.', '65536 mail.', '10 mail. x', 'x mail.', '10 a..b'],
  NAPTR: [
    '100 50 u E2U+sip . .',
    '100 50 "u" "E2U+sip" "" .',
    '100 50 "u" "E2U+sip" "!a!b!" host.',
    '100 50 "!" "s" "" host.',
    '65536 50 "u" "s" "" host.',
    '100 50 "u" "s" ""',
  ],
  NS: ['.', '', 'a b'],
  PTR: ['.', 'a..b'],
  SOA: [`${SOA} 1 2 3 4`, `${SOA} 1 2 3 4 4294967296`, `${SOA} 1 2 3 4 x`, '. noc. 1 2 3 4 5', `${SOA} 1 2 3 4 5 6`],
  SPF: ['v=spf1 -all'],
  SRV: ['10 5 host.', '65536 5 443 host.', '10 -5 443 host.', '10 5 443'],
  SSHFP: ['4 2 xyz', `4 1 ${HEX_32}`, `256 1 ${HEX_20}`, '4 2'],
  SVCB: ['target.example.net.', '0 . alpn=h2'],
  TLSA: ['3 1 1 abc', `3 1 1 ${HEX_20}`, `256 1 1 ${HEX_32}`, '3 1 1'],
  TXT: [
    '',
    'a',
    '"a',
    'a"',
    '"a" b',
    '"a""b"',
    '"a\\"',
    '"a\\9"',
    '"a\\400"',
    '"a\\n"',
    '"a\tb"',
    '"a\nb"',
    '"café"',
    `"${'x'.repeat(256)}"`,
    `"${'x'.repeat(250)}" `.repeat(16),
  ],
};

describe('checkValue()', () => {
  it('knows the 17 types of Route 53', () => {
    expect(RECORD_TYPES.join(' ')).toBe('A AAAA CAA CNAME DS HTTPS MX NAPTR NS PTR SOA SPF SRV SSHFP SVCB TLSA TXT');
    expect(Object.keys(ACCEPTED)).toEqual(RECORD_TYPES);
    expect(Object.keys(REFUSED)).toEqual(RECORD_TYPES);
  });

  const accepted = Object.entries(ACCEPTED).flatMap(([type, values]) => values.map((value) => [type, value] as const));
  it.each(accepted)('%s accepts %s', (type, value) => {
    expect(checkValue(type, value)).toMatchObject({ ok: true });
  });

  const refused = Object.entries(REFUSED).flatMap(([type, values]) => values.map((value) => [type, value] as const));
  it.each(refused)('%s refuses %j', (type, value) => {
    const result = checkValue(type, value);
    expect(result.ok).toBe(false);
    const problem = result.ok ? '' : result.problem;
    expect(problem.startsWith('Invalid Resource Record: FATAL problem: ')).toBe(true);
    expect(problem.endsWith(` encountered with '${value}'`)).toBe(true);
  });

  it.each([
    ['TXT', 'abc', "InvalidCharacterString (Value should be enclosed in quotation marks) encountered with 'abc'"],
    ['A', 'x', "ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address) encountered with 'x'"],
    ['CNAME', 'a..b', "DomainLabelEmpty (Domain label is empty) encountered with 'a..b'"],
  ])('%s %s is refused in Route 53 words', (type, value, text) => {
    expect(checkValue(type, value)).toEqual({ ok: false, problem: `Invalid Resource Record: FATAL problem: ${text}` });
  });

  it.each([
    ['AAAA', '2001:DB8:0:0::1', '2001:db8::1'],
    ['CNAME', 'HOST.example.com', 'host.example.com.'],
    ['MX', '10  MAIL.', '10 mail.'],
    ['TXT', '"\\141"', '"a"'],
    ['DS', `1 5 1 ${HEX_20.toUpperCase()}`, `1 5 1 ${HEX_20}`],
    ['HTTPS', '1 . port=443 alpn=h2', '1 . alpn="h2" port=443'],
  ])('%s %s and %s are one value', (type, a, b) => {
    const [first, second] = [checkValue(type, a), checkValue(type, b)];
    expect(first).toMatchObject({ ok: true });
    expect(first).toEqual(second);
  });

  it('throws for an unknown type, because that is a mistake of our own code', () => {
    expect(() => checkValue('LOC', 'x')).toThrow('not a type of Route 53');
  });
});
