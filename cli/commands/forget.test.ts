// `zone53 forget` and `zone53 migrate --to external-dns` as commands, with a Route 53 of our own and a state folder.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CreateHostedZoneCommand } from '@aws-sdk/client-route-53';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { stubRoute53 } from '../../test/support/apply-request.ts';
import { runHere } from '../../test/support/run-here.ts';
import { testFolder } from '../../test/support/test-folder.ts';

const ZONE = `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: e, namespace: dns }
spec: { domainName: e.example., delegations: [{ records: [{ pattern: "*" }, { pattern: "@" }] }] }
`;
const record = (name: string, type: string, rdata: string) => `---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name}-${type.toLowerCase()}, namespace: dns }
spec: { domainName: ${name}.e.example., type: ${type}, ttl: 60, rdata: '${rdata}' }
`;

let route53: Awaited<ReturnType<typeof openLocalRoute53>>;
let folder: string;
let writes: number;

beforeEach(() => {
  folder = testFolder();
  writes = 0;
});
afterEach(() => vi.unstubAllEnvs());

/** Publishes three record sets. */
async function publish(): Promise<void> {
  route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  stubRoute53(route53.url);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = route53Client({ endpoint: route53.url, region: 'us-east-1', credentials });
  await client.send(new CreateHostedZoneCommand({ Name: 'e.example.', CallerReference: 'by hand' }));
  client.destroy();
  write(record('a', 'A', '192.0.2.1'), record('b', 'A', '192.0.2.2'), record('b', 'CAA', '0 issue "x"'));
  expect((await here('apply', '-f', path.join(folder, 'dns.yaml'), '--yes')).code).toBe(0);
  route53.state.onChange(() => {
    writes += 1;
  });
  writes = 0;
}

function write(...records: readonly string[]): void {
  writeFileSync(path.join(folder, 'dns.yaml'), ZONE + records.join(''));
}

const here = (...argv: readonly string[]) => runHere(...argv, '--state', path.join(folder, 'state'));
const standing = () =>
  route53.state
    .zones()
    .flatMap(({ recordSets }) => [...recordSets])
    .map(({ name, type }) => `${name} ${type}`)
    .filter((line) => !/^e\.example\. (?:NS|SOA)$/.test(line))
    .toSorted();
const ALL = ['a.e.example. A', 'b.e.example. A', 'b.e.example. CAA'];

describe('with three record sets', () => {
  beforeEach(publish);
  afterEach(() => route53.close());

  test('forget leaves a name as it is, whatever its object says from then on', async () => {
    const dry = await here('forget', 'b.e.example', '--dry-run');
    expect(dry).toMatchObject({ code: 0, err: '' });
    expect(dry.out).toContain('> b.e.example. A');
    expect(dry.out).toContain('2 to forget, in 1 hosted zone.');
    const done = await here('forget', 'b.e.example', '--yes');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain('2 forgotten.');
    write(record('a', 'A', '192.0.2.1'), record('b', 'A', '192.0.2.9'));
    const applied = await here('apply', '-f', path.join(folder, 'dns.yaml'), '--yes');
    expect(applied.code).toBe(1);
    expect(applied.out).toContain('ForeignRecord');
    expect({ writes, standing: standing() }).toEqual({ writes: 0, standing: ALL });
  });

  test('forget --zone carries out a reviewed plan, and no other', async () => {
    const plan = path.join(folder, 'plan.json');
    expect((await here('forget', '--zone', 'dns/e', '--out', plan)).code).toBe(0);
    const [hostedZone] = JSON.parse(readFileSync(plan, 'utf8')).hostedZones;
    expect(hostedZone).toMatchObject({
      name: 'e.example.',
      stays: [],
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(hostedZone.changes).toHaveLength(3);
    write(record('a', 'A', '192.0.2.1'), record('b', 'A', '192.0.2.2'));
    await here('apply', '-f', path.join(folder, 'dns.yaml'), '--yes', '--acknowledge', hostedZone.digest).catch(
      () => null,
    );
    await here('apply', '-f', path.join(folder, 'dns.yaml'), '--yes');
    const stale = await here('forget', '--zone', 'dns/e', '--plan', plan);
    expect(stale).toMatchObject({ code: 1, out: '', err: expect.stringContaining('differs from the reviewed one') });
    const done = await here('forget', '--zone', 'dns/e', '--yes', '-o', 'json');
    expect(done.code).toBe(0);
    expect(JSON.parse(done.out).hostedZones[0].changes).toMatchObject([
      { outcome: 'published' },
      { outcome: 'published' },
    ]);
    expect((await here('forget', '--zone', 'dns/e', '--yes')).err).toContain('zone53 publishes nothing for Zone dns/e');
  });

  test('migrate --to external-dns writes the TXT records, and says what stays', async () => {
    const done = await here('migrate', '--to', 'external-dns', '--owner', 'prod', '--yes');
    expect(done).toMatchObject({ code: 1, err: '' });
    expect(done.out).toContain('CAA b.e.example. stays with zone53: external-dns does not manage CAA in Route 53.');
    expect(done.out).toContain('+     with it a-a.e.example. TXT of external-dns');
    expect(standing()).toEqual(['a-a.e.example. TXT', 'a-b.e.example. TXT', ...ALL].toSorted());
    expect(writes).toBe(1);
  });

  test('a Zone that takes over, and a configuration that does, stand in the way', async () => {
    writeFileSync(
      path.join(folder, 'dns.yaml'),
      `${ZONE.replace('namespace: dns }', 'namespace: dns, annotations: { zone53.dev/takeover: "true" } }')}${record('a', 'A', '192.0.2.1')}`,
    );
    await here('apply', '-f', path.join(folder, 'dns.yaml'), '--yes');
    const kept = await here('forget', 'a.e.example', '--yes');
    expect(kept.code).toBe(1);
    expect(kept.out).toContain('Zone dns/e has zone53.dev/takeover, so zone53 would take it back at once');
    const config = path.join(folder, 'zone53.yaml');
    writeFileSync(config, 'takeover: { externalDns: [{ ownerId: prod }] }\n');
    const refused = await here('migrate', '--to', 'external-dns', '--owner', 'prod', '--yes', '--config', config);
    expect(refused).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('so zone53 would take everything back'),
    });
  });
});

test.each<[string, readonly string[], RegExp]>([
  ['no name', ['forget', '--yes'], /Name DNS names, or a Zone/],
  ['names and a Zone', ['forget', 'a.e.example', '--zone', 'dns/e', '--yes'], /and not both/],
  ['a Zone without namespace', ['forget', '--zone', 'e', '--yes'], /NAMESPACE\/NAME/],
  ['nobody to ask', ['forget', 'a.e.example'], /there is no terminal: pass --yes/],
  [
    'a name that it does not publish',
    ['forget', 'x.e.example', '--yes'],
    /zone53 publishes nothing at x\.e\.example\./,
  ],
  ['a plan and a dry run', ['forget', 'a.e.example', '--dry-run', '--plan', 'x'], /--plan carries a plan out/],
  ['neither way', ['migrate', '--owner', 'prod'], /Say --from external-dns or --to external-dns/],
  ['both ways', ['migrate', '--from', 'external-dns', '--to', 'external-dns', '--owner', 'prod'], /and not both/],
  [
    'flags of the other way',
    ['migrate', '--from', 'external-dns', '--owner', 'prod', '--txt-prefix', 'x'],
    /--txt-prefix is for --to/,
  ],
  ['objects', ['migrate', '--to', 'external-dns', '--owner', 'prod', '-f', 'x', '--yes'], /reads no objects/],
  [
    'prefix and suffix',
    ['migrate', '--to', 'external-dns', '--owner', 'p', '--txt-prefix', 'x', '--txt-suffix', 'y', '--yes'],
    /--txt-prefix or --txt-suffix/,
  ],
  [
    'an owner that breaks the text',
    ['migrate', '--to', 'external-dns', '--owner', 'a,b', '--yes'],
    /cannot be in a TXT record/,
  ],
])('refuses %s', async (_, argv, why) => {
  const { code, err } = await here(...argv);
  expect(code).toBe(1);
  expect(err).toMatch(why);
  expect(writes).toBe(0);
});
