// BIND's named-checkzone reads the zone file of every Zone of the examples: it reports no error and no warning, and
// writes out the same records. Route 53 gives a hosted zone its apex NS, so the examples declare none; a zone file must
// have some, so the test adds them. Engine: Debian's bind9-utils (npm run engines). Without it the suite is skipped;
// under CI it fails.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manifestReader } from '../../lib/adapters/manifests/manifest-reader.ts';
import type { Entry, ValueEntry } from '../../lib/dns/entry.ts';
import { parseRdata } from '../../lib/dns/rdata/rdata.ts';
import { ROUTE53_TYPES } from '../../lib/dns/record-type.ts';
import { formatZoneText } from '../../lib/dns/zone-file.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import type { ZoneOutput } from '../../lib/report/describe-cluster.ts';
import { renderCluster } from '../../lib/report/render-cluster.ts';
import { KINDS, SOURCES } from '../../lib/sources/source.ts';

const installed = spawnSync('named-checkzone', ['-v']).error === undefined;
const EXAMPLES = join(import.meta.dirname, '../../examples');
const NOW_MS = Date.UTC(2026, 0, 1);
// Every check of named-checkzone is an error, except those that need a look at other people's zones (-i local).
const STRICT = [
  '-i',
  'local',
  '-k',
  'fail',
  '-m',
  'fail',
  '-M',
  'fail',
  '-n',
  'fail',
  '-r',
  'fail',
  '-S',
  'fail',
  '-T',
  'ignore',
];

/** What an example has refused, to show it: the reasons by its folder and the object. */
const REFUSED: Readonly<Record<string, readonly string[]>> = { 'inside-and-outside api': ['DelegationDenied'] };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zone53-checkzone-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs named-checkzone on a zone text. `records` is its output: one `name ttl class type rdata` for each record. */
function checkZone(fqdn: string, text: string): { status: number | null; said: string; records: string[] } {
  const [file, dump] = [join(folder, 'zone'), join(folder, 'dump')];
  writeFileSync(file, text);
  const run = spawnSync('named-checkzone', [...STRICT, '-D', '-s', 'full', '-o', dump, fqdn, file], {
    encoding: 'utf8',
  });
  const written = run.status === 0 ? readFileSync(dump, 'latin1') : '';
  return {
    status: run.status,
    said: `${run.stdout}${run.stderr}`,
    records: written.split('\n').filter((line) => line !== ''),
  };
}

async function zonesOf(example: string): Promise<readonly ZoneOutput[]> {
  const { listing } = await manifestReader({ kinds: KINDS, paths: [join(EXAMPLES, example)] }).read();
  const world = renderCluster(listing, { sources: SOURCES, config: DEFAULT_CONFIG }, NOW_MS);
  expect(world.errors).toEqual([]);
  for (const { name, conditions } of [...world.zones, ...world.records]) {
    const refusals = conditions.flatMap(({ status, reason }) => (status === 'True' ? [] : [reason]));
    expect({ name, refusals }).toEqual({ name, refusals: REFUSED[`${example} ${name}`] ?? [] });
  }
  return world.zones;
}

/** The entries, with the apex NS that Route 53 gives a hosted zone. */
function withApexNs(fqdn: string, entries: readonly Entry[]): readonly Entry[] {
  if (entries.some((entry) => entry.type === 'NS' && entry.fqdn === fqdn)) return entries;
  return [...entries, { fqdn, type: 'NS', class: 'IN', ttl: 172_800, rdata: 'ns-1.example.net.' }];
}

/** Brings hexadecimal and its blanks into one spelling, because BIND and we write them differently. */
function comparable(record: string): string {
  const [name, ttl, recordClass, type = '', ...rdata] = record.split(/\s+/);
  const hexFields: Record<string, number> = { DS: 3, SSHFP: 2, TLSA: 3 };
  const fixed = hexFields[type];
  if (fixed !== undefined) rdata.push(rdata.splice(fixed).join('').toLowerCase());
  return [name, ttl, recordClass, type, ...rdata].join(' ');
}

function spoken({ fqdn, ttl, class: recordClass, type, rdata }: ValueEntry): string {
  return comparable(`${fqdn} ${ttl} ${recordClass} ${type} ${rdata}`);
}

test('named-checkzone is installed (npm run engines) where CI runs', () => {
  expect(installed || process.env.CI === undefined, 'named-checkzone is missing: apt-get install bind9-utils').toBe(
    true,
  );
});

describe.skipIf(!installed)('named-checkzone reads the zone text (skipped where it is not installed)', () => {
  // examples/aws configures a deployment and declares no Zones.
  const examples = readdirSync(EXAMPLES, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== 'aws',
  );

  // The folders of examples/fleet are those of two clusters.
  const folders = examples.flatMap(({ name }) => (name === 'fleet' ? ['fleet/eu', 'fleet/us'] : [name]));
  test.each(folders)('of each Zone of examples/%s', async (example) => {
    const zones = await zonesOf(example);
    expect(zones.length).toBeGreaterThan(0);
    for (const { fqdn, entries } of zones) {
      if (fqdn === null) throw new Error(`a Zone of examples/${example} has no fqdn`);
      const all = withApexNs(fqdn, entries);
      const { status, said, records } = checkZone(fqdn, formatZoneText(fqdn, all));
      expect({ status, said }).toEqual({
        status: 0,
        said: expect.not.stringMatching(/warning|error|failed|has no|bad/i),
      });
      const lines = all.flatMap((entry) => ('rdata' in entry && entry.routing === undefined ? [spoken(entry)] : []));
      expect(records.map(comparable).toSorted()).toEqual(lines.toSorted());
    }
  });

  test('of examples/every-type, which has every type of Route 53', async () => {
    const [zone] = await zonesOf('every-type');
    expect([...new Set(zone?.entries.map(({ type }) => type))].toSorted()).toEqual([...ROUTE53_TYPES].toSorted());
  });

  test('and reports what is wrong with one', () => {
    const soa = 'example.org. 300 IN SOA ns.example.org. noc.example.org. 1 86400 7200 3600000 360\n';
    expect(checkZone('example.org.', soa)).toMatchObject({
      status: 1,
      said: expect.stringContaining('has no NS records'),
    });
    const badA = `${soa}example.org. 300 IN NS ns.example.net.\nwww.example.org. 300 IN A nonsense\n`;
    expect(checkZone('example.org.', badA)).toMatchObject({
      status: 1,
      said: expect.stringContaining('bad dotted quad'),
    });
  });

  test('of any text in TXT, and gives it back', () => {
    const texts = fc.sample(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), { numRuns: 500, seed: 53 });
    const head: ValueEntry[] = [
      {
        fqdn: 'example.org.',
        type: 'SOA',
        class: 'IN',
        ttl: 300,
        rdata: 'ns.example.org. noc.example.org. 1 86400 7200 3600000 360',
      },
      { fqdn: 'example.org.', type: 'NS', class: 'IN', ttl: 300, rdata: 'ns-1.example.net.' },
    ];
    const entries = texts.flatMap((text, at): ValueEntry[] => {
      const parsed = parseRdata('TXT', text);
      return parsed.ok
        ? [{ fqdn: `t${at}.example.org.`, type: 'TXT', class: 'IN', ttl: 300, rdata: parsed.rdata }]
        : [];
    });
    expect(entries.length).toBeGreaterThan(400);
    const all = [...head, ...entries];
    const { status, said, records } = checkZone('example.org.', formatZoneText('example.org.', all));
    expect({ status, said }).toMatchObject({ status: 0 });
    const lines = all.flatMap((entry) => ('rdata' in entry && entry.routing === undefined ? [spoken(entry)] : []));
    expect(records.map(comparable).toSorted()).toEqual(lines.toSorted());
  });
});
