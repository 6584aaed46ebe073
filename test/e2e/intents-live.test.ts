// The acceptance list of DNS Update Records, points 13 to 23: what becomes of it as apps, lists and records change, and
// as zone53 dies. See intents.test.ts for the others.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { eventually, succeed } from '../engines/kubernetes/apply.ts';
import { listBody, recordBody } from '../support/intent-client.ts';
import { answered, appIn, setUp } from '../support/intent-set-up.ts';
import { type IntentWorld, startIntentWorld } from '../support/intent-world.ts';

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;

describeWithEngine(['kube-apiserver', 'etcd'], 'DNS Update Records, live', () => {
  let world: IntentWorld;
  beforeAll(async () => {
    world = await startIntentWorld();
  });
  afterAll(async () => world?.end());

  const ask: IntentWorld['ask'] = (...asked) => world.ask(...asked);
  const prepared = (...of: Tail<Parameters<typeof setUp>>) => setUp(world, ...of);
  const published = (...of: Tail<Parameters<typeof answered>>) => answered(world, ...of);
  const www = (...addresses: readonly string[]) => ({ www: { publicAddresses: addresses } });
  /** Waits until objects exist in the central cluster, where they are written after the answer to a call. */
  const exist = (namespace: string, ...names: readonly string[]) =>
    eventually(async () => {
      const objects = await world.objects(namespace);
      return names.every((name) => objects.has(name));
    });
  /** The annotations of the apps that use the external-dns of record `dyn`. */
  const appsOf = async (namespace: string) => {
    const deployment = (await world.objects(namespace)).get('Deployment/external-dns-dyn');
    return Object.keys(deployment?.metadata.annotations ?? {}).filter((key) => key.startsWith('zone53.dev/app.'));
  };
  const state = async (at: string, app: string) =>
    (await ask('GET', `${at}/apps/${app}/status`)).body.map(({ state: said }: { state: string }) => said);

  test('13: a change of addresses reaches the central cluster and DNS', async () => {
    const at = await prepared('p13', { public: 'aws', dyn: 'coredns' });
    await ask('POST', `${at}/apps/web/instantiate`, appIn('p13', www('192.0.2.1')));
    await published('www.p13.example.org', '192.0.2.1');
    await ask('POST', `${at}/apps/web/instantiate`, appIn('p13', www('192.0.2.2')));
    await published('www.p13.example.org', '192.0.2.2');
    await eventually(async () => {
      const endpoint = (await world.objects('p13')).get('DNSEndpoint/www-dyn');
      return endpoint?.spec.endpoints[0].targets[0] === '192.0.2.2';
    });
  });

  test('15: terminating one app leaves the other, and its external-dns', async () => {
    const at = await prepared('p15', { public: 'aws', dyn: 'coredns' });
    await ask('POST', `${at}/apps/a/instantiate`, appIn('p15', www('192.0.2.1')));
    await ask('POST', `${at}/apps/b/instantiate`, appIn('p15', { api: { publicAddresses: ['192.0.2.2'] } }));
    await published('www.p15.example.org', '192.0.2.1');
    await published('api.p15.example.org', '192.0.2.2');
    await exist('p15', 'DNSEndpoint/www-dyn', 'DNSEndpoint/api-dyn');
    expect((await ask('POST', `${at}/apps/a/terminate`)).status).toBe(202);
    await published('www.p15.example.org');
    await eventually(async () => !(await world.objects('p15')).has('DNSEndpoint/www-dyn'));
    // The DNSEndpoint of an app is removed before the app's annotation.
    await eventually(async () => (await appsOf('p15')).join() === 'zone53.dev/app.b');
    const left = await world.objects('p15');
    expect(left.has('DNSEndpoint/api-dyn')).toBe(true);
    expect(await world.resolve('api.p15.example.org')).toEqual(['192.0.2.2']);
  });

  test('16: terminating the last app removes everything; with upsert-only its names stay', async () => {
    const at = await prepared('p16', { public: 'aws', kept: ['aws', { policy: 'upsert-only' }], dyn: 'coredns' });
    const two = appIn('p16', { www: { publicAddresses: ['192.0.2.1'] } });
    await ask('POST', `${at}/apps/web/instantiate`, two);
    await published('www.p16.example.org', '192.0.2.1');
    await eventually(async () => (await world.objects('p16')).has('DNSEndpoint/www-dyn'));
    await ask('POST', `${at}/apps/web/terminate`);
    await eventually(async () => (await world.objects('p16')).size === 0);
    await published('www.p16.example.org', '192.0.2.1');
    // This PUT changes the policy to sync, so the names are no longer kept.
    await ask('PUT', `${at}/dns-update-records/kept`, recordBody('kept'));
    await published('www.p16.example.org');
  });

  test('17: a record that leaves the list takes its names with it, and one that joins brings them', async () => {
    const at = await prepared('p17', { public: 'aws', dyn: 'coredns' });
    const list = `${at}/logical-clouds/main/kv-pairs/dns-update-record-list`;
    await ask('POST', `${at}/apps/web/instantiate`, appIn('p17', www('192.0.2.1')));
    await published('www.p17.example.org', '192.0.2.1');
    await exist('p17', 'DNSEndpoint/www-public', 'DNSEndpoint/www-dyn');
    await ask('PUT', list, listBody('dyn'));
    await published('www.p17.example.org');
    await eventually(async () => !(await world.objects('p17')).has('DNSEndpoint/www-public'));
    expect((await world.objects('p17')).has('DNSEndpoint/www-dyn')).toBe(true);
    await ask('PUT', list, listBody('public'));
    await published('www.p17.example.org', '192.0.2.1');
    expect((await ask('DELETE', list)).status).toBe(204);
    await published('www.p17.example.org');
  });

  test('18: a name that a filter excludes is no longer managed, and stays', async () => {
    const at = await prepared('p18', { public: 'aws' });
    const record = `${at}/dns-update-records/public`;
    await ask('POST', `${at}/apps/web/instantiate`, appIn('p18', www('192.0.2.1')));
    await published('www.p18.example.org', '192.0.2.1');
    await ask('PUT', record, recordBody('public', 'aws', { 'domain-filter': 'other.example' }));
    await ask('POST', `${at}/apps/web/instantiate`, appIn('p18', www('192.0.2.2')));
    // This reason appears once its DNSEndpoint is in the central cluster.
    await eventually(async () => (await ask('GET', `${at}/apps/web/status`)).body[0].reason.includes('domain-filter'));
    expect(await state(at, 'web')).toEqual(['Error']);
    expect(await world.resolve('www.p18.example.org')).toEqual(['192.0.2.1']);
    await ask('PUT', record, recordBody('public'));
    await published('www.p18.example.org', '192.0.2.2');
  });

  test('19: the record decides registry, owner, dry-run, once, policies and filters', async () => {
    const at = await prepared('p19', { public: ['aws', { registry: 'txt', 'txt-prefix': 'own.' }] });
    const record = `${at}/dns-update-records/public`;
    const put = (parameters: object) => ask('PUT', record, recordBody('public', 'aws', parameters));
    const instantiate = (address: string) => ask('POST', `${at}/apps/web/instantiate`, appIn('p19', www(address)));
    await instantiate('192.0.2.1');
    await published('www.p19.example.org', '192.0.2.1');
    const owner = 'heritage=external-dns,external-dns/owner=p19/public,external-dns/resource=crd/p19/www-public';
    await eventually(async () => (await world.txt('own.a-www.p19.example.org'))[0] === owner);
    await put({ 'dry-run': true });
    await instantiate('192.0.2.2');
    expect(await world.resolve('www.p19.example.org')).toEqual(['192.0.2.1']);
    await put({ policy: 'create-only' });
    await instantiate('192.0.2.3');
    expect(await world.resolve('www.p19.example.org')).toEqual(['192.0.2.1']);
    await put({ once: true });
    await published('www.p19.example.org', '192.0.2.3');
    await instantiate('192.0.2.4');
    expect(await world.resolve('www.p19.example.org')).toEqual(['192.0.2.3']);
    await put({ once: true });
    await published('www.p19.example.org', '192.0.2.4');
    // These reasons appear once the DNSEndpoint is in the central cluster.
    await exist('p19', 'DNSEndpoint/www-public');
    await put({ 'zone-id-filter': 'ZNONE' });
    expect((await ask('GET', `${at}/apps/web/status`)).body[0].reason).toContain('zone-id-filter');
    await put({ 'aws-zone-type': 'private' });
    expect((await ask('GET', `${at}/apps/web/status`)).body[0].reason).toContain('aws-zone-type');
    await put({ 'aws-zone-tags': 'team=dns' });
    expect((await ask('GET', `${at}/apps/web/status`)).body[0].reason).toContain('has no tag team=dns');
  });

  test('20: two apps with one name under one record are merged', async () => {
    const at = await prepared('p20', { public: 'aws' });
    await ask('POST', `${at}/apps/a/instantiate`, appIn('p20', www('192.0.2.1')));
    const other = appIn('p20', { api: { publicAddresses: ['192.0.2.2'] } });
    other.services[0].dnsName = 'www.p20.example.org';
    await ask('POST', `${at}/apps/b/instantiate`, other);
    await published('www.p20.example.org', '192.0.2.1', '192.0.2.2');
  });

  test('21: two records over one hosted zone with one owner are refused', async () => {
    const owner = { 'txt-owner-id': 'default' };
    const at = await prepared('p21', { public: ['aws', owner] });
    const other = await prepared('p21b', { public: ['aws', owner] });
    expect((await ask('POST', `${at}/apps/web/instantiate`, appIn('p21', www('192.0.2.1')))).status).toBe(202);
    const refused = await ask('POST', `${other}/apps/web/instantiate`, appIn('p21b', www('192.0.2.2')));
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([409, '#/services/0/dnsName']);
    expect(await world.resolve('www.p21b.example.org')).toEqual([]);
  });

  test('22: a provider that does not answer blocks no other one', async () => {
    const at = await prepared('p22', { public: 'aws', dyn: 'coredns' });
    await ask('POST', `${at}/apps/web/instantiate`, appIn('p22', www('192.0.2.1')));
    await exist('p22', 'DNSEndpoint/www-dyn');
    await eventually(async () => JSON.stringify(await state(at, 'web')) === '["Pending","Published"]');
    // external-dns would set observedGeneration. No external-dns runs here, so the test sets it.
    const endpoint = (await world.objects('p22')).get('DNSEndpoint/www-dyn');
    const patch = JSON.stringify({ status: { observedGeneration: endpoint.metadata.generation } });
    const args = ['patch', 'dnsendpoint', 'www-dyn', '-n', 'p22', '--subresource=status', '--type=merge', '-p', patch];
    await succeed(world.engine, args);
    expect(await state(at, 'web')).toEqual(['Published', 'Published']);
  });

  test('23: what a killed zone53 left undone is done when it runs again, and no app is counted twice', async () => {
    const at = await prepared('p23', { public: 'aws', dyn: 'coredns' });
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      const service = { [`s-${name}`]: { publicAddresses: [`192.0.2.${index + 1}`] } };
      await ask('POST', `${at}/apps/${name}/instantiate`, appIn('p23', service));
      await world.killAndRestart();
    }
    await ask('POST', `${at}/apps/b/terminate`);
    await world.killAndRestart();
    // The lease of a killed run ends after 35 s.
    await published('s-b.p23.example.org').catch(() => published('s-b.p23.example.org'));
    await published('s-a.p23.example.org', '192.0.2.1');
    await published('s-c.p23.example.org', '192.0.2.3');
    await eventually(async () => (await appsOf('p23')).join() === 'zone53.dev/app.a,zone53.dev/app.c');
    // A run of the whole project removes DNSEndpoints last.
    const left = ['s-a-dyn', 's-a-public', 's-c-dyn', 's-c-public'].map((name) => `DNSEndpoint/${name}`);
    await eventually(async () => {
      const names = [...(await world.objects('p23')).keys()].filter((key) => key.startsWith('DNSEndpoint/'));
      return names.join() === left.join();
    });
  });
});
