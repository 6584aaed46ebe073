// The acceptance list of DNS Update Records, point by point, over HTTP, with a real API server as the central cluster
// and our own Route 53 behind `zone53 local`. Points 1 to 12; the others are in intents-live.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { eventually, succeed } from '../engines/kubernetes/apply.ts';
import { listBody, recordBody } from '../support/intent-client.ts';
import { answered, appIn, setUp } from '../support/intent-set-up.ts';
import { type IntentWorld, startIntentWorld } from '../support/intent-world.ts';

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;

const RFC2136 = {
  'rfc2136-host': 'ns.example.org',
  'rfc2136-zone': 'example.org',
  'rfc2136-tsig-keyname': 'zone53',
  'rfc2136-tsig-secret': 'c2VjcmV0LW9mLXRzaWc=',
};

describeWithEngine(['kube-apiserver', 'etcd'], 'DNS Update Records', () => {
  let world: IntentWorld;
  beforeAll(async () => {
    world = await startIntentWorld();
  });
  afterAll(async () => world?.end());

  const ask: IntentWorld['ask'] = (...asked) => world.ask(...asked);
  const prepared = (...of: Tail<Parameters<typeof setUp>>) => setUp(world, ...of);
  const published = (...of: Tail<Parameters<typeof answered>>) => answered(world, ...of);

  test('1: a record is created once, read without its secret, and refused where it is wrong', async () => {
    const at = `${await world.project('p1')}/dns-update-records`;
    const body = recordBody('dyn', 'rfc2136', RFC2136);
    expect((await ask('POST', at, body)).status).toBe(201);
    const { status, body: read } = await ask('GET', `${at}/dyn`);
    const { 'rfc2136-tsig-secret': _, ...shown } = RFC2136;
    expect([status, read]).toEqual([200, { ...recordBody('dyn', 'rfc2136', shown), ignored: [] }]);
    expect((await ask('POST', at, body)).status).toBe(409);
    expect((await ask('POST', at, recordBody('x', 'bind'))).status).toBe(400);
    expect((await ask('POST', at, '{')).status).toBe(422);
    expect((await ask('GET', `${at}/none`)).status).toBe(404);
  });

  test("2: another provider's parameters are refused", async () => {
    const told = await ask('POST', '/v2/projects/p1/dns-update-records', recordBody('x', 'coredns', RFC2136));
    expect(told.status).toBe(400);
    expect(told.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toContain(
      '#/spec/external-dns-parameters/rfc2136-host',
    );
  });

  test('3: keys are arbitrary, duplicates collapse, other pairs mean nothing, an empty list is a list', async () => {
    const at = await prepared('p3', { public: 'aws' });
    const list = { metadata: { name: 'dns-update-record-list' }, spec: { kv: [{ b: 'public' }, { a: 'public' }] } };
    const pairs = `${at}/logical-clouds/main/kv-pairs`;
    expect((await ask('PUT', `${pairs}/dns-update-record-list`, list)).status).toBe(200);
    const other = { metadata: { name: 'other' }, spec: { kv: [{ a: 'nothing' }] } };
    expect((await ask('POST', pairs, other)).status).toBe(201);
    const { body } = await ask(
      'POST',
      `${at}/apps/web/instantiate`,
      appIn('p3', { www: { publicAddresses: ['192.0.2.3'] } }),
    );
    expect(body.status).toHaveLength(1);
    expect((await ask('PUT', `${pairs}/dns-update-record-list`, listBody())).status).toBe(200);
    expect((await ask('GET', `${at}/apps/web/status`)).body).toEqual([]);
  });

  test('4: a list may name a record that comes later', async () => {
    const at = await world.project('p4');
    await ask('POST', `${at}/logical-clouds/main/kv-pairs`, listBody('later'));
    const body = appIn('p4', { www: { publicAddresses: ['192.0.2.4'] } });
    const told = await ask('POST', `${at}/apps/web/instantiate`, body);
    expect([told.status, told.body.status[0].state]).toEqual([202, 'Error']);
    expect((await world.objects('p4')).size).toBe(0);
    await ask('POST', `${at}/dns-update-records`, recordBody('later'));
    await published('www.p4.example.org', '192.0.2.4');
  });

  test('5: a record that a list names is not deleted', async () => {
    const at = await prepared('p5', { public: 'aws' });
    expect((await ask('DELETE', `${at}/dns-update-records/public`)).status).toBe(409);
    await ask('DELETE', `${at}/logical-clouds/main/kv-pairs/dns-update-record-list`);
    expect((await ask('DELETE', `${at}/dns-update-records/public`)).status).toBe(204);
  });

  test('6: a service uses the records of its cloud and of its clusters', async () => {
    const at = await prepared('p6', { public: 'aws' }, { inside: 'coredns' });
    const { body } = await ask('POST', `${at}/apps/web/instantiate`, appIn('p6', { www: {} }));
    expect(body.status.map(({ record }: { record: string }) => record)).toEqual(['inside', 'public']);
  });

  test('7 and 14: one external-dns for a record, annotated with each app once', async () => {
    const at = await prepared('p7', { inside: 'coredns' });
    const body = appIn('p7', { www: { publicAddresses: ['192.0.2.7'] } });
    await ask('POST', `${at}/apps/web/instantiate`, body);
    await eventually(async () => (await world.objects('p7')).has('Deployment/external-dns-inside'));
    const first = (await world.objects('p7')).get('Deployment/external-dns-inside');
    await ask('POST', `${at}/apps/web/instantiate`, body);
    await ask('POST', `${at}/apps/two/instantiate`, appIn('p7', { api: { publicAddresses: ['192.0.2.8'] } }));
    await eventually(async () => (await world.objects('p7')).has('DNSEndpoint/api-inside'));
    // The DNSEndpoint of an app is written before the app's annotation.
    const deployed = async () => (await world.objects('p7')).get('Deployment/external-dns-inside').metadata;
    await eventually(async () => 'zone53.dev/app.two' in (await deployed()).annotations);
    const second = await deployed();
    expect(second.uid).toBe(first.metadata.uid);
    expect(second.annotations).toMatchObject({
      'zone53.dev/app.two': 'v1/prod',
      'zone53.dev/app.web': 'v1/prod',
    });
    for (const kind of ['ServiceAccount', 'Role', 'RoleBinding'])
      expect((await world.objects('p7')).has(`${kind}/external-dns-inside`)).toBe(true);
  });

  test('8: external-dns reads the DNSEndpoints of its namespace that have its label', async () => {
    const deployment = (await world.objects('p7')).get('Deployment/external-dns-inside');
    expect(deployment.spec.template.spec.containers[0].args).toEqual(
      expect.arrayContaining(['--source=crd', '--namespace=p7', '--label-filter=zone53.dev/dns-update-record=inside']),
    );
  });

  test('9: one DNSEndpoint for each service and record', async () => {
    const at = await prepared('p9', { public: 'aws', other: 'azure' });
    const addresses = ['192.0.2.9', '2001:db8::9'];
    await ask('POST', `${at}/apps/web/instantiate`, appIn('p9', { www: { publicAddresses: addresses } }));
    await eventually(async () => (await world.objects('p9')).has('DNSEndpoint/www-public'));
    await eventually(async () => (await world.objects('p9')).has('DNSEndpoint/www-other'));
    const objects = await world.objects('p9');
    for (const record of ['public', 'other']) {
      const { metadata, spec } = objects.get(`DNSEndpoint/www-${record}`);
      expect(metadata.labels['zone53.dev/dns-update-record']).toBe(record);
      expect(spec.endpoints).toEqual([
        { dnsName: 'www.p9.example.org', recordType: 'A', recordTTL: 60, targets: ['192.0.2.9'] },
        { dnsName: 'www.p9.example.org', recordType: 'AAAA', recordTTL: 60, targets: ['2001:db8::9'] },
      ]);
    }
  });

  test('10: public addresses for the cloud, local ones for the cluster, none that is private in a public zone', async () => {
    const at = await prepared('p10', { public: 'aws' }, { inside: 'coredns' });
    const www = { publicAddresses: ['192.0.2.10', '10.0.0.10'], clusterAddresses: ['10.1.0.10'] };
    const told = await ask('POST', `${at}/apps/web/instantiate`, appIn('p10', { www }));
    expect(told.status).toBe(202);
    await published('www.p10.example.org', '192.0.2.10');
    const rows = (await ask('GET', `${at}/apps/web/status`)).body;
    expect(rows[1]).toMatchObject({ record: 'public', state: 'Error', reason: expect.stringContaining('10.0.0.10') });
    await eventually(async () => (await world.objects('p10')).has('DNSEndpoint/www-inside'));
    const inside = (await world.objects('p10')).get('DNSEndpoint/www-inside');
    expect(inside.spec.endpoints[0].targets).toEqual(['10.1.0.10']);
  });

  test('11: the addresses of several clusters are united', async () => {
    const at = await prepared('p11', { public: 'aws' });
    const body = appIn('p11', { www: { publicAddresses: ['192.0.2.11'] } });
    body.services[0].clusters.push({ provider: 'p11', cluster: 'two', publicAddresses: ['192.0.2.12'] });
    await ask('POST', `${at}/apps/web/instantiate`, body);
    await published('www.p11.example.org', '192.0.2.11', '192.0.2.12');
  });

  test('12: a service without an address is pending until it has one', async () => {
    const at = await prepared('p12', { public: 'aws' });
    const told = await ask('POST', `${at}/apps/web/instantiate`, appIn('p12', { www: {} }));
    expect(told.body.status[0].state).toBe('Pending');
    await ask('POST', `${at}/apps/web/instantiate`, appIn('p12', { www: { publicAddresses: ['192.0.2.12'] } }));
    await published('www.p12.example.org', '192.0.2.12');
    await eventually(async () => (await ask('GET', `${at}/apps/web/status`)).body[0].state === 'Published');
  });

  test('a project without a namespace is an error of its rows, and an object of others is left alone', async () => {
    const at = '/v2/projects/nowhere';
    await ask('POST', `${at}/dns-update-records`, recordBody('inside', 'coredns'));
    await ask('POST', `${at}/logical-clouds/main/kv-pairs`, listBody('inside'));
    await ask('POST', `${at}/apps/web/instantiate`, appIn('nowhere', { www: { publicAddresses: ['192.0.2.1'] } }));
    const [row] = (await ask('GET', `${at}/apps/web/status`)).body;
    expect(row).toMatchObject({ state: 'Error', reason: expect.stringContaining('namespace nowhere') });
    await succeed(world.engine, ['create', 'namespace', 'nowhere']);
    const theirs = {
      apiVersion: 'externaldns.k8s.io/v1alpha1',
      kind: 'DNSEndpoint',
      metadata: { name: 'api-inside', namespace: 'nowhere' },
      spec: { endpoints: [] },
    };
    await succeed(world.engine, ['apply', '-f', '-'], JSON.stringify(theirs));
    await ask('POST', `${at}/apps/two/instantiate`, appIn('nowhere', { api: { publicAddresses: ['192.0.2.2'] } }));
    await eventually(async () => (await world.objects('nowhere')).has('Deployment/external-dns-inside'));
    const [later] = (await ask('GET', `${at}/apps/two/status`)).body;
    expect(later).toMatchObject({ state: 'Error', reason: expect.stringContaining('somebody else') });
    const standing = JSON.parse(
      await succeed(world.engine, ['get', 'dnsendpoint', 'api-inside', '-n', 'nowhere', '-o', 'json']),
    );
    expect(standing.spec).toEqual({ endpoints: [] });
  });
});
