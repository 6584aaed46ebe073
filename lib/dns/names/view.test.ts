import { expect, test } from 'vitest';
import { ancestorsOf, isAtOrBelow, nameOctets, nameOfReversedKey, readName, reversedKey } from './name.ts';
import { matchesPattern, parsePattern } from './pattern.ts';
import { inView, inViewOf, isViewName, realName, viewOf, withViewsInWords } from './view.ts';

test('inView() marks the names of other views than public, and realName() takes the mark off', () => {
  expect(inView('www.e.', 'public')).toBe('www.e.');
  for (const name of ['www.e.', '*.e.', '0/25.2.0.192.in-addr.arpa.', 'a\\100b.e.', '.']) {
    const marked = inView(name, 'internal');
    expect(viewOf(marked)).toBe('internal');
    expect(realName(marked)).toBe(name);
    expect(viewOf(name)).toBe('public');
    expect(realName(name)).toBe(name);
  }
});

test('names of two views are never above, below or equal to one another', () => {
  const inside = inView('www.e.', 'internal');
  expect(isAtOrBelow(inside, 'e.')).toBe(false);
  expect(isAtOrBelow(inside, inView('e.', 'other'))).toBe(false);
  expect(isAtOrBelow(inside, inView('e.', 'internal'))).toBe(true);
  expect(ancestorsOf(inside)).not.toContain('e.');
  expect(nameOfReversedKey(reversedKey(inside))).toBe(inside);
  expect(reversedKey(inside).startsWith(reversedKey('e.'))).toBe(false);
});

test('nobody can write a name with a mark', () => {
  for (const text of ['www.e.@internal.', 'e.@internal', '@internal.']) expect(readName(text).ok).toBe(false);
});

test('a mark does not count as octets of a name', () => {
  expect(nameOctets(inView('www.e.', 'internal'))).toBe(nameOctets('www.e.'));
});

test('an absolute pattern matches names of the view of its Zone', () => {
  const parsed = parsePattern('*.e.');
  if (!parsed.ok) throw new Error('the pattern is valid');
  expect(matchesPattern(parsed.pattern, inView('www.e.', 'internal'), inView('e.', 'internal'))).toBe(true);
});

test('inViewOf() gives a name the view of another, and keeps one that has a view', () => {
  expect(inViewOf(inView('e.', 'internal'), 'ns.e.')).toBe(inView('ns.e.', 'internal'));
  expect(inViewOf(inView('e.', 'internal'), inView('ns.e.', 'other'))).toBe(inView('ns.e.', 'other'));
  expect(inViewOf('e.', 'ns.e.')).toBe('ns.e.');
});

test('isViewName() takes RFC 1123 labels', () => {
  for (const text of ['internal', 'a', '1-b', 'x'.repeat(63)]) expect(isViewName(text)).toBe(true);
  for (const text of ['', 'Internal', '-a', 'a-', 'a.b', '*', 'x'.repeat(64)]) expect(isViewName(text)).toBe(false);
});

test('withViewsInWords() says the view behind each name, and leaves other texts alone', () => {
  const marked = inView('www.e.', 'internal');
  expect(withViewsInWords(`no live Zone covers ${marked}: declare one (${marked})`)).toBe(
    'no live Zone covers www.e. in view internal: declare one (www.e. in view internal)',
  );
  expect(withViewsInWords(`"a.@b." and ${marked} of "say \\"x.@y.\\""`)).toBe(
    '"a.@b." and www.e. in view internal of "say \\"x.@y.\\""',
  );
  for (const text of ['"@" is the Zone', 'zones: ["*.@"]', 'noc@example.org', 'p.example.@', 'dig @127.0.0.1 -p 5300'])
    expect(withViewsInWords(text)).toBe(text);
});
