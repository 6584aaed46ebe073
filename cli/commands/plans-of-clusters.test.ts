// Plans of several clusters, over random histories: `apply` with a plan is never refused as another one if nothing has
// changed since, and it changes in Route 53 what the plan shows. To hunt for more: SEEDS=100 FIRST=1000.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { CreateHostedZoneCommand } from '@aws-sdk/client-route-53';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { stubRoute53 } from '../../test/support/apply-request.ts';
import { runHere } from '../../test/support/run-here.ts';
import { testFolder } from '../../test/support/test-folder.ts';

const FIRST = Number(process.env.FIRST ?? 7);
const SEEDS = Number(process.env.SEEDS ?? 7);
const STEPS = 14;
const MODES = ['', 'latency', 'weighted', 'merge'] as const;
const REGIONS = { eu: 'eu-west-1', us: 'us-east-1', ap: 'ap-south-1' } as const;
type Cluster = keyof typeof REGIONS;

let route53: Awaited<ReturnType<typeof openLocalRoute53>>;
let folder: string;

beforeEach(async () => {
  folder = testFolder();
  route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  stubRoute53(route53.url);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = route53Client({ endpoint: route53.url, region: 'us-east-1', credentials });
  await client.send(new CreateHostedZoneCommand({ Name: 'eu.example.', CallerReference: 'eu' }));
  client.destroy();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await route53.close();
});

const file = (name: string) => path.join(folder, name);
const here = (...argv: readonly string[]) =>
  runHere(...argv, '--config', file('zone53.yaml'), '--state', file('state'));

type Random = { readonly below: (n: number) => number; readonly pick: <T>(all: readonly T[]) => T };

function randomOf(seed: number): Random {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const below = (n: number) => {
    state = (state ^ (state << 13)) >>> 0;
    state ^= state >>> 17;
    state = (state ^ (state << 5)) >>> 0;
    return state % n;
  };
  for (let skipped = 0; skipped < 5; skipped += 1) below(2);
  return { below, pick: <T>(all: readonly T[]) => all[below(all.length)] as T };
}

function metadata(name: string, sharing: string, standby: boolean): string {
  const all = [
    ...(sharing === '' ? [] : [`zone53.dev/sharing: ${sharing}`]),
    ...(standby ? ['zone53.dev/standby: "true"'] : []),
  ];
  return `{ name: ${name}, namespace: dns, annotations: { ${all.join(', ')} } }`;
}

/** Manifests of a Zone, and of a Record for some of two names. */
function someManifests(cluster: Cluster, { below, pick }: Random): string {
  const records = ['www', 'api'].map((name) => {
    if (below(3) === 0) return '';
    const type = pick(['A', 'A', 'AAAA', 'CNAME', 'TXT'] as const);
    const end = below(2) + 1;
    const rdata = { A: `192.0.2.${end}`, AAAA: `2001:db8::${end}`, CNAME: `x${end}.example.net.`, TXT: `"${end}"` };
    const sharing = below(4) === 0 && type !== 'TXT' ? pick(MODES) : '';
    return `---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: ${metadata(`${name}-${type.toLowerCase()}`, sharing, below(10) === 0)}
spec: { domainName: ${name}.eu.example., type: ${type}, ttl: ${pick([60, 60, 300])}, rdata: '${rdata[type]}' }
`;
  });
  return `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: ${metadata(`z-${cluster}`, pick(MODES), below(8) === 0)}
spec: { domainName: eu.example., delegations: [{ records: [{ pattern: "*" }] }] }
${records.join('')}`;
}

/** What each record set in Route 53 has, by name, type and set identifier. */
function standing(): ReadonlyMap<string, string> {
  const sets = route53.state.zones().flatMap(({ recordSets }) => [...recordSets]);
  return new Map(
    sets.flatMap(({ name, type, setIdentifier, ttl, values }) =>
      ['NS', 'SOA'].includes(type)
        ? []
        : [[`${name} ${type} ${setIdentifier ?? ''}`, textOf({ ttl, values })] as const],
    ),
  );
}

function textOf({ ttl, values }: { readonly ttl: number | null; readonly values: readonly string[] }): string {
  return JSON.stringify([ttl, values.toSorted()]);
}

type Change = {
  readonly action: string;
  readonly name: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  readonly after: { readonly ttl: number; readonly values: readonly string[] } | null;
  readonly held: boolean;
  readonly outcome?: string;
};

/** What the changes of a plan that will be made come to, each once. */
function madeBy(out: string, before: ReadonlyMap<string, string>): readonly string[] {
  const changes = JSON.parse(out).hostedZones.flatMap((one: { changes: readonly Change[] }) => one.changes);
  return (changes as readonly Change[]).flatMap(({ action, name, type, setIdentifier, after, held, outcome }) => {
    if (outcome !== undefined || held || action === 'adopt') return [];
    const key = `${name} ${type} ${setIdentifier ?? ''}`;
    const text = after === null ? 'gone' : textOf(after);
    return text === (before.get(key) ?? 'gone') ? [] : [`${key}: ${text}`];
  });
}

test.each(Array.from({ length: SEEDS }, (_, at) => FIRST + at))('seed %i', { timeout: 120_000 }, async (seed) => {
  const random = randomOf(seed);
  const { below, pick } = random;
  const clusters = (['eu', 'us', 'ap'] as const).slice(0, 2 + below(2));
  const standby = new Set<Cluster>();
  const written = new Set<Cluster>();
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  for (let step = 0; step < STEPS; step += 1) {
    const cluster = pick(clusters);
    if (below(12) === 0 && !standby.delete(cluster)) standby.add(cluster);
    const settings = clusters.map((one) => `${one}: { region: ${REGIONS[one]}, standby: ${standby.has(one)} }`);
    writeFileSync(file('zone53.yaml'), `clusters: { ${settings.join(', ')} }\n`);
    if (!written.has(cluster) || below(4) > 0) writeFileSync(file(`${cluster}.yaml`), someManifests(cluster, random));
    written.add(cluster);
    nowMs += pick([1_000, 60_000, 660_000]);
    const now = ['--now', new Date(nowMs).toISOString(), '-o', 'json'];
    const asked = (one: Cluster) => ['-f', file(`${one}.yaml`), '--cluster', one, ...now];
    // What somebody looks at changes nothing.
    const other = pick(clusters);
    if (below(3) === 0 && written.has(other)) await here('plan', ...asked(other));
    const planned = await here('plan', ...asked(cluster), '--out', file('plan.json'));
    const before = standing();
    const applied = await here('apply', ...asked(cluster), '--plan', file('plan.json'));
    expect(applied.err, `step ${step}`).not.toContain('nothing was applied');
    const after = standing();
    const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
    const changed = keys.map((key) => `${key}: ${after.get(key) ?? 'gone'}`);
    expect([step, madeBy(planned.out, before).toSorted()]).toEqual([step, changed.toSorted()]);
    expect([step, madeBy((await here('plan', ...asked(cluster))).out, after)]).toEqual([step, []]);
  }
});
