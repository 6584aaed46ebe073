import { expect, test } from 'vitest';
import { decryptText, parseAesKey } from './decrypt-text.ts';

const KEY = '12345678901234567890123456789012';

test('parseAesKey() takes 32 octets, or their base64', () => {
  expect(parseAesKey(KEY)).toEqual(Buffer.from(KEY));
  expect(parseAesKey(Buffer.from(KEY).toString('base64'))).toEqual(Buffer.from(KEY));
  expect(parseAesKey('short')).toBe(null);
  expect(parseAesKey(Buffer.from('short').toString('base64'))).toBe(null);
});

test.each([
  '',
  'abc',
  'plain text',
  'AAAA',
  `${'A'.repeat(120)}`,
  'YWJjZGVmZ2hpamtsgBZ1FhloCmaNgGKrmlL0pRV2zr3Kr3pux58a01Hzrk8h',
])('decryptText() gives null for %j, which was not encrypted with the key', (text) => {
  expect(decryptText(Buffer.from(KEY))(text)).toBe(null);
});
