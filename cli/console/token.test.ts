import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/test-folder.ts';
import { cookieOf, randomToken, readToken, sameSecret } from './token.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';

test('readToken() takes one line, and white space around it does not count', () => {
  const file = join(testFolder(), 'token');
  for (const text of [TOKEN, `${TOKEN}\n`, `\r\n \t${TOKEN} \r\n\n`]) {
    writeFileSync(file, text);
    expect(readToken(file)).toBe(TOKEN);
  }
});

test.each([
  ['', /is empty/],
  [' \n\n', /is empty/],
  [`${TOKEN}\n${TOKEN}\n`, /must have one line/],
  [`${TOKEN} x`, /must have one line/],
  [`${TOKEN}\u00e9`, /must have one line/],
  ['0123456789abcdef01234', /has 21 characters: it needs 22 or more, 128 bits/],
  [`${'a'.repeat(4_097)}`, /at most 4096/],
])('readToken() refuses %j', (text, message) => {
  const file = join(testFolder(), 'token');
  writeFileSync(file, text);
  expect(() => readToken(file)).toThrow(message);
});

test('readToken() says that there is no such file', () => {
  expect(() => readToken(join(testFolder(), 'none'))).toThrow(/there is no such file/);
});

test('randomToken() has 256 bits, and never the same', () => {
  expect(Buffer.from(randomToken(), 'base64url')).toHaveLength(32);
  expect(new Set(Array.from({ length: 100 }, randomToken)).size).toBe(100);
});

test('cookieOf() depends on the token and does not tell it', () => {
  expect(cookieOf(TOKEN)).toBe(cookieOf(TOKEN));
  expect(cookieOf(TOKEN)).not.toContain(TOKEN);
  expect(cookieOf(`${TOKEN}x`)).not.toBe(cookieOf(TOKEN));
});

test.each([
  ['a', 'a', true],
  ['a', 'b', false],
  ['a', 'aa', false],
  ['', '', true],
])('sameSecret(%j, %j) is %s', (a, b, same) => {
  expect(sameSecret(a, b)).toBe(same);
});
