import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyOctetName } from '../../test/support/dns-arbitraries.ts';
import { formatRoute53Name, formatRoute53Rdata, parseRoute53Name, parseRoute53Rdata } from './escapes.ts';

describe("Route 53's form of a name", () => {
  test.each<[string, string]>([
    ['*.example.org.', '\\052.example.org.'],
    ['0/25.2.0.192.in-addr.arpa.', '0\\05725.2.0.192.in-addr.arpa.'],
    ['_a-b.example.org.', '_a-b.example.org.'],
    ['a\\100b.example.org.', 'a\\100b.example.org.'],
  ])('of %s', (name, text) => {
    expect(formatRoute53Name(name)).toBe(text);
    expect(parseRoute53Name(text)).toBe(name);
  });

  test.each<[string, string]>([
    ['*.Example.ORG', '*.example.org.'],
    ['a/b.', 'a/b.'],
    ['a@b.', 'a\\100b.'],
    ['\\101.', 'a.'],
    ['a\\056b.c.', 'a\\056b.c.'],
    ['a\\.b.c.', 'a\\056b.c.'],
    ['é.', '\\303\\251.'],
  ])('%s is read as %s', (text, name) => {
    expect(parseRoute53Name(text)).toBe(name);
  });

  test('is the same after a round trip, whatever the octets', () => {
    fc.assert(
      fc.property(anyOctetName(), (name) => {
        expect(parseRoute53Name(formatRoute53Name(name))).toBe(name);
        expect(parseRoute53Name(name)).toBe(name);
        expect(formatRoute53Name(name)).toMatch(/^(?:[a-z0-9._-]|\\[0-7]{3})+$/);
      }),
    );
  });
});

describe("Route 53's form of rdata", () => {
  test.each<[string, string, string]>([
    ['TXT', '"a\\195\\169" "\\"\\\\ \\127"', '"a\\303\\251" "\\"\\\\ \\177"'],
    ['TXT', '"\\\\195"', '"\\\\195"'],
    ['SPF', '"\\009"', '"\\011"'],
    ['CAA', '0 issue "\\255"', '0 issue "\\377"'],
    ['NAPTR', '1 1 "u" "\\001" "!(.*)!\\\\1!" .', '1 1 "u" "\\001" "!(.*)!\\\\1!" .'],
    ['HTTPS', '1 . alpn="\\195\\188"', '1 . alpn="\\303\\274"'],
    ['MX', '10 mail.example.org.', '10 mail.example.org.'],
    ['CNAME', '1.0/25.2.0.192.in-addr.arpa.', '1.0/25.2.0.192.in-addr.arpa.'],
  ])('of %s %s', (type, canonical, value) => {
    expect(formatRoute53Rdata(type, canonical)).toBe(value);
    expect(parseRoute53Rdata(type, value)).toBe(canonical);
  });

  test.each<[string, string, string]>([
    ['CNAME', 'Mail.Example.org', 'mail.example.org.'],
    ['CNAME', '1.0\\05725.2.0.192.in-addr.arpa', '1.0/25.2.0.192.in-addr.arpa.'],
    ['AAAA', '2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['TXT', '"\\141"', '"a"'],
    ['TXT', '"\\400"', '"\\400"'],
    ['TXT', '"\\18"', '"\\18"'],
    ['TXT', '"open', '"open'],
    ['MX', 'nonsense', 'nonsense'],
    ['CNAME', '\\052.example.org.', '\\052.example.org.'],
    ['CAA', '0 issue ca.example', '0 issue "ca.example"'],
  ])('%s %s is read as %s', (type, value, canonical) => {
    expect(parseRoute53Rdata(type, value)).toBe(canonical);
  });
});
