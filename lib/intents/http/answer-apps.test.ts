import { expect, test } from 'vitest';
import {
  appOf,
  CLOUD,
  CLUSTER,
  type IntentClient,
  intentClient,
  listBody,
  RECORDS,
  recordBody,
} from '../../../test/support/intent-client.ts';

const APP = '/v2/projects/shop/apps/web';

/** Puts record `public` on the cloud's list and `inside` on the cluster's, with these two providers. */
async function prepared(providers: readonly [string, string] = ['aws', 'coredns']): Promise<IntentClient> {
  const client = intentClient();
  await client.ask('POST', RECORDS, recordBody('public', providers[0]));
  await client.ask('POST', RECORDS, recordBody('inside', providers[1]));
  await client.ask('POST', CLOUD, listBody('public'));
  await client.ask('POST', CLUSTER, listBody('inside'));
  return client;
}

const WWW = { www: { publicAddresses: ['192.0.2.1', '2001:DB8::1'], clusterAddresses: ['10.0.0.1'] } };

test('an app leads to a DNSEndpoint for each service and record, and one external-dns', async () => {
  const { ask, followed } = await prepared();
  const { status, body } = await ask('POST', `${APP}/instantiate`, appOf(WWW));
  expect(status).toBe(202);
  expect(body.status.map(({ service, record, state }: Record<string, string>) => [service, record, state])).toEqual([
    ['www', 'inside', 'Pending'],
    ['www', 'public', 'Pending'],
  ]);
  expect(body.manifests).toEqual([
    { kind: 'Deployment', namespace: 'shop', name: 'external-dns-inside' },
    { kind: 'DNSEndpoint', namespace: 'shop', name: 'www-inside' },
    { kind: 'DNSEndpoint', namespace: 'shop', name: 'www-public' },
  ]);
  const objects = ['www-inside', 'www-public'];
  const records = ['inside', 'public'];
  expect(followed.at(-1)).toEqual({ kind: 'app', project: 'shop', app: 'web', objects, records });
  const manifests = (await ask('GET', '/v2/projects/shop/manifests')).body;
  expect(
    manifests.map(({ kind, metadata }: { kind: string; metadata: { name: string } }) => `${kind} ${metadata.name}`),
  ).toEqual([
    'DNSEndpoint www-inside',
    'DNSEndpoint www-public',
    'Deployment external-dns-inside',
    'Role external-dns-inside',
    'RoleBinding external-dns-inside',
    'ServiceAccount external-dns-inside',
  ]);
  expect(manifests[0].spec.endpoints).toEqual([
    { dnsName: 'www.example.org', recordType: 'A', recordTTL: 60, targets: ['10.0.0.1'] },
  ]);
  expect(manifests[1].metadata.labels['zone53.dev/dns-update-record']).toBe('public');
  expect(manifests[1].spec.endpoints).toEqual([
    { dnsName: 'www.example.org', recordType: 'A', recordTTL: 60, targets: ['192.0.2.1'] },
    { dnsName: 'www.example.org', recordType: 'AAAA', recordTTL: 60, targets: ['2001:db8::1'] },
  ]);
  expect(manifests[2].metadata.annotations).toEqual({ 'zone53.dev/app.web': 'v1/prod' });
});

test('instantiating the same again changes nothing, and with other services replaces them', async () => {
  const { ask, ledger } = await prepared();
  const first = await ask('POST', `${APP}/instantiate`, appOf(WWW));
  const key = { partition: 'intentapps#test', sort: 'shop/web' };
  const before = await ledger.get(key);
  expect((await ask('POST', `${APP}/instantiate`, appOf(WWW))).body).toEqual(first.body);
  expect(await ledger.get(key)).toEqual(before);
  await ask(
    'POST',
    `${APP}/instantiate`,
    appOf({ api: { publicAddresses: ['192.0.2.2'], clusterAddresses: ['10.0.0.2'] } }),
  );
  const status = await ask('GET', `${APP}/status`);
  expect(status.body.map(({ service }: { service: string }) => service)).toEqual(['api', 'api']);
  // The name of the replaced service is free again.
  expect((await ask('POST', '/v2/projects/shop/apps/other/instantiate', appOf(WWW))).status).toBe(202);
});

test("terminate removes only what is the app's", async () => {
  const { ask } = await prepared();
  await ask('POST', `${APP}/instantiate`, appOf(WWW));
  await ask('POST', '/v2/projects/shop/apps/two/instantiate', appOf({ api: { clusterAddresses: ['10.0.0.2'] } }));
  expect((await ask('POST', `${APP}/terminate`)).status).toBe(202);
  expect((await ask('GET', `${APP}/status`)).status).toBe(404);
  const left = (await ask('GET', '/v2/projects/shop/manifests')).body;
  expect(left.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toContain('api-inside');
  expect(left.find(({ kind }: { kind: string }) => kind === 'Deployment').metadata.annotations).toEqual({
    'zone53.dev/app.two': 'v1/prod',
  });
  await ask('POST', '/v2/projects/shop/apps/two/terminate');
  expect((await ask('GET', '/v2/projects/shop/manifests')).body).toEqual([]);
  expect((await ask('POST', `${APP}/terminate`)).status).toBe(404);
});

test('a private address for a public zone is an error of its row, and the rest is published', async () => {
  const { ask } = await prepared(['aws', 'aws']);
  const { status, body } = await ask(
    'POST',
    `${APP}/instantiate`,
    appOf({
      www: { publicAddresses: ['10.1.2.3', '192.0.2.1'] },
      api: { publicAddresses: ['192.0.2.2'] },
      v6: { publicAddresses: ['fd00::1'] },
    }),
  );
  expect(status).toBe(202);
  const rows = new Map(body.status.map((row: Record<string, string>) => [`${row.service}/${row.record}`, row]));
  expect(rows.get('www/public')).toMatchObject({ state: 'Error', reason: expect.stringContaining('10.1.2.3') });
  expect(rows.get('v6/public')).toMatchObject({ state: 'Error', reason: expect.stringContaining('fd00::1') });
  expect(rows.get('api/public')).toMatchObject({ state: 'Pending' });
  expect(JSON.stringify((await ask('GET', `${APP}/manifests`)).body)).not.toContain('10.1.2.3');
});

test('a private address goes into a private zone, and to other providers', async () => {
  const client = intentClient();
  const { ask } = client;
  await ask('POST', RECORDS, recordBody('inside', 'aws', { 'aws-zone-type': 'private' }));
  await ask('POST', RECORDS, recordBody('dns', 'coredns'));
  await ask('POST', CLOUD, listBody('inside', 'dns'));
  const { body } = await ask('POST', `${APP}/instantiate`, appOf({ www: { publicAddresses: ['10.1.2.3'] } }));
  expect(body.status.map(({ state }: { state: string }) => state)).toEqual(['Pending', 'Pending']);
});

test('a private address goes into a hosted zone that is private, whatever the parameters say', async () => {
  const { ask } = intentClient({
    hostedZoneOf: async (name) => ({
      id: name.includes('corp') ? 'ZIN' : 'ZOUT',
      name: name.includes('corp') ? 'corp.example.' : 'example.org.',
      isPrivate: name.includes('corp'),
      tags: {},
    }),
  });
  await ask('POST', RECORDS, recordBody('any', 'aws'));
  await ask('POST', RECORDS, recordBody('outside', 'aws', { 'aws-zone-type': 'public', 'txt-owner-id': 'other' }));
  await ask('POST', CLOUD, listBody('any', 'outside'));
  const clusters = [{ provider: 'edge', cluster: 'one', publicAddresses: ['10.1.2.3'] }];
  const services = ['www.Corp.example.', 'www.example.org'].map((dnsName, index) => ({
    name: `s${index}`,
    dnsName: dnsName.toLowerCase(),
    clusters,
  }));
  const { body } = await ask('POST', `${APP}/instantiate`, appOf({}, { services }));
  const rows = body.status.map(({ service, record, state }: Record<string, string>) => `${service} ${record} ${state}`);
  expect(rows).toEqual(['s0 any Pending', 's0 outside Pending', 's1 any Error', 's1 outside Error']);
});

test('a name on the lists of the cloud and of the cluster gets the public addresses; those of several clusters are united', async () => {
  const { ask } = intentClient();
  await ask('POST', RECORDS, recordBody('both', 'coredns'));
  await ask('POST', CLOUD, listBody('both'));
  await ask('POST', CLUSTER, listBody('both'));
  const clusters = [
    { provider: 'edge', cluster: 'one', publicAddresses: ['192.0.2.1'], clusterAddresses: ['10.0.0.1'] },
    { provider: 'edge', cluster: 'two', publicAddresses: ['192.0.2.2', '192.0.2.1'] },
  ];
  const services = [{ name: 'www', dnsName: 'www.example.org.', clusters }];
  await ask('POST', `${APP}/instantiate`, appOf({}, { services }));
  const [endpoint] = (await ask('GET', `${APP}/manifests`)).body;
  expect(endpoint.spec.endpoints).toEqual([
    { dnsName: 'www.example.org', recordType: 'A', targets: ['192.0.2.1', '192.0.2.2'] },
  ]);
});

test('a service without an address is pending, and one with two host names is an error', async () => {
  const { ask } = await prepared();
  const services = {
    www: {},
    api: { publicAddresses: ['a.example.net', 'b.example.net'] },
    web: { publicAddresses: ['LB.example.net.'] },
  };
  const { body } = await ask('POST', `${APP}/instantiate`, appOf(services));
  const states = Object.fromEntries(
    body.status.map((row: Record<string, string>) => [`${row.service}/${row.record}`, row.state]),
  );
  expect(states).toMatchObject({ 'www/public': 'Pending', 'api/public': 'Error', 'web/public': 'Pending' });
  const endpoints = (await ask('GET', `${APP}/manifests`)).body.filter(
    ({ kind }: { kind: string }) => kind === 'DNSEndpoint',
  );
  expect(endpoints.map(({ spec }: { spec: object }) => spec)).toEqual([
    { endpoints: [{ dnsName: 'web.example.org', recordType: 'CNAME', recordTTL: 60, targets: ['lb.example.net'] }] },
  ]);
});

test('a list that names a missing record gives an error until the record exists', async () => {
  const { ask } = intentClient();
  await ask('POST', CLOUD, listBody('later'));
  const { status, body } = await ask('POST', `${APP}/instantiate`, appOf(WWW));
  expect([status, body.status[0]]).toEqual([
    202,
    expect.objectContaining({ state: 'Error', reason: expect.stringContaining('"later"') }),
  ]);
  expect((await ask('GET', `${APP}/manifests`)).body).toEqual([]);
  await ask('POST', RECORDS, recordBody('later'));
  expect((await ask('GET', `${APP}/status`)).body[0].state).toBe('Pending');
  expect((await ask('GET', `${APP}/manifests`)).body).toHaveLength(1);
});

test('two apps with a service of one name are 409, and nothing is written', async () => {
  const { ask } = await prepared();
  await ask('POST', `${APP}/instantiate`, appOf(WWW));
  const other = await ask('POST', '/v2/projects/shop/apps/two/instantiate', appOf({ api: {}, ...WWW }));
  expect([other.status, other.body.errors]).toEqual([
    409,
    [{ pointer: '#/services/1/name', detail: expect.stringContaining('app web') }],
  ]);
  expect((await ask('GET', '/v2/projects/shop/apps/two/status')).status).toBe(404);
  // The names that the refused app had reserved are free again.
  expect((await ask('POST', '/v2/projects/shop/apps/three/instantiate', appOf({ api: {} }))).status).toBe(202);
  expect((await ask('POST', '/v2/projects/other/apps/two/instantiate', appOf(WWW))).status).toBe(202);
});

test('two pairs that make one object name are 409, in one app and in two', async () => {
  const { ask } = intentClient();
  for (const name of ['c', 'b-c']) await ask('POST', RECORDS, recordBody(name));
  await ask('POST', CLOUD, listBody('c', 'b-c'));
  const both = await ask('POST', `${APP}/instantiate`, appOf({ a: {}, 'a-b': {} }));
  expect([both.status, both.body.errors[0].pointer]).toEqual([409, '#/services/1/name']);
  expect((await ask('POST', `${APP}/instantiate`, appOf({ a: {} }))).status).toBe(202);
  const other = await ask('POST', '/v2/projects/shop/apps/two/instantiate', appOf({ 'a-b': {} }));
  expect([other.status, other.body.errors[0].pointer]).toEqual([409, '#/services/0/name']);
});

test('two records over one hosted zone with one owner are 409', async () => {
  const { ask } = intentClient({
    hostedZoneOf: async (name) =>
      name.endsWith('.example.org.') ? { id: 'Z1', name: 'example.org.', isPrivate: false, tags: {} } : null,
  });
  for (const project of ['shop', 'bank']) {
    await ask(
      'POST',
      `/v2/projects/${project}/dns-update-records`,
      recordBody('public', 'aws', { 'txt-owner-id': 'default' }),
    );
    await ask('POST', `/v2/projects/${project}/logical-clouds/main/kv-pairs`, listBody('public'));
  }
  expect((await ask('POST', `${APP}/instantiate`, appOf(WWW))).status).toBe(202);
  const clash = await ask('POST', '/v2/projects/bank/apps/web/instantiate', appOf({ api: {} }));
  expect([clash.status, clash.body.errors[0].pointer]).toEqual([409, '#/services/0/dnsName']);
  const elsewhere = { services: [{ name: 'api', dnsName: 'api.bank.example', clusters: [] }] };
  expect((await ask('POST', '/v2/projects/bank/apps/web/instantiate', appOf({}, elsewhere))).status).toBe(202);
  await ask('PUT', '/v2/projects/bank/dns-update-records/public', recordBody('public'));
  expect((await ask('POST', '/v2/projects/bank/apps/web/instantiate', appOf({ api: {} }))).status).toBe(202);
});

test.each<[string, object, string]>([
  ['no version', { version: undefined }, '#/version'],
  ['a cloud that is no name', { logicalCloud: 'Main' }, '#/logicalCloud'],
  ['a name that is no name', { services: [{ name: 'a', dnsName: 'a..b', clusters: [] }] }, '#/services/0/dnsName'],
  ['an address as a name', { services: [{ name: 'a', dnsName: '192.0.2.1', clusters: [] }] }, '#/services/0/dnsName'],
  [
    'a TTL of a day in words',
    { services: [{ name: 'a', dnsName: 'a.b', ttl: '1d', clusters: [] }] },
    '#/services/0/ttl',
  ],
  [
    'half an address',
    {
      services: [
        { name: 'a', dnsName: 'a.b', clusters: [{ provider: 'p', cluster: 'c', publicAddresses: ['192.0.2'] }] },
      ],
    },
    '#/services/0/clusters/0/publicAddresses/0',
  ],
  ['a port', { services: [{ name: 'a', dnsName: 'a.b', clusters: [], port: 80 }] }, '#/services/0/port'],
])('%s is 400 with its pointer', async (_, more, pointer) => {
  const { ask } = await prepared();
  const { status, body } = await ask('POST', `${APP}/instantiate`, appOf({}, more));
  expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
  expect((await ask('GET', `${APP}/status`)).status).toBe(404);
});

test('an app with more services than an item of the ledger holds is still one app', async () => {
  const { ask, ledger } = await prepared();
  const many = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, index) => [
      `s${String(index).padStart(4, '0')}`,
      { publicAddresses: ['192.0.2.1'] },
    ]),
  );
  expect((await ask('POST', `${APP}/instantiate`, appOf(many))).status).toBe(202);
  const found: string[] = [];
  let target: string | undefined = `${APP}/status?limit=200`;
  while (target !== undefined) {
    const { body, headers } = await ask('GET', target);
    found.push(...body.map((row: { service: string; record: string }) => `${row.service}/${row.record}`));
    target = /^<([^>]+)>/.exec(headers.link ?? '')?.[1];
  }
  expect(new Set(found).size).toBe(6_000);
  expect((await ledger.query('intentservices#test')).items.length).toBeGreaterThan(0);
  expect((await ask('POST', `${APP}/instantiate`, appOf(WWW))).status).toBe(202);
  expect((await ledger.query('intentservices#test')).items).toEqual([]);
});
