// `zone53 plan` and `apply` as processes of their own against moto, somebody else's Route 53: what issue 1 calls done, what
// the flags promise, and how ownership moves when Zones and Records do. moto bears less than Route 53 (moto-looser.ts): what
// was deleted cannot come back with the same content, so no test here asks for that.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type Change,
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  DeleteHostedZoneCommand,
  ListHostedZonesCommand,
  ListResourceRecordSetsCommand,
  Route53Client,
} from '@aws-sdk/client-route-53';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWithEngine, type RunningEngine, startMoto } from '../engines/engines.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { appliedOf, type CommandPlace, plannedOf, type Ran, zone53 } from '../support/zone53-command.ts';

const TEAMS = path.resolve(import.meta.dirname, '../../examples/teams');

type Files = Readonly<Record<string, string>>;

describeWithEngine('moto', 'zone53 plan and apply against moto', () => {
  let moto: RunningEngine;
  let proxy: FaultProxy;
  let route53: Route53Client;
  let place: CommandPlace;

  beforeAll(async () => {
    moto = await startMoto();
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    route53 = new Route53Client({ endpoint: moto.url, region: 'us-east-1', credentials });
  });
  afterAll(async () => {
    route53?.destroy();
    await moto?.close();
  });
  beforeEach(async () => {
    await fetch(`${moto.url}/moto-api/reset`, { method: 'POST' });
    proxy = await startFaultProxy({ target: moto.url, seed: 1, rate: 0 });
    place = { folder: mkdtempSync(path.join(tmpdir(), 'zone53-apply-')), route53: proxy.url };
  });
  afterEach(async () => {
    await proxy.close();
    rmSync(place.folder, { recursive: true });
  });

  const createZone = async (name: string): Promise<string> => {
    const input = { Name: name, CallerReference: `${name} ${Math.random()}` };
    const { HostedZone } = await route53.send(new CreateHostedZoneCommand(input));
    return HostedZone?.Id?.replace('/hostedzone/', '') ?? '';
  };
  const put = (id: string, Action: 'CREATE' | 'DELETE', name: string, type: string, value: string) => {
    const set = { Name: name, Type: type, TTL: 300, ResourceRecords: [{ Value: value }] };
    const Changes = [{ Action, ResourceRecordSet: set } as Change];
    return route53.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch: { Changes } }));
  };
  /** `name type` → values, without the SOA and NS of the apex. */
  const standing = async (id: string): Promise<Record<string, string>> => {
    const { ResourceRecordSets = [] } = await route53.send(new ListResourceRecordSetsCommand({ HostedZoneId: id }));
    const soa = ResourceRecordSets.find(({ Type }) => Type === 'SOA');
    const own = ResourceRecordSets.filter(({ Name, Type }) => Name !== soa?.Name || (Type !== 'SOA' && Type !== 'NS'));
    return Object.fromEntries(
      own.map(({ Name, Type, ResourceRecords = [] }) => [
        `${Name?.replace('\\052', '*')} ${Type}`,
        ResourceRecords.map(({ Value }) => Value).join(','),
      ]),
    );
  };
  /** Writes these files as the whole folder `dns`. */
  const write = (files: Files) => {
    const folder = path.join(place.folder, 'dns');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  };
  const run = (...argv: string[]) => zone53(place, argv);
  const apply = (...argv: string[]) => run('apply', '-f', 'dns', '--yes', '-o', 'json', ...argv);
  const plan = (...argv: string[]) => run('plan', '-f', 'dns', '-o', 'json', ...argv);
  const changeCalls = () => proxy.count('ChangeResourceRecordSets');
  const outcomes = (ran: Ran) =>
    (appliedOf(ran)?.hostedZones ?? []).flatMap(({ changes }) =>
      changes
        .filter(({ type }) => type !== 'SOA')
        .map(({ action, name, type, outcome }) => `${action} ${type} ${name} ${outcome}`),
    );
  const programmed = (ran: Ran, name: string) =>
    [...(appliedOf(ran)?.records ?? []), ...(appliedOf(ran)?.zones ?? [])]
      .find((object) => object.name === name)
      ?.conditions.find(({ type }) => type === 'Programmed');

  it('publishes examples/teams, has nothing to do then, and leaves what stands in the way', async () => {
    const [root, shop] = [await createZone('example.org'), await createZone('shop.example.org')];
    await put(root, 'CREATE', 'www.example.org', 'A', '198.51.100.1');
    await put(root, 'CREATE', 'theirs.example.org', 'TXT', '"theirs"');
    // As the issue has it: one endpoint for all of AWS.
    place = { ...place, route53: '', env: { AWS_ENDPOINT_URL: proxy.url } };
    const first = await run('apply', '-f', TEAMS, '--yes', '-o', 'json');
    expect(first.code).toBe(1);
    expect(outcomes(first).filter((line) => !line.endsWith(' published'))).toEqual([
      'create A www.example.org. foreign',
    ]);
    expect(programmed(first, 'www')).toMatchObject({ status: 'False', reason: 'ForeignRecord' });
    expect(programmed(first, 'www')?.message).toContain('198.51.100.1');
    expect(await standing(root)).toMatchObject({
      'www.example.org. A': '198.51.100.1',
      'theirs.example.org. TXT': '"theirs"',
      'build.lab.example.org. A': '203.0.113.7',
      'ns1.partner.example.org. A': '203.0.113.53',
      'shop.example.org. NS': expect.stringContaining('awsdns'),
      'status.example.org. CNAME': 'status.example.net.',
    });
    expect(await standing(shop)).toEqual({
      'shop.example.org. A': '198.51.100.20',
      '*.shop.example.org. CNAME': 'shop.example.org.',
    });

    const before = changeCalls();
    expect((await run('apply', '-f', TEAMS, '--yes')).code).toBe(1);
    expect(changeCalls()).toBe(before);

    await put(root, 'DELETE', 'www.example.org', 'A', '198.51.100.1');
    const second = await run('apply', '-f', TEAMS, '--yes', '-o', 'json');
    expect([second.code, outcomes(second)]).toEqual([0, ['create A www.example.org. published']]);
    const done = changeCalls();
    const third = await run('apply', '-f', TEAMS, '--yes');
    expect([third.code, third.out]).toEqual([0, expect.stringContaining('Nothing to do.')]);
    expect(changeCalls()).toBe(done);
  });

  it('plan --out and apply --plan: what was reviewed, or nothing at all', async () => {
    const root = await createZone('example.org');
    write({ 'zone.yaml': zone('example.org.'), 'www.yaml': record('www', 'A', '192.0.2.1') });
    expect((await plan('--out', 'plan.json')).code).toBe(0);
    write({ 'zone.yaml': zone('example.org.'), 'www.yaml': record('www', 'A', '192.0.2.2') });
    const stale = await run('apply', '-f', 'dns', '--plan', 'plan.json');
    expect([stale.code, stale.out]).toEqual([1, '']);
    expect(stale.err).toContain('example.org. has other changes now than in the plan');
    expect(changeCalls()).toBe(0);
    write({ 'zone.yaml': zone('example.org.'), 'www.yaml': record('www', 'A', '192.0.2.1') });
    // Nothing was written, so the plan still is the plan.
    expect((await run('apply', '-f', 'dns', '--plan', 'plan.json')).code).toBe(0);
    expect(await standing(root)).toEqual({ 'www.example.org. A': '192.0.2.1' });
    // And now it is done, which is another plan.
    expect((await run('apply', '-f', 'dns', '--plan', 'plan.json')).code).toBe(1);
  });

  it('apply --plan DIGEST applies the hosted zone of that digest, and no other', async () => {
    const [one, two] = [await createZone('one.example'), await createZone('two.example')];
    write({
      'one.yaml': `${zone('one.example.', 'one')}---\n${record('a', 'A', '192.0.2.1', 'one')}`,
      'two.yaml': `${zone('two.example.', 'two')}---\n${record('b', 'A', '192.0.2.2', 'two')}`,
    });
    const planned = plannedOf(await plan());
    const digest = planned.hostedZones.find(({ name }) => name === 'two.example.')?.digest ?? '';
    expect((await run('apply', '-f', 'dns', '--plan', '0'.repeat(64))).code).toBe(1);
    expect(changeCalls()).toBe(0);
    const ran = await run('apply', '-f', 'dns', '-o', 'json', '--plan', digest);
    expect(outcomes(ran)).toEqual(['create A b.two.example. published']);
    expect([await standing(one), await standing(two)]).toEqual([{}, { 'b.two.example. A': '192.0.2.2' }]);
    // Something that is wanted is not published.
    expect(ran.code).toBe(1);
    expect((await apply()).code).toBe(0);
    expect(await standing(one)).toEqual({ 'a.one.example. A': '192.0.2.1' });
  });

  it('--detailed-exitcode is 2 while there are changes; errors are 1 and cost only themselves', async () => {
    await createZone('example.org');
    write({ 'zone.yaml': zone('example.org.'), 'www.yaml': record('www', 'A', '192.0.2.1') });
    expect((await plan()).code).toBe(0);
    expect((await plan('--detailed-exitcode')).code).toBe(2);
    expect((await apply()).code).toBe(0);
    expect((await plan('--detailed-exitcode')).code).toBe(0);
    write({ 'zone.yaml': zone('example.org.'), 'www.yaml': 'a: [', 'api.yaml': record('api', 'A', '192.0.2.3') });
    const ran = await apply();
    expect([ran.code, outcomes(ran)]).toEqual([1, ['create A api.example.org. published']]);
    expect(appliedOf(ran)?.errors).toMatchObject([{ file: expect.stringContaining('www.yaml'), line: 1 }]);
    expect((await run('apply', '-f', 'nowhere', '--yes')).code).toBe(1);
    expect((await run('apply', '-f', 'dns')).code, 'nobody can be asked').toBe(1);
  });

  it('the guard holds deletes with exit 3, until their digest is acknowledged', async () => {
    const root = await createZone('example.org');
    const many = Array.from({ length: 12 }, (_, index) => record(`r${index}`, 'A', `192.0.2.${index}`));
    const files = (count: number, more = '') => ({
      'zone.yaml': zone('example.org.'),
      'many.yaml': [...many.slice(0, count), ...(more === '' ? [] : [more])].join('---\n'),
    });
    write(files(12));
    expect((await apply()).code).toBe(0);
    write(files(6, record('new', 'A', '192.0.2.99')));
    const planned = await plan();
    expect(planned.code).toBe(3);
    const [hostedZone] = plannedOf(planned).hostedZones;
    expect(hostedZone).toMatchObject({
      held: true,
      reasons: [expect.stringContaining('deletesShareMax'), expect.stringContaining('--acknowledge')],
    });
    const held = await apply();
    expect(held.code).toBe(3);
    expect(outcomes(held).filter((line) => line.endsWith(' held'))).toHaveLength(6);
    expect(outcomes(held)).toContain('create A new.example.org. published');
    expect(Object.keys(await standing(root))).toHaveLength(13);
    // A digest that fits nothing is an error, and nothing is done.
    expect(await apply('--acknowledge', 'f'.repeat(64))).toMatchObject({
      code: 1,
      err: expect.stringContaining('ffff'),
    });
    const digest = plannedOf(await plan()).hostedZones[0]?.digest ?? '';
    const calls = changeCalls();
    expect((await apply('--acknowledge', digest)).code).toBe(0);
    expect(changeCalls() - calls).toBe(1);
    expect(Object.keys(await standing(root))).toHaveLength(7);
  });

  it('an acknowledgement by annotation lets go, and zone53.dev/takeover replaces what stands in the way', async () => {
    const root = await createZone('example.org');
    await put(root, 'CREATE', 'r0.example.org', 'A', '198.51.100.1');
    const all = ['r0', 'r1', 'r2', 'r3'].map((name, index) => record(name, 'A', `192.0.2.${index}`)).join('---\n');
    write({ 'zone.yaml': zone('example.org.'), 'all.yaml': all });
    expect((await apply()).code).toBe(1);
    write({ 'zone.yaml': zone('example.org.', 'zone', { 'zone53.dev/takeover': 'true' }), 'all.yaml': all });
    expect((await apply()).code).toBe(0);
    expect(await standing(root)).toMatchObject({ 'r0.example.org. A': '192.0.2.0' });
    // All of four deleted: held.
    write({ 'zone.yaml': zone('example.org.') });
    expect((await apply()).code).toBe(3);
    const digest = plannedOf(await plan()).hostedZones[0]?.digest ?? '';
    write({ 'zone.yaml': zone('example.org.', 'zone', { 'zone53.dev/acknowledge-plan': digest }) });
    expect((await apply()).code).toBe(0);
    expect(await standing(root)).toEqual({});
  });

  it('a hosted zone that may not be read, or not be written, costs only itself', async () => {
    const [one, two] = [await createZone('one.example'), await createZone('two.example')];
    write({
      'one.yaml': `${zone('one.example.', 'one')}---\n${record('a', 'A', '192.0.2.1', 'one')}`,
      'two.yaml': `${zone('two.example.', 'two')}---\n${record('b', 'A', '192.0.2.2', 'two')}`,
    });
    // So that the SOA is to be read before anything is written.
    writeFileSync(path.join(place.folder, 'zone53.yaml'), 'soa: always\n');
    const published = { 'b.two.example. A': '192.0.2.2' };
    for (const requests of [new RegExp(`^GET .*${one}/rrset`), new RegExp(`^POST .*${one}/rrset`)]) {
      proxy.deny(requests);
      const ran = await apply();
      expect([ran.code, outcomes(ran)[0]]).toEqual([1, 'create A a.one.example. failed']);
      expect(appliedOf(ran)?.hostedZones[0]?.changes[0]?.message).toContain('AccessDenied');
      expect([await standing(one), await standing(two)]).toEqual([{}, published]);
    }
    proxy.deny(null);
    expect((await apply()).code).toBe(0);
    expect([await standing(one), await standing(two)]).toEqual([{ 'a.one.example. A': '192.0.2.1' }, published]);
  });

  it('standard input, configured hosted zones, and createHostedZones: all', async () => {
    const [wrong, right] = [await createZone('example.org'), await createZone('example.org')];
    const text = `${zone('example.org.')}---\n${record('www', 'A', '192.0.2.1')}`;
    const ambiguous = await zone53(place, ['apply', '-f', '-', '--yes', '-o', 'json'], text);
    expect(ambiguous.code).toBe(1);
    expect(programmed(ambiguous, 'zone')).toMatchObject({ reason: 'HostedZoneNotFound' });
    expect(programmed(ambiguous, 'zone')?.message).toContain(right);
    writeFileSync(
      path.join(place.folder, 'zone53.yaml'),
      `hostedZones: [{ zone: example.org, id: ${right} }]\ncreateHostedZones: all\n`,
    );
    const sub = zone('sub.example.org.', 'sub');
    const ran = await zone53(
      place,
      ['apply', '-f', '-', '--yes', '-o', 'json'],
      [text, sub, record('x', 'A', '192.0.2.3', 'sub')].join('---\n'),
    );
    expect(ran.code).toBe(0);
    expect(await standing(wrong)).toEqual({});
    expect(await standing(right)).toMatchObject({
      'www.example.org. A': '192.0.2.1',
      'sub.example.org. NS': expect.stringContaining('awsdns'),
    });
    const { HostedZones = [] } = await route53.send(new ListHostedZonesCommand({}));
    const made = HostedZones.find(({ Name }) => Name === 'sub.example.org.')?.Id ?? '';
    expect(await standing(made)).toEqual({ 'x.sub.example.org. A': '192.0.2.3' });
  });

  it('a Record moves from one Zone to another, and a deleted one comes back under its name', async () => {
    const [one, two] = [await createZone('one.example'), await createZone('two.example')];
    const zones = `${zone('one.example.', 'one')}---\n${zone('two.example.', 'two')}`;
    const rest = ['one', 'two'].map((of, index) => record(`fixed-${of}`, 'TXT', `"${index}"`, of)).join('---\n');
    write({ 'zones.yaml': zones, 'rest.yaml': rest, 'r.yaml': record('r', 'A', '192.0.2.1', 'one') });
    expect((await apply()).code).toBe(0);
    expect(await standing(one)).toMatchObject({ 'r.one.example. A': '192.0.2.1' });
    write({ 'zones.yaml': zones, 'rest.yaml': rest, 'r.yaml': record('r', 'A', '192.0.2.1', 'two') });
    expect((await apply()).code).toBe(0);
    expect(Object.keys(await standing(one))).toEqual(['fixed-one.one.example. TXT']);
    expect(await standing(two)).toMatchObject({ 'r.two.example. A': '192.0.2.1' });
    write({ 'zones.yaml': zones, 'rest.yaml': rest });
    expect((await apply()).code).toBe(0);
    write({ 'zones.yaml': zones, 'rest.yaml': rest, 'r.yaml': record('r', 'A', '192.0.2.2', 'two') });
    expect((await apply()).code).toBe(0);
    expect(await standing(two)).toMatchObject({ 'r.two.example. A': '192.0.2.2' });
    // The same object under another name: nothing to do, and no moment without it.
    const calls = changeCalls();
    const renamed = record('r', 'A', '192.0.2.2', 'two').replace('name: r,', 'name: other,');
    write({ 'zones.yaml': zones, 'rest.yaml': rest, 'other.yaml': renamed });
    const ran = await apply();
    expect([ran.code, changeCalls() - calls, programmed(ran, 'other')?.status]).toEqual([0, 0, 'True']);
  });

  it('a sub-zone gains a hosted zone of its own, and loses it again', async () => {
    const root = await createZone('example.org');
    const files = (value: string) => ({
      'zone.yaml': zone('example.org.'),
      'www.yaml': record('www', 'A', '192.0.2.9'),
      'sub.yaml': `${zone('sub.example.org.', 'sub')}---\n${record('x', 'A', value, 'sub')}`,
    });
    write(files('192.0.2.1'));
    expect((await apply()).code).toBe(0);
    expect(await standing(root)).toMatchObject({ 'x.sub.example.org. A': '192.0.2.1' });
    const sub = await createZone('sub.example.org');
    expect((await apply('--refresh')).code).toBe(0);
    expect(await standing(sub)).toEqual({ 'x.sub.example.org. A': '192.0.2.1' });
    expect(await standing(root)).toEqual({
      'www.example.org. A': '192.0.2.9',
      'sub.example.org. NS': expect.stringContaining('awsdns'),
    });
    const calls = changeCalls();
    expect((await apply()).code).toBe(0);
    expect(changeCalls()).toBe(calls);
    // Emptied by its owner and deleted: what was in it goes back to the parent.
    await put(sub, 'DELETE', 'x.sub.example.org.', 'A', '192.0.2.1');
    await route53.send(new DeleteHostedZoneCommand({ Id: sub }));
    write(files('192.0.2.2'));
    const codes = [(await apply()).code, (await apply()).code, (await apply()).code];
    expect(codes.at(-1), `exit codes ${codes}`).toBe(0);
    expect(await standing(root)).toEqual({
      'www.example.org. A': '192.0.2.9',
      'x.sub.example.org. A': '192.0.2.2',
    });
  });
});

function zone(domain: string, name = 'zone', annotations: Readonly<Record<string, string>> = {}): string {
  return `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: ${name}, annotations: ${JSON.stringify(annotations)} }
spec: { domainName: ${domain}, ttl: 300, delegations: [{ zones: ["*"], records: [{ pattern: "*" }, { pattern: "@" }] }] }
`;
}

function record(name: string, type: string, rdata: string, zoneRef = 'zone'): string {
  return `apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name}, namespace: default }
spec: { domainName: ${name}, zoneRef: { name: ${zoneRef} }, type: ${type}, rdata: ${JSON.stringify(rdata)}, ttl: 300 }
`;
}
