// The golden cases: every folder of test/cases/ is one test of `render` or `plan`. test/cases/README.md says what a
// folder holds. The expected output was derived by hand from the rules of the design. When a case fails, check it
// against the rules; never copy the actual output.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describePlan } from '../cli/print/describe-plan.ts';
import type { PlanOutput } from '../cli/print/output.ts';
import { openSource } from '../cli/run/open-source.ts';
import { render } from '../cli/run/use-cases.ts';
import { readConfigFile } from '../lib/adapters/config/config-file.ts';
import { memoryLedger } from '../lib/adapters/ledger/memory-ledger.ts';
import type { Routing } from '../lib/dns/routing-policy.ts';
import { parseRouting } from '../lib/objects/endpoint-spec/routing-spec.ts';
import { type Config, DEFAULT_CONFIG } from '../lib/ports/config.ts';
import type { Ledger } from '../lib/ports/ledger.ts';
import { NO_QUEUES } from '../lib/ports/queues.ts';
import { hostedZoneCodec, hostedZoneItemKey, newHostedZoneItem } from '../lib/record-sets/hosted-zone-item.ts';
import {
  newRecordSetItem,
  recordSetCodec,
  recordSetItemKey,
  storedContent,
} from '../lib/record-sets/record-set-item.ts';
import { sourcesOn } from '../lib/sources/source.ts';
import { type MemoryHostedZones, memoryHostedZones } from './fakes/memory-hosted-zones.ts';
import { planCluster } from './fakes/plan-cluster.ts';
import { findDifferences } from './support/find-differences.ts';

type PublishedRecordSet = {
  readonly name: string;
  readonly type: string;
  readonly ttl?: number;
  readonly values?: string[];
  readonly alias?: { readonly dnsName: string; readonly hostedZoneId: string; readonly evaluateTargetHealth: boolean };
  /** Somebody else wrote it. */
  readonly foreign?: boolean;
  /** In the form that a Record's spec has. */
  readonly routing?: object;
};
/** Record sets by the name of their hosted zone. */
type Published = Readonly<Record<string, readonly PublishedRecordSet[]>>;

const CASES = join(import.meta.dirname, 'cases');
const NAME_SERVERS = ['ns-1.awsdns-01.org.', 'ns-2.awsdns-02.com.'];
const clock = { nowMs: () => Date.UTC(2026, 10, 21, 12) };
const log = () => {};

function readJson(folder: string, file: string): unknown {
  const path = join(folder, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

async function configOf(folder: string): Promise<Config> {
  const file = join(folder, 'zone53.yaml');
  return existsSync(file) ? readConfigFile(file) : DEFAULT_CONFIG;
}

async function renderCase(folder: string): Promise<unknown> {
  const source = { kind: 'manifests', paths: [join(folder, 'manifests')] } as const;
  return render({ source, config: await configOf(folder), clock, log, progress: () => {} });
}

async function planCase(folder: string): Promise<unknown> {
  const published = readJson(folder, 'published.json') as Published;
  const config = await configOf(folder);
  const sources = sourcesOn(config.sources);
  const isPrivate = (name: string) =>
    config.hostedZones.some(({ zone, visibility }) => zone === name && visibility === 'private');
  const hostedZones = memoryHostedZones(
    Object.keys(published).map((name) => ({ id: idOf(name), name, isPrivate: isPrivate(name) })),
  );
  const ledger = memoryLedger();
  for (const [name, sets] of Object.entries(published)) {
    await publishBeforehand(ledger, hostedZones, { name, isPrivate: isPrivate(name) }, sets);
  }
  const source = { kind: 'manifests', paths: [join(folder, 'manifests')] } as const;
  const reading = { dnsRecords: false, readingMsMax: 0, pathsMustBe: true };
  const objects = await openSource(source, { sources, clusterId: config.clusterId, clock, log, ...reading });
  const reads = Object.values(published).some((sets) => sets.some(({ foreign = false }) => foreign));
  const context = {
    ledger,
    cluster: objects.cluster,
    account: { hostedZones: hostedZones.port },
    queues: NO_QUEUES,
    clock,
    config,
    sources,
    log,
  };
  const output = await planCluster(context, reads ? { reads } : {});
  return comparable(describePlan(output), published);
}

function idOf(zoneName: string): string {
  return `Z${zoneName.replaceAll('.', '').toUpperCase()}`;
}

/**
 * Puts record sets into Route 53 and the ledger, as earlier runs would have left them. A SOA, and what is foreign, is
 * put into Route 53 only.
 */
async function publishBeforehand(
  ledger: Ledger,
  hostedZones: MemoryHostedZones,
  { name, isPrivate }: { readonly name: string; readonly isPrivate: boolean },
  sets: readonly PublishedRecordSet[],
): Promise<void> {
  const id = idOf(name);
  const ours = sets.filter(({ type, foreign = false }) => type !== 'SOA' && !foreign);
  const zone = newHostedZoneItem({ id, name, zone: 'default/example-org', nameServers: NAME_SERVERS, isPrivate });
  await ledger.put(hostedZoneItemKey(id), hostedZoneCodec.encode({ ...zone, publishedCount: ours.length }), null);
  for (const set of sets) {
    const { name: at, type } = set;
    const problems: string[] = [];
    const parsed = set.routing === undefined ? null : parseRouting(set.routing, { type, isAlias: false }, at, problems);
    expect(problems).toEqual([]);
    const { setIdentifier = null, ...routing } = parsed ?? {};
    const key = { name: at, type, setIdentifier };
    const routed = parsed === null ? {} : { routing: routing as Routing };
    const content =
      set.alias === undefined
        ? { kind: 'values' as const, ttlSeconds: set.ttl ?? 0, values: set.values ?? [], ...routed }
        : { kind: 'alias' as const, alias: set.alias, ...routed };
    hostedZones.edit(id, key, content);
    if (!ours.includes(set)) continue;
    const item = {
      ...newRecordSetItem(key),
      desired: storedContent(content),
      published: storedContent(content),
      zone: 'default/example-org',
    };
    await ledger.put(recordSetItemKey(id, key), recordSetCodec.encode(item), null);
  }
}

/** The hosted zones that have changes, sorted by name. The change of a SOA counts only if the case lists that SOA. */
function comparable(output: PlanOutput, published: Published): PlanOutput {
  const hostedZones = output.hostedZones
    .map((zone) => {
      const standing = published[zone.name]?.some((set) => set.type === 'SOA') ?? false;
      return { ...zone, changes: zone.changes.filter((change) => standing || change.type !== 'SOA') };
    })
    .filter((zone) => zone.changes.length > 0)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { ...output, hostedZones };
}

const OUTPUTS = { render: renderCase, plan: planCase };

describe('golden cases', () => {
  const folders = readdirSync(CASES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  test.each(folders.map((entry) => entry.name))('%s', async (name) => {
    const folder = join(CASES, name);
    const expected = readJson(folder, 'expected.json') as Readonly<Record<string, unknown>>;
    const differences: string[] = [];
    for (const [command, output] of Object.entries(OUTPUTS)) {
      if (command in expected) differences.push(...findDifferences(expected[command], await output(folder), command));
    }
    const unknown = Object.keys(expected).filter((command) => !(command in OUTPUTS));
    expect(unknown, 'expected.json has "render" or "plan"').toEqual([]);
    expect(Object.keys(expected)).not.toEqual([]);
    expect(differences.join('\n')).toBe('');
  });
});
