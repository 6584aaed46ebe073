// `zone53 import FILE` as a command: what it prints, writes, counts and refuses.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../test/support/run-here.ts';
import { testFolder } from '../../test/support/test-folder.ts';

const SOA = '@ 300 SOA ns host 1 7200 900 1209600 60\n';

function written(text: string | Buffer): string {
  const file = path.join(testFolder(), 'db.example.org');
  writeFileSync(file, text);
  return file;
}

test('prints the Zone of the SOA, with its TTL and timers, and a Record for each record set', async () => {
  const file = written(`$ORIGIN example.org.\n${SOA}@ NS ns\nwww A 192.0.2.1\n`);
  const { code, out, err } = await runHere('import', file, '--namespace', 'dns');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toBe(`---
apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata:
  name: example.org
  namespace: dns
spec:
  domainName: example.org.
  ttl: 300
  refresh: 7200
  retry: 900
  expire: 1209600
  negativeResponseCache: 60
  delegations:
  - namespaces:
    - dns
    records:
    - pattern: "@"
    - pattern: "*"
---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata:
  name: www.example.org-a
  namespace: dns
spec:
  domainName: www.example.org.
  type: A
  ttl: 300
  rdata: "192.0.2.1"
`);
});

test('says file and line of what is wrong, writes the rest, and exits 1', async () => {
  const file = written(`${SOA}www A 192.0.2.1\n$INCLUDE x\nbad A 192.0.2.300\n`);
  const folder = testFolder();
  const { code, out, err } = await runHere('import', file, '--origin', 'example.org', '-o', folder);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err.split('\n')).toEqual([
    expect.stringMatching(/^wrote .*example\.org\.yaml: 1 Zone and 1 Record$/),
    expect.stringMatching(`^error: ${file}:3: "\\$INCLUDE" is not supported`),
    expect.stringMatching(`^error: ${file}:4: Cannot parse A rdata "192.0.2.300"`),
    '',
  ]);
  expect(readFileSync(path.join(folder, 'example.org.yaml'), 'utf8')).toContain('name: www.example.org-a');
});

test('leaves out and counts what external-dns and ACME clients write', async () => {
  const text = `${SOA}a-www TXT "heritage=external-dns,external-dns/owner=prod"\n_acme-challenge TXT x\nwww A 192.0.2.1\n`;
  const { code, out, err } = await runHere('import', written(text), '--origin', 'example.org.');
  expect(code).toBe(0);
  expect(out).not.toContain('TXT');
  expect(err).toMatch(/TXT records in which external-dns notes what it owns, with the owner "prod": 1 left out/);
  expect(err).toMatch(/TXT records of ACME challenges.*: 1 left out/);
  const all = await runHere('import', written(text), '--origin', 'example.org.', '--with', 'registry,acme');
  expect(all.out.match(/type: TXT/g)).toHaveLength(2);
});

test('says with file and line what only a Zone or a Record refuses', async () => {
  const text = `@ 300 SOA ns host 1 900 7200 3600 60\nlong TXT ${`"${'x'.repeat(250)}" `.repeat(17)}\n`;
  const { code, out, err } = await runHere('import', written(text), '--origin', 'example.org.');
  expect(code).toBe(1);
  expect(err).toMatch(/:1: Cannot import SOA example\.org\.: spec\.retry/);
  expect(err).toMatch(/:2: Cannot import TXT long\.example\.org\.: .*4000 characters/);
  expect(out).toContain('kind: Zone');
});

test('skips a UTF-8 mark, and says what a file in UTF-16 is', async () => {
  const mark = Buffer.from([0xef, 0xbb, 0xbf]);
  const marked = await runHere('import', written(Buffer.concat([mark, Buffer.from(`$ORIGIN e.\n${SOA}`)])));
  expect({ code: marked.code, err: marked.err }).toEqual({ code: 0, err: '' });
  const wide = await runHere('import', written(Buffer.from(`\ufeff${SOA}`, 'utf16le')));
  expect(wide).toEqual({ code: 1, out: '', err: expect.stringMatching(/:1: it seems to be UTF-16/) });
});

test.each<[string, readonly string[], RegExp]>([
  ['neither a file nor a hosted zone', [], /Name a zone file .*or a hosted zone/],
  ['both', ['x', '--hosted-zone', 'Z1'], /and not both/],
  ['an origin of a hosted zone', ['--hosted-zone', 'Z1', '--origin', 'e.'], /--origin is for a zone file/],
  ['a file that is not there', ['no-such-file'], /Cannot read "no-such-file": there is no such file or folder/],
  ['an origin that is no name', ['x', '--origin', 'a..b'], /label 2 is empty/],
])('refuses %s', async (_, argv, why) => {
  const { code, out, err } = await runHere('import', ...argv);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(why);
});

test('gives back what render -o zonefile prints of examples/every-type', async () => {
  const example = path.join(import.meta.dirname, '../../examples/every-type');
  const printed = await runHere('render', '-f', example, '-o', 'zonefile');
  const imported = await runHere('import', written(printed.out), '-o', testFolder(), '--namespace', 'x');
  expect(imported.err).toMatch(/^wrote (\S+): 1 Zone and \d+ Records\n$/);
  const file = /^wrote (\S+):/.exec(imported.err)?.[1] ?? '';
  const again = await runHere('render', '-f', file, '-o', 'zonefile');
  expect(again.code).toBe(0);
  const lines = (text: string) =>
    text
      .split('\n')
      .filter((line) => !/ SOA |^; Zone /.test(line))
      .toSorted();
  expect(lines(again.out)).toEqual(lines(printed.out));
});
