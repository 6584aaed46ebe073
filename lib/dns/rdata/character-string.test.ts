import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decimalToOctal,
  formatString,
  octalToDecimal,
  splitTokens,
  stringWire,
  tokenOctets,
} from './character-string.ts';

test.each<[string, readonly string[] | null]>([
  ['', []],
  [' a  b\t"c d" ', ['a', 'b', '"c d"']],
  ['a="b c" d', ['a="b c"', 'd']],
  ['"a""b"c', ['"a"', '"b"', 'c']],
  ['a\\ b', ['a\\ b']],
  ['"a\\"b"', ['"a\\"b"']],
  ['"a', null],
  ['a"b', null],
])('splitTokens() of %j', (text, tokens) => {
  expect(splitTokens(text, [])).toEqual(tokens);
});

test('every string of octets has a form that means it, in decimal and in octal', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (octets) => {
      const text = formatString(octets);
      expect(text).toMatch(/^"[ -~]*"$/);
      expect(splitTokens(text, [])).toEqual([text]);
      expect(Buffer.from(tokenOctets(text, 'text', []) ?? [])).toEqual(Buffer.from(octets));
      expect(octalToDecimal(decimalToOctal(text))).toBe(text);
    }),
  );
});

test.each<[string, string | null]>([
  ['"\\303\\251"', '"\\195\\169"'],
  ['"\\\\101"', '"\\\\101"'],
  ['"\\"101"', '"\\"101"'],
  ['"\\400"', null],
  ['"\\08"', null],
  ['"\\1"', null],
])('octalToDecimal(%s) is %s', (octal, decimal) => {
  expect(octalToDecimal(octal)).toBe(decimal);
});

test('stringWire() throws for more than 255 octets', () => {
  expect(stringWire(Buffer.alloc(255))).toHaveLength(256);
  expect(() => stringWire(Buffer.alloc(256))).toThrow('a character string of 256 octets');
});
