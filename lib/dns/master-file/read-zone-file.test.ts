import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeRdata } from '../../../local/dns/rdata-wire.ts';
import { anyName, anyRdata } from '../../../test/support/dns-arbitraries.ts';
import { formatRoute53Rdata } from '../../route53/escapes.ts';
import { buildRecordSet } from '../build-record-set.ts';
import type { ValueEntry } from '../entry.ts';
import { octalEscape } from '../names/name.ts';
import { recordSetId, typesExclude } from '../record-set.ts';
import { ROUTE53_TYPES } from '../record-type.ts';
import { formatZoneText } from '../zone-file.ts';
import { readZoneFile } from './read-zone-file.ts';

const HEAD = ['$ORIGIN e.', '$TTL 1h', '@ SOA ns host 1 2h 3m 4w 5', '@ NS ns'];

/** What these lines behind the SOA give: `name ttl type value` of each value, `line: message` of each problem. */
function read(...lines: readonly string[]) {
  return readText([...HEAD, ...lines].join('\n'));
}

function readText(text: string, origin: string | null = null) {
  const { apex, recordSets, problems } = readZoneFile(Buffer.from(text, 'utf8').toString('latin1'), origin);
  const records = recordSets.flatMap(({ name, type, content }) =>
    content.kind === 'values' ? content.values.map((value) => `${name} ${content.ttlSeconds} ${type} ${value}`) : [],
  );
  const rest = records.filter((record) => !/^e\. \d+ (?:SOA|NS) /.test(record));
  return { apex, records: rest, problems: problems.map(({ line, message }) => `${line}: ${message}`) };
}

describe('readZoneFile() reads', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      'a relative name, and an absolute one',
      ['a A 192.0.2.1', 'b.e. A 192.0.2.2'],
      ['a.e. 3600 A 192.0.2.1', 'b.e. 3600 A 192.0.2.2'],
    ],
    ['"@" as the origin, also in data', ['@ MX 10 @'], ['e. 3600 MX 10 e.']],
    [
      'the owner before for a line that begins with a blank',
      ['a A 192.0.2.1', '\t TXT x'],
      ['a.e. 3600 A 192.0.2.1', 'a.e. 3600 TXT "x"'],
    ],
    [
      'TTL and class in either order',
      ['a 60 IN A 192.0.2.1', 'b in 1m A 192.0.2.1'],
      ['a.e. 60 A 192.0.2.1', 'b.e. 60 A 192.0.2.1'],
    ],
    [
      'the units of BIND',
      ['a 1w2d3h4m5s A 192.0.2.1', 'b 1H30M A 192.0.2.1'],
      ['a.e. 788645 A 192.0.2.1', 'b.e. 5400 A 192.0.2.1'],
    ],
    [
      '$ORIGIN, relative to the one before, and $TTL',
      ['$origin sub ; here', '$TTL 5m', 'a A 192.0.2.1'],
      ['a.sub.e. 300 A 192.0.2.1'],
    ],
    [
      'parentheses, comments and empty lines',
      ['', ' ; x', 'a TXT ( "a;b" ; c', '  d(e)f', ') g'],
      ['a.e. 3600 TXT "a;b" "d" "e" "f" "g"'],
    ],
    [
      'each word of a text as one string',
      ['a TXT one two"three"four "a""b"'],
      ['a.e. 3600 TXT "one" "two" "three" "four" "a" "b"'],
    ],
    [
      'escapes and octets outside ASCII',
      ['a TXT "\\195x\\"y\\\\é\\ö" ü'],
      ['a.e. 3600 TXT "\\195x\\"y\\\\\\195\\169\\195\\182" "\\195\\188"'],
    ],
    [
      'escapes in names that labels may have',
      ['\\095a\\-b A 192.0.2.1', 'c CNAME \\095a'],
      ['_a-b.e. 3600 A 192.0.2.1', 'c.e. 3600 CNAME _a.e.'],
    ],
    ['TYPE1 and CLASS1', ['a CLASS1 TYPE1 192.0.2.1'], ['a.e. 3600 A 192.0.2.1']],
    [
      '\\# with a known and an unknown mnemonic',
      ['a A \\# 4 C0 000201', 'a TYPE28 \\# 16 (20010db8000000000000 000000000001)'],
      ['a.e. 3600 A 192.0.2.1', 'a.e. 3600 AAAA 2001:db8::1'],
    ],
    [
      'a parameter of SVCB with quotes',
      ['a SVCB 1 svc alpn="h2,h3" port=53'],
      ['a.e. 3600 SVCB 1 svc.e. alpn="h2,h3" port=53'],
    ],
    [
      'hexadecimal with blanks',
      ['a SSHFP 1 1 00112233 445566778899aabb', '', 'b SSHFP 1 1 (00112233445566778899', ' aabbccddeeff00112233)'],
      ['b.e. 3600 SSHFP 1 1 00112233445566778899aabbccddeeff00112233'],
    ],
    [
      'values of one record set, with the lowest TTL, each once',
      ['a 9 A 192.0.2.2', 'A 8 A 192.0.2.1', 'a A 192.0.2.2'],
      ['a.e. 8 A 192.0.2.1', 'a.e. 8 A 192.0.2.2'],
    ],
    ['a wildcard', ['*.a A 192.0.2.1'], ['*.a.e. 3600 A 192.0.2.1']],
  ])('%s', (_, lines, records) => {
    expect(read(...lines).records).toEqual(records);
  });

  test('line ends of Windows, and a last line without an end', () => {
    expect(readText([...HEAD, 'a A 192.0.2.1', 'b TXT "x"'].join('\r\n'))).toEqual({
      apex: 'e.',
      records: ['a.e. 3600 A 192.0.2.1', 'b.e. 3600 TXT "x"'],
      problems: [],
    });
  });

  test('the SOA again at the end, as dig prints a transfer', () => {
    expect(read('a A 192.0.2.1', '@ SOA ns host 1 7200 180 2419200 5').problems).toEqual([]);
  });

  test('the units of the timers of an SOA, and a mailbox with a dot in it', () => {
    const { recordSets } = readZoneFile('@ 1 SOA ns a\\.b 1 2h 3m 4w 5', 'e.');
    expect(recordSets[0]?.content).toMatchObject({ values: ['ns.e. a\\.b.e. 1 7200 180 2419200 5'] });
  });
});

describe('readZoneFile() takes the TTL', () => {
  test.each<[string, string, readonly string[]]>([
    ['of $TTL before an earlier one', '@ 7 SOA n h 1 2 3 4 5\n$TTL 6\na A 192.0.2.1', ['a.e. 6 A 192.0.2.1']],
    ['of an earlier record', '@ 7 SOA n h 1 2 3 4 5\na A 192.0.2.1', ['a.e. 7 A 192.0.2.1']],
    [
      'of the SOA’s last number',
      'a A 192.0.2.1\n@ SOA n h 1 2 3 4 5\nb A 192.0.2.1',
      ['a.e. 5 A 192.0.2.1', 'b.e. 5 A 192.0.2.1'],
    ],
  ])('%s', (_, text, records) => {
    expect(readText(text, 'e.')).toEqual({ apex: 'e.', records, problems: [] });
  });

  test('of nothing else: without all of these a record has a problem', () => {
    expect(readText('a A 192.0.2.1\nb 1 A 192.0.2.1', 'e.')).toEqual({
      apex: 'e.',
      records: ['b.e. 1 A 192.0.2.1'],
      problems: ['1: it has no TTL, and there is no $TTL, no TTL before it and no SOA'],
    });
  });
});

describe('readZoneFile() knows the zone', () => {
  test('by the owner of the SOA, whatever the origin is', () => {
    expect(readText('$TTL 1\n@ SOA n h 1 2 3 4 5\nx.org. A 192.0.2.1', 'sub.e.')).toMatchObject({
      apex: 'sub.e.',
      problems: ['3: A x.org. is outside the zone sub.e.'],
    });
  });

  test('by the origin if there is no SOA, also below $ORIGIN', () => {
    expect(readText('$ORIGIN a.e.\nb 1 A 192.0.2.1', 'e.')).toMatchObject({
      apex: 'e.',
      records: ['b.a.e. 1 A 192.0.2.1'],
    });
  });

  test('by nothing else', () => {
    expect(readText('$ORIGIN e.\nb 1 A 192.0.2.1')).toEqual({
      apex: null,
      records: [],
      problems: ['1: the file has no SOA, so nobody knows which zone it is; write --origin'],
    });
  });
});

describe('readZoneFile() says what is wrong with its line, and reads the rest:', () => {
  test.each<[string, readonly string[], readonly (string | RegExp)[]]>([
    ['$INCLUDE', ['$INCLUDE other'], [/^5: "\$INCLUDE" is not supported: put the content/]],
    ['$GENERATE', ['$GENERATE 1-2 a$ A 192.0.2.1'], [/^5: "\$GENERATE" is not supported: write the records/]],
    ['any other directive', ['$FOO bar'], ['5: "$FOO" is not supported: the directives are $ORIGIN and $TTL']],
    [
      'a string over 255 octets',
      [`a TXT "${'x'.repeat(256)}"`],
      ['5: Cannot parse TXT rdata: a string has 256 octets, more than 255'],
    ],
    ['a record outside the zone', ['x.org. A 192.0.2.1'], ['5: A x.org. is outside the zone e.']],
    ['a CNAME beside another type', ['a CNAME b', 'a TXT x'], ['5: CNAME a.e. has TXT beside it, on line 6']],
    [
      'another CNAME',
      ['a CNAME b', 'a CNAME b.e.', 'a CNAME c'],
      ['7: CNAME a.e. is on line 5 with another target, and a name has one'],
    ],
    [
      'another SOA',
      ['@ SOA n h 9 2 3 4 5', 'a SOA n h 1 2 3 4 5'],
      [/^5: SOA e\.: a file has one zone/, /^6: SOA a\.e\.:/],
    ],
    [
      'a type that Route 53 does not have',
      ['a HINFO x y', 'a TYPE13 \\# 0'],
      ['5: Route 53 does not have type HINFO', '6: Route 53 does not have type TYPE13'],
    ],
    [
      'no type',
      ['a FOO x', 'b', 'c 60 IN'],
      [/^5: "FOO" is not a record type/, '6: it has no type', '7: it has no type'],
    ],
    [
      'a class that Route 53 does not have',
      ['a CH TXT x', 'a CLASS4 TXT x'],
      ['5: Route 53 does not have class CH, only IN', '6: Route 53 does not have class CLASS4, only IN'],
    ],
    [
      'DNSSEC, in one line',
      ['a RRSIG x', 'b A x', 'a NSEC y', 'a TYPE48 z'],
      [/^5: .*types of DNSSEC \(DNSKEY, NSEC, RRSIG\), .*: 3 records are left out$/, /^6: /],
    ],
    [
      'a TTL that is none',
      ['a 2147483648 A 192.0.2.1', 'b 1h30 A 192.0.2.1', 'c 1x A 192.0.2.1'],
      [/^5: "2147483648" is not a TTL/, /^6: "1H30" is not a TTL/, /^7: /],
    ],
    [
      'data that is none',
      ['a A', 'b A 192.0.2.300', 'c A 192.0.2.1 x', 'd MX 10'],
      ['5: Cannot parse A rdata: it is missing', /^6: Cannot parse A rdata "192\.0\.2\.300"/, /^7: /, /^8: /],
    ],
    [
      '\\# that does not fit',
      ['a A \\# 3 c0000201', 'b A \\# 5 c000020100', 'c A \\# 4 xx', 'd A \\#'],
      [/^5: .*it has 4 octets, and its length says 3/, /^6: .*no rdata of type A/, /^7: .*expected/, /^8: .*expected/],
    ],
    [
      'a name that no Record has',
      ['a\\.b A 192.0.2.1', 'a\\300 A 192.0.2.1', 'ü A 192.0.2.1', 'a.*.b A 192.0.2.1'],
      [/^5: Cannot parse name "a\\.b"/, /^6: .*bad escape/, /^7: .*write xn--tda$/, /^8: .*leftmost/],
    ],
    ['")" without "("', ['a A 192.0.2.1 )'], ['5: there is a ")" without a "("']],
    [
      'a blank line’s owner that cannot be read',
      ['a..b A 192.0.2.1', '  A 192.0.2.2'],
      [/^5: /, '6: it has no owner of its own, and the one of line 5 cannot be read'],
    ],
    [
      'names below a bad $ORIGIN',
      ['$ORIGIN a..b', 'a A 192.0.2.1', 'b.e. CNAME c'],
      [/^5: Cannot parse name "a\.\.b"/, /^6: .*\(\$ORIGIN on line 5 cannot be read\)/, /^7: .*\(\$ORIGIN on line 5/],
    ],
    [
      'TTLs below a bad $TTL',
      ['$TTL x', 'a A 192.0.2.1'],
      [/^5: "x" is not a TTL/, '6: it has no TTL, and the $TTL of line 5 is not one'],
    ],
    [
      'a directive with too much or too little',
      ['$TTL 1 2', '$ORIGIN'],
      ['5: expected "$TTL <seconds>"', '6: expected "$ORIGIN <name>"'],
    ],
  ])('%s', (_, lines, problems) => {
    const { records, problems: told } = read(...lines, '$ORIGIN e.', 'last.e. 60 A 192.0.2.9');
    expect(told.filter((one) => !one.includes('$ORIGIN on line 6'))).toEqual(
      problems.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))),
    );
    expect(records).toContain('last.e. 60 A 192.0.2.9');
  });

  test('a CNAME beside another type is the one that is not read, and a CNAME at the apex', () => {
    expect(read('a CNAME b', 'a TXT x', '@ CNAME b').records).toEqual(['a.e. 3600 TXT "x"']);
    expect(readText('@ 1 CNAME x.org.', 'e.').problems).toEqual([
      expect.stringMatching(/^1: CNAME e\. is at the apex/),
    ]);
  });

  test('the first line has no owner before it', () => {
    expect(readText(' 1 A 192.0.2.1', 'e.').problems).toEqual([expect.stringMatching(/^1: it has no owner/)]);
  });
});

describe('readZoneFile() reads nothing more', () => {
  test.each([
    [
      'after a quote that stays open',
      ['a TXT "x', 'b A 192.0.2.1', 'c TXT "y"'],
      /^5: a quote is not closed on its line/,
    ],
    ['after a quote that a backslash keeps open', ['a TXT "x\\"', 'b TXT "y"'], /^5: a quote is not closed/],
    [
      'after a parenthesis that stays open',
      ['', 'a A ( 192.0.2.1', 'b A (192.0.2.1)'],
      /^6: a parenthesis is not closed/,
    ],
    ['after a parenthesis below a bad owner', ['a..b A ( 192.0.2.1'], /^5: a parenthesis is not closed/],
  ])('%s', (_, lines, problem) => {
    expect(read('x A 192.0.2.1', ...lines)).toEqual({
      apex: 'e.',
      records: ['x.e. 3600 A 192.0.2.1'],
      problems: [expect.stringMatching(new RegExp(problem.source.replace(/\d/, (digit) => `${Number(digit) + 1}`)))],
    });
  });
});

const SOA_RDATA = 'ns.e. host.e. 1 86400 7200 3600000 360';
const entry = (fqdn: string, ttl: number, type: string, rdata: string): ValueEntry => ({
  fqdn,
  ttl,
  type,
  class: 'IN',
  rdata,
});

/** Entries of a zone `e.`: of each name those of a CNAME alone, or of the other types. */
const anyEntries = fc
  .array(
    fc.tuple(
      anyName(true),
      fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      fc.constantFrom(...ROUTE53_TYPES.filter((type) => type !== 'SOA')).chain(anyRdata),
    ),
    { maxLength: 8 },
  )
  .map((drawn) => {
    const entries: ValueEntry[] = [entry('e.', 360, 'SOA', SOA_RDATA)];
    for (const [name, ttl, { type, canonical }] of drawn) {
      const fqdn = `${name}e.`;
      const beside = entries.filter((one) => one.fqdn === fqdn);
      if (beside.some((one) => typesExclude(one.type, type) || (type === 'CNAME' && one.type === type))) continue;
      entries.push(entry(fqdn, ttl, type, canonical));
    }
    return entries;
  });

test('readZoneFile() reads what formatZoneText() printed as the same record sets', () => {
  fc.assert(
    fc.property(anyEntries, (entries) => {
      const groups = Map.groupBy(entries, ({ fqdn: name, type }) => recordSetId({ name, type, setIdentifier: null }));
      const printed = [...groups.values()].map((group) => {
        const { fqdn, type } = group[0] as ValueEntry;
        return buildRecordSet(fqdn, type, group);
      });
      const { apex, recordSets, problems } = readZoneFile(formatZoneText('e.', entries), null);
      expect({ apex, recordSets, problems }).toEqual({ apex: 'e.', recordSets: printed, problems: [] });
    }),
    { numRuns: 300 },
  );
});

/** The escapes of a mailbox as the encoder reads them: octal ones alone. */
function octalMailbox(rdata: string): string {
  return rdata.replace(/\\([^0-9])/g, (_, escaped: string) => octalEscape(escaped));
}

test.each(ROUTE53_TYPES.map((type) => [type]))(
  'readZoneFile() reads \\# of %s as the text of the same octets',
  (type) => {
    fc.assert(
      fc.property(anyRdata(type), ({ canonical }) => {
        const wire = encodeRdata(type, type === 'SOA' ? octalMailbox(canonical) : formatRoute53Rdata(type, canonical));
        const { recordSets, problems } = readZoneFile(
          `${type === 'SOA' ? '@' : 'a'} 1 ${type} \\# ${wire.length} ${wire.toString('hex')}`,
          'e.',
        );
        expect({ problems, value: recordSets[0]?.content }).toMatchObject({
          problems: [],
          value: { values: [canonical] },
        });
      }),
      { numRuns: 100 },
    );
  },
);

test('readZoneFile() never throws, and says something about each text that gives no record', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '(',
      ')',
      '"',
      '\\',
      ';',
      '\n',
      '\r',
      ' ',
      '\t',
      '@',
      '.',
      '$TTL',
      '$ORIGIN',
      '\\#',
      'A',
      'TXT',
      'IN',
      '1h',
      '0',
    ),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const { recordSets, problems } = readZoneFile(`a 1 A ${pieces.join('')}`, 'e.');
      expect(recordSets.length + problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 2_000 },
  );
});
