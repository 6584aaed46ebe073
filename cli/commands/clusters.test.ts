// Two clusters with one ledger as commands, with a Route 53 of our own: each has its own hosted zone, and `zone53
// clusters` lists both.
import { writeFileSync } from 'node:fs';
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
const applyOf = (cluster: string) =>
  here('apply', '-f', file(`${cluster}.yaml`), '--cluster', cluster, '--yes', '-o', 'json');
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
