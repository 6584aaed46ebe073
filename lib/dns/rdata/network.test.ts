import { describe, expect, test } from 'vitest';
import { isInNetwork, type Network, parseNetwork } from './network.ts';

function network(text: string): Network {
  const parsed = parseNetwork(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.network;
}

describe('parseNetwork()', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['192.0.2.1/32', '192.0.2.1/32'],
    ['FD00:0:0::/8', 'fd00::/8'],
    ['::/0', '::/0'],
    ['2001:db8::1/128', '2001:db8::1/128'],
  ])('reads %s', (text, expected) => {
    expect(network(text).text).toBe(expected);
  });

  test.each([
    '',
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0/8',
    '::/129',
    'a/8',
    ' ::/0',
  ])('refuses %j', (text) => {
    expect(parseNetwork(text)).toEqual({ ok: false, problem: 'write a network such as 10.0.0.0/8 or fd00::/8' });
  });

  test.each([
    ['10.1.0.0/8', '"10.1.0.0/8" has bits after its prefix; write 10.0.0.0/8, or a longer prefix'],
    ['fd00::1/64', '"fd00::1/64" has bits after its prefix; write fd00::/64, or a longer prefix'],
  ])('refuses %s, and says what its prefix covers', (text, problem) => {
    expect(parseNetwork(text)).toEqual({ ok: false, problem });
  });
});

describe('isInNetwork()', () => {
  test.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['172.16.0.0/12', '172.31.0.1', true],
    ['172.16.0.0/12', '172.32.0.1', false],
    ['192.0.2.1/32', '192.0.2.1', true],
    ['192.0.2.1/32', '192.0.2.0', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '192.0.2.1', false],
    ['fd00::/8', 'fdff::1', true],
    ['fd00::/8', 'fe00::1', false],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['10.0.0.0/8', '::ffff:10.0.0.1', true],
    ['10.0.0.0/8', '::10.0.0.1', false],
  ])('%s has %s: %s', (text, address, expected) => {
    expect(isInNetwork(network(text), address)).toBe(expected);
  });
});
