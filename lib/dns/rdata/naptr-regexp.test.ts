import { expect, test } from 'vitest';
import { wrongSubstitution } from './naptr-regexp.ts';

test.each([
  '',
  '!^.*$!sip:info@example.com!',
  '!^(\\+441632960083)$!sip:\\1@example.com!',
  '/a\\/b/c\\/d/i',
  '!([])(]+)[^]x](b)!\\1\\2!',
  '![[:digit:]]+!x!',
  '!a{2,3}|b+$!x!',
  '!()a{x})!x!',
  '!\\(!x!',
])('wrongSubstitution() finds nothing wrong with %s', (text) => {
  expect(wrongSubstitution(text)).toBeNull();
});

const delimiters = 'must have its delimiter "!" three times, as in !expression!replacement!';
const brackets = 'has an expression that is not an extended regular expression';
test.each<[string, string]>([
  ['!', delimiters],
  ['!a!b', delimiters],
  ['!a!b!c!', delimiters],
  ['!a\\!b!', delimiters],
  ['iaibi', 'begins with "i", which cannot be a delimiter'],
  ['1a1b1', 'begins with "1", which cannot be a delimiter'],
  ['\\a\\b\\', 'begins with "\\\\", which cannot be a delimiter'],
  ['!a!b!g', 'has the flags "g"; the only flag is "i"'],
  ['!a\0!b!', 'has a zero octet'],
  ['!(a!b!', brackets],
  ['![a!b!', brackets],
  ['!!b!', brackets],
  ['!a|!b!', brackets],
  ['!(|a)!b!', brackets],
  ['!(*a)!b!', brackets],
  ['!a**!b!', brackets],
  ['!^*!b!', brackets],
  ['!a!\\1!', 'refers to group 1, but the number of groups in its expression is 0'],
  ['!(a)[(]\\(!\\2!', 'refers to group 2, but the number of groups in its expression is 1'],
])('wrongSubstitution() of %j', (text, wrong) => {
  expect(wrongSubstitution(text)).toBe(wrong);
});
