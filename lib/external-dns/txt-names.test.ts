import { describe, expect, test } from 'vitest';
import { isTextFor, ownershipNames, subjectOfText, type TxtAffixes } from './txt-names.ts';

const PLAIN: TxtAffixes = { txtPrefix: '', txtSuffix: '', wildcardReplacement: '' };
const of = (name: string, type: string, isAlias = false) => ({ name, type, isAlias });

describe('ownershipNames()', () => {
  test.each<[string, Partial<TxtAffixes>, ReturnType<typeof of>, string[]]>([
    ['no affix', {}, of('foo.e.', 'A'), ['a-foo.e.', 'foo.e.']],
    ...['AAAA', 'MX', 'NS', 'SRV', 'PTR', 'NAPTR', 'TXT'].map(
      (type): [string, Partial<TxtAffixes>, ReturnType<typeof of>, string[]] => [
        `${type}, for which the old format does not speak`,
        {},
        of('foo.e.', type),
        [`${type.toLowerCase()}-foo.e.`],
      ],
    ),
    ['CAA, of which external-dns knows nothing', {}, of('foo.e.', 'CAA'), []],
    ['an alias of type A', {}, of('foo.e.', 'A', true), ['a-foo.e.', 'cname-foo.e.', 'foo.e.']],
    ['an alias of type AAAA', {}, of('foo.e.', 'AAAA', true), ['aaaa-foo.e.']],
    ['a prefix', { txtPrefix: 'txt.' }, of('foo.e.', 'CNAME'), ['txt.cname-foo.e.', 'txt.foo.e.']],
    ['a prefix in capitals', { txtPrefix: 'TXT-' }, of('foo.e.', 'CNAME'), ['txt-cname-foo.e.', 'txt-foo.e.']],
    ['a suffix', { txtSuffix: '-txt' }, of('foo.e.', 'A'), ['a-foo-txt.e.', 'foo-txt.e.']],
    ['a suffix with a dot', { txtSuffix: '.txt' }, of('foo.e.', 'A'), ['a-foo.txt.e.', 'foo.txt.e.']],
    [
      'a template in the prefix, at the apex',
      { txtPrefix: '%{record_type}-abc-.' },
      of('ex.com.', 'CNAME'),
      ['cname-abc-.ex.com.', '-abc-.ex.com.'],
    ],
    ['a template in the suffix', { txtSuffix: '-%{record_type}' }, of('foo.e.', 'A'), ['foo-a.e.', 'foo-.e.']],
    ['a wildcard', {}, of('*.e.', 'A'), ['a-*.e.', '*.e.']],
    ['a wildcard that is replaced', { wildcardReplacement: 'Any' }, of('*.e.', 'A'), ['a-any.e.', 'any.e.']],
    ['a name that looks like one of the new format', {}, of('a-foo.e.', 'A'), ['a-a-foo.e.']],
    ['a template that leaves an empty label', { txtPrefix: '%{record_type}.' }, of('foo.e.', 'A'), ['a.foo.e.']],
    ['a template and more', { txtPrefix: '%{record_type}.own.' }, of('foo.e.', 'CNAME'), ['cname.own.foo.e.']],
    ['a label that becomes too long', {}, of(`${'x'.repeat(62)}.e.`, 'A'), [`${'x'.repeat(62)}.e.`]],
    ['the longest label', {}, of(`${'x'.repeat(61)}.e.`, 'AAAA', true), []],
    ['the longest label that fits', {}, of(`${'x'.repeat(58)}.e.`, 'AAAA'), [`aaaa-${'x'.repeat(58)}.e.`]],
    [
      'an escape, which is one octet',
      {},
      of(`\\100${'x'.repeat(60)}.e.`, 'A'),
      [`a-\\100${'x'.repeat(60)}.e.`, `\\100${'x'.repeat(60)}.e.`],
    ],
    ['a name that becomes too long', {}, of('x.'.repeat(127), 'A'), ['x.'.repeat(127)]],
  ])('knows %s', (_, affixes, subject, names) => {
    expect(ownershipNames({ ...PLAIN, ...affixes }, subject)).toEqual(names);
  });
});

describe('subjectOfText()', () => {
  test.each<[string, Partial<TxtAffixes>, string, string, string | null]>([
    ['the new format', {}, 'aaaa-foo.e.', 'foo.e.', 'AAAA'],
    ['the old format', {}, 'foo.e.', 'foo.e.', null],
    ['a word in front that is not a type', {}, 'web-foo.e.', 'web-foo.e.', null],
    ['a prefix', { txtPrefix: 'txt.' }, 'txt.srv-foo.e.', 'foo.e.', 'SRV'],
    ['a suffix', { txtSuffix: '-txt' }, 'a-foo-txt.e.', 'foo.e.', 'A'],
    ['a suffix of two labels', { txtSuffix: '-x.txt' }, 'a-foo-x.txt.e.', 'foo.e.', 'A'],
    ['a template', { txtPrefix: '%{record_type}.' }, 'ns.foo.e.', 'foo.e.', 'NS'],
    ['a template that was left out', { txtPrefix: 'x%{record_type}.' }, 'x.foo.e.', 'foo.e.', null],
  ])('reads %s', (_, affixes, txtName, name, type) => {
    expect(subjectOfText({ ...PLAIN, ...affixes }, txtName)).toEqual({ name, type });
  });

  test('is null without the prefix, without the suffix, and with both', () => {
    expect(subjectOfText({ ...PLAIN, txtPrefix: 'txt.' }, 'a-foo.e.')).toBe(null);
    expect(subjectOfText({ ...PLAIN, txtSuffix: '-txt' }, 'a-foo.e.')).toBe(null);
    expect(subjectOfText({ ...PLAIN, txtPrefix: 'a', txtSuffix: 'b' }, 'a-foo.e.')).toBe(null);
  });
});

test('isTextFor() accepts one TXT record for a wildcard and for its replaced name', () => {
  const affixes = { ...PLAIN, wildcardReplacement: 'any' };
  expect(isTextFor(affixes, 'a-any.e.', of('*.e.', 'A'))).toBe(true);
  expect(isTextFor(affixes, 'a-any.e.', of('any.e.', 'A'))).toBe(true);
  expect(isTextFor(affixes, 'a-any.e.', of('any.e.', 'AAAA'))).toBe(false);
});
