// The expected octets are written out by hand from the RFCs; those of SVCB are the vectors of RFC 9460 appendix D, with
// octal escapes for decimal ones.
import { describe, expect, test } from 'vitest';
import { encodeRdata } from './rdata-wire.ts';

const EXAMPLE_COM = '076578616d706c6503636f6d00';
const FOO_EXAMPLE_COM = `03666f6f${EXAMPLE_COM}`;
const FOO_EXAMPLE_ORG = '03666f6f076578616d706c65036f726700';
const text = (ascii: string): string => Buffer.from(ascii, 'latin1').toString('hex');

describe('encodeRdata()', () => {
  test.each<[string, string, string]>([
    ['A', '192.0.2.1', 'c0000201'],
    ['AAAA', '2001:DB8::1', '20010db8000000000000000000000001'],
    ['CAA', '0 issue "ca; x=\\"1\\""', `0005${text('issueca; x="1"')}`],
    ['CAA', '128 issue ";"', `8005${text('issue;')}`],
    ['CNAME', 'example.com', EXAMPLE_COM],
    ['DS', '60485 5 1 2BB183AF 5F22588179A53B0A98631FAD1A292118', 'ec4505012bb183af5f22588179a53b0a98631fad1a292118'],
    ['MX', '10 example.com.', `000a${EXAMPLE_COM}`],
    ['MX', '0 .', '000000'],
    ['NAPTR', '100 50 "s" "http" "" example.com.', `00640032${text('\x01s\x04http\x00')}${EXAMPLE_COM}`],
    ['NAPTR', '1 2 "u" "" "!\\\\d!\\"!" .', `00010002${text('\x01u\x00\x06!\\d!"!')}00`],
    ['NS', 'example.com.', EXAMPLE_COM],
    ['PTR', 'foo.example.com.', FOO_EXAMPLE_COM],
    ['SOA', 'example.com. . 1 2 3 4 4294967295', `${EXAMPLE_COM}0000000001000000020000000300000004ffffffff`],
    ['SPF', '"a" "b"', '01610162'],
    ['SRV', '1 2 443 example.com.', `0001000201bb${EXAMPLE_COM}`],
    ['SSHFP', '4 2 00FFab', '040200ffab'],
    ['TLSA', '3 1 0 00 ff', '03010000ff'],
    ['TXT', '"a b" "" "\\303\\251\\"\\\\;"', '036120620005c3a9225c3b'],
    ['TXT', '"a""b"', '01610162'],
    ['SVCB', '0 foo.example.com.', `0000${FOO_EXAMPLE_COM}`],
    ['SVCB', '1 .', '000100'],
    ['HTTPS', '16 foo.example.com. port=53', `0010${FOO_EXAMPLE_COM}000300020035`],
    ['SVCB', '1 foo.example.com. key667=hello', `0001${FOO_EXAMPLE_COM}029b0005${text('hello')}`],
    ['SVCB', '1 foo.example.com. key667="hello\\322qoo"', `0001${FOO_EXAMPLE_COM}029b0009${text('hello\xd2qoo')}`],
    [
      'SVCB',
      '1 foo.example.com. ipv6hint="2001:db8::1,2001:db8::53:1"',
      `0001${FOO_EXAMPLE_COM}0006002020010db800000000000000000000000120010db8000000000000000000530001`,
    ],
    [
      'SVCB',
      '16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1',
      `0010${FOO_EXAMPLE_ORG}0000000400010004000100090268320568332d313900040004c0000201`,
    ],
    [
      'SVCB',
      '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',
      `0010${FOO_EXAMPLE_ORG}0001000c08665c6f6f2c626172026832`,
    ],
    ['SVCB', '1 . no-default-alpn ohttp ech="AAEC"', '000100000200000005000300010200080000'],
    ['SVCB', '1 . dohpath="/q{?dns}"', `00010000070008${text('/q{?dns}')}`],
  ])('of %s %s', (type, value, hex) => {
    expect(encodeRdata(type, value).toString('hex')).toBe(hex);
  });

  test.each<[string, string]>([
    ['A', 'nonsense'],
    ['AAAA', '192.0.2.1'],
    ['MX', 'mail.example.org.'],
    ['MX', '70000 mail.example.org.'],
    ['TXT', '"open'],
    ['TXT', `"${'x'.repeat(256)}"`],
    ['TXT', '"\u0153"'],
    ['SVCB', '1 . nonsense=1'],
    ['CNAME', 'a..b.'],
    ['LOC', '52 N 13 E 10m'],
  ])('refuses %s %s', (type, value) => {
    expect(() => encodeRdata(type, value)).toThrow(/^Cannot encode /);
  });
});
