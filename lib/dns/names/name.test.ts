import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter, anyName } from '../../../test/support/dns-arbitraries.ts';
import {
  compareNames,
  isAtOrBelow,
  isBelow,
  labelsOf,
  nameOctets,
  nameOfReversedKey,
  parentOf,
  parseName,
  parseRelativeName,
  readName,
  reversedKey,
} from './name.ts';

const LABEL_63 = 'x'.repeat(63);
const NAME_255 = `${`${LABEL_63}.`.repeat(3)}${'y'.repeat(61)}.`;

describe('parseName() reads', () => {
  const rows: readonly [text: string, name: string][] = [
    ['example.org.', 'example.org.'],
    ['example.org', 'example.org.'],
    ['WWW.Example.ORG.', 'www.example.org.'],
    ['.', '.'],
    ['_dmarc.-a-.a/b.0.', '_dmarc.-a-.a/b.0.'],
    ['--.__.//', '--.__.//.'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de.'],
    ['München.DE', 'xn--mnchen-3ya.de.'],
    ['straße.de', 'xn--strae-oqa.de.'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah.'],
    ['ｗｗｗ.example', 'www.example.'],
    ['１２.example', '12.example.'],
    ['_ü.example', 'xn--_-eha.example.'],
    ['vi\u1ec7t', 'xn--vit-5kz.'],
    ['vie\u0323\u0302t', 'xn--vit-5kz.'],
    // As keyboards of Windows write it.
    ['vi\u00ea\u0323t', 'xn--vit-5kz.'],
    [`${LABEL_63}.a`, `${LABEL_63}.a.`],
    [NAME_255, NAME_255],
    [NAME_255.slice(0, -1), NAME_255],
  ];
  test.each(rows)('%s', (text, name) => {
    expect(parseName(text)).toEqual({ ok: true, name });
  });
});

describe('parseName() refuses', () => {
  const rows: readonly [text: string, ...details: string[]][] = [
    ['', 'it is empty'],
    ['..', 'label 1 is empty', 'label 2 is empty'],
    ['.example.org.', 'label 1 is empty'],
    ['a..b.', 'label 2 is empty'],
    ['a.b..', 'label 3 is empty'],
    ['a b.c', 'label 1 "a b" has the character " "; a label may only have letters, digits, "-", "_" and "/"'],
    ['a.b$', 'label 2 "b$" has the character "$"; a label may only have letters, digits, "-", "_" and "/"'],
    ['@', 'label 1 "@" has the character "@"; a label may only have letters, digits, "-", "_" and "/"'],
    ['a\\.b', 'label 1 "a\\" has the character "\\"; a label may only have letters, digits, "-", "_" and "/"'],
    ['a\n', 'label 1 "a\\u000a" has the character "\\u000a"; a label may only have letters, digits, "-", "_" and "/"'],
    [
      '!.?',
      'label 1 "!" has the character "!"; a label may only have letters, digits, "-", "_" and "/"',
      'label 2 "?" has the character "?"; a label may only have letters, digits, "-", "_" and "/"',
    ],
    [`${LABEL_63}x.a`, `label 1 "${LABEL_63}x" is 64 octets long, more than 63`],
    [NAME_255.replace('.y', '.yy'), 'it is 256 octets long, more than 255'],
    ['*.a', 'label 1 has a "*", which may only be the leftmost label of a Record'],
    ['a。b', 'label 1 "a。b" has a character that counts as a dot; write "." between labels'],
    ['a．', 'label 1 "a．" has a character that counts as a dot; write "." between labels'],
    ['｡', 'label 1 "｡" has a character that counts as a dot; write "." between labels'],
    ['％41', 'label 1 "％41" is not a valid internationalised label (WHATWG URL, UTS #46)'],
    ['a％2eb', 'label 1 "a％2eb" is not a valid internationalised label (WHATWG URL, UTS #46)'],
    [
      'é%41',
      'label 1 "é%41" has the character "%" and characters outside ASCII; such a label may only have letters, digits, "-" and "_"',
    ],
    [
      'é/x',
      'label 1 "é/x" has the character "/" and characters outside ASCII; such a label may only have letters, digits, "-" and "_"',
    ],
    [
      'é#x',
      'label 1 "é#x" has the character "#" and characters outside ASCII; such a label may only have letters, digits, "-" and "_"',
    ],
    ['！', 'label 1 "！" becomes "!", which has the character "!"'],
    ['／', 'label 1 "／" is not a valid internationalised label (WHATWG URL, UTS #46)'],
    ['＊.a', 'label 1 "＊" becomes "*", which has the character "*"'],
    ['＠', 'label 1 "＠" is not a valid internationalised label (WHATWG URL, UTS #46)'],
    ['xn--ü', 'label 1 "xn--ü" is not a valid internationalised label (WHATWG URL, UTS #46)'],
    ['\u00ad.a', 'label 1 "\\u00ad" is not a valid internationalised label (WHATWG URL, UTS #46)'],
    ['a\ud800', 'label 1 "a\\ud800" is not a valid internationalised label (WHATWG URL, UTS #46)'],
  ];
  test.each(rows)('%s', (text, ...details) => {
    expect(readName(text)).toEqual({ ok: false, problems: details });
  });

  test('an internationalised label that is too long in ASCII', () => {
    const parsed = readName(`${'ü'.repeat(62)}.a`);
    expect(parsed.ok ? [] : parsed.problems[0]).toMatch(/^label 1 .* is \d+ octets long as "xn--.*", more than 63$/);
  });
});

describe('parseName()', () => {
  test('names the action and quotes the value', () => {
    expect(parseName('a..b.')).toEqual({ ok: false, problems: ['Cannot parse name "a..b.": label 2 is empty'] });
  });

  test('never reads one label as several, whatever the characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 6 }), (text) => {
        const parsed = parseName(`${text}.example.`);
        if (!parsed.ok) return;
        expect(labelsOf(parsed.name)).toHaveLength(text.split('.').length + 1);
        expect(parsed.name).toMatch(/^(?:[a-z0-9_/-]{1,63}\.)+$/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('parse of a canonical name is the identity', () => {
    fc.assert(
      fc.property(anyName(true), (name) => {
        expect(parseName(name, { wildcard: true })).toEqual({ ok: true, name });
      }),
    );
  });
});

describe('the wildcard label', () => {
  test.each<[string, string]>([
    ['*.example.org.', '*.example.org.'],
    ['*', '*.'],
  ])('is accepted as the leftmost: %s', (text, name) => {
    expect(parseName(text, { wildcard: true })).toEqual({ ok: true, name });
  });

  test.each<[string, string]>([
    ['a.*.b.', 'label 2 is "*", which may only be the leftmost label'],
    ['*a.b.', 'label 1 has a "*" beside other characters; "*" may only be the whole leftmost label'],
    ['**.b.', 'label 1 has a "*" beside other characters; "*" may only be the whole leftmost label'],
  ])('is refused anywhere else: %s', (text, detail) => {
    expect(readName(text, { wildcard: true })).toEqual({ ok: false, problems: [detail] });
  });
});

describe('parseRelativeName()', () => {
  test.each<[string, string]>([
    ['WWW', 'www'],
    ['a.B', 'a.b'],
    ['ü', 'xn--tda'],
    ['*.a', '*.a'],
  ])('reads %s', (text, name) => {
    expect(parseRelativeName(text, { wildcard: true })).toEqual({ ok: true, name });
  });

  test.each<[string, string]>([
    ['', 'Cannot parse name "": it is empty'],
    ['a.', 'Cannot parse name "a.": label 2 is empty'],
    ['.', 'Cannot parse name ".": label 1 is empty'],
  ])('refuses "%s"', (text, problem) => {
    const parsed = parseRelativeName(text);
    expect(parsed.ok ? [] : parsed.problems).toContain(problem);
  });
});

test('nameOctets() counts the wire form', () => {
  expect(nameOctets('.')).toBe(1);
  expect(nameOctets('a.')).toBe(3);
  expect(nameOctets('a')).toBe(3);
  expect(nameOctets(NAME_255)).toBe(255);
  expect(nameOctets('a\\056b.')).toBe(5);
});

test('labelsOf() and parentOf() split a name', () => {
  expect(labelsOf('a.b.')).toEqual(['a', 'b']);
  expect(labelsOf('.')).toEqual([]);
  expect(parentOf('a.b.')).toBe('b.');
  expect(parentOf('b.')).toBe('.');
  expect(parentOf('.')).toBeNull();
});

describe('isAtOrBelow() and isBelow()', () => {
  test.each<[string, string, boolean, boolean]>([
    ['a.example.', 'example.', true, true],
    ['example.', 'example.', true, false],
    ['notexample.', 'example.', false, false],
    ['a.notexample.', 'example.', false, false],
    ['example.', 'a.example.', false, false],
    ['example.', '.', true, true],
    ['.', '.', true, false],
  ])('%s under %s', (name, ancestor, atOrBelow, below) => {
    expect(isAtOrBelow(name, ancestor)).toBe(atOrBelow);
    expect(isBelow(name, ancestor)).toBe(below);
  });
});

describe('compareNames()', () => {
  test('keeps the order of the example in RFC 4034 §6.1', () => {
    const names = [
      'example.',
      'a.example.',
      'yljkjljk.a.example.',
      'z.a.example.',
      'zabc.a.example.',
      'z.example.',
      '*.z.example.',
      'a.z.example.',
    ];
    expect(names.toReversed().sort(compareNames)).toEqual(names);
  });

  test('is the bytewise order of reversed keys', () => {
    fc.assert(
      fc.property(anyName(true), anyName(true), (a, b) => {
        const keys = Buffer.compare(Buffer.from(reversedKey(a)), Buffer.from(reversedKey(b)));
        expect(Math.sign(compareNames(a, b))).toBe(keys);
        expect(nameOfReversedKey(reversedKey(a))).toBe(a);
      }),
    );
  });

  test('a prefix of reversed keys is a subtree', () => {
    fc.assert(
      fc.property(anyName(true), anyName(false), (a, b) => {
        expect(reversedKey(a).startsWith(reversedKey(b))).toBe(isAtOrBelow(a, b));
      }),
    );
  });

  test('reversedKey() of known names', () => {
    expect(reversedKey('www.example.org.')).toBe('org example www ');
    expect(reversedKey('.')).toBe('');
    expect(nameOfReversedKey('')).toBe('.');
  });
});
