import { describe, expect, test } from 'vitest';
import { alpnProblems, httpsValue, needsQuic } from './https-value.ts';
import { parseRdata } from './rdata.ts';

const MANY = Array.from({ length: 9 }, (_, index) => `192.0.2.${index}`);

describe('httpsValue()', () => {
  test.each<[readonly string[], readonly string[], readonly string[], string]>([
    [['h2'], [], [], '1 . alpn="h2"'],
    [['h2', 'h3'], ['192.0.2.1'], [], '1 . alpn="h2,h3" ipv4hint=192.0.2.1'],
    [['h2'], [], ['2001:db8::1', '2001:db8::2'], '1 . alpn="h2" ipv6hint=2001:db8::1,2001:db8::2'],
    [['http/1.1'], ['192.0.2.1'], ['2001:db8::1'], '1 . alpn="http/1.1" ipv4hint=192.0.2.1 ipv6hint=2001:db8::1'],
    [['h2'], MANY.slice(1), [], `1 . alpn="h2" ipv4hint=${MANY.slice(1).join(',')}`],
    [['h2'], MANY, ['2001:db8::1'], '1 . alpn="h2"'],
  ])('%j, %j, %j', (alpn, ipv4, ipv6, expected) => {
    const value = httpsValue(alpn, ipv4, ipv6);
    expect(value).toBe(expected);
    expect(parseRdata('HTTPS', value)).toMatchObject({ ok: true, rdata: value });
  });
});

describe('alpnProblems()', () => {
  test.each<[readonly string[], readonly string[]]>([
    [['h2', 'h3', 'http/1.1'], []],
    [[], ['expected 1 to 8 protocols, such as h2, got 0']],
    [Array.from({ length: 9 }, (_, index) => `h${index}`), ['expected 1 to 8 protocols, such as h2, got 9']],
    [['h2', 'h2'], ['"h2" is given more than once']],
    [['h 2', 'a,b', '"'], Array(3).fill(expect.stringContaining('is not a protocol'))],
    [['x'.repeat(255)], []],
    [['x'.repeat(256)], [expect.stringContaining('has more than 255 characters')]],
  ])('%j', (alpn, expected) => {
    expect(alpnProblems(alpn)).toEqual(expected);
  });
});

test.each([
  ['h3', true],
  ['h3-29', true],
  ['h2', false],
  ['h32', false],
])('needsQuic() of %s', (id, expected) => {
  expect(needsQuic(id)).toBe(expected);
});
