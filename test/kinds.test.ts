// Only lib/sources, lib/observe and the adapter of the API server may branch on the kind of an object. Everything else
// works on endpoints, so a new kind is one source and one row (test/new-kind). Two rooms serve one kind each, and may
// know that one. The Zone has no row: it is no source.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as related from '../lib/sources/common/related-kinds.ts';
import { DNS_ENDPOINT } from '../lib/sources/external-dns/dns-endpoint.ts';
import { DNS_RECORD_KIND } from '../lib/sources/gardener/dns-record.ts';
import { SOURCES } from '../lib/sources/source.ts';

const ROOT = join(import.meta.dirname, '..');
const RELATED = Object.values(related).filter((one) => typeof one === 'object');
const KINDS = new Set([...SOURCES, ...RELATED, DNS_RECORD_KIND].map(({ kind }) => kind));

/** Rooms that serve objects of one kind, and what they may know of it: its name, and its row. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'lib/gardener/': [DNS_RECORD_KIND.kind, 'DNS_RECORD_KIND.kind'],
  'lib/intents/': [DNS_ENDPOINT.kind, 'DNS_ENDPOINT.kind'],
};

/** Files that name kinds all the same, by what for. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  'a setting whose values are kinds': ['lib/objects/source-settings.ts'],
  'a kind that is misspelt in a manifest': ['lib/adapters/manifests/near-miss.ts'],
  'the objects that an import writes': ['lib/import/describe-hosted-zone.ts'],
  'headings of the OpenAPI document': ['lib/intents/http/openapi.ts'],
  'what an item of the ledger is about': ['cli/account/ledger-items.ts'],
  'the lists of zones and records that a plan prints': ['cli/print/since-base.ts'],
};

/**
 * Where code may branch on a kind: a literal that is one, a text or pattern that begins with one, and a row's kind
 * (`SERVICE.kind`). The kind of an object that is written, and one that is counted in a message, are no branches.
 */
function kindsIn(text: string): string[] {
  const code = text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
  const kind = `(?:${[...KINDS].join('|')})`;
  const literal = `(?<!(?:\\bkind: |counted\\([^']*)')(?<=['\`"])${kind}(?=['\`"])`;
  const start = `(?<=(?:With|replace|split|includes|indexOf)\\(['\`"])${kind}(?= )|(?<=/\\^)${kind}\\b`;
  const row = '\\b(?!ZONE_KIND)[A-Z][A-Z_]+\\.kind\\b';
  return [...code.matchAll(new RegExp(`${literal}|${start}|${row}`, 'g'))].map(([found]) => found);
}

function isKnownIn(file: string, found: string): boolean {
  return Object.entries(ROOMS).some(([room, known]) => file.startsWith(room) && known.includes(found));
}

test('no other room branches on the kind of an object', () => {
  const files = globSync('{lib,events,functions,cli,local,infra}/**/*.ts', { cwd: ROOT }).filter(
    (file) => !/\.test\.ts$|^lib\/(sources|observe|adapters\/kubernetes)\//.test(file),
  );
  const found = files.filter((file) =>
    kindsIn(readFileSync(join(ROOT, file), 'utf8')).some((one) => !isKnownIn(file, one)),
  );
  expect(found.toSorted()).toEqual(Object.values(NAMED).flat().toSorted());
});

test('the check finds a branch on a kind', () => {
  expect([...KINDS]).toEqual(expect.arrayContaining(['Record', 'Service', 'HTTPRoute', 'EndpointSlice', 'DNSRecord']));
  expect(kindsIn("if (ref.kind === 'Service') return null;")).toEqual(['Service']);
  expect(kindsIn("const OURS = 'Record';\n    case 'HTTPRoute':\n")).toEqual(['Record', 'HTTPRoute']);
  expect(kindsIn('ref.kind !== DNS_ENDPOINT.kind')).toEqual(['DNS_ENDPOINT.kind']);
  expect(kindsIn("id.startsWith('DNSRecord ') || /^Ingress /.test(id)")).toEqual(['DNSRecord', 'Ingress']);
  expect(kindsIn("// kind === 'Service'\nref.kind === ZONE_KIND.kind || tag === 'Records'")).toEqual([]);
  expect(kindsIn("return { kind: 'Record', says: counted(records, 'Record') };")).toEqual([]);
  expect(isKnownIn('lib/intents/serve/a.ts', 'Service') || isKnownIn('lib/report/a.ts', 'DNSRecord')).toBe(false);
});
