import { expect, test } from 'vitest';
import { NO_TEXTS, ownText, ownTexts, sharedText, textsOf } from './own-text.ts';

const TEXTS = [
  '',
  'a',
  'short',
  'exactly-13-ch',
  'a text that is long enough to be shared by V8',
  '\ud83d\ude00 and more text behind',
  '__proto__',
];

test('ownText() is the same text', () => {
  expect(TEXTS.map(ownText)).toEqual(TEXTS);
});

test('ownTexts() changes no value and no key, at any depth', () => {
  const long = 'x'.repeat(40);
  const value = { a: long, n: 1, none: null, list: [long, { b: long, yes: true }], [long]: long };
  expect(ownTexts(structuredClone(value))).toEqual(value);
  expect(ownTexts([undefined, null, 1, long])).toEqual([undefined, null, 1, long]);
  expect(ownTexts(null)).toBeNull();
});

test('textsOf() gives one shared mapping to all objects without texts', () => {
  expect(textsOf([])).toBe(NO_TEXTS);
  expect(textsOf([['a', 'b']])).toEqual({ a: 'b' });
  expect(sharedText('default')).toBe('default');
});
