// crds/ on a real API server: every way to apply it, what kubectl shows, what our role may do. Objects that are older
// than a rule can still be edited.

import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import { KINDS } from '../../lib/sources/source.ts';
import { describeWithEngine } from '../engines/engines.ts';
import {
  apply,
  applyCrds,
  CRDS,
  deleteCrds,
  eventually,
  manifest,
  read,
  succeed,
  waitForCrds,
} from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { shapelessTypes, withoutRules } from '../support/bare-crds.ts';

const TYPES = ['crd/zones.kubi.zone', 'crd/records.kubi.zone'];

describeWithEngine(['kube-apiserver', 'etcd'], 'crds/', () => {
  let engine: KubernetesEngine;
  beforeAll(async () => {
    engine = await startKubernetes();
  });
  afterAll(() => engine?.stop());

  it('apply with -f, -k and --server-side, twice, and include no webhooks and policies', async () => {
    await applyCrds(engine);
    await deleteCrds(engine, ...TYPES);
    await succeed(engine, ['delete', 'clusterrole/zone53', 'clusterrolebinding/zone53']);
    await applyCrds(engine, ['-k', CRDS]);
    expect(await succeed(engine, ['apply', '-k', CRDS])).not.toMatch(/created|configured/);
    await applyCrds(engine, ['--server-side', '--force-conflicts', '-f', CRDS]);
    await applyCrds(engine, ['--server-side', '--force-conflicts', '-k', CRDS]);
    const extras = 'validatingwebhookconfigurations,validatingadmissionpolicies,validatingadmissionpolicybindings';
    expect(await succeed(engine, ['get', extras, '-o', 'name'])).toBe('');
  });

  it('have conditions that report nothing wrong with the schema', async () => {
    for (const type of TYPES) {
      const { status } = JSON.parse(await succeed(engine, ['get', type, '-o', 'json']));
      const conditions = status.conditions.map((one: { type: string; status: string }) => [one.type, one.status]);
      expect(conditions.toSorted()).toEqual([
        ['Established', 'True'],
        ['NamesAccepted', 'True'],
      ]);
    }
  });

  it('give kubectl get its columns, short names and category, and kubectl explain its texts', async () => {
    await succeed(engine, ['apply', '-f', '-'], zoneAndRecord());
    const reasons = ['ACCEPTED', 'PROGRAMMED', 'ACCEPTED REASON', 'PROGRAMMED REASON'];
    const zone = ['NAME', ...reasons, 'FQDN', 'PARENT', 'AGE'];
    const record = ['NAME', ...reasons, 'FQDN', 'TYPE', 'DATA', 'PARENT', 'AGE'];
    expect(columns(await succeed(engine, ['get', 'kz']))).toEqual(zone);
    expect(columns(await succeed(engine, ['get', 'kr']))).toEqual(record);
    const wide = async (kind: string) => columns(await succeed(engine, ['get', kind, '-o', 'wide']));
    expect(await wide('kz')).toEqual([...zone, 'DOMAIN NAME', 'HASH', 'SERIAL']);
    expect(await wide('kr')).toEqual([...record, 'DOMAIN NAME', 'CLASS', 'TTL', 'PROPAGATED']);
    const both = await succeed(engine, ['get', 'dns', '-o', 'name']);
    expect(both.trim().split('\n').toSorted()).toEqual(['record.kubi.zone/www', 'zone.kubi.zone/example-org']);
    expect(await succeed(engine, ['explain', 'zone.spec.delegations'])).toContain('the Zone adopts nothing');
    expect(await succeed(engine, ['explain', 'record.spec.rdata'])).toContain('10 mail.example.net.');
    expect(await succeed(engine, ['explain', 'record.spec.values'])).toContain('such as [192.0.2.1, 192.0.2.2]');
  });

  it('set the defaults of the rules', async () => {
    const { spec } = await read(engine, 'zone/example-org');
    expect(spec).toMatchObject({ ttl: 360, refresh: 86400, retry: 7200, expire: 3600000, negativeResponseCache: 360 });
    expect((await read(engine, 'record/www')).spec).toEqual({
      class: 'IN',
      domainName: 'www.example.org.',
      rdata: '192.0.2.1',
      type: 'A',
    });
  });

  it('show rdata, the list of values or an alias in the column Data', async () => {
    const dataOf = async (data: object) => {
      const spec = { domainName: 'data.example.org.', type: 'TXT', ...data };
      await succeed(engine, ['apply', '-f', '-'], JSON.stringify(manifest({ kind: 'Record', name: 'data', spec })));
      return (await succeed(engine, ['get', 'record/data', '--no-headers'])).trim().split(/ {2,}/)[2];
    };
    expect(await dataOf({ rdata: 'one value' })).toBe('one value');
    expect(await dataOf({ rdata: null, values: ['one value', 'another'] })).toBe('["one value","another"]');
    expect(await dataOf({ values: null, rdata: 'one again' })).toBe('one again');
    const alias = { target: 'web-1.eu-west-1.elb.amazonaws.com.' };
    await dataOf({ type: 'A', rdata: null, alias });
    const patch = JSON.stringify({ status: { data: `ALIAS ${alias.target}` } });
    await succeed(engine, ['patch', 'record/data', '--subresource=status', '--type=merge', '-p', patch]);
    expect(await dataOf({ type: 'A', rdata: null, alias })).toBe('ALIAS web-1.eu-west-1.elb.amazonaws.com.');
    await succeed(engine, ['delete', 'record/data']);
  });

  it('let two owners apply one object server-side', async () => {
    const zone = { kind: 'Zone', name: 'shared', spec: { domainName: 'shared.example.', delegations: [{}] } } as const;
    const ours = ['apply', '--server-side', '--field-manager=one', '-f', '-'];
    await succeed(engine, ours, JSON.stringify(manifest(zone)));
    const theirs = JSON.stringify(manifest({ ...zone, spec: { domainName: 'other.example.' } }));
    const conflict = await engine.kubectl(['apply', '--server-side', '--field-manager=two', '-f', '-'], {
      input: theirs,
    });
    expect(conflict.stderr).toContain('.spec.domainName');
  });

  it('give our role the rights that it needs, and no others', async () => {
    await eventually(async () => (await mayDo(engine, 'list zones.kubi.zone')) === true);
    for (const allowed of [
      ...['get zones.kubi.zone', 'watch records.kubi.zone', 'patch zones.kubi.zone', 'patch records.kubi.zone'],
      ...['patch zones.kubi.zone/status', 'patch records.kubi.zone/status'],
      ...['create events.events.k8s.io', 'patch events.events.k8s.io'],
    ]) {
      expect([allowed, await mayDo(engine, allowed)]).toEqual([allowed, true]);
    }
    const named = ['auth', 'can-i', 'get', 'namespaces/kube-system'];
    expect((await engine.kubectl(named, { context: 'zone53' })).stdout.trim()).toBe('yes');
    for (const denied of [
      ...['create zones.kubi.zone', 'delete records.kubi.zone', 'update zones.kubi.zone/status', 'get secrets'],
      ...[
        'list namespaces',
        'get namespaces',
        'get events.events.k8s.io',
        'create events',
        'get customresourcedefinitions.apiextensions.k8s.io',
      ],
    ]) {
      expect([denied, await mayDo(engine, denied)]).toEqual([denied, false]);
    }
  });

  it('admit an object of 1.4 MiB, which then gets its status', async () => {
    const patterns = Array.from({ length: 64 }, (_, index) => ({
      pattern: `p${index}.${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}`,
    }));
    const rules = Array.from({ length: 116 }, (_, index) => ({ namespaces: [`team-${index}`], records: patterns }));
    const zone = manifest({ kind: 'Zone', name: 'large', spec: { domainName: 'large.example.', delegations: rules } });
    const { code, stderr } = await engine.kubectl(['create', '-f', '-'], { input: JSON.stringify(zone) });
    expect([code, stderr]).toEqual([0, '']);
    const octets = Buffer.byteLength(JSON.stringify(await read(engine, 'zone/large')));
    expect(octets).toBeGreaterThan(1.4 * 1024 * 1024);
    await reportInvalid(engine, { kind: 'Zone', namespace: 'default', name: 'large' });
    expect((await read(engine, 'zone/large')).status.conditions.map(({ reason }) => reason)).toEqual(['InvalidSpec']);
    await succeed(engine, ['delete', 'zone/large']);
  });

  it('let objects that are older than the rules be edited and corrected, but not made worse', async () => {
    await deleteCrds(engine, ...TYPES);
    await succeed(engine, ['apply', '-f', '-'], await withoutRules());
    await waitForCrds(engine);
    const zone = { domainName: 'old.example', ttl: 4_000_000_000, refresh: 10, retry: 20, expire: 1, delegations: [] };
    const record = { domainName: 'a.*.example.', zoneRef: { name: 'z' }, type: 'A', rdata: 'nonsense' };
    const { rdata: _, ...bare } = record;
    const list = { ...bare, domainName: 'list.example.', zoneRef: null, values: ['nonsense', '192.0.2.1'] };
    const created = await apply(engine, [
      { kind: 'Zone', name: 'old', spec: zone },
      { kind: 'Record', name: 'old', spec: record },
      { kind: 'Record', name: 'list', spec: list },
      { kind: 'Record', name: 'both', spec: { ...list, rdata: '192.0.2.1', values: ['192.0.2.2'] } },
      { kind: 'Record', name: 'neither', spec: { ...list, values: null } },
    ]);
    expect(created.stderr).toBe('');
    await applyCrds(engine);

    const patch = (what: string, spec: object) =>
      engine.kubectl(['patch', what, '--type=merge', '-p', JSON.stringify({ spec })]);
    await eventually(async () => (await patch('record/old', { rdata: 'worse nonsense' })).code !== 0);
    await succeed(engine, ['label', 'zone/old', 'record/old', 'edited=yes']);
    await reportInvalid(engine, { kind: 'Record', namespace: 'default', name: 'old' });
    const reported = await read(engine, 'record/old');
    expect(reported.status.conditions.map(({ reason }) => reason)).toEqual(['InvalidSpec']);
    expect(reported.metadata.labels).toMatchObject({ edited: 'yes' });
    expect(await patch('zone/old', { negativeResponseCache: 60 })).toMatchObject({ code: 0 });
    expect(await patch('record/old', { ttl: 60 })).toMatchObject({ code: 0 });
    expect(await patch('record/old', { rdata: '192.0.2.7' })).toMatchObject({ code: 0 });
    expect((await patch('record/old', { rdata: 'nonsense' })).stderr).toContain('one IPv4 address');
    const others = ['list', 'both', 'neither'].map((name) => `record/${name}`);
    for (const what of others) expect([what, await patch(what, { ttl: 60 })]).toMatchObject([what, { code: 0 }]);
    expect((await patch('record/list', { values: ['nonsense'] })).stderr).toContain('each value of an A record');
    expect(await patch('record/list', { values: ['192.0.2.1', '192.0.2.2'] })).toMatchObject({ code: 0 });
    expect((await patch('record/list', { values: ['nonsense', '192.0.2.1'] })).stderr).toContain('each value of an A');
    for (const what of others.slice(1)) {
      expect(await patch(what, { rdata: null, values: ['192.0.2.1'] })).toMatchObject({ code: 0 });
      expect((await patch(what, { rdata: '192.0.2.2' })).stderr).toContain('there is rdata as well');
      expect((await patch(what, { values: null })).stderr).toContain('the data is missing');
    }
    expect((await patch('record/old', { domainName: 'b.*.example.' })).stderr).toContain('whole leftmost label');
    expect(await patch('zone/old', { refresh: 100, expire: 1000, ttl: 60 })).toMatchObject({ code: 0 });
    expect((await patch('zone/old', { retry: 100 })).stderr).toContain('retry must be less than refresh');
    expect(await patch('zone/old', { domainName: 'old.example.' })).toMatchObject({ code: 0 });
    expect((await patch('zone/old', { domainName: 'old.example' })).stderr).toContain(
      'is partial and there is no zoneRef',
    );
  });

  it('an object that is older than its CRD and of another shape affects only itself: its report is an Event', async () => {
    await deleteCrds(engine, ...TYPES);
    await succeed(engine, ['apply', '-f', '-'], shapelessTypes());
    await waitForCrds(engine);
    const spec = { domainName: { Full: 'example.org.' }, delegations: 'none' };
    await succeed(engine, ['apply', '-f', '-'], JSON.stringify(manifest({ kind: 'Zone', name: 'shapeless', spec })));
    await applyCrds(engine);
    const transport = kubeconfigTransport('zone53', engine.kubeconfig);
    const cluster = kubernetesCluster({ kinds: KINDS, clusterId: 'test', transport, clock: { nowMs: Date.now } });
    await eventually(async () =>
      cluster.list().then(
        () => true,
        () => false,
      ),
    );
    expect((await cluster.list()).objects.map(({ ref }) => ref.name)).toEqual(['shapeless']);
    transport.close();
    await reportInvalid(engine, { kind: 'Zone', namespace: 'default', name: 'shapeless' });
    expect(await succeed(engine, ['describe', 'zone/shapeless'])).toMatch(/Warning\s+InvalidSpec\s.*mmm/);
    await succeed(engine, ['delete', 'zone/shapeless']);
  });

  it('the delegation policy refuses what the parent does not delegate, and admits what it delegates', async () => {
    await succeed(engine, ['apply', '-f', path.join(CRDS, 'examples', 'delegation-policy.yaml')]);
    for (const namespace of ['platform', 'team-a']) await succeed(engine, ['create', 'namespace', namespace]);
    const records = [{ pattern: '*.a', types: ['A'] }, { pattern: '@' }, { pattern: 'bücher' }];
    const rules = [{ namespaces: ['team-a'], zones: ['sub'], records }];
    await apply(engine, [
      {
        kind: 'Zone',
        name: 'example-org',
        namespace: 'platform',
        spec: { domainName: 'example.org.', delegations: rules },
      },
    ]);
    const tryRecord = (namespace: string, domainName: string, type = 'A', rdata = '192.0.2.1') => {
      const zoneRef = { name: 'example-org', namespace: 'platform' };
      const spec = { domainName, zoneRef, type, rdata };
      return apply(engine, [{ kind: 'Record', name: 'tried', namespace, spec }], { args: ['--dry-run=server'] });
    };
    await eventually(async () => (await tryRecord('default', 'www.a')).code !== 0);
    expect((await tryRecord('default', 'www.a')).stderr).toContain(
      'Zone platform/example-org does not delegate "www.a" (A) to namespace default: ask its owner to add',
    );
    expect((await tryRecord('team-a', 'www.a')).stderr).toBe('');
    expect((await tryRecord('team-a', 'b.www.a')).stderr).toBe('');
    expect((await tryRecord('team-a', '@')).stderr).toBe('');
    expect((await tryRecord('team-a', 'xn--bcher-kva')).stderr).toBe('');
    expect((await tryRecord('team-a', 'a')).stderr).toContain('does not delegate "a"');
    expect((await tryRecord('team-a', 'www.a', 'TXT', 'x')).stderr).toContain('does not delegate "www.a" (TXT)');
    // An object of before its delegation was withdrawn.
    const spec = { domainName: 'www.a', zoneRef: { name: 'example-org', namespace: 'platform' }, type: 'A' };
    const old = { kind: 'Record', name: 'old', namespace: 'team-a', spec: { ...spec, rdata: '192.0.2.1' } } as const;
    await apply(engine, [old]);
    const withdraw = ['--type=merge', '-p', '{"spec":{"delegations":null}}'];
    await succeed(engine, ['patch', 'zone/example-org', '-n', 'platform', ...withdraw]);
    await eventually(async () => (await tryRecord('team-a', 'www.a')).code !== 0);
    expect((await apply(engine, [{ ...old, labels: { still: 'labelled' } }])).stderr).toBe('');
    expect((await apply(engine, [{ ...old, spec: { ...old.spec, ttl: 5 } }])).stderr).toContain('does not delegate');
  });
});

/** Reports, with zone53's rights, that the object is invalid, in a very long message. */
async function reportInvalid(engine: KubernetesEngine, ref: ObjectRef): Promise<void> {
  const transport = kubeconfigTransport('zone53', engine.kubeconfig);
  const cluster = kubernetesCluster({ kinds: KINDS, clusterId: 'test', transport, clock: { nowMs: Date.now } });
  const message = 'm'.repeat(50_000);
  const conditions = [{ type: 'Accepted', status: 'False', reason: 'InvalidSpec', message }] as const;
  await cluster.report(ref, { fqdn: null, parent: null, conditions }, null);
  transport.close();
}

function columns(table: string): string[] {
  return (table.split('\n')[0] as string).trim().split(/ {2,}/);
}

function zoneAndRecord(): string {
  const items = [
    manifest({ kind: 'Zone', name: 'example-org', spec: { domainName: 'example.org.', delegations: [] } }),
    manifest({ kind: 'Record', name: 'www', spec: { domainName: 'www.example.org.', type: 'A', rdata: '192.0.2.1' } }),
  ];
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

async function mayDo(engine: KubernetesEngine, what: string): Promise<boolean> {
  const { stdout } = await engine.kubectl(['auth', 'can-i', ...what.split(' '), '-A'], { context: 'zone53' });
  return stdout.trim() === 'yes';
}
