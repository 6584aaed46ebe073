// `import`, `explain` and `migrate` as processes, with our strict Route 53. The expected output was written from the
// rules of each command before the commands were run.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { createRoute53State, type Route53State } from '../../local/route53/model/state.ts';
import type { LocalRecordSet } from '../../local/route53/records/record-set.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { plannedOf, zone53 } from '../support/zone53-command.ts';

type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: Readonly<Record<string, unknown>>;
};

let folder: string;
let state: Route53State;
let server: Awaited<ReturnType<typeof startRoute53>>;
let proxy: FaultProxy;
let id: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'zone53-account-'));
});
afterAll(async () => {
  await proxy.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

const set = (label: string, type: string, values: readonly string[], more: Partial<LocalRecordSet> = {}) => ({
  name: `${label}example.org.`,
  type,
  ...{ setIdentifier: null, ttl: 300, values, alias: null, routing: null },
  ...more,
});

/** Makes a new account with one hosted zone that has these record sets. */
async function standing(...sets: readonly LocalRecordSet[]): Promise<void> {
  await proxy?.close();
  await server?.close();
  state = createRoute53State({ clock: { nowMs: Date.now }, random: Math.random });
  const made = state.createHostedZone({ name: 'example.org.', callerReference: 'by hand', comment: null, vpc: null });
  id = made.zone.id;
  const changes = sets.map((recordSet) => ({ action: 'CREATE' as const, recordSet }));
  if (changes.length > 0) state.changeResourceRecordSets(id, null, changes);
  server = await startRoute53({ state });
  proxy = await startFaultProxy({ target: server.url, seed: 1, rate: 0 });
  rmSync(path.join(folder, 'here'), { recursive: true, force: true });
  mkdirSync(path.join(folder, 'here', 'dns'), { recursive: true });
}

const run = (...argv: string[]) => zone53({ folder: path.join(folder, 'here'), route53: proxy.url }, argv);
const writes = () => proxy.count('ChangeResourceRecordSets');
const write = (file: string, text: string) => writeFileSync(path.join(folder, 'here', file), text);
const manifestsIn = (text: string) => parseAllDocuments(text).map((one) => one.toJS() as Manifest);

function want(...records: readonly object[]): void {
  const object = (kind: string, name: string, spec: object) => {
    return { apiVersion: 'kubi.zone/v1alpha1', kind, metadata: { name, namespace: 'team' }, spec };
  };
  const items = [
    object('Zone', 'root', { domainName: 'example.org.', delegations: [{ records: [{ pattern: '*' }] }] }),
    ...records.map((spec, index) => object('Record', `r${index}`, { type: 'A', ...spec })),
  ];
  write('dns/a.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

const weight = (setIdentifier: string, value: string) => ({
  setIdentifier,
  routing: { policy: 'Weight' as const, value },
});
const alias = (dnsName: string) => ({
  ...{ ttl: null, alias: { hostedZoneId: id, dnsName, evaluateTargetHealth: false } },
});

describe('import', () => {
  beforeEach(async () => {
    await standing(
      set('www.', 'A', ['192.0.2.2', '192.0.2.1']),
      set('', 'MX', ['10 mail.example.net.']),
      set('\\052.', 'TXT', ['"any \\"quoted\\" \\303\\244"']),
      set('w.', 'A', ['192.0.2.3'], weight('a', '10')),
      set('w.', 'A', ['192.0.2.4'], weight('b', '0')),
      set('at\\100.', 'A', ['192.0.2.5']),
    );
    const changes = [{ action: 'CREATE' as const, recordSet: set('to.', 'A', [], alias('www.example.org.')) }];
    state.changeResourceRecordSets(id, null, changes);
  });

  it('prints a Zone and a Record for each record set, the same each time, and an error for what a Record cannot express', async () => {
    const one = await run('import', '--hosted-zone', id, '--namespace', 'team', '--zone-name', 'root');
    const two = await run('import', '--hosted-zone', id, '--namespace', 'team', '--zone-name', 'root');
    expect(one.code).toBe(1);
    expect(two.out).toBe(one.out);
    expect(one.err).toContain('at\\100.example.org');
    const [zone, ...records] = manifestsIn(one.out);
    expect(zone).toMatchObject({ kind: 'Zone', metadata: { name: 'root', namespace: 'team' } });
    expect(zone?.spec.domainName).toBe('example.org.');
    expect(records.every(({ metadata }) => metadata.namespace === 'team')).toBe(true);
    expect(new Set(records.map(({ metadata }) => metadata.name)).size).toBe(6);
    const of = (name: string, type: string) =>
      records.filter(({ spec }) => spec.domainName === name && spec.type === type);
    expect(of('example.org.', 'NS')).toEqual([]);
    expect(of('example.org.', 'MX')).toMatchObject([{ spec: { rdata: '10 mail.example.net.', ttl: 300 } }]);
    expect(new Set(of('www.example.org.', 'A').flatMap(({ spec }) => spec.values))).toEqual(
      new Set(['192.0.2.1', '192.0.2.2']),
    );
    expect(of('w.example.org.', 'A').map(({ spec }) => spec.routing)).toEqual([
      { setIdentifier: 'a', weight: 10 },
      { setIdentifier: 'b', weight: 0 },
    ]);
    expect(of('to.example.org.', 'A')[0]?.spec.alias).toMatchObject({
      target: 'www.example.org.',
      evaluateTargetHealth: false,
    });
    expect(writes()).toBe(0);
  });

  it('writes manifests that plan adopts with takeover, without a call of apply that writes', async () => {
    expect((await run('import', '--hosted-zone', id, '-o', 'dns')).code).toBe(1);
    for (const file of readdirSync(path.join(folder, 'here', 'dns'))) {
      const text = readFileSync(path.join(folder, 'here', 'dns', file), 'utf8');
      const objects = manifestsIn(text).map((one) =>
        one.kind === 'Zone'
          ? { ...one, metadata: { ...one.metadata, annotations: { 'zone53.dev/takeover': 'true' } } }
          : one,
      );
      write(`dns/${file}`, objects.map((one) => JSON.stringify(one)).join('\n---\n'));
    }
    const plan = plannedOf(await run('plan', '-f', 'dns', '-o', 'json'));
    const changes = plan.hostedZones.flatMap((one) => one.changes);
    expect(new Set(changes.map(({ action }) => action))).toEqual(new Set(['adopt']));
    expect(changes).toHaveLength(6);
    for (const { before, after } of changes) expect(before).toEqual(after);
    const applied = await run('apply', '-f', 'dns', '--yes', '-o', 'json');
    expect(applied.code, applied.out + applied.err).toBe(0);
    expect(writes()).toBe(0);
  });
});

describe('explain', () => {
  it('names the objects that ask, whether they are adopted, what Route 53 has, its owner, and the published content', async () => {
    await standing(set('www.', 'TXT', ['"theirs"']));
    want(
      { domainName: 'www.example.org.', rdata: '192.0.2.1' },
      { domainName: 'www.example.org.', type: 'CNAME', rdata: 'x.example.net.' },
    );
    await run('apply', '-f', 'dns', '--yes');
    const before = writes();
    const ran = await run('explain', 'www.example.org', '-f', 'dns', '-o', 'json');
    const said = JSON.parse(ran.out);
    expect(Object.keys(said)).toEqual(
      expect.arrayContaining(
        'name type zone hostedZone objects route53 published delegation pending held advice'.split(' '),
      ),
    );
    expect(said).toMatchObject({
      name: 'www.example.org.',
      zone: 'team/root',
      hostedZone: { id, name: 'example.org.' },
    });
    expect(said.objects).toMatchObject([
      { object: 'Record team/r0', accepted: { reason: 'Adopted' }, programmed: { reason: 'Published' } },
      { object: 'Record team/r1', accepted: { reason: 'Conflict' } },
    ]);
    const owners = said.route53.map(({ type, owner }: { type: string; owner: string }) => `${type} ${owner}`);
    expect(owners.toSorted()).toEqual(['A zone53', 'TXT foreign']);
    expect(said.published[0].content).toEqual({ ttl: 360, values: ['192.0.2.1'] });
    expect(Number.isNaN(Date.parse(said.published[0].at))).toBe(false);
    expect([said.pending, said.held]).toEqual([[], []]);
    expect(writes()).toBe(before);
  });

  it('names a foreign record set and the remedy, and says when nobody asks for a name', async () => {
    await standing(set('www.', 'A', ['203.0.113.9']));
    want({ domainName: 'www.example.org.', rdata: '192.0.2.1' });
    await run('apply', '-f', 'dns', '--yes');
    const said = JSON.parse((await run('explain', 'www.example.org', 'A', '-f', 'dns', '-o', 'json')).out);
    expect(said.objects).toMatchObject([{ programmed: { reason: 'ForeignRecord' } }]);
    expect(said.route53).toMatchObject([
      { type: 'A', owner: 'foreign', content: { ttl: 300, values: ['203.0.113.9'] } },
    ]);
    expect(said.published).toEqual([]);
    expect(said.advice).toContain('takeover');
    const nobody = JSON.parse((await run('explain', 'nobody.example.org', '-f', 'dns', '-o', 'json')).out);
    expect(nobody).toMatchObject({ objects: [], route53: [], published: [], pending: [], held: [] });
    expect(nobody.advice).not.toBe('');
  });
});

describe('migrate', () => {
  it('lists the record sets of that external-dns owner by what becomes of them, and the foreign ones; writes nothing', async () => {
    const text = (label: string, type: string, owner = 'prod') =>
      set(`${type.toLowerCase()}-${label}`, 'TXT', [
        `"heritage=external-dns,external-dns/owner=${owner},external-dns/resource=ingress/team/x"`,
      ]);
    await standing(
      ...['same.', 'other.', 'gone.', 'theirs.'].map((label) => set(label, 'A', ['192.0.2.1'])),
      ...['same.', 'other.', 'gone.'].map((label) => text(label, 'A')),
      text('theirs.', 'A', 'staging'),
      set('bare.', 'A', ['192.0.2.1']),
    );
    write('zone53.yaml', 'takeover: { externalDns: [{ ownerId: prod }] }\n');
    want(
      { domainName: 'same.example.org.', rdata: '192.0.2.1', ttl: 300 },
      { domainName: 'other.example.org.', rdata: '192.0.2.2', ttl: 300 },
      { domainName: 'theirs.example.org.', rdata: '192.0.2.1', ttl: 300 },
      { domainName: 'bare.example.org.', rdata: '192.0.2.1', ttl: 300 },
    );
    const ran = await run('migrate', '--from', 'external-dns', '--owner', 'prod', '-f', 'dns', '-o', 'json');
    const [zone] = JSON.parse(ran.out).hostedZones;
    expect(zone).toMatchObject({ id, name: 'example.org.', owner: 'prod' });
    const namesOf = (all: readonly { name: string; type: string }[]) => all.map(({ name, type }) => `${name} ${type}`);
    expect(namesOf(zone.adopt)).toEqual(['same.example.org. A']);
    expect(namesOf(zone.update)).toEqual(['other.example.org. A']);
    expect(namesOf(zone.unwanted)).toEqual(['gone.example.org. A']);
    expect(namesOf(zone.foreign).toSorted()).toEqual(['bare.example.org. A', 'theirs.example.org. A']);
    expect(zone.update[0]).toMatchObject({
      setIdentifier: null,
      standing: { ttl: 300, values: ['192.0.2.1'] },
      wanted: { ttl: 300, values: ['192.0.2.2'] },
      objects: ['Record team/r1'],
    });
    expect(zone.unwanted[0].wanted).toBeNull();
    expect(writes()).toBe(0);
    // Then apply carries it out: the TXT records of what it took over are deleted, and all else is unchanged.
    const applied = await run('apply', '-f', 'dns', '--yes', '-o', 'json');
    expect(applied.code).toBe(1);
    const left = (state.zones()[0]?.recordSets ?? [])
      .slice(2)
      .map(({ name, type, values }) => `${name.split('.')[0]} ${type} ${values[0]}`);
    expect(left.filter((line) => / A /.test(line)).toSorted()).toEqual([
      'bare A 192.0.2.1',
      'gone A 192.0.2.1',
      'other A 192.0.2.2',
      'same A 192.0.2.1',
      'theirs A 192.0.2.1',
    ]);
    expect(
      left
        .filter((line) => / TXT /.test(line))
        .map((line) => line.split(' ')[0])
        .toSorted(),
    ).toEqual(['a-gone', 'a-theirs']);
  });
});
