// Two clusters with one ledger as commands, with a Route 53 of our own: each has its own hosted zone, and `zone53
// clusters` lists both.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CreateHostedZoneCommand } from '@aws-sdk/client-route-53';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { stubRoute53 } from '../../test/support/apply-request.ts';
import { runHere } from '../../test/support/run-here.ts';
import { testFolder } from '../../test/support/test-folder.ts';

let route53: Awaited<ReturnType<typeof openLocalRoute53>>;
let folder: string;

beforeEach(async () => {
  folder = testFolder();
  route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  stubRoute53(route53.url);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = route53Client({ endpoint: route53.url, region: 'us-east-1', credentials });
  for (const Name of ['eu.example.', 'us.example.'])
    await client.send(new CreateHostedZoneCommand({ Name, CallerReference: Name }));
  client.destroy();
  writeFileSync(file('zone53.yaml'), 'clusters: { eu: {}, us: {} }\n');
  for (const cluster of ['eu', 'us']) write(cluster, ['a', 'b']);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await route53.close();
});

const file = (name: string) => path.join(folder, name);

/** The manifests of a cluster: a Zone, and a Record for each of these labels. */
function write(cluster: string, labels: readonly string[]): void {
  const zone = `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: z, namespace: dns }
spec: { domainName: ${cluster}.example., delegations: [{ records: [{ pattern: "*" }] }] }
`;
  const records = labels.map(
    (label) => `---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${label}, namespace: dns }
spec: { domainName: ${label}.${cluster}.example., type: A, rdata: 192.0.2.1 }
`,
  );
  writeFileSync(file(`${cluster}.yaml`), zone + records.join(''));
}

const here = (...argv: readonly string[]) =>
  runHere(...argv, '--config', file('zone53.yaml'), '--state', file('state'));
const applyOf = (cluster: string, ...more: readonly string[]) =>
  here('apply', '-f', file(`${cluster}.yaml`), '--cluster', cluster, '--yes', '-o', 'json', ...more);
const standing = () =>
  route53.state
    .zones()
    .flatMap(({ recordSets }) => [...recordSets])
    .flatMap(({ name, type }) => (type === 'A' ? [name] : []))
    .toSorted();

test('two clusters publish with one ledger, and neither changes what the other published', async () => {
  for (const cluster of ['eu', 'us']) {
    const applied = await applyOf(cluster);
    expect(applied.code).toBe(0);
    const { hostedZones, zones, records } = JSON.parse(applied.out);
    const said = [hostedZones.flatMap((one: { changes: object[] }) => one.changes), zones, records].flat();
    expect(said.map((one: { cluster?: string }) => one.cluster)).toEqual(Array(5).fill(cluster));
  }
  write('us', ['b']);
  expect((await applyOf('us')).code).toBe(0);
  expect(standing()).toEqual(['a.eu.example.', 'b.eu.example.', 'b.us.example.']);
  const again = await here('plan', '-f', file('eu.yaml'), '--cluster', 'eu', '-o', 'json', '--refresh');
  expect(JSON.parse(again.out).hostedZones.flatMap((one: { changes: object[] }) => one.changes)).toEqual([]);
});

test('a command that is about one cluster needs its id, and the error lists them', async () => {
  const none = await here('plan', '-f', file('eu.yaml'));
  expect([none.code, none.err]).toEqual([
    1,
    `error: ${file('zone53.yaml')}:1:11: clusters: there are 2 clusters: choose one with --cluster: eu, us\n`,
  ]);
  const wrong = await here('plan', '-f', file('eu.yaml'), '--cluster', 'ue');
  expect(wrong.err).toContain('there is no cluster "ue": write --cluster with one of eu, us');
});

test('clusters lists those of the configuration and of the ledger', async () => {
  const before = Date.now();
  await applyOf('eu');
  await applyOf('us');
  writeFileSync(file('zone53.yaml'), 'clusters: { eu: {}, ap: {} }\n');
  const { clusters } = JSON.parse((await here('clusters', '-o', 'json')).out);
  const common = { standby: false, standbyFrom: 'configuration', waits: 0 };
  expect(clusters).toEqual([
    { id: 'ap', ...common, owns: 0, lastReading: null, configured: true },
    { id: 'eu', ...common, owns: 2, lastReading: expect.any(String), configured: true },
    { id: 'us', ...common, owns: 2, lastReading: expect.any(String), configured: false },
  ]);
  expect(Date.parse(clusters[1].lastReading)).toBeGreaterThanOrEqual(before);
  const lines = (await here('clusters')).out.split('\n');
  expect(lines[0]).toMatch(/^ap +0 names +never read *$/);
  expect(lines[2]).toMatch(/^us +2 names +last read 2\S+ +not in the configuration$/);
});

test('forget of a name is for every cluster, and for one alone with --cluster', async () => {
  await applyOf('eu');
  await applyOf('us');
  const one = await here('forget', 'a.eu.example', '--cluster', 'us', '--yes');
  expect(one.err).toContain('zone53 publishes nothing at a.eu.example. by this ledger.');
  const both = JSON.parse((await here('forget', 'a.eu.example', 'a.us.example', '--yes', '-o', 'json')).out);
  const changes = both.hostedZones.flatMap((zone: { changes: readonly object[] }) => zone.changes);
  expect(changes).toMatchObject([
    { action: 'forget', cluster: 'eu', outcome: 'published' },
    { action: 'forget', cluster: 'us', outcome: 'published' },
  ]);
  expect(standing()).toContain('a.eu.example.');
});

/** The manifests of a cluster: a Zone of eu.example., and Records by name. */
function writeShared(cluster: string, records: Readonly<Record<string, string>>, zone = ''): void {
  const head = `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: z-${cluster}, namespace: dns${zone} }
spec: { domainName: eu.example., delegations: [{ records: [{ pattern: "*" }] }] }
`;
  const all = Object.entries(records).map(
    ([name, value]) => `---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name.toLowerCase().replaceAll(/[^a-z]/g, '')}, namespace: dns }
spec: { domainName: ${name.split(' ')[0]}.eu.example., type: ${name.split(' ')[1] ?? 'A'}, ttl: 60, rdata: '${value}' }
`,
  );
  writeFileSync(file(`${cluster}.yaml`), head + all.join(''));
}

const answers = () =>
  route53.state
    .zones()
    .flatMap(({ recordSets }) => [...recordSets])
    .flatMap((set) => (['NS', 'SOA'].includes(set.type) ? [] : [`${set.name} ${set.type} ${JSON.stringify(set)}`]))
    .map((line) => line.replace(/\{.*?(\d+\.\d+\.\d+\.\d+|[a-z.]+example\.net\.).*/, '$1'))
    .toSorted();
const programmed = (out: string, name: string) =>
  JSON.parse(out)
    .records.find((one: { name: string }) => one.name === name)
    ?.conditions.find(({ type }: { type: string }) => type === 'Programmed');

test('two clusters use one hosted zone: who publishes a name first has it, and the other says so', async () => {
  writeShared('eu', { www: '192.0.2.1', eu: '192.0.2.1' });
  writeShared('us', { www: '192.0.2.2', us: '192.0.2.2' }, ', annotations: { zone53.dev/takeover: "true" }');
  expect((await applyOf('eu')).code).toBe(0);
  const planned = await here('plan', '-f', file('us.yaml'), '--cluster', 'us', '-o', 'json', '--unmanaged');
  const [shown] = JSON.parse(planned.out).hostedZones;
  expect([shown.changes, shown.unmanaged]).toMatchObject([
    [
      { name: 'us.eu.example.' },
      { name: 'www.eu.example.', outcome: 'foreign', message: expect.stringContaining('Cluster eu owns') },
    ],
    [],
  ]);
  const second = await applyOf('us');
  expect(answers()).toEqual([
    'eu.eu.example. A 192.0.2.1',
    'us.eu.example. A 192.0.2.2',
    'www.eu.example. A 192.0.2.1',
  ]);
  expect([second.code, programmed(second.out, 'us').reason, programmed(second.out, 'www').reason]).toEqual([
    1,
    'Published',
    'OwnedByAnotherCluster',
  ]);
  const { clusters } = JSON.parse((await here('clusters', '-o', 'json')).out);
  expect(clusters).toMatchObject([
    { id: 'eu', owns: 2, waits: 0 },
    { id: 'us', owns: 1, waits: 1 },
  ]);
  expect((await here('explain', 'www.eu.example', '--cluster', 'us')).out).toMatch(
    /In Route 53\n {2}A .* \(cluster eu\)\n/,
  );
  const explained = JSON.parse((await here('explain', 'www.eu.example', '--cluster', 'us', '-o', 'json')).out);
  expect(explained.claims).toMatchObject([
    { cluster: 'us', type: 'A', objects: ['Record dns/www'], owns: false, reason: 'OwnedByAnotherCluster' },
    { cluster: 'eu', type: 'A', content: { ttl: 60, values: ['192.0.2.1'] }, owns: true, reason: 'Published' },
  ]);
  expect(programmed(second.out, 'www').message).toContain('Cluster eu owns A www.eu.example.');
  writeShared('us', {});
  expect((await applyOf('us')).code).toBe(0);
  expect(answers()).toEqual(['eu.eu.example. A 192.0.2.1', 'www.eu.example. A 192.0.2.1']);
});

test('a name moves in one batch when its owner lets it go, and nobody else is touched', async () => {
  writeShared('eu', { www: '192.0.2.1', eu: '192.0.2.1' });
  writeShared('us', { www: '192.0.2.2' });
  await applyOf('eu');
  await applyOf('us');
  writeShared('eu', { eu: '192.0.2.1' });
  const seen: string[] = [];
  route53.state.onChange(() =>
    seen.push(
      answers()
        .filter((line) => line.startsWith('www'))
        .join(),
    ),
  );
  const plan = JSON.parse((await here('plan', '-f', file('eu.yaml'), '--cluster', 'eu', '-o', 'json')).out);
  const moves = plan.hostedZones.flatMap((one: { changes: readonly object[] }) => one.changes);
  expect(moves).toMatchObject([{ action: 'update', name: 'www.eu.example.', cluster: 'us', from: 'eu' }]);
  writeShared('eu', { eu: '192.0.2.8' });
  const both = await here('plan', '-f', file('eu.yaml'), '--cluster', 'eu');
  expect(both.out).toContain('2 to update, 0 to delete, in 1 hosted zone.');
  writeShared('eu', { eu: '192.0.2.1' });
  const applied = await applyOf('eu');
  expect(applied.code).toBe(0);
  expect(answers()).toEqual(['eu.eu.example. A 192.0.2.1', 'www.eu.example. A 192.0.2.2']);
  expect(seen).toEqual(['www.eu.example. A 192.0.2.2']);
  expect(programmed((await applyOf('us')).out, 'www').reason).toBe('Published');
  expect(seen.length).toBe(1);
});

test('equal content has several owners, and goes with the last of them', async () => {
  for (const cluster of ['eu', 'us']) writeShared(cluster, { www: '192.0.2.1', [cluster]: '192.0.2.9' });
  await applyOf('eu');
  const second = await applyOf('us');
  expect([second.code, programmed(second.out, 'www').reason]).toEqual([0, 'Published']);
  writeShared('eu', { eu: '192.0.2.9' });
  expect((await applyOf('eu')).code).toBe(0);
  expect(answers()).toContain('www.eu.example. A 192.0.2.1');
  writeShared('us', { us: '192.0.2.9' });
  expect((await applyOf('us')).code).toBe(0);
  expect(answers()).toEqual(['eu.eu.example. A 192.0.2.9', 'us.eu.example. A 192.0.2.9']);
});

test('what a cluster without objects had moves to the one that waits, and the rest goes', async () => {
  writeShared('eu', { www: '192.0.2.1', eu: '192.0.2.1' });
  writeShared('us', { www: '192.0.2.2' });
  await applyOf('eu');
  await applyOf('us');
  writeShared('eu', {});
  expect((await applyOf('eu')).code).toBe(0);
  expect(answers()).toEqual(['www.eu.example. A 192.0.2.2']);
});

test('many names move at once', async () => {
  const names = (value: string) =>
    Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`n${String.fromCharCode(97 + (at % 26))}${'x'.repeat(at / 26)}`, value]),
    );
  writeShared('eu', { ...names('192.0.2.1'), eu: '192.0.2.1' });
  writeShared('us', names('192.0.2.2'));
  await applyOf('eu');
  await applyOf('us');
  writeShared('eu', { eu: '192.0.2.1' });
  let fewest = 151;
  route53.state.onChange(() => {
    fewest = Math.min(fewest, answers().length);
  });
  expect((await applyOf('eu')).code).toBe(0);
  expect(fewest).toBe(151);
  expect(answers().filter((line) => line.endsWith('192.0.2.2')).length).toBe(150);
});

test('a delegation of one cluster hides no name of another', async () => {
  writeShared('eu', { 'a.sub': '192.0.2.1' });
  writeShared('us', { 'sub NS': 'ns.example.net.' });
  await applyOf('eu');
  const refused = await applyOf('us');
  expect([refused.code, programmed(refused.out, 'subns')]).toMatchObject([1, { reason: 'OwnedByAnotherCluster' }]);
  expect(answers()).toEqual(['a.sub.eu.example. A 192.0.2.1']);
  // When the name goes, the delegation is published at once, and hides names of the other cluster until it goes, too.
  writeShared('eu', {});
  expect(shownOf((await planOf('eu')).out)).toEqual(['delete A eu', 'create NS us']);
  await applyOf('eu');
  expect([answers(), recordSetsAt('sub').map(({ type }) => type)]).toEqual([[], ['NS']]);
  writeShared('eu', { 'a.sub': '192.0.2.1' });
  const hidden = await applyOf('eu');
  expect(programmed(hidden.out, 'asub')).toMatchObject({ reason: 'OwnedByAnotherCluster' });
  writeShared('us', {});
  expect(shownOf((await planOf('us')).out)).toEqual(['delete NS us', 'create A eu']);
  await applyOf('us');
  expect(answers()).toEqual(['a.sub.eu.example. A 192.0.2.1']);
});

test('an address becomes a CNAME of another cluster in one batch', async () => {
  writeShared('eu', { www: '192.0.2.1', 'www AAAA': '2001:db8::1' });
  writeShared('us', { 'www CNAME': 'x.example.net.' });
  await applyOf('eu');
  expect((await applyOf('us')).code).toBe(1);
  writeShared('eu', {});
  const seen: number[] = [];
  route53.state.onChange(() => seen.push(answers().length));
  expect((await applyOf('eu')).code).toBe(0);
  expect([answers(), seen]).toEqual([['www.eu.example. CNAME x.example.net.'], [1]]);
});

test('a cluster whose claim is back within ten minutes has its name again', async () => {
  writeShared('eu', { www: '192.0.2.1', eu: '192.0.2.9' });
  writeShared('us', { www: '192.0.2.2' });
  await applyOf('eu');
  await applyOf('us');
  writeShared('eu', { eu: '192.0.2.9' });
  await applyOf('eu');
  writeShared('eu', { www: '192.0.2.1', eu: '192.0.2.9' });
  await applyOf('eu');
  expect(answers()).toContain('www.eu.example. A 192.0.2.1');
  expect(programmed((await applyOf('eu')).out, 'www').reason).toBe('Published');
  expect(programmed((await applyOf('us')).out, 'www').reason).toBe('OwnedByAnotherCluster');
});

test('the guard of one cluster counts what that cluster has', async () => {
  const labels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];
  const all = (value: string) => Object.fromEntries(labels.map((label) => [`${label}${value.length}`, value]));
  writeShared('eu', all('192.0.2.1'));
  writeShared('us', Object.fromEntries(['one', 'two', 'three'].map((label) => [label, '192.0.2.22'])));
  await applyOf('eu');
  await applyOf('us');
  writeShared('us', {});
  const held = await applyOf('us');
  expect([held.code, answers().length]).toEqual([3, 15]);
  writeShared('eu', { ...all('192.0.2.1'), new: '192.0.2.1' });
  expect([(await applyOf('eu')).code, answers().length]).toEqual([0, 16]);
});

const changesIn = (out: string): readonly Record<string, unknown>[] =>
  JSON.parse(out).hostedZones.flatMap((one: { changes: readonly object[] }) => one.changes);
const planOf = (cluster: string, ...more: readonly string[]) =>
  here('plan', '-f', file(`${cluster}.yaml`), '--cluster', cluster, '-o', 'json', ...more);

test('an active cluster takes over from one on standby in one batch, and the guard counts nothing', async () => {
  writeFileSync(file('zone53.yaml'), 'clusters: { eu: {}, us: { standby: true } }\nguard: { deletesMax: 0 }\n');
  writeShared('us', { www: '192.0.2.2', 'www AAAA': '2001:db8::2', api: '192.0.2.2', us: '192.0.2.2' });
  expect((await applyOf('us')).code).toBe(0);
  writeShared('eu', { www: '192.0.2.1', 'api CNAME': 'x.example.net.' });
  const plan = await planOf('eu');
  expect(
    changesIn(plan.out).map(({ action, name, type, cluster, from, outcome }) => [
      action,
      name,
      type,
      cluster,
      from,
      ...(outcome === undefined ? [] : [outcome]),
    ]),
  ).toEqual([
    ['delete', 'api.eu.example.', 'A', 'eu', 'us'],
    ['create', 'api.eu.example.', 'CNAME', 'eu', 'us'],
    ['delete', 'www.eu.example.', 'AAAA', 'eu', 'us'],
    ['update', 'www.eu.example.', 'A', 'eu', 'us'],
  ]);
  const seen: string[][] = [];
  route53.state.onChange(() => seen.push(answers()));
  const applied = await applyOf('eu');
  expect([applied.code, programmed(applied.out, 'www').reason]).toEqual([0, 'Published']);
  const after = ['api.eu.example. CNAME x.example.net.', 'us.eu.example. A 192.0.2.2', 'www.eu.example. A 192.0.2.1'];
  expect(seen).toEqual([after]);
  const waits = await applyOf('us');
  expect([waits.code, programmed(waits.out, 'www')]).toMatchObject([
    0,
    {
      status: 'False',
      reason: 'OwnedByAnotherCluster',
      message: expect.stringContaining('On standby: cluster eu has'),
    },
  ]);
  expect(JSON.parse(waits.out).problems).toEqual([]);
  const quiet = await planOf('us', '--detailed-exitcode', '--fail-on', 'foreign');
  expect([quiet.code, changesIn(quiet.out)]).toEqual([0, []]);
  const { clusters } = JSON.parse((await here('clusters', '-o', 'json')).out);
  expect(clusters).toMatchObject([
    { id: 'eu', standby: false, owns: 2, waits: 0 },
    { id: 'us', standby: true, standbyFrom: 'configuration', owns: 1, waits: 2 },
  ]);
  const explained = JSON.parse((await here('explain', 'www.eu.example', '--cluster', 'us', '-o', 'json')).out);
  expect(explained.claims).toMatchObject([
    { cluster: 'us', standby: true },
    { standby: true },
    { cluster: 'eu', standby: false },
  ]);
  expect(answers()).toEqual(after);
});

test('a cluster that becomes standby gives its names, and has them back within ten minutes', async () => {
  writeShared('eu', { www: '192.0.2.1', eu: '192.0.2.1' });
  writeShared('us', { www: '192.0.2.2' });
  await applyOf('eu');
  await applyOf('us');
  writeFileSync(file('zone53.yaml'), 'clusters: { eu: { standby: true }, us: {} }\n');
  expect(changesIn((await planOf('eu')).out)).toMatchObject([{ action: 'update', cluster: 'us', from: 'eu' }]);
  expect([(await applyOf('eu')).code, answers()]).toEqual([
    0,
    ['eu.eu.example. A 192.0.2.1', 'www.eu.example. A 192.0.2.2'],
  ]);
  writeFileSync(file('zone53.yaml'), 'clusters: { eu: {}, us: {} }\n');
  expect((await applyOf('eu')).code).toBe(0);
  expect(answers()).toContain('www.eu.example. A 192.0.2.1');
  expect((await applyOf('us')).code).toBe(1);
});

test('standby of an object or of a Zone counts, and a wrong value keeps the last valid form', async () => {
  const standby = (value: string) => `, annotations: { zone53.dev/standby: "${value}" }`;
  writeShared('us', { www: '192.0.2.2', api: '192.0.2.2' }, standby('true'));
  await applyOf('us');
  writeShared('eu', { www: '192.0.2.1' });
  expect((await applyOf('eu')).code).toBe(0);
  expect(answers()).toEqual(['api.eu.example. A 192.0.2.2', 'www.eu.example. A 192.0.2.1']);
  writeShared('us', { www: '192.0.2.2', api: '192.0.2.2' }, standby('yes'));
  const wrong = JSON.parse((await applyOf('us')).out);
  expect(wrong.zones[0].conditions[0]).toMatchObject({
    reason: 'InvalidSpec',
    message: expect.stringContaining('expected "true" or "false", got "yes"'),
  });
  writeShared('eu', { www: '192.0.2.1', api: '192.0.2.1' });
  expect((await applyOf('eu')).code).toBe(0);
  expect(answers()).toEqual(['api.eu.example. A 192.0.2.1', 'www.eu.example. A 192.0.2.1']);
  // An object on standby, of a Zone that is active.
  writeShared('eu', { www: '192.0.2.1', api: '192.0.2.1' });
  const text = readFileSync(file('eu.yaml'), 'utf8');
  writeFileSync(file('eu.yaml'), text.replace('name: www, namespace: dns', `$&${standby('true')}`));
  writeShared('us', { www: '192.0.2.2', api: '192.0.2.2' });
  expect((await applyOf('us')).code).toBe(1);
  expect((await applyOf('eu')).code).toBe(0);
  expect(answers()).toEqual(['api.eu.example. A 192.0.2.1', 'www.eu.example. A 192.0.2.2']);
});

const fleet = (...argv: readonly string[]) => here('clusters', ...argv);

test('clusters standby moves every name in one pass, and clusters active has them back', async () => {
  const labels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];
  const all = (value: string) => Object.fromEntries(labels.map((label) => [label, value]));
  writeFileSync(file('zone53.yaml'), 'clusters: { eu: {}, us: {} }\nguard: { deletesMax: 0 }\n');
  writeShared('eu', { ...all('192.0.2.1'), 'a AAAA': '2001:db8::1', own: '192.0.2.1', same: '192.0.2.9' });
  writeShared('us', { ...all('192.0.2.2'), 'l TXT': '"us"', same: '192.0.2.9' });
  await applyOf('eu');
  await applyOf('us');
  const dry = await fleet('standby', 'eu', '--dry-run', '-o', 'json');
  const plan = JSON.parse(dry.out);
  expect([dry.code, plan.digest]).toEqual([0, expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(changesIn(dry.out).map(({ action, cluster, from }) => [action, cluster, from].join(' '))).toEqual([
    ...Array(1).fill('delete us eu'),
    ...Array(12).fill('update us eu'),
  ]);
  expect(JSON.parse((await fleet('-o', 'json')).out).clusters[0]).toMatchObject({ standby: false, owns: 14 });
  await fleet('standby', 'eu', '--out', file('plan.json'));
  const seen: string[][] = [];
  route53.state.onChange(() => seen.push(answers()));
  const moved = await fleet('standby', 'eu', '--plan', file('plan.json'), '-o', 'json');
  const said = changesIn(moved.out).map(({ outcome }) => outcome);
  expect([moved.code, new Set(said), seen.length]).toEqual([0, new Set(['published']), 1]);
  const after = [...labels.map((label) => `${label}.eu.example. A 192.0.2.2`), 'own.eu.example. A 192.0.2.1'];
  expect(answers().filter((line) => line.includes(' A '))).toEqual([...after, 'same.eu.example. A 192.0.2.9']);
  expect(JSON.parse((await fleet('-o', 'json')).out).clusters).toMatchObject([
    { id: 'eu', standby: true, standbyFrom: 'ledger', owns: 2, waits: 12 },
    { id: 'us', standby: false, standbyFrom: 'configuration', owns: 13, waits: 0 },
  ]);
  expect([(await applyOf('us')).code, (await applyOf('eu')).code]).toEqual([0, 0]);
  const again = await fleet('active', 'eu', '--yes', '-o', 'json');
  expect([again.code, changesIn(again.out).length, seen.length]).toEqual([0, 13, 2]);
  expect(answers().filter((line) => line.startsWith('a.eu.example. AAAA'))).toHaveLength(1);
  expect(answers()).toContain('l.eu.example. A 192.0.2.1');
  expect((await fleet()).out).toMatch(/^eu +14 names +last/);
});

test('clusters standby says what it needs, and carries out no other plan', async () => {
  writeShared('eu', { www: '192.0.2.1' });
  writeShared('us', { www: '192.0.2.2' });
  await applyOf('eu');
  await applyOf('us');
  expect((await fleet('standby', 'ue', '--yes')).err).toContain('there is no cluster "ue": name one of eu, us');
  expect((await fleet('standby', 'eu')).err).toContain('pass --yes, or --plan with the reviewed plan');
  const { digest, hostedZones } = JSON.parse((await fleet('standby', 'eu', '--dry-run', '-o', 'json')).out);
  const other = await fleet('standby', 'eu', '--plan', '0'.repeat(64));
  expect([other.code, other.err]).toEqual([1, expect.stringContaining('nothing was applied')]);
  writeShared('us', { www: '192.0.2.3' });
  await applyOf('us');
  expect((await fleet('standby', 'eu', '--plan', digest)).code).toBe(1);
  expect((await fleet('standby', 'eu', '--plan', hostedZones[0].digest)).code).toBe(1);
  expect(answers()).toEqual(['www.eu.example. A 192.0.2.1']);
  expect((await fleet('standby', '--help')).out).toContain('zone53 clusters standby prod-eu --dry-run');
});

const retire = (...argv: readonly string[]) => fleet('retire', 'eu', ...argv);

test('clusters retire moves what others ask for, deletes the rest once that is agreed to, and forgets the cluster', async () => {
  const labels = ['a', 'b', 'c', 'd'];
  const all = (value: string) => Object.fromEntries(labels.map((label) => [label, value]));
  writeShared('eu', { ...all('192.0.2.1'), own: '192.0.2.1', more: '192.0.2.1', same: '192.0.2.9' });
  writeShared('us', { a: '192.0.2.2', b: '192.0.2.2', same: '192.0.2.9', mine: '192.0.2.2' });
  await applyOf('eu');
  await applyOf('us');
  writeFileSync(file('zone53.yaml'), 'clusters: { us: {} }\nguard: { deletesMax: 1 }\n');
  expect((await retire()).err).toContain('pass --yes, or --plan with the reviewed plan');
  const dry = await retire('--dry-run', '-o', 'json');
  const said = (out: string) =>
    changesIn(out).map(({ action, name, cluster, from, held }) =>
      [action, `${name}`.split('.')[0], cluster, ...(from === undefined ? [] : [from]), ...(held ? ['held'] : [])].join(
        ' ',
      ),
    );
  const goes = ['c', 'd', 'more', 'own'].map((label) => `delete ${label} eu held`);
  expect([dry.code, said(dry.out)]).toEqual([3, [...goes, 'update a us eu', 'update b us eu']]);
  const text = (await retire('--dry-run')).out;
  expect(text).toContain('~ a.eu.example. A  (from cluster eu)  # Record dns/a');
  expect(text).toMatch(
    /4 record sets are held until acknowledged\.\n! To release them:\n {4}zone53 clusters retire eu --s/,
  );
  // What is not agreed to stays held; the rest moves.
  const some = await retire('--yes', '-o', 'json');
  expect(some.err).toContain('cluster "eu" is not retired yet: 4 record sets of eu.example. (hosted zone ');
  expect(some.out + some.err).not.toContain('zone53 apply');
  expect([some.code, said(some.out)]).toEqual([3, [...goes, 'update a us eu', 'update b us eu']]);
  const moved = ['a', 'b', 'mine'].map((label) => `${label}.eu.example. A 192.0.2.2`);
  const kept = ['c', 'd', 'more', 'own'].map((label) => `${label}.eu.example. A 192.0.2.1`);
  expect(answers()).toEqual([...moved, ...kept, 'same.eu.example. A 192.0.2.9'].toSorted());
  expect(JSON.parse((await fleet('-o', 'json')).out).clusters).toMatchObject([
    { id: 'eu', standby: true, owns: 4, configured: false },
    { id: 'us', owns: 4 },
  ]);
  expect((await retire('--out', file('retire.json'))).code).toBe(3);
  const whole = await retire('--plan', file('retire.json'), '-o', 'json');
  expect([whole.code, whole.err]).toEqual([0, '']);
  expect(answers()).toEqual([...moved, 'same.eu.example. A 192.0.2.9']);
  expect(JSON.parse((await fleet('-o', 'json')).out).clusters).toMatchObject([{ id: 'us', owns: 4 }]);
  expect((await retire('--yes')).err).toContain('there is no cluster "eu": name one of us');
  expect(changesIn((await planOf('us')).out)).toEqual([]);
  expect((await here('ledger', 'check', '--cluster', 'us')).code).toBe(0);
});

test('a cluster that was retired may come back, and waits for the names like a new one', async () => {
  const after = (minutes: number) => ['--now', new Date(Date.now() + minutes * 60_000).toISOString()];
  const later = after(11);
  writeShared('eu', { www: '192.0.2.1' });
  writeShared('us', { www: '192.0.2.2', api: '192.0.2.2' });
  await applyOf('eu');
  await applyOf('us');
  const first = await retire('--yes');
  expect(first.err).toContain('the configuration has cluster "eu": where it is read again');
  expect([first.code, answers()]).toEqual([0, ['api.eu.example. A 192.0.2.2', 'www.eu.example. A 192.0.2.2']]);
  writeShared('eu', { www: '192.0.2.1', own: '192.0.2.1' });
  expect(changesIn((await planOf('eu')).out)).toMatchObject([{ action: 'create', name: 'own.eu.example.' }, {}]);
  expect((await applyOf('eu', ...later)).code).toBe(1);
  expect(answers()).toContain('www.eu.example. A 192.0.2.2');
  writeShared('us', {});
  expect((await applyOf('us', ...later)).code).toBe(0);
  expect(answers()).toEqual(['own.eu.example. A 192.0.2.1', 'www.eu.example. A 192.0.2.1']);
  // The one that is not the first in the hosted zone.
  expect((await fleet('retire', 'us', '--yes', ...later)).code).toBe(0);
  writeShared('us', { www: '192.0.2.2' });
  expect((await applyOf('us', ...after(22))).code).toBe(1);
  writeShared('eu', {});
  expect((await applyOf('eu', ...after(22))).code).toBe(0);
  expect(answers()).toEqual(['www.eu.example. A 192.0.2.2']);
});

test('clusters retire --retain leaves in Route 53 what nobody else asks for', async () => {
  writeShared('eu', { www: '192.0.2.1', own: '192.0.2.1', more: '192.0.2.1', last: '192.0.2.1' });
  writeShared('us', { www: '192.0.2.2' });
  await applyOf('eu');
  await applyOf('us');
  const retained = await retire('--retain', '--yes', '-o', 'json');
  expect([retained.code, changesIn(retained.out).map(({ action }) => action)]).toEqual([
    0,
    ['forget', 'forget', 'forget', 'update'],
  ]);
  const labels = ['last', 'more', 'own'];
  expect(answers()).toEqual([
    ...labels.map((label) => `${label}.eu.example. A 192.0.2.1`),
    'www.eu.example. A 192.0.2.2',
  ]);
  writeShared('us', { www: '192.0.2.2', own: '192.0.2.2' });
  const foreign = await applyOf('us');
  expect([foreign.code, programmed(foreign.out, 'own').reason]).toEqual([1, 'ForeignRecord']);
});

test('clusters retire leaves of what clusters merge the values of the others', async () => {
  const merge = ', annotations: { zone53.dev/sharing: merge }';
  writeShared('eu', { www: '192.0.2.1' }, merge);
  writeShared('us', { www: '192.0.2.2' }, merge);
  expect([(await applyOf('eu')).code, (await applyOf('us')).code]).toEqual([0, 0]);
  expect(changesIn((await retire('--dry-run', '-o', 'json')).out)).toMatchObject([
    {
      action: 'update',
      cluster: 'us',
      before: { values: ['192.0.2.1', '192.0.2.2'] },
      after: { values: ['192.0.2.2'] },
    },
  ]);
  expect((await retire('--yes')).code).toBe(0);
  expect(answers()).toEqual(['www.eu.example. A 192.0.2.2']);
});

const recordSetsAt = (name: string) =>
  route53.state
    .zones()
    .flatMap(({ recordSets }) => [...recordSets])
    .filter((set) => set.name === `${name}.eu.example.`);

test('two clusters share names by weight and by latency, from namespaces of one name', async () => {
  writeFileSync(file('zone53.yaml'), 'clusters: { eu: { region: eu-west-1 }, us: { region: us-east-1 }, ap: {} }\n');
  const shared = (sharing: string, more = '') => `, annotations: { zone53.dev/sharing: ${sharing}${more} }`;
  writeShared('eu', { www: '192.0.2.1', 'www AAAA': '2001:db8::1' }, shared('weighted'));
  writeShared('us', { www: '192.0.2.2', 'www AAAA': '2001:db8::2' }, shared('weighted', ', zone53.dev/weight: "9"'));
  expect([(await applyOf('eu')).code, (await applyOf('us')).code]).toEqual([0, 0]);
  const ofWww = recordSetsAt('www').map(
    ({ setIdentifier, type, routing }) => `${setIdentifier} ${type} ${JSON.stringify(routing)}`,
  );
  expect(ofWww).toEqual([
    expect.stringMatching(/^eu A .*Weight.*\b1\b/),
    expect.stringMatching(/^us A .*Weight.*\b9\b/),
    expect.stringMatching(/^eu AAAA .*Weight.*\b1\b/),
    expect.stringMatching(/^us AAAA .*Weight.*\b9\b/),
  ]);
  for (const cluster of ['eu', 'us'])
    expect(programmed((await applyOf(cluster)).out, 'www')).toMatchObject({ reason: 'Published' });
  writeShared('us', { www: '192.0.2.2' }, shared('weighted'));
  expect((await applyOf('us')).code).toBe(0);
  expect(recordSetsAt('www').map(({ setIdentifier, type }) => `${setIdentifier} ${type}`)).toEqual([
    'eu A',
    'us A',
    'eu AAAA',
  ]);
  writeShared('eu', { api: '192.0.2.1' }, shared('latency'));
  writeShared('us', { api: '192.0.2.2' }, shared('latency'));
  writeShared('ap', { api: '192.0.2.3' }, shared('latency'));
  expect([(await applyOf('eu')).code, (await applyOf('us')).code]).toEqual([0, 0]);
  expect(recordSetsAt('api').map(({ setIdentifier }) => setIdentifier)).toEqual(['eu', 'us']);
  const lacking = await applyOf('ap');
  expect([lacking.code, programmed(lacking.out, 'api')]).toMatchObject([
    1,
    { reason: 'OwnedByAnotherCluster', message: expect.stringContaining('has no region for this cluster') },
  ]);
});

test('a plan after another cluster has published at a name is the plan that apply makes', async () => {
  writeFileSync(file('zone53.yaml'), 'clusters: { eu: { region: eu-west-1 }, us: { region: us-east-1 } }\n');
  const latency = ', annotations: { zone53.dev/sharing: latency }';
  for (const cluster of ['eu', 'us']) writeShared(cluster, {}, latency);
  for (const cluster of ['eu', 'us']) await applyOf(cluster);
  for (const [cluster, value] of Object.entries({ eu: '192.0.2.1', us: '192.0.2.2' }))
    writeShared(cluster, { www: value }, latency);
  await planOf('us');
  expect((await applyOf('eu')).code).toBe(0);
  await planOf('us', '--out', file('plan.json'));
  expect(await applyOf('us', '--plan', file('plan.json'))).toMatchObject({ code: 0, err: '' });
  expect(recordSetsAt('www').map(({ setIdentifier }) => setIdentifier)).toEqual(['eu', 'us']);
});

test('an object says for itself how it is shared, and only namespaces of one name share', async () => {
  const own = (cluster: string, annotation: string, namespace = 'dns') => {
    const text = readFileSync(file(`${cluster}.yaml`), 'utf8');
    const meta = `name: www, namespace: ${namespace}, annotations: { zone53.dev/sharing: ${annotation} }`;
    writeFileSync(file(`${cluster}.yaml`), text.replace('name: www, namespace: dns', meta));
  };
  writeShared('eu', { www: '192.0.2.1' });
  writeShared('us', { www: '192.0.2.2' });
  for (const cluster of ['eu', 'us']) own(cluster, 'weighted');
  expect([(await applyOf('eu')).code, (await applyOf('us')).code]).toEqual([0, 0]);
  expect(recordSetsAt('www').map(({ setIdentifier }) => setIdentifier)).toEqual(['eu', 'us']);
  writeShared('us', {});
  await applyOf('us');
  writeShared('us', { www: '192.0.2.2' });
  own('us', 'weighted', 'others');
  expect((await applyOf('us')).code).toBe(1);
  expect(recordSetsAt('www').map(({ setIdentifier }) => setIdentifier)).toEqual(['eu']);
  writeShared('us', { www: '192.0.2.2' }, ', annotations: { zone53.dev/sharing: weighted }');
  own('us', 'exclusive');
  expect((await applyOf('us')).code).toBe(1);
});

test('clusters that merge have one record set with the values of all', async () => {
  const merge = ', annotations: { zone53.dev/sharing: merge }';
  writeShared('eu', { www: '192.0.2.1' }, merge);
  writeShared('us', { www: '192.0.2.2', 'www AAAA': '2001:db8::2' }, merge);
  expect((await applyOf('eu')).code).toBe(0);
  const planned = changesIn((await planOf('us')).out);
  expect(planned).toMatchObject([
    { action: 'update', type: 'A', after: { values: ['192.0.2.1', '192.0.2.2'] } },
    { action: 'create', type: 'AAAA' },
  ]);
  const joined = await applyOf('us');
  expect([joined.code, programmed(joined.out, 'www').reason]).toEqual([0, 'Published']);
  expect(JSON.stringify(recordSetsAt('www'))).toMatch(/192\.0\.2\.1.*192\.0\.2\.2/);
  const again = await applyOf('eu');
  expect([again.code, changesIn(again.out), programmed(again.out, 'www').reason]).toEqual([0, [], 'Published']);
  expect(changesIn((await planOf('us')).out)).toEqual([]);
  writeShared('us', { www: '192.0.2.3' }, merge);
  expect((await applyOf('us')).code).toBe(0);
  expect(JSON.stringify(recordSetsAt('www'))).toMatch(/192\.0\.2\.1.*192\.0\.2\.3/);
  expect(JSON.stringify(recordSetsAt('www'))).not.toContain('192.0.2.2');
  writeShared('eu', { own: '192.0.2.9' }, merge);
  expect((await applyOf('eu')).code).toBe(0);
  expect(answers()).toEqual(['own.eu.example. A 192.0.2.9', 'www.eu.example. A 192.0.2.3']);
  // It is back within ten minutes, and does not merge.
  writeShared('eu', { own: '192.0.2.9', www: '192.0.2.1' });
  expect([(await applyOf('eu')).code, (await applyOf('us')).code]).toEqual([0, 1]);
  expect(answers()).toEqual(['own.eu.example. A 192.0.2.9', 'www.eu.example. A 192.0.2.1']);
});

/** What a plan shows of a name, and what becomes of each of it. */
const shownOf = (out: string) =>
  changesIn(out).map(({ action, type, setIdentifier, cluster, from, outcome }) =>
    [action, type, setIdentifier, cluster, ...(from === undefined ? [] : [`from ${from}`]), outcome]
      .filter((word) => word != null)
      .join(' '),
  );

test.each(['weighted', 'merge'])(
  'a plan shows all clusters that get a name, where they share it: %s',
  async (sharing) => {
    writeFileSync(file('zone53.yaml'), 'clusters: { eu: {}, us: {}, ap: {} }\n');
    const shared = `, annotations: { zone53.dev/sharing: ${sharing} }`;
    writeShared('eu', { 'www CNAME': 'x.example.net.' });
    writeShared('us', { www: '192.0.2.2' }, shared);
    writeShared('ap', { www: '192.0.2.3' }, shared);
    expect([(await applyOf('eu')).code, (await applyOf('us')).code, (await applyOf('ap')).code]).toEqual([0, 1, 1]);
    writeShared('eu', {});
    const planned = await planOf('eu', '--out', file('plan.json'));
    // What clusters merge is one record set.
    const [made, identifiers] =
      sharing === 'merge'
        ? [['create A us from eu'], [null]]
        : [
            ['create A us us from eu', 'create A ap ap'],
            ['ap', 'us'],
          ];
    expect(shownOf(planned.out).filter((line) => !line.startsWith('delete'))).toEqual(made);
    const applied = await applyOf('eu', '--plan', file('plan.json'));
    expect([applied.code, shownOf(applied.out)]).toEqual([0, shownOf(planned.out).map((line) => `${line} published`)]);
    expect(recordSetsAt('www').map(({ setIdentifier }) => setIdentifier)).toEqual(identifiers);
    expect(JSON.stringify(recordSetsAt('www'))).toMatch(/192\.0\.2\.[23].*192\.0\.2\.[23]/);
    expect(changesIn((await planOf('eu')).out)).toEqual([]);
  },
);

test('a weighted record set on standby goes with its TTL when an active one is published', async () => {
  const weighted = (standby = '') => `, annotations: { zone53.dev/sharing: weighted${standby} }`;
  writeShared('eu', { www: '192.0.2.1' }, weighted(', zone53.dev/standby: "true"'));
  await applyOf('eu');
  writeShared('us', { www: '192.0.2.2' }, weighted());
  writeFileSync(file('us.yaml'), readFileSync(file('us.yaml'), 'utf8').replace('ttl: 60', 'ttl: 300'));
  const planned = shownOf((await planOf('us')).out);
  expect(planned).toEqual(['delete A eu us from eu', 'create A us us from eu']);
  const applied = await applyOf('us');
  expect([applied.code, recordSetsAt('www').map(({ setIdentifier }) => setIdentifier)]).toEqual([0, ['us']]);
});

test('equal values with another TTL are one record set, with the TTL of the first', async () => {
  const withTtl = (ttl: number) => {
    writeShared('us', { www: '192.0.2.1' });
    writeFileSync(file('us.yaml'), readFileSync(file('us.yaml'), 'utf8').replace('ttl: 60', `ttl: ${ttl}`));
  };
  writeShared('eu', { www: '192.0.2.1' });
  withTtl(300);
  await applyOf('eu');
  const second = await applyOf('us');
  expect([second.code, programmed(second.out, 'www').reason]).toEqual([0, 'Published']);
  expect(JSON.stringify(recordSetsAt('www'))).toContain('60');
  expect([changesIn((await planOf('us')).out), changesIn((await planOf('eu')).out)]).toEqual([[], []]);
  writeShared('eu', {});
  expect((await applyOf('eu')).code).toBe(0);
  expect(JSON.stringify(recordSetsAt('www'))).toContain('300');
  expect((await applyOf('us')).code).toBe(0);
});

test('the SOA follows the lead of the hosted zone, also when that is another one later', async () => {
  const id = route53.state.zones().find(({ name }) => name === 'eu.example.')?.id ?? '';
  const led = (lead: string) =>
    writeFileSync(
      file('zone53.yaml'),
      `clusters: { eu: {}, us: {} }\nsoa: always\nhostedZones: [{ zone: eu.example., id: ${id}${lead} }]\n`,
    );
  const soaText = () => JSON.stringify(route53.state.zones().find((one) => one.id === id)?.recordSets);
  const withRefresh = (cluster: string, seconds: number) => {
    writeShared(cluster, {});
    writeFileSync(
      file(`${cluster}.yaml`),
      readFileSync(file(`${cluster}.yaml`), 'utf8').replace('spec: {', `spec: { refresh: ${seconds},`),
    );
  };
  withRefresh('eu', 50_000);
  withRefresh('us', 60_000);
  led('');
  for (const cluster of ['eu', 'us']) expect((await applyOf(cluster)).code).toBe(0);
  expect(soaText()).toContain(' 50000 7200 ');
  led(', lead: us');
  expect(changesIn((await planOf('us')).out)).toMatchObject([{ action: 'update', type: 'SOA', cluster: 'us' }]);
  for (const cluster of ['eu', 'us', 'eu']) expect((await applyOf(cluster)).code).toBe(0);
  expect(soaText()).toContain(' 60000 7200 ');
  for (const cluster of ['eu', 'us']) expect(changesIn((await planOf(cluster)).out)).toEqual([]);
  led(', lead: eu');
  for (const cluster of ['us', 'eu', 'us']) expect((await applyOf(cluster)).code).toBe(0);
  expect(soaText()).toContain(' 50000 7200 ');
  // Without a lead, it is the cluster that used the hosted zone first, of those that are left.
  led('');
  expect((await fleet('retire', 'eu', '--yes')).code).toBe(0);
  for (const _ of ['changes', 'stays']) expect((await applyOf('us')).code).toBe(0);
  expect(soaText()).toContain(' 60000 7200 ');
});

/** A Zone with Records, by name; `more`: further keys of the Zone's spec. */
function writeZone(cluster: string, domainName: string, records: Readonly<Record<string, string>>, more = ''): void {
  const zone = `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: z, namespace: dns }
spec: { domainName: ${domainName}${more} }
`;
  const all = Object.entries(records).map(
    ([name, value]) => `---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name.replaceAll(/[^a-z]/g, '')}, namespace: dns }
spec: { domainName: ${name}, type: A, rdata: '${value}' }
`,
  );
  writeFileSync(file(`${cluster}.yaml`), zone + all.join(''));
}

const RECORDS = ', delegations: [{ records: [{ pattern: "*" }] }]';
const WITH_US = ', delegations: [{ records: [{ pattern: "*" }] }, { clusters: [us], zones: [us] }]';

/** The record sets in the hosted zone example., but for its SOA and own NS. */
const inParent = () =>
  route53.state
    .zones()
    .find(({ name }) => name === 'example.')
    ?.recordSets.filter(({ name }) => name !== 'example.')
    .map(({ name, type }) => `${name} ${type}`)
    .toSorted();
const zoneSays = (out: string) =>
  JSON.parse(out).zones[0].conditions.find(({ type }: { type: string }) => type === 'Programmed');

async function createParent(): Promise<void> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = route53Client({ endpoint: route53.url, region: 'us-east-1', credentials });
  await client.send(new CreateHostedZoneCommand({ Name: 'example.', CallerReference: 'parent' }));
  client.destroy();
}

test('a delegation that names a cluster publishes the NS of its Zone, and follows it', async () => {
  await createParent();
  writeZone('eu', 'example.', { 'www.example.': '192.0.2.1' }, WITH_US);
  writeZone('us', 'us.example.', { 'www.us.example.': '192.0.2.2' }, RECORDS);
  expect((await applyOf('eu')).code).toBe(0);
  expect(inParent()).toEqual(['www.example. A']);
  expect((await applyOf('us')).code).toBe(0);
  expect(changesIn((await planOf('eu')).out)).toMatchObject([{ action: 'create', name: 'us.example.', type: 'NS' }]);
  const second = await applyOf('eu');
  expect([second.code, inParent()]).toEqual([0, ['us.example. NS', 'www.example. A']]);
  expect(JSON.parse(second.out).zones[0].entries.map((one: { fqdn: string }) => one.fqdn)).toContain('us.example.');
  expect(changesIn((await planOf('eu')).out)).toEqual([]);
  // What the parent asks for there is occluded.
  writeZone('eu', 'example.', { 'www.example.': '192.0.2.1', 'api.us.example.': '192.0.2.1' }, WITH_US);
  const occluded = await applyOf('eu');
  expect([occluded.code, programmed(occluded.out, 'apiusexample')]).toEqual([
    0,
    {
      ...programmed(occluded.out, 'apiusexample'),
      reason: 'Occluded',
      message: expect.stringMatching(
        /^api\.us\.example\. is at or below hosted zone Z\w+ \(us\.example\.\) of cluster us: declare it in that cluster$/,
      ),
    },
  ]);
  const explained = await here('explain', 'api.us.example', '-f', file('eu.yaml'), '--cluster', 'eu');
  expect(explained.out).toContain('of cluster us: declare it in that cluster');
  writeFileSync(file('us.yaml'), '');
  await applyOf('us');
  writeZone('eu', 'example.', { 'www.example.': '192.0.2.1', 'api.us.example.': '192.0.2.1' }, WITH_US);
  await applyOf('eu');
  expect(inParent()).toEqual(['api.us.example. A', 'www.example. A']);
});

test('a hosted zone makes no cut while another active cluster owns names below it', async () => {
  await createParent();
  writeZone('eu', 'example.', { 'www.example.': '192.0.2.1', 'api.us.example.': '192.0.2.1' }, WITH_US);
  writeZone('us', 'us.example.', { 'www.us.example.': '192.0.2.2' }, RECORDS);
  expect((await applyOf('eu')).code).toBe(0);
  const owned = await applyOf('us');
  expect([owned.code, zoneSays(owned.out)]).toMatchObject([
    1,
    {
      reason: 'OwnedByAnotherCluster',
      message: expect.stringContaining('Cluster eu owns names at or below us.example.'),
    },
  ]);
  expect(standing()).toEqual(['api.us.example.', 'www.example.', 'www.us.example.']);
  expect((await applyOf('eu')).code).toBe(0);
  expect(inParent()).toEqual(['api.us.example. A', 'www.example. A']);
  writeFileSync(
    file('zone53.yaml'),
    'clusters: { eu: { standby: true }, us: {} }\nguard: { deletesMax: 0, deletesShareMax: 0 }\n',
  );
  const held = await applyOf('eu');
  // The NS would hide what the guard holds.
  expect(JSON.stringify(changesIn(held.out))).toContain('it would hide api.us.example. A, which the guard holds here');
  expect([held.code, inParent()]).toEqual([3, ['api.us.example. A', 'www.example. A']]);
  const { heldDigest: digest } = JSON.parse(held.out).hostedZones[0];
  const freed = await here(
    ...['apply', '-f', file('eu.yaml'), '--cluster', 'eu', '--yes', '-o', 'json', '--acknowledge', digest],
  );
  expect([freed.code, inParent()]).toEqual([0, ['us.example. NS', 'www.example. A']]);
  expect(zoneSays((await applyOf('us')).out).reason).toBe('Published');
});
