import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type AccountProxy, actionOf, type ProxyOptions, startProxy } from './proxy.ts';
import { playChanges, readChanges } from './read-changes.ts';
import { tokenBucket } from './token-bucket.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function proxyBefore(answer: number, more: Partial<ProxyOptions> = {}): Promise<AccountProxy> {
  const server: Server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(answer).end('<Answer/>'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy = await startProxy({
    target: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    latencyMs: 1,
    nowMs: () => 0,
    ...more,
  });
  open.push(proxy, server);
  return proxy;
}

function change(action: string, name: string, value: string): string {
  return `<Change><Action>${action}</Action><ResourceRecordSet><Name>${name}</Name><ResourceRecords><ResourceRecord><Value>${value}</Value></ResourceRecord></ResourceRecords><Type>A</Type></ResourceRecordSet></Change>`;
}

const post = (proxy: AccountProxy, ...changes: string[]) =>
  fetch(`${proxy.url}/2013-04-01/hostedzone/Z1/rrset`, { method: 'POST', body: changes.join('') });
const list = (proxy: AccountProxy) => fetch(`${proxy.url}/2013-04-01/hostedzone/Z1/rrset?maxitems=300`);

test('a bucket is full at first, refills evenly, holds no more than its size, and a refused call takes nothing', () => {
  const takes = tokenBucket({ perSecond: 10, size: 2 });
  expect([0, 0, 0, 99].map((atMs) => takes(atMs))).toEqual([true, true, false, false]);
  expect([100, 100, 60_000, 60_000, 60_000].map((atMs) => takes(atMs))).toEqual([true, false, true, true, false]);
  const changes = tokenBucket({ perSecond: 100, size: 500 });
  expect([501, 500, 1].map((count) => changes(0, count))).toEqual([false, true, false]);
  expect(changes(1_000, 100)).toBe(true);
});

test('a call above the bucket of requests is answered Throttling with status 400, and all are counted', async () => {
  const proxy = await proxyBefore(200, { requests: { perSecond: 10, size: 5 } });
  const answers = [];
  for (let call = 0; call < 6; call += 1) answers.push(await list(proxy));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 400]);
  expect(await answers[5]?.text()).toContain('<Code>Throttling</Code><Message>Rate exceeded</Message>');
  expect(proxy.calls.map(({ action }) => action)).toEqual(Array(6).fill('ListResourceRecordSets'));
  expect(proxy.calls.map(({ outcome }) => outcome)).toEqual([...Array(5).fill('accepted'), 'throttled']);
});

test('a batch above the bucket of record changes is answered Throttling, and a smaller one is accepted', async () => {
  const proxy = await proxyBefore(200, { changes: { perSecond: 1, size: 1 } });
  const one = change('CREATE', 'a.example.org.', '192.0.2.1');
  expect((await post(proxy, one, change('CREATE', 'b.example.org.', '192.0.2.1'))).status).toBe(400);
  expect((await post(proxy, one)).status).toBe(200);
  expect((await list(proxy)).status).toBe(200);
  expect(proxy.calls.map(({ outcome }) => outcome)).toEqual(['throttled', 'accepted', 'accepted']);
});

test('an accepted change is in the record sets, and a refused one is not', async () => {
  const proxy = await proxyBefore(200);
  const came = proxy.until(() => proxy.standing.get('a.example.org.') === '192.0.2.2', 5_000);
  await post(proxy, change('CREATE', 'a.example.org.', '192.0.2.1'));
  await post(proxy, change('DELETE', 'a.example.org', '192.0.2.1'), change('CREATE', 'a.example.org', '192.0.2.2'));
  expect(await came).not.toBeNull();
  const refusing = await proxyBefore(400);
  await post(refusing, change('CREATE', 'a.example.org.', '192.0.2.1'));
  expect(refusing.standing.size).toBe(0);
  expect(refusing.calls).toMatchObject([{ action: 'ChangeResourceRecordSets', outcome: 'refused', changes: 1 }]);
});

test('a batch with a refused name is refused as a whole, and is accepted without that name', async () => {
  const proxy = await proxyBefore(200);
  proxy.refuse('bad.example.org.');
  const good = change('CREATE', 'good.example.org', '192.0.2.1');
  const refused = await post(proxy, good, change('CREATE', 'bad.example.org', '192.0.2.1'));
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('InvalidChangeBatch');
  expect([...proxy.standing]).toEqual([]);
  expect((await post(proxy, good)).status).toBe(200);
  expect([...proxy.standing]).toEqual([['good.example.org.', '192.0.2.1']]);
});

test('waiting ends when it takes too long', async () => {
  const proxy = await proxyBefore(200);
  expect(await proxy.until(() => false, 20)).toBeNull();
});

test('calls are named as Route 53 names them', () => {
  expect(actionOf('GET', '/2013-04-01/hostedzone?maxitems=100')).toBe('ListHostedZones');
  expect(actionOf('POST', '/2013-04-01/hostedzone/Z1/rrset/')).toBe('ChangeResourceRecordSets');
  expect(actionOf('GET', '/2013-04-01/hostedzone/Z1')).toBe('GetHostedZone');
});

test('only A records are kept, and a delete removes them', () => {
  const standing = new Map([['a.example.org.', '192.0.2.1']]);
  const txt = change('CREATE', 'b.example.org', '"x"').replace('<Type>A<', '<Type>TXT<');
  playChanges(standing, readChanges(`${txt}${change('DELETE', 'a.example.org', '192.0.2.1')}`));
  expect(standing.size).toBe(0);
});
