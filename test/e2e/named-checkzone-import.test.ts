// The reader of zone files reads as BIND does: what named-checkzone accepts gives the same records, and what it refuses
// gives an error. Engine: Debian's bind9-utils (npm run engines). Without it the suite is skipped; under CI it fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readZoneFile } from '../../lib/dns/master-file/read-zone-file.ts';
import { parseRdata } from '../../lib/dns/rdata/rdata.ts';
import { ROUTE53_TYPES } from '../../lib/dns/record-type.ts';
import { anyRdata } from '../support/dns-arbitraries.ts';

const installed = spawnSync('named-checkzone', ['-v']).error === undefined;
const HEAD = '$ORIGIN e.\n$TTL 60\n@ SOA ns host 1 2h 3m 4w 5\n@ NS ns\nns A 192.0.2.1\n';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zone53-checkzone-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The records that BIND reads, as `name ttl type rdata`; null if it refuses the file. */
function readByBind(text: string): readonly string[] | null {
  const [file, dump] = [join(folder, 'zone'), join(folder, 'dump')];
  writeFileSync(file, text);
  const lenient = ['-k', 'ignore', '-i', 'none', '-m', 'ignore', '-M', 'ignore', '-n', 'ignore', '-r', 'ignore'];
  const run = spawnSync('named-checkzone', [
    ...lenient,
    '-S',
    'ignore',
    '-T',
    'ignore',
    '-D',
    '-s',
    'full',
    '-o',
    dump,
    'e.',
    file,
  ]);
  if (run.status !== 0) return null;
  return readFileSync(dump, 'latin1')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, name = '', ttl = '', type = '', rdata = ''] = /^(\S+)\s+(\d+)\s+IN\s+(\S+)\s+(.*)$/.exec(line) ?? [];
      const parsed = parseRdata(type, rdata);
      return `${name.toLowerCase()} ${ttl} ${type} ${parsed.ok ? parsed.rdata : `unread ${rdata}`}`;
    })
    .toSorted();
}

/** The same by us; null if something is wrong. */
function readByUs(text: string): readonly string[] | null {
  const { recordSets, problems } = readZoneFile(text, null);
  if (problems.length > 0) return null;
  return recordSets
    .flatMap(({ name, type, content }) =>
      content.kind === 'values' ? content.values.map((value) => `${name} ${content.ttlSeconds} ${type} ${value}`) : [],
    )
    .toSorted();
}

test('named-checkzone is installed (npm run engines) where CI runs', () => {
  expect(installed || process.env.CI === undefined, 'named-checkzone is missing: apt-get install bind9-utils').toBe(
    true,
  );
});

describe.skipIf(!installed)('the reader of zone files (skipped where named-checkzone is not installed)', () => {
  test.each([
    'a TXT foo"bar"baz "a""b" "x;y" u;c',
    'b SVCB 1 . alpn="h2" port=53',
    'c TXT a=" b"',
    'd 1s1s1S A 192.0.2.1',
    'd 1w2d3h4m5s IN A 192.0.2.1',
    'd IN 1h A 192.0.2.1',
    'd 1h30 A 192.0.2.1',
    'd 300 IN 400 A 192.0.2.1',
    'e TXT (\n"a" "b" ) c',
    'e TXT a(b(c)d)e',
    'f TYPE1 \\# 4 01020304',
    'f A \\# 4 ( 0102 0304 )',
    'f A \\# 4 010203',
    'f TYPE1 192.0.2.1',
    'f CLASS1 A 192.0.2.1',
    'f TXT \\# 4 03414243',
    'f TXT \\# 4 01020304',
    'f TXT "\\#" 4 01020304',
    '$ORIGIN x y',
    '$TTL 1h ; c\n$Origin x ; c\nf TXT a',
    '$TTL x',
    '$FOO x',
    'f A 192.0.2.1 )',
    'f A ( 192.0.2.1',
    'f TXT "a',
    'f TXT "a\nb"',
    'f IN A 192.0.2.1\n  1m TXT\tx\n\tMX 10 @',
    'f CH TXT x',
    'f TXT',
    'f TXT ""',
    'f CNAME a\n CNAME a.e.',
    'f CNAME a\n CNAME b',
    'f CNAME a\n TXT b',
    'f in a 192.0.2.1',
    '"f" A 192.0.2.1',
    'f A "192.0.2.1"',
    'f FOO x',
    'f',
    'f 60 IN',
    '( f ) A 192.0.2.1',
    'f_x\\095\\_y TXT x',
    `f TXT "${'x'.repeat(255)}"`,
    `f TXT "${'x'.repeat(256)}"`,
    'f DS 1 8 1 (\n 0011223344556677 8899aabbccddeeff 00112233 )',
    'f NAPTR 1 2 "S" SIP+D2U "" _sip._udp',
    'f CAA 0 Issue "ca.example;x=y"',
    '@ SOA ns host 1 7200 180 2419200 5',
    '\r\nf A 192.0.2.1\r\n',
    'f A 192.0.2.1;x\n;y\n ; z\n\n\t\n',
  ])('takes or refuses %j as BIND does', (lines) => {
    const text = `${HEAD}${lines}\n`;
    expect(readByUs(text)).toEqual(readByBind(text));
  });

  test('reads rdata of every type, in loose and canonical form, as BIND does', () => {
    const types = ROUTE53_TYPES.filter((type) => type !== 'SOA' && type !== 'CNAME');
    const all = types.flatMap((type) => fc.sample(anyRdata(type), { numRuns: 40, seed: 53 }));
    // In a zone file a text has quotes, and a name without its last dot is relative.
    const lines = all.map(({ canonical, type }, index) => `x${index} ${type} ${canonical}`);
    const text = `${HEAD}${lines.join('\n')}\n`;
    const bind = readByBind(text);
    expect(bind?.length).toBe(lines.length + 3);
    expect(readByUs(text)).toEqual(bind);
  });

  test('takes or refuses any sequence of words as BIND does', () => {
    const word = fc.constantFrom(
      '(',
      ')',
      '"a"',
      '"',
      ';',
      '\n',
      '\n',
      ' ',
      '\t',
      '@',
      'b',
      '60',
      '1h',
      'IN',
      'A',
      'TXT',
      'MX',
      '192.0.2.1',
      '10',
    );
    const texts = fc.sample(fc.array(word, { minLength: 2, maxLength: 9 }), { numRuns: 400, seed: 54 });
    const differing = texts.flatMap((words) => {
      const text = `${HEAD}a SPF x\n${words.join(' ')}\n`;
      const [us, bind] = [readByUs(text), readByBind(text)];
      return JSON.stringify(us) === JSON.stringify(bind) ? [] : [{ words: words.join(' '), us, bind }];
    });
    expect(differing).toEqual([]);
  });
});
