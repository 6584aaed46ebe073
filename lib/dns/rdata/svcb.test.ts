import { describe, expect, test } from 'vitest';
import { canonicalRdata, rdataProblems } from '../../../test/support/rdata-problems.ts';

describe.each(['SVCB', 'HTTPS'])('%s', (type) => {
  const rows: readonly [text: string, rdata: string][] = [
    ['0 Foo.example', '0 foo.example.'],
    ['0 .', '0 .'],
    ['1 .', '1 .'],
    ['1 . alpn=h3,h2', '1 . alpn="h3,h2"'],
    ['16 foo.example. port=53', '16 foo.example. port=53'],
    ['1 foo.example. key667=hello', '1 foo.example. key667="hello"'],
    ['1 foo.example. key667="hello\\210qoo"', '1 foo.example. key667="hello\\210qoo"'],
    ['1 foo.example. key667', '1 foo.example. key667'],
    ['1 foo.example. key667=""', '1 foo.example. key667'],
    ['1 foo.example. ipv6hint="2001:db8::1,2001:DB8::53:1"', '1 foo.example. ipv6hint=2001:db8::1,2001:db8::53:1'],
    ['1 a. ipv6hint="::ffff:198.51.100.100"', '1 a. ipv6hint=::ffff:c633:6464'],
    [
      '16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1',
      '16 foo.example.org. mandatory=alpn,ipv4hint alpn="h2,h3-19" ipv4hint=192.0.2.1',
    ],
    ['16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"', '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"'],
    ['16 foo.example.org. alpn=f\\\\\\092oo\\092,bar,h2', '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"'],
    ['1 . ech=AEn+ port=0443 no-default-alpn alpn=h2', '1 . alpn="h2" no-default-alpn port=443 ech=AEn+'],
    ['1 . key1="\\002h2" key3="\\001\\187" key4="\\192\\000\\002\\001"', '1 . alpn="h2" port=443 ipv4hint=192.0.2.1'],
    ['1 . key65534=x key8', '1 . key8 key65534="x"'],
    ['1 . dohpath=/q{?dns}', '1 . dohpath="/q{?dns}"'],
    ['1 . mandatory=key667 key667=a', '1 . mandatory=key667 key667="a"'],
  ];
  test.each(rows)('%s is %s', (text, rdata) => {
    expect(canonicalRdata(type, text)).toBe(rdata);
  });

  test.each<[string, ...string[]]>([
    ['1', 'expected "<priority> <target> <params>", such as 1 . alpn="h3,h2"'],
    ['x a..b', 'priority "x" is not a whole number from 0 to 65535', 'target "a..b": label 2 is empty'],
    ['0 a. port=1', 'priority 0 makes it an alias, which has no parameters (RFC 9460 §2.4.2)'],
    [
      '1 a. foo=1',
      '"foo" is not a parameter; the parameters are mandatory, alpn, no-default-alpn, port, ipv4hint, ech, ipv6hint, dohpath and key0 to key65534',
    ],
    [
      '1 a. key01=1',
      '"key01" is not a parameter; the parameters are mandatory, alpn, no-default-alpn, port, ipv4hint, ech, ipv6hint, dohpath and key0 to key65534',
    ],
    [
      '1 a. key65535=1',
      '"key65535" is not a parameter; the parameters are mandatory, alpn, no-default-alpn, port, ipv4hint, ech, ipv6hint, dohpath and key0 to key65534',
    ],
    ['1 a. port=1 port=2', 'parameter port is given more than once'],
    ['1 a. port=1 key3="\\000\\001"', 'parameter port is given more than once'],
    ['1 a. port', 'port "" is not a whole number from 0 to 65535'],
    ['1 a. port=65536', 'port "65536" is not a whole number from 0 to 65535'],
    ['1 a. alpn', 'alpn "" has an empty protocol'],
    ['1 a. alpn=h2,,h3', 'alpn "h2,,h3" has an empty protocol'],
    ['1 a. alpn="h\\\\2"', 'alpn "h\\2" has a "\\" before a character other than "," and "\\"'],
    [`1 a. alpn=${'x'.repeat(256)}`, `alpn "${'x'.repeat(97)}..." has a protocol of more than 255 octets`],
    ['1 a. alpn=h2 no-default-alpn=1', 'no-default-alpn "1" must have no value'],
    ['1 a. no-default-alpn', 'parameter no-default-alpn needs the parameter alpn'],
    [
      '1 a. ipv4hint=192.0.2.256,::1',
      'ipv4hint "192.0.2.256,::1" lists "192.0.2.256", which is not an IPv4 address',
      'ipv4hint "192.0.2.256,::1" lists "::1", which is not an IPv4 address',
    ],
    ['1 a. ipv6hint=', 'ipv6hint "" lists "", which is not an IPv6 address'],
    ['1 a. ech=A', 'ech "A" is not base64 with padding (RFC 4648 §4)'],
    ['1 a. ech=', 'ech "" is not base64 with padding (RFC 4648 §4)'],
    ['1 a. mandatory=port', 'parameter mandatory lists "port", which is missing'],
    ['1 a. mandatory=mandatory', 'mandatory "mandatory" lists mandatory itself, which is not allowed'],
    ['1 a. mandatory=port,port port=1', 'mandatory "port,port" lists a key twice or out of order'],
    ['1 a. mandatory=foo', 'mandatory "foo" lists "foo", which is not a parameter'],
    ['1 a. mandatory=', 'mandatory "" lists "", which is not a parameter'],
    ['1 a. dohpath', 'dohpath "" must have a value'],
    ['1 a. key1="\\003h2"', 'key1 "\\u0003h2" is not a list of protocols'],
    ['1 a. key3=a', 'key3 "a" is not a port'],
    ['1 a. key4=abc', 'key4 "abc" is not a list of IPv4 addresses'],
    ['1 a. key6=abc', 'key6 "abc" is not a list of IPv6 addresses'],
    ['1 a. key0=a', 'key0 "a" is not a list of keys'],
    ['1 a. alpn="h2', 'a quote is not closed'],
    ['1 a. alpn="h2"x', 'alpn ""h2"x" has a quote inside it; write \\" for a quote'],
    ['1 a. key9="\\1"', 'key9 has the escape "\\1"; write exactly three digits after "\\", from \\000 to \\255'],
    [
      '1 a. port=x ech=y',
      'port "x" is not a whole number from 0 to 65535',
      'ech "y" is not base64 with padding (RFC 4648 §4)',
    ],
  ])('refuses %s', (text, ...problems) => {
    expect(rdataProblems(type, text)).toEqual(problems);
  });
});
