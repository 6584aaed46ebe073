import { expect, test } from 'vitest';
import { CLOUD, intentClient, listBody, RECORDS, recordBody } from '../../../test/support/intent-client.ts';
import { answerIntents } from './answer.ts';

test.each([
  ['nothing', ''],
  ['no JSON', '{"metadata":'],
  ['a word', 'hello'],
])('%s is 422', async (_, text) => {
  const { ask } = intentClient();
  expect((await ask('POST', RECORDS, text)).status).toBe(422);
});

test('a body may begin with a byte order mark', async () => {
  const { ask } = intentClient();
  expect((await ask('POST', RECORDS, `\uFEFF${JSON.stringify(recordBody('a'))}`)).status).toBe(201);
});

test('invalid JSON is reported without quoting the body', async () => {
  const { ask } = intentClient();
  for (const text of ['{"rfc2136-tsig-secret":c2VjcmV0}', '{"a":"c2VjcmV0"', 'c2VjcmV0', '{"a":1}c2VjcmV0']) {
    const { status, body } = await ask('POST', RECORDS, text);
    expect(status).toBe(422);
    expect(JSON.stringify(body)).not.toContain('2VjcmV0');
  }
});

test('a body that no item of the ledger can hold is 413, and one such service 400 with its pointer', async () => {
  const { ask } = intentClient();
  const filters = Array.from({ length: 1_000 }, (_, index) => `${'x'.repeat(400)}${index}.example`);
  const record = await ask('POST', RECORDS, recordBody('a', 'aws', { 'domain-filter': filters }));
  expect(record.status).toBe(413);
  await ask('POST', RECORDS, recordBody('a'));
  const put = await ask('PUT', `${RECORDS}/a`, recordBody('a', 'aws', { 'domain-filter': filters }));
  expect(put.status).toBe(413);
  const kv = Array.from({ length: 3_000 }, (_, index) => ({ [`${'k'.repeat(100)}${index}`]: 'v'.repeat(128) }));
  const pairs = '/v2/projects/shop/logical-clouds/main/kv-pairs';
  expect((await ask('POST', pairs, { metadata: { name: 'x' }, spec: { kv } })).status).toBe(413);
  const publicAddresses = Array.from(
    { length: 1_000 },
    (_, index) => `${'h'.repeat(60)}.${'i'.repeat(60)}.a${index}.example`,
  );
  const clusters = ['one', 'two'].map((cluster) => ({ provider: 'edge', cluster, publicAddresses }));
  const services = [{ name: 'www', dnsName: 'www.example.org', clusters }];
  const app = { version: 'v1', profile: 'p', logicalCloud: 'main', services };
  const told = await ask('POST', '/v2/projects/shop/apps/web/instantiate', app);
  expect([told.status, told.body.errors[0].pointer]).toEqual([400, '#/services/0']);
  expect((await ask('GET', '/v2/projects/shop/apps/web/status')).status).toBe(404);
});

test('a body that is not UTF-8 is 422', async () => {
  const { deps } = intentClient();
  const body = Buffer.from([0x22, 0xff, 0x22]);
  expect((await answerIntents(deps, { method: 'POST', target: RECORDS, headers: {}, body })).status).toBe(422);
});

test('a body of 10 MB is 413, and is not parsed', async () => {
  const { ask } = intentClient();
  expect((await ask('POST', RECORDS, 'x'.repeat(10 * 1024 * 1024))).status).toBe(413);
});

test.each([
  ['version', '#/version', '{"version":"v1\\ud800","profile":"p","logicalCloud":"main","services":[]}'],
  ['profile', '#/profile', '{"version":"v1","profile":"\\udc00","logicalCloud":"main","services":[]}'],
])('half a surrogate pair in the %s of an app is 400', async (_, pointer, body) => {
  const { ask, followed } = intentClient();
  const { status, body: told } = await ask('POST', '/v2/projects/shop/apps/web/instantiate', body);
  expect([status, told.errors[0].pointer, followed]).toEqual([400, pointer, []]);
});

test.each([
  ['a description', '#/metadata/description', '{"metadata":{"name":"a","description":"\\ud800"},"spec":{"kv":[]}}'],
  ['a value', '#/spec/kv/0/k', '{"metadata":{"name":"a"},"spec":{"kv":[{"k":"\\ud800"}]}}'],
  ['a key', '#/spec/kv/0/%EF%BF%BD', '{"metadata":{"name":"a"},"spec":{"kv":[{"\\ud800":"v"}]}}'],
])('half a surrogate pair in %s of a list is 400', async (_, pointer, body) => {
  const { ask } = intentClient();
  const { status, body: told } = await ask('POST', CLOUD, body);
  expect([status, told.errors[0].pointer]).toEqual([400, pointer]);
});

test('a whole surrogate pair is one character', async () => {
  const { ask } = intentClient();
  const app = '{"version":"\\ud83d\\ude00","profile":"p","logicalCloud":"main","services":[]}';
  expect((await ask('POST', '/v2/projects/shop/apps/web/instantiate', app)).body.version).toBe('\u{1f600}');
});

test('a deeply nested body is 400', async () => {
  const { ask } = intentClient();
  const depth = 200_000;
  const { status, body } = await ask('POST', RECORDS, `${'['.repeat(depth)}${']'.repeat(depth)}`);
  expect([status, body.errors[0].pointer]).toEqual([400, '#']);
  const inside = `{"metadata":{"name":"a"},"spec":{"provider":"aws","deep":${'['.repeat(50)}${']'.repeat(50)}}}`;
  expect((await ask('POST', RECORDS, inside)).body.errors[0].pointer).toBe('#/spec/deep');
});

test.each<[unknown, string]>([
  [[], '#'],
  ['"text"', '#'],
  [null, '#'],
  [{}, '#/metadata'],
  [{ metadata: { name: 'A_b' }, spec: { provider: 'aws' } }, '#/metadata/name'],
  [{ 'meta-data': { name: 'a' }, spec: { provider: 'aws' } }, '#/meta-data'],
  [{ metadata: { name: 'a' }, spec: { provider: 'aws' }, 'a/b~c': 1 }, '#/a~1b~0c'],
  [{ metadata: { name: 'a', description: 'x'.repeat(1_025) }, spec: { provider: 'aws' } }, '#/metadata/description'],
  ['{"metadata":{"name":"a"},"spec":{"provider":"aws"},"__proto__":{"x":1}}', '#/__proto__'],
  ['{"metadata":{"name":"a"},"spec":{"provider":"aws"},"\\ud800":1}', '#/%EF%BF%BD'],
])('%j is 400 at %s', async (body, pointer) => {
  const { ask } = intentClient();
  const told = await ask('POST', RECORDS, body === null ? 'null' : body);
  expect(told.status).toBe(400);
  expect(told.body.errors.map((one: { pointer: string }) => one.pointer)).toContain(pointer);
});

test('of two equal keys the last counts', async () => {
  const { ask } = intentClient();
  const { body } = await ask('POST', RECORDS, '{"metadata":{"name":"a","name":"b"},"spec":{"provider":"aws"}}');
  expect(body.metadata.name).toBe('b');
});

test.each(['Shop', 'a_b', 'a.b', '-a', 'a'.repeat(64), '%2e', 'caf%C3%A9', '%zz'])(
  'project %s is not a valid name',
  async (name) => {
    const { ask } = intentClient();
    const { status, body } = await ask('GET', `/v2/projects/${name}/dns-update-records`);
    expect([status, body.errors[0].parameter]).toEqual([400, 'project']);
  },
);

test('an unknown path is 404, another method 405', async () => {
  const { ask } = intentClient();
  for (const path of ['/', '/v2', '/v2/projects/shop', '/v1/projects/shop/dns-update-records', `${RECORDS}/a/b`])
    expect((await ask('GET', path)).status).toBe(404);
  const put = await ask('PUT', RECORDS, recordBody('a'));
  expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  const options = await ask('OPTIONS', `${RECORDS}/public`);
  expect([options.status, options.headers.allow]).toEqual([405, 'GET, HEAD, PUT, DELETE']);
  expect((await ask('GET', '/v2/projects/shop/apps/web/terminate')).headers.allow).toBe('POST');
});

test.each([
  ['of a logical cloud', '/v2/projects/shop/logical-clouds/main/kv-pairs'],
  ['of a cluster', '/v2/cluster-providers/edge/clusters/one/kv-pairs'],
])('key-value pairs at %s are created, listed, read by key, replaced and deleted', async (_, path) => {
  const { ask, followed } = intentClient();
  const body = { metadata: { name: 'other' }, spec: { kv: [{ Prop1: 'abc' }, { Prop2: 'def' }, { Prop1: 'ghi' }] } };
  expect((await ask('POST', path, body)).status).toBe(201);
  expect(followed).toEqual([]);
  expect((await ask('POST', path, body)).status).toBe(409);
  expect((await ask('GET', path)).body).toEqual([body]);
  expect((await ask('GET', `${path}/other?key=Prop1`)).body).toEqual({ value: 'abc' });
  expect((await ask('GET', `${path}?key=Prop2`)).body).toEqual({ value: 'def' });
  expect((await ask('GET', `${path}/other?key=none`)).status).toBe(404);
  const { headers } = await ask('GET', `${path}/other`);
  const empty = { ...body, spec: { kv: [] } };
  expect((await ask('PUT', `${path}/other`, empty, { 'if-match': '"1"' })).status).toBe(412);
  expect((await ask('PUT', `${path}/other`, empty, { 'if-match': headers.etag ?? '' })).body).toEqual(empty);
  expect((await ask('PUT', `${path}/none`, listBody())).status).toBe(404);
  expect((await ask('DELETE', `${path}/other`)).status).toBe(204);
  expect((await ask('DELETE', `${path}/other`)).status).toBe(404);
  await ask('POST', path, listBody('a'));
  expect(followed).toHaveLength(1);
});

test.each(['{"__proto__":"a"}', '{"__proto__":"a","b":"c"}'])(
  'the pair %s is 400, with a pointer to its key',
  async (pair) => {
    const { ask } = intentClient();
    const { status, body } = await ask(
      'POST',
      CLOUD,
      `{"metadata":{"name":"other"},"spec":{"kv":[{"a":"b"},${pair}]}}`,
    );
    expect([status, body.errors]).toEqual([400, [{ pointer: '#/spec/kv/1/__proto__', detail: 'write another key' }]]);
  },
);

test.each<[string, unknown, string]>([
  ['a mapping in place of the list', { a: 'b' }, '#/spec/kv'],
  ['two keys in one mapping', [{ a: 'b', c: 'd' }], '#/spec/kv/0'],
  ['no key in a mapping', [{}], '#/spec/kv/0'],
  ['a number', [{ a: 'b' }, { a: 1 }], '#/spec/kv/1/a'],
  ['a long value', [{ a: 'x'.repeat(129) }], '#/spec/kv/0/a'],
])('%s is 400', async (_, kv, pointer) => {
  const { ask } = intentClient();
  const body = { metadata: { name: 'other' }, spec: { kv } };
  const told = await ask('POST', '/v2/projects/shop/logical-clouds/main/kv-pairs', body);
  expect([told.status, told.body.errors[0].pointer]).toEqual([400, pointer]);
});

test.each([
  ['a record', RECORDS, recordBody('a')],
  ['a key-value pair', CLOUD, { metadata: { name: 'a' }, spec: { kv: [] } }],
])('a resource of kind %s is read and written under conditions', async (_, at, body) => {
  const { ask } = intentClient();
  const { etag = '' } = (await ask('POST', at, body)).headers;
  const read = (headers: Record<string, string>) => ask('GET', `${at}/a`, undefined, headers);
  const same = await read({ 'if-none-match': etag });
  expect([same.status, same.headers.etag, same.body]).toEqual([304, etag, null]);
  expect((await read({ 'if-none-match': `"other", W/${etag}` })).status).toBe(304);
  expect((await read({ 'if-none-match': '*' })).status).toBe(304);
  expect((await read({ 'if-none-match': '"other"' })).status).toBe(200);
  expect((await read({ 'if-match': '"other"' })).status).toBe(412);
  expect((await read({ 'if-match': `"other", ${etag}` })).status).toBe(200);
  const put = async (headers: Record<string, string>) => (await ask('PUT', `${at}/a`, body, headers)).status;
  expect(await put({ 'if-none-match': '*' })).toBe(412);
  expect(await put({ 'if-none-match': etag })).toBe(412);
  expect(await put({ 'if-match': `W/${etag}` })).toBe(412);
  expect(await put({ 'if-match': '' })).toBe(412);
  expect((await read({ 'if-none-match': etag })).status).toBe(304);
  expect(await put({ 'if-match': '*' })).toBe(200);
  expect((await read({ 'if-none-match': etag })).status).toBe(200);
  expect((await ask('DELETE', `${at}/a`, undefined, { 'if-match': etag })).status).toBe(412);
  expect((await ask('PUT', `${at}/none`, body, { 'if-match': etag })).status).toBe(404);
});

test('a request target may be a whole URL, as for a proxy', async () => {
  const { ask, deps } = intentClient();
  await ask('POST', RECORDS, recordBody('a'));
  const request = { method: 'GET', headers: {}, body: Buffer.from('') };
  const told = await answerIntents(deps, { ...request, target: `http://127.0.0.1:5390${RECORDS}/a` });
  expect(told.status).toBe(200);
});

test('HEAD is GET without its body', async () => {
  const { ask, deps } = intentClient();
  const { etag } = (await ask('POST', RECORDS, recordBody('a'))).headers;
  const head = (target: string) => answerIntents(deps, { method: 'HEAD', target, headers: {}, body: Buffer.from('') });
  expect(await head(`${RECORDS}/a`)).toMatchObject({ status: 200, headers: { etag }, body: '' });
  expect(await head(`${RECORDS}/none`)).toMatchObject({ status: 404, body: '' });
  expect(await head('/v2/projects/shop/apps/web/terminate')).toMatchObject({ status: 405, body: '' });
});

test('only lists accept a page', async () => {
  const { ask } = intentClient();
  await ask('POST', RECORDS, recordBody('a'));
  for (const path of ['/openapi.json', `${RECORDS}/a`]) expect((await ask('GET', `${path}?limit=0`)).status).toBe(200);
  expect((await ask('PATCH', `${RECORDS}?limit=0`)).status).toBe(405);
  for (const path of [RECORDS, CLOUD, '/v2/projects/shop/manifests'])
    expect((await ask('GET', `${path}?limit=0`)).body.errors[0].parameter).toBe('limit');
});

test('a list leaves out an item that cannot be read, and has every other, page by page', async () => {
  const { ask, ledger } = intentClient();
  const list = { metadata: { name: 'a' }, spec: { kv: [{ key: 'value' }] } };
  for (const name of ['a', 'b', 'c']) {
    await ask('POST', RECORDS, recordBody(name));
    await ask('POST', CLOUD, { ...list, metadata: { name } });
  }
  const keys = [
    { partition: 'intentrecords#test', sort: 'shop/b' },
    { partition: 'intentpairs#test', sort: 'cloud/shop/main/b' },
  ];
  for (const key of keys) {
    const stored = await ledger.get(key);
    expect(await ledger.put(key, { v: 99 }, stored?.revision ?? null)).not.toBeNull();
  }
  for (const path of [RECORDS, CLOUD]) {
    const names: string[] = [];
    for (let target: string | null = `${path}?limit=1`; target !== null; ) {
      const { status, body, headers }: Awaited<ReturnType<typeof ask>> = await ask('GET', target);
      expect(status).toBe(200);
      names.push(...body.map(({ metadata }: { metadata: { name: string } }) => metadata.name));
      target = /<(.+)>/.exec(headers.link ?? '')?.[1] ?? null;
    }
    expect(names).toEqual(['a', 'c']);
    await expect(ask('GET', `${path}/b`)).rejects.toThrow('its version is 99');
  }
});
