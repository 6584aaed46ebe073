import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyName } from '../../../test/support/dns-arbitraries.ts';
import { matchesPattern, parsePattern, parseRootPattern } from './pattern.ts';

const ZONE = 'example.org.';

function matches(text: string, fqdn: string, zone = ZONE): boolean {
  const parsed = parsePattern(text);
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return matchesPattern(parsed.pattern, fqdn, zone);
}

describe('matchesPattern()', () => {
  const rows: readonly [pattern: string, fqdn: string, expected: boolean][] = [
    ['@', 'example.org.', true],
    ['@', 'www.example.org.', false],
    ['www', 'www.example.org.', true],
    ['WWW.@', 'www.example.org.', true],
    ['www', 'example.org.', false],
    ['www', 'www.www.example.org.', false],
    ['*', 'www.example.org.', true],
    ['*', 'a.b.example.org.', true],
    ['*', 'example.org.', false],
    ['*', 'notexample.org.', false],
    ['*', '*.example.org.', true],
    ['*.@', 'a.b.example.org.', true],
    ['*.@', 'example.org.', false],
    ['*.www', 'www.example.org.', false],
    ['*.www', 'a.www.example.org.', true],
    ['*.www', 'b.a.www.example.org.', true],
    ['_acme-challenge.*', '_acme-challenge.www.example.org.', true],
    ['_acme-challenge.*', 'evil.www.example.org.', false],
    ['_acme-challenge.*', '_acme-challenge.a.b.example.org.', false],
    ['_acme-challenge.*', '_acme-challenge.example.org.', false],
    ['a.*.b', 'a.x.b.example.org.', true],
    ['a.*.b', 'a.b.example.org.', false],
    ['a.*.b', 'a.x.y.b.example.org.', false],
    ['*.*', 'a.example.org.', false],
    ['*.*', 'a.b.example.org.', true],
    ['*.*', 'a.b.c.example.org.', true],
    ['dev-*', 'dev-.example.org.', true],
    ['dev-*', 'dev-a.example.org.', true],
    ['dev-*', 'dev-a.b.example.org.', false],
    ['dev-*', 'adev-a.example.org.', false],
    ['dev-*', 'b.dev-a.example.org.', false],
    ['*-dev', 'a-dev.example.org.', true],
    ['*-dev', 'b.a-dev.example.org.', false],
    ['a*a', 'a.example.org.', false],
    ['a*a', 'aa.example.org.', true],
    ['a*b*c', 'aXbc.example.org.'.toLowerCase(), true],
    ['**', 'anything.example.org.', true],
    ['**', 'a.b.example.org.', false],
    ['*****a', 'ba.example.org.', true],
    ['***', 'a.b.example.org.', false],
    ['*a', '*a.example.org.', true],
    ['x*', '*.example.org.', false],
    ['münchen', 'xn--mnchen-3ya.example.org.', true],
    ['*.example.org.', 'www.example.org.', true],
    ['*.example.org.', 'example.org.', false],
    ['www.example.org.', 'www.example.org.', true],
    ['www.example.net.', 'www.example.net.', true],
    ['*.', 'anything.at.all.', true],
    ['*.', '.', false],
    ['.', '.', true],
    ['.', 'a.', false],
  ];
  test.each(rows)('%s on %s: %s', (pattern, fqdn, expected) => {
    expect(matches(pattern, fqdn)).toBe(expected);
  });

  test('a relative pattern never matches beyond its Zone, whatever is appended', () => {
    expect(matches('*', 'www.other.org.')).toBe(false);
    expect(matches('*', 'a.', '.')).toBe(true);
    expect(matches('@', '.', '.')).toBe(true);
  });

  test('agrees with a naive implementation by a regular expression', () => {
    const label = fc.oneof(
      fc.constantFrom('*', 'a', 'b', 'a*', '*b', 'a*b', '**', 'ab'),
      fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 4 }),
    );
    const ending = fc.constantFrom('', '.', '.@');
    const pattern = fc
      .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), ending)
      .map(([labels, end]) => `${labels.join('.')}${end}`);
    const name = fc.array(fc.constantFrom('a', 'b', 'ab', 'aab', '*'), { minLength: 0, maxLength: 4 });
    let matched = 0;
    fc.assert(
      fc.property(
        fc.oneof(pattern, fc.constant('@')),
        name,
        fc.constantFrom('', 'z.', 'a.', 'b.a.'),
        (text, labels, zone) => {
          const fqdn = `${labels.map((one) => `${one}.`).join('')}${zone}`;
          const expected = naiveMatch(text, fqdn, zone);
          if (expected) matched += 1;
          expect(matches(text, fqdn === '' ? '.' : fqdn, zone === '' ? '.' : zone)).toBe(expected);
        },
      ),
      { numRuns: 5_000 },
    );
    expect(matched).toBeGreaterThan(200);
  });

  test('the name itself, as a pattern, matches the name and no other', () => {
    fc.assert(
      fc.property(anyName(false), anyName(false), (a, b) => {
        expect(matches(a, a)).toBe(true);
        expect(matches(a, b)).toBe(a === b);
      }),
    );
  });

  test('takes linear time', () => {
    const started = performance.now();
    for (let times = 0; times < 1_000; times += 1) matches(`${'a*'.repeat(62)}b`, `${'a'.repeat(63)}.example.org.`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

/** The same rule, by a regular expression over the text of the name. The empty name is the root. */
function naiveMatch(pattern: string, fqdn: string, zone: string): boolean {
  let absolute = pattern;
  if (pattern === '@') absolute = zone;
  else if (pattern.endsWith('.@')) absolute = `${pattern.slice(0, -1)}${zone}`;
  else if (!pattern.endsWith('.')) absolute = `${pattern}.${zone}`;
  const source = absolute
    .split('.')
    .slice(0, -1)
    .map((label, index) => {
      if (label === '*') return index === 0 ? '(?:[^.]+\\.)+' : '[^.]+\\.';
      return `${label.replaceAll('*', '[^.]*')}\\.`;
    })
    .join('');
  return new RegExp(`^${source}$`).test(fqdn);
}

describe('parsePattern() refuses', () => {
  test.each<[string, ...string[]]>([
    ['', 'it is empty'],
    ['a..b.', 'label 2 is empty'],
    ['.a', 'label 1 is empty'],
    ['..', 'label 1 is empty', 'label 2 is empty'],
    ['.@', 'label 1 is empty'],
    ['a@', 'label 1 has a "@", which may only be the whole last label'],
    ['@.a', 'label 1 has a "@", which may only be the whole last label'],
    ['@.', 'label 1 has a "@", which has no meaning in an absolute pattern'],
    ['@.@', 'label 1 has a "@", which may only be the whole last label'],
    ['a b', 'label 1 "a b" has the character " "; a label may only have letters, digits, "-", "_" and "/"'],
    ['[a-z]', 'label 1 "[a-z]" has the character "["; a label may only have letters, digits, "-", "_" and "/"'],
    [
      'ü*',
      'label 1 "ü*" has the character "ü" beside a "*"; such a label may only have letters, digits, "-", "_", "/" and "*"',
    ],
    [
      'a?*',
      'label 1 "a?*" has the character "?" beside a "*"; such a label may only have letters, digits, "-", "_", "/" and "*"',
    ],
    [`${'x'.repeat(64)}`, `label 1 "${'x'.repeat(64)}" is 64 octets long, more than 63`],
    [`*${'x'.repeat(64)}`, `label 1 "*${'x'.repeat(64)}" is 64 octets long without "*", more than 63`],
    [
      'a$.b$',
      'label 1 "a$" has the character "$"; a label may only have letters, digits, "-", "_" and "/"',
      'label 2 "b$" has the character "$"; a label may only have letters, digits, "-", "_" and "/"',
    ],
  ])('"%s"', (text, ...details) => {
    const problems = details.map((detail) => `Cannot parse pattern "${text}": ${detail}`);
    expect(parsePattern(text)).toEqual({ ok: false, problems });
  });

  test('a pattern that is too long for any name', () => {
    const parsed = parsePattern(`${'abc.'.repeat(70)}`);
    expect(parsed.ok ? '' : parsed.problems[0]).toContain(
      'it is 281 octets long, more than 255, so no name can match it',
    );
  });
});

describe('parseRootPattern()', () => {
  test.each<[string, string, boolean]>([
    ['example.org', 'example.org.', true],
    ['example.org.', 'example.org.', true],
    ['example.org', 'www.example.org.', false],
    ['*.example.org', 'a.www.example.org.', true],
    ['*', 'example.org.', true],
  ])('%s on %s: %s', (text, fqdn, expected) => {
    const parsed = parseRootPattern(text);
    expect(parsed.ok && matchesPattern(parsed.pattern, fqdn, '.')).toBe(expected);
  });

  test.each(['', '@', 'a..b', 'www.@', '..'])('refuses "%s"', (text) => {
    expect(parseRootPattern(text).ok).toBe(false);
  });
});
