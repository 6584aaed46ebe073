import { describe, expect, test } from 'vitest';
import { decryptText } from '../adapters/external-dns/decrypt-text.ts';
import { type RecordSet, recordSetId } from '../dns/record-set.ts';
import { type ExternalDnsRegistry, isOwnershipText, ownershipOf, textsToDelete } from './ownership.ts';
import { readStatement } from './ownership-text.ts';

const REGISTRY: ExternalDnsRegistry = {
  ownerId: 'prod',
  txtPrefix: '',
  txtSuffix: '',
  wildcardReplacement: '',
  decrypt: null,
  deleteUnwanted: false,
};
/** Made with Go's own AES-GCM and gzip, with the key below. */
const ENCRYPTED =
  'YWJjZGVmZ2hpamtsgBZ1FhloCmaNgGKrmlL0pRV2zr3Kr3pux58a01Hzrk8h2fX+9O5fpeh32KQMpmyVx+fy1A8GI2Iif8UA9JlPhvtkGOrRJAbTBfneVuxVKHinO6WL8zbU1tEvENEvv04fLPtkMYfd6GQBEDM=';
const decrypt = decryptText(Buffer.from('12345678901234567890123456789012'));

const values = (...all: string[]) => ({ kind: 'values' as const, ttlSeconds: 300, values: all });
function set(
  name: string,
  type: string,
  content: RecordSet['content'],
  setIdentifier: string | null = null,
): RecordSet {
  return { name, type, setIdentifier, content };
}
const text = (name: string, owner: string, setIdentifier: string | null = null) =>
  set(
    name,
    'TXT',
    values(`"heritage=external-dns,external-dns/owner=${owner},external-dns/resource=ingress/t/w"`),
    setIdentifier,
  );
const A = set('foo.e.', 'A', values('192.0.2.1'));
const standing = (...sets: RecordSet[]) => new Map(sets.map((one) => [recordSetId(one), one]));
const judge = (recordSet: RecordSet, sets: RecordSet[], registries = [REGISTRY]) => {
  const found = ownershipOf(registries, recordSet, standing(recordSet, ...sets));
  return found.kind === 'external-dns' ? found.texts.map(({ name }) => name) : found;
};

describe('readStatement()', () => {
  const read = (content: RecordSet['content'], keys = [decrypt]) => readStatement(content, keys);
  test.each([
    [
      'what external-dns writes',
      '"heritage=external-dns,external-dns/owner=prod,external-dns/resource=crd/t/w"',
      'prod',
    ],
    ['without a resource', '"heritage=external-dns,external-dns/owner=prod"', 'prod'],
    ['in two character strings', '"heritage=external-dns," "external-dns/owner=prod"', 'prod'],
    ['with quotes inside', '"\\"heritage=external-dns,external-dns/owner=prod\\""', 'prod'],
    ['encrypted', `"${ENCRYPTED}"`, 'prod'],
  ])('reads the owner %s', (_, value, owner) => {
    expect(read(values(value))).toMatchObject({ kind: 'owner', owner });
  });

  test.each([
    ['another heritage', '"heritage=mate,external-dns/owner=prod"'],
    ['text of another program', '"v=spf1 -all"'],
    ['a heritage misspelt', '"heritage=external-dn,external-dns/owner=prod"'],
    ['nothing', '""'],
  ])('takes %s for a TXT record without an owner', (_, value) => {
    expect(read(values(value))).toEqual({ kind: 'none' });
  });

  test.each([
    ['no owner', '"heritage=external-dns,external-dns/resource=crd/t/w"', /no owner/],
    ['an empty owner', '"heritage=external-dns,external-dns/owner="', /no owner/],
    ['an encryption with another key', `"${ENCRYPTED.replace('YW', 'YX')}"`, /the key does not fit/],
  ])('cannot read %s', (_, value, problem) => {
    expect(read(values(value))).toEqual({ kind: 'unreadable', problem: expect.stringMatching(problem) });
  });

  test('says that there is no key, and that there are several values', () => {
    expect(read(values(`"${ENCRYPTED}"`), [])).toMatchObject({ problem: expect.stringContaining('aesKeySecret') });
    expect(read(values('"heritage=external-dns,external-dns/owner=prod"', '"theirs"'))).toMatchObject({
      problem: expect.stringContaining('2 values'),
    });
  });
});

describe('ownershipOf()', () => {
  test('is owned by external-dns by the new format, the old one, or both', () => {
    expect(judge(A, [text('a-foo.e.', 'prod')])).toEqual(['a-foo.e.']);
    expect(judge(A, [text('foo.e.', 'prod')])).toEqual(['foo.e.']);
    expect(judge(A, [text('a-foo.e.', 'prod'), text('foo.e.', 'prod')])).toEqual(['a-foo.e.', 'foo.e.']);
  });

  test('is foreign if either format names another owner', () => {
    expect(judge(A, [text('a-foo.e.', 'other')])).toMatchObject({ kind: 'other', owner: 'other' });
    expect(judge(A, [text('a-foo.e.', 'prod'), text('foo.e.', 'other')])).toMatchObject({
      kind: 'other',
      message: expect.stringContaining('"prod" (TXT a-foo.e.) and "other" (TXT foo.e.)'),
    });
  });

  test('is foreign if a TXT record cannot be read, or if there is none', () => {
    const damaged = set('foo.e.', 'TXT', values('"heritage=external-dns"'));
    expect(judge(A, [text('a-foo.e.', 'prod'), damaged])).toMatchObject({
      kind: 'other',
      message: 'TXT foo.e. speaks for it and cannot be read: it has the heritage of external-dns and no owner.',
    });
    expect(judge(A, [])).toEqual({ kind: 'none' });
    expect(judge(A, [set('foo.e.', 'TXT', values('"v=spf1 -all"'))])).toEqual({ kind: 'none' });
    expect(judge(A, [text('a-bar.e.', 'prod'), text('aaaa-foo.e.', 'prod')])).toEqual({ kind: 'none' });
  });

  test('recognises an alias of type A by the name of either version', () => {
    const alias = { hostedZoneId: 'Z2', dnsName: 'lb.elb.amazonaws.com.', evaluateTargetHealth: true };
    const aliasA = set('foo.e.', 'A', { kind: 'alias', alias });
    expect(judge(aliasA, [text('cname-foo.e.', 'prod')])).toEqual(['cname-foo.e.']);
    expect(judge(aliasA, [text('a-foo.e.', 'prod'), text('cname-foo.e.', 'prod')])).toHaveLength(2);
    expect(judge(A, [text('cname-foo.e.', 'prod')])).toEqual({ kind: 'none' });
  });

  test('compares the set identifier', () => {
    const eu = { ...A, setIdentifier: 'eu' };
    expect(judge(eu, [text('a-foo.e.', 'prod', 'eu'), text('a-foo.e.', 'other', 'us')])).toEqual(['a-foo.e.']);
    expect(judge(eu, [text('a-foo.e.', 'prod')])).toEqual({ kind: 'none' });
  });

  test('applies the settings of each owner to its own records', () => {
    const other = { ...REGISTRY, ownerId: 'other', txtPrefix: 'txt.' };
    const both = [REGISTRY, other];
    expect(judge(A, [text('txt.a-foo.e.', 'other')], both)).toEqual(['txt.a-foo.e.']);
    expect(judge(A, [text('txt.a-foo.e.', 'prod')], both)).toMatchObject({ kind: 'other' });
  });
});

test('textsToDelete() keeps a TXT record that also owns a record set that stays, and gives any other once', () => {
  const old = text('foo.e.', 'prod');
  const [a, mx] = [A, { ...A, type: 'MX' }];
  const takenA = { recordSet: a, texts: [text('a-foo.e.', 'prod'), old] };
  const takenMx = { recordSet: mx, texts: [old] };
  const namesOf = (...all: Parameters<typeof textsToDelete>) =>
    [...textsToDelete(...all).values()].flatMap((sets) => sets.map(({ name }) => name)).sort();
  expect(namesOf([takenA], [takenMx])).toEqual(['a-foo.e.']);
  expect(namesOf([takenA, takenMx], [])).toEqual(['a-foo.e.', 'foo.e.']);
  expect(textsToDelete([takenA, takenMx], []).get(recordSetId(mx))).toEqual([old]);
});

test('isOwnershipText() is true of TXT records that name an owner', () => {
  expect(isOwnershipText([REGISTRY], text('a-foo.e.', 'whoever'))).toBe(true);
  expect(isOwnershipText([REGISTRY], set('foo.e.', 'TXT', values('"x"')))).toBe(false);
});
