import { expect, test } from 'vitest';
import {
  CLOUD,
  CLUSTER,
  intentClient,
  listBody,
  RECORDS,
  ROLE,
  recordBody,
} from '../../../test/support/intent-client.ts';

const RFC2136 = {
  'rfc2136-host': 'ns.example.org',
  'rfc2136-zone': 'example.org',
  'rfc2136-tsig-keyname': 'zone53',
  'rfc2136-tsig-secret': 'c2VjcmV0LW9mLXRzaWc=',
};

test('a record is created, read, replaced and deleted, under both spellings of the address', async () => {
  const { ask } = intentClient();
  const body = recordBody('public', 'aws', { 'domain-filter': 'example.org' });
  const created = await ask('POST', '/v2/project/shop/dns-update-records/', body);
  expect(created.status).toBe(201);
  expect(created.headers.location).toBe(`${RECORDS}/public`);
  const read = await ask('GET', `${RECORDS}/public`);
  expect(read.status).toBe(200);
  expect(read.body).toEqual({ ...body, ignored: [] });
  expect(read.headers.etag).toBe(created.headers.etag);
  const changed = recordBody('public', 'aws', { 'dry-run': true });
  const put = await ask('PUT', `/v2/project/shop/dns-update-records/public/`, changed);
  expect([put.status, put.body.spec['external-dns-parameters']]).toEqual([200, { 'dry-run': true }]);
  expect(put.headers.etag).not.toBe(created.headers.etag);
  expect((await ask('DELETE', `${RECORDS}/public`)).status).toBe(204);
  expect((await ask('GET', `${RECORDS}/public`)).status).toBe(404);
  expect((await ask('DELETE', `${RECORDS}/public`)).status).toBe(404);
  expect((await ask('PUT', `${RECORDS}/public`, changed)).status).toBe(404);
});

test('a record twice is 409, another name than the address 400', async () => {
  const { ask } = intentClient();
  await ask('POST', RECORDS, recordBody('public'));
  const twice = await ask('POST', RECORDS, recordBody('public'));
  expect([twice.status, twice.headers['content-type']]).toEqual([409, 'application/problem+json']);
  const renamed = await ask('PUT', `${RECORDS}/public`, recordBody('other'));
  expect([renamed.status, renamed.body.errors[0].pointer]).toEqual([400, '#/metadata/name']);
});

test('a secret is stored and never shown, and a PUT without it keeps it', async () => {
  const { ask, ledger } = intentClient();
  const created = await ask('POST', RECORDS, recordBody('dyn', 'rfc2136', RFC2136));
  expect(created.status).toBe(201);
  const { 'rfc2136-tsig-secret': secret, ...shown } = RFC2136;
  const answers = [created, await ask('GET', `${RECORDS}/dyn`), await ask('GET', RECORDS)];
  const put = await ask('PUT', `${RECORDS}/dyn`, recordBody('dyn', 'rfc2136', shown));
  expect(put.status).toBe(200);
  for (const { body } of [...answers, put]) expect(JSON.stringify(body)).not.toContain(secret);
  expect(put.body.spec['external-dns-parameters']).toEqual(shown);
  const kept = await ledger.get({ partition: 'intentrecords#test', sort: 'shop/dyn' });
  expect(kept?.body.secrets).toEqual({ 'rfc2136-tsig-secret': secret });
  const without = await ask('POST', RECORDS, recordBody('new', 'rfc2136', shown));
  expect([without.status, without.body.errors[0].pointer]).toEqual([
    400,
    '#/spec/external-dns-parameters/rfc2136-tsig-secret',
  ]);
});

test('both spellings of user data are accepted, and one is shown', async () => {
  const { ask } = intentClient();
  const metadata = { name: 'public', userdata1: 'a', userData2: 'b' };
  const { body } = await ask('POST', RECORDS, { metadata, spec: { provider: 'aws' } });
  expect(body.metadata).toEqual({ name: 'public', userData1: 'a', userData2: 'b' });
});

test.each<[string, string, object, string]>([
  ['no provider', 'none', {}, '#/spec/provider'],
  ["another provider's parameter", 'coredns', { 'aws-zone-type': 'public' }, 'aws-zone-type'],
  ['an unknown parameter', 'aws', { colour: 'red' }, 'colour'],
  ['a text for a flag', 'aws', { 'dry-run': 'yes' }, 'dry-run'],
  ['a number out of range', 'aws', { 'aws-batch-change-size': 0 }, 'aws-batch-change-size'],
  ['a fraction', 'aws', { 'aws-api-retries': 1.5 }, 'aws-api-retries'],
  ['no duration', 'aws', { interval: '5 minutes' }, 'interval'],
  ['a list with a number', 'aws', { 'domain-filter': ['a.example', 5] }, 'domain-filter/1'],
  ['a list of nothing', 'aws', { 'domain-filter': ' , ' }, 'domain-filter'],
  ['a filter that is no domain', 'aws', { 'exclude-domains': ['a.example', 'two words'] }, 'exclude-domains'],
  ['an unknown policy', 'aws', { policy: 'all' }, 'policy'],
  ['aws-sd for ownership', 'aws', { registry: 'aws-sd' }, 'registry'],
  ['a role that is not listed', 'aws', { 'aws-assume-role': 'arn:aws:iam::1:role/x' }, 'aws-assume-role'],
  [
    'ignored annotations without a template',
    'aws',
    { 'ignore-hostname-annotation': true },
    'ignore-hostname-annotation',
  ],
  ['an owner with a quote', 'aws', { 'txt-owner-id': 'a"b' }, 'txt-owner-id'],
  [
    'a secret that is not base64',
    'rfc2136',
    { ...RFC2136, 'rfc2136-tsig-secret': 'tsig secret' },
    'rfc2136-tsig-secret',
  ],
])('%s is 400 with its pointer, and nothing is written', async (_, provider, parameters, field) => {
  const { ask } = intentClient();
  const { status, body, headers } = await ask('POST', RECORDS, recordBody('public', provider, parameters));
  expect([status, headers['content-type']]).toEqual([400, 'application/problem+json']);
  const pointer = field.startsWith('#') ? field : `#/spec/external-dns-parameters/${field}`;
  expect(body.errors.map((one: { pointer: string }) => one.pointer)).toContain(pointer);
  expect(body).toMatchObject({ status: 400, title: 'Bad Request' });
  expect((await ask('GET', RECORDS)).body).toEqual([]);
});

test('the forms of the design are accepted: lists in one string, publish-host-ip as text, axfr, a listed role', async () => {
  const { ask } = intentClient();
  const aws = {
    'aws-assume-role': ROLE,
    'aws-zone-tags': 'a=b, c',
    'publish-host-ip': 'true',
    'exclude-domains': ['x.example'],
  };
  expect((await ask('POST', RECORDS, recordBody('a', 'aws', aws))).status).toBe(201);
  const dyn = { ...RFC2136, 'rfc2136-tsig-axfr': 'axfr', 'request-timeout': '30s', 'publish-host-ip': true };
  expect((await ask('POST', RECORDS, recordBody('b', 'rfc2136', dyn))).status).toBe(201);
});

test('parameters without effect here are listed with the reason', async () => {
  const { ask } = intentClient();
  const parameters = {
    'fqdn-template': '{{.Name}}',
    interval: '30s',
    'aws-evaluate-target-health': true,
    'no-aws-evaluate-target-health': true,
  };
  const { body } = await ask('POST', RECORDS, recordBody('a', 'aws', parameters));
  expect(body.ignored.map(({ parameter }: { parameter: string }) => parameter)).toEqual([
    'aws-evaluate-target-health',
    'fqdn-template',
    'interval',
  ]);
  expect(body.ignored[0].reason).toContain('wins');
  expect((await ask('PUT', `${RECORDS}/a`, body)).status).toBe(200);
});

test.each<[string, boolean]>([
  ['custom string', true],
  ['own..', true],
  ['own.', false],
  ['%{record_type}.Own.', false],
])('txt-prefix %j of provider aws is without effect: %s', async (prefix, isIgnored) => {
  const { ask } = intentClient();
  const { status, body } = await ask(
    'POST',
    RECORDS,
    recordBody('a', 'aws', { registry: 'txt', 'txt-prefix': prefix }),
  );
  const reason = 'no valid name begins so, and no TXT records are written';
  expect([status, body.ignored]).toEqual([201, isIgnored ? [{ parameter: 'txt-prefix', reason }] : []]);
});

test('a stale version is reported before what still names the record', async () => {
  const { ask } = intentClient();
  await ask('POST', RECORDS, recordBody('a'));
  await ask('POST', CLOUD, listBody('a'));
  expect((await ask('DELETE', `${RECORDS}/a`, undefined, { 'if-match': '"older"' })).status).toBe(412);
  expect((await ask('DELETE', `${RECORDS}/a`)).status).toBe(409);
});

test('a field with two faults is reported once', async () => {
  const { ask } = intentClient();
  const { body } = await ask('POST', RECORDS, recordBody('a', 'aws', { 'txt-owner-id': '' }));
  expect(body.errors).toHaveLength(1);
});

test('of two writers at once, the second gets 412', async () => {
  const { ask } = intentClient();
  const { headers } = await ask('POST', RECORDS, recordBody('a'));
  const match = { 'if-match': headers.etag ?? '' };
  expect((await ask('PUT', `${RECORDS}/a`, recordBody('a', 'aws', { once: true }), match)).status).toBe(200);
  expect((await ask('PUT', `${RECORDS}/a`, recordBody('a'), match)).status).toBe(412);
  expect((await ask('DELETE', `${RECORDS}/a`, undefined, match)).status).toBe(412);
  expect((await ask('PUT', `${RECORDS}/a`, recordBody('a'), { 'if-match': '*' })).status).toBe(200);
  expect((await ask('PUT', `${RECORDS}/a`, recordBody('a'))).status).toBe(200);
});

test('a call that is repeated follows what the call before may have left, although it is refused', async () => {
  const { ask, followed } = intentClient();
  const project = { kind: 'project', project: 'shop' };
  const cluster = { kind: 'cluster', provider: 'edge', cluster: 'one' };
  for (const [at, body, changed] of [
    [RECORDS, recordBody('a'), project],
    [CLOUD, listBody('a'), project],
    [CLUSTER, listBody('a'), cluster],
  ] as const) {
    await ask('POST', at, body);
    followed.length = 0;
    expect([(await ask('POST', at, body)).status, followed]).toEqual([409, [changed]]);
    if (at === RECORDS) continue;
    await ask('DELETE', `${at}/dns-update-record-list`);
    followed.length = 0;
    expect([(await ask('DELETE', `${at}/dns-update-record-list`)).status, followed]).toEqual([404, [changed]]);
  }
});

test('a record that a list names is not deleted', async () => {
  const { ask } = intentClient();
  await ask('POST', RECORDS, recordBody('a'));
  await ask('POST', CLOUD, listBody('a'));
  await ask('POST', CLUSTER, listBody('a'));
  const refused = await ask('DELETE', `${RECORDS}/a`);
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    expect.stringContaining('logical cloud main, cluster edge/one'),
  ]);
  await ask('DELETE', `${CLOUD}/dns-update-record-list`);
  await ask('DELETE', `${CLUSTER}/dns-update-record-list`);
  expect((await ask('DELETE', `${RECORDS}/a`)).status).toBe(204);
});

test('records are listed in pages, which Link headers connect', async () => {
  const { ask } = intentClient();
  const names = Array.from({ length: 5 }, (_, index) => `r${index}`);
  for (const name of names) await ask('POST', RECORDS, recordBody(name));
  await ask('POST', '/v2/projects/shop-two/dns-update-records', recordBody('other'));
  const found: string[] = [];
  let target: string | undefined = `${RECORDS}?limit=2`;
  const sizes: number[] = [];
  while (target !== undefined) {
    const { body, headers } = await ask('GET', target);
    sizes.push(body.length);
    found.push(...body.map((one: { metadata: { name: string } }) => one.metadata.name));
    target = /^<([^>]+)>; rel="next"$/.exec(headers.link ?? '')?.[1];
  }
  expect([sizes, found]).toEqual([[2, 2, 1], names]);
  for (const limit of ['0', '201', 'x', '-1'])
    expect((await ask('GET', `${RECORDS}?limit=${limit}`)).body.errors[0].parameter).toBe('limit');
  // DynamoDB refuses a key of more than 1,024 octets.
  for (const after of ['', Buffer.from('x'.repeat(2_000)).toString('base64url')])
    expect((await ask('GET', `${RECORDS}?after=${after}`)).body.errors[0].parameter).toBe('after');
});

test("a batch size above Route 53's limit is accepted, and listed as without effect", async () => {
  const { ask } = intentClient();
  const { status, body } = await ask('POST', RECORDS, recordBody('a', 'aws', { 'aws-batch-change-size': 4_000 }));
  expect([status, body.ignored.map(({ parameter }: { parameter: string }) => parameter)]).toEqual([
    201,
    ['aws-batch-change-size'],
  ]);
  const fits = await ask('POST', RECORDS, recordBody('b', 'aws', { 'aws-batch-change-size': 1_000 }));
  expect(fits.body.ignored).toEqual([]);
});

test('a list of a cluster keeps every record of its name from deletion, because it belongs to no project', async () => {
  const { ask } = intentClient();
  const other = '/v2/projects/bank/dns-update-records';
  for (const at of [RECORDS, other]) await ask('POST', at, recordBody('inside'));
  await ask('POST', CLUSTER, listBody('inside'));
  for (const at of [RECORDS, other]) {
    const { status, body } = await ask('DELETE', `${at}/inside`);
    expect([status, body.detail]).toEqual([409, expect.stringContaining('cluster edge/one')]);
  }
  await ask('PUT', `${CLUSTER}/dns-update-record-list`, listBody());
  for (const at of [RECORDS, other]) expect((await ask('DELETE', `${at}/inside`)).status).toBe(204);
});
