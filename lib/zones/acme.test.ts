import { describe, expect, test } from 'vitest';
import { challengeOf, hostsOf } from './acme.ts';

describe('challengeOf()', () => {
  test.each([
    ['www.example.org.', '_acme-challenge.www.example.org.'],
    ['example.org.', '_acme-challenge.example.org.'],
    ['*.example.org.', '_acme-challenge.example.org.'],
    ['_sip._tcp.example.org.', null],
    ['_acme-challenge.example.org.', null],
    [`${'a.'.repeat(119)}`, `_acme-challenge.${'a.'.repeat(119)}`],
    [`${'a.'.repeat(120)}`, null],
  ])('%s', (host, expected) => {
    expect(challengeOf(host)).toBe(expected);
  });
});

describe('hostsOf()', () => {
  test.each([
    ['_acme-challenge.www.example.org.', ['www.example.org.', '*.www.example.org.']],
    ['www.example.org.', []],
    ['_acme-challenge.', []],
    ['_acme-challenge._tcp.example.org.', []],
    ['_acme-challenge-2.www.example.org.', []],
  ])('%s', (challenge, expected) => {
    expect(hostsOf(challenge)).toEqual(expected);
  });
});
