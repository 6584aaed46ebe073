import { describe, expect, test } from 'vitest';
import { canonicalRdata, rdataProblems } from '../../../test/support/rdata-problems.ts';

describe.each(['CNAME', 'NS', 'PTR'])('%s', (type) => {
  test.each<[string, string]>([
    ['www.example.org.', 'www.example.org.'],
    ['WWW.Example.org', 'www.example.org.'],
    ['localhost', 'localhost.'],
    ['_acme.x-y.0/25.example', '_acme.x-y.0/25.example.'],
    ['1.0/25.2.0.192.in-addr.arpa', '1.0/25.2.0.192.in-addr.arpa.'],
    ['10.0.0.1.nip.io', '10.0.0.1.nip.io.'],
    ['0x7f.example', '0x7f.example.'],
    ['1e100.net', '1e100.net.'],
    ['münchen.de', 'xn--mnchen-3ya.de.'],
    [' a.b ', 'a.b.'],
  ])('%s is %s', (text, rdata) => {
    expect(canonicalRdata(type, text)).toBe(rdata);
  });

  test.each<[string, string]>([
    ['a b', 'expected "<host>"'],
    ['a..b', 'host "a..b": label 2 is empty'],
    ['*.a', 'host "*.a": label 1 has a "*", which may only be the leftmost label of a Record'],
    [
      'a\\.b',
      'host "a\\.b": label 1 "a\\" has the character "\\"; a label may only have letters, digits, "-", "_" and "/"',
    ],
    ['.', 'host "." is the DNS root, which is not a host'],
    ['10.0.0.1.2', 'host "10.0.0.1.2" is no host name: its last label, "2", is a number (RFC 1123 §2.1)'],
    ['192.0.2', 'host "192.0.2" is no host name: its last label, "2", is a number (RFC 1123 §2.1)'],
    ['0x7f.1', 'host "0x7f.1" is no host name: its last label, "1", is a number (RFC 1123 §2.1)'],
    ['127.0.0.0x1', 'host "127.0.0.0x1" is no host name: its last label, "0x1", is a number (RFC 1123 §2.1)'],
    ['mail.5', 'host "mail.5" is no host name: its last label, "5", is a number (RFC 1123 §2.1)'],
    ['192.0.2.1/32', 'host "192.0.2.1/32" is no host name: it is a network; write one address, such as 192.0.2.1'],
    ['lb.example.net/path', 'host "lb.example.net/path" is no host name: remove "/" and what follows'],
    ['lb.example.net/a.html', 'host "lb.example.net/a.html" is no host name: remove "/" and what follows'],
    ['https://lb.example.net', 'host "https://lb.example.net": it is a URL: write its host alone'],
    ['lb.example.net:443', 'host "lb.example.net:443": remove the port: write lb.example.net'],
    ['[2001:db8::1]:443', 'host "[2001:db8::1]:443": write 2001:db8::1, without brackets and port'],
    ['192.0.2.1', 'host "192.0.2.1" is an address; a host name is required (RFC 1123 §2.1)'],
    ['a\nb', 'it has more than one line'],
    [`${'x'.repeat(64)}.a`, `host "${'x'.repeat(64)}.a": label 1 "${'x'.repeat(64)}" is 64 octets long, more than 63`],
  ])('refuses %j', (text, problem) => {
    expect(rdataProblems(type, text)).toEqual([problem]);
  });
});

describe('MX', () => {
  test.each<[string, string]>([
    ['10 mail', '10 mail.'],
    ['010  Mail.Example.org', '10 mail.example.org.'],
    ['0 .', '0 .'],
    ['65535\tmail.', '65535 mail.'],
  ])('%s is %s', (text, rdata) => {
    expect(canonicalRdata('MX', text)).toBe(rdata);
  });

  test.each<[string, ...string[]]>([
    ['mail', 'expected "<preference> <exchange>"'],
    ['10 mail extra', 'expected "<preference> <exchange>"'],
    ['65536 mail', 'preference "65536" is not a whole number from 0 to 65535'],
    ['-1 mail', 'preference "-1" is not a whole number from 0 to 65535'],
    ['1.5 mail', 'preference "1.5" is not a whole number from 0 to 65535'],
    ['1e3 mail', 'preference "1e3" is not a whole number from 0 to 65535'],
    [
      'mail 10',
      'preference "mail" is not a whole number from 0 to 65535',
      'exchange "10" is no host name: its last label, "10", is a number (RFC 1123 §2.1)',
    ],
    ['x a..b', 'preference "x" is not a whole number from 0 to 65535', 'exchange "a..b": label 2 is empty'],
  ])('refuses %s', (text, ...problems) => {
    expect(rdataProblems('MX', text)).toEqual(problems);
  });
});

describe('SRV', () => {
  test.each<[string, string]>([
    ['0 5 5060 sip', '0 5 5060 sip.'],
    ['0 0 0 .', '0 0 0 .'],
    ['65535 65535 65535 A.B.', '65535 65535 65535 a.b.'],
  ])('%s is %s', (text, rdata) => {
    expect(canonicalRdata('SRV', text)).toBe(rdata);
  });

  test.each<[string, ...string[]]>([
    ['0 5 5060', 'expected "<priority> <weight> <port> <target>"'],
    ['0 5 5060 a b', 'expected "<priority> <weight> <port> <target>"'],
    [
      '65536 x 70000 *',
      'priority "65536" is not a whole number from 0 to 65535',
      'weight "x" is not a whole number from 0 to 65535',
      'port "70000" is not a whole number from 0 to 65535',
      'target "*": label 1 has a "*", which may only be the leftmost label of a Record',
    ],
  ])('refuses %s', (text, ...problems) => {
    expect(rdataProblems('SRV', text)).toEqual(problems);
  });
});
