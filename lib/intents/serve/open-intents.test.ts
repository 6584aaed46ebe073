import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { memoryCentralCluster } from '../../../test/fakes/memory-central-cluster.ts';
import { appOf, listBody, recordBody } from '../../../test/support/intent-client.ts';
import { memoryLedger } from '../../adapters/ledger/memory-ledger.ts';
import { objectCodec, objectKey, observedItem } from '../../observe/object-item.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Hint } from '../../ports/queues.ts';
import { answerIntents } from '../http/answer.ts';
import { intentCluster } from './intent-cluster.ts';
import { openIntents } from './open-intents.ts';

const APP = '/v2/projects/shop/apps/web';

const EMPTY: Cluster = {
  clusterId: 'test',
  list: async () => ({ objects: [], problems: [], unreadable: new Set() }),
  listPage: async () => ({ objects: [], next: null, unreadable: new Set() }),
  get: async () => ({ kind: 'absent' }),
  report: async () => {},
};

/** Saves the DNSEndpoint of a hint in the ledger as the pipeline does. */
async function observe(ledger: Ledger, { kind, namespace, name }: Hint): Promise<void> {
  const ref = { kind, namespace: namespace ?? '', name: name ?? '' };
  const seen = await intentCluster(EMPTY, ledger, []).get(ref, null);
  const key = objectKey('test', ref);
  const before = await ledger.get(key);
  const inForce = { spec: null, endpoints: null, problems: [] };
  if (seen.kind === 'present') {
    const item = observedItem('test', seen.object, inForce, null);
    await ledger.put(key, objectCodec.encode(item), before?.revision ?? null);
  } else if (before !== null) await ledger.remove(key, before.revision);
}

async function opened() {
  const central = memoryCentralCluster();
  const hinted: string[] = [];
  const ledger = memoryLedger();
  /** How many more calls of the queue fail. */
  const queue = { fails: 0 };
  const intents = openIntents(
    {
      ledger,
      clusterId: 'test',
      clock: { nowMs: () => 1_000_000 },
      log: () => {},
      limits: { assumeRoles: [] },
      central: central.port,
      account: { tagsOf: async () => null, roleTrouble: async () => null },
      hint: async (hints) => {
        queue.fails -= 1;
        if (queue.fails >= 0) throw new Error('the queue does not answer');
        hinted.push(...hints.flatMap(({ name }) => name ?? []));
        for (const hint of hints) await observe(ledger, hint);
      },
    },
    { waits: true },
  );
  const ask = async (method: string, target: string, body: unknown = {}) => {
    const octets = Buffer.from(JSON.stringify(body));
    const answer = await answerIntents(intents.deps, { method, target, headers: {}, body: octets });
    return { status: answer.status, body: JSON.parse(answer.body || 'null') };
  };
  await ask('POST', '/v2/projects/shop/dns-update-records', recordBody('public'));
  await ask('POST', '/v2/projects/shop/logical-clouds/main/kv-pairs', listBody('public'));
  return { central, hinted, ask, intents, ledger, queue };
}

test('a project without a namespace publishes nothing and is an error; the sweep publishes once the namespace exists', async () => {
  const { central, hinted, ask, intents } = await opened();
  central.stop('namespace shop is not in the central cluster: create it');
  const told = await ask('POST', `${APP}/instantiate`, appOf({ www: { publicAddresses: ['192.0.2.1'] } }));
  expect([told.status, hinted]).toEqual([202, []]);
  const [row] = (await ask('GET', `${APP}/status`)).body;
  expect(row).toMatchObject({ state: 'Error', reason: expect.stringContaining('namespace shop') });
  central.stop(null);
  await intents.sweep();
  expect(hinted).toEqual(['www-public']);
  expect(central.objects().has('DNSEndpoint shop/www-public')).toBe(true);
});

test('published names are deleted also when their namespace is gone', async () => {
  const { central, hinted, ask } = await opened();
  await ask('POST', `${APP}/instantiate`, appOf({ www: { publicAddresses: ['192.0.2.1'] } }));
  central.stop('namespace shop is not in the central cluster: create it');
  await ask('POST', `${APP}/terminate`);
  expect(hinted).toEqual(['www-public', 'www-public']);
});

test.each([
  ['Deployment', 'apps/v1'],
  ['ServiceAccount', 'v1'],
  ['Role', 'rbac.authorization.k8s.io/v1'],
])('a foreign %s with our name is left alone, and its rows are errors', async (kind, apiVersion) => {
  const { central, ask } = await opened();
  const ref = { apiVersion, kind, namespace: 'shop', name: 'external-dns-dyn' };
  const theirs = { apiVersion, kind, metadata: { name: ref.name, namespace: 'shop', labels: { app: 'theirs' } } };
  central.put(ref, theirs);
  await ask('POST', '/v2/projects/shop/dns-update-records', recordBody('dyn', 'coredns'));
  await ask('PUT', '/v2/projects/shop/logical-clouds/main/kv-pairs/dns-update-record-list', listBody('public', 'dyn'));
  await ask('POST', `${APP}/instantiate`, appOf({ www: { publicAddresses: ['192.0.2.1'] } }));
  const rows = (await ask('GET', `${APP}/status`)).body;
  expect(rows).toMatchObject([
    { record: 'dyn', state: 'Error', reason: expect.stringContaining(`${kind} shop/external-dns-dyn was made by`) },
    { record: 'public', state: 'Pending' },
  ]);
  expect(central.objects().get(`${kind} shop/external-dns-dyn`)).toMatchObject(theirs);
});

test('a name for which a foreign DNSEndpoint exists is not published until that is gone', async () => {
  const { central, hinted, ask, intents } = await opened();
  const ref = { apiVersion: 'externaldns.k8s.io/v1alpha1', kind: 'DNSEndpoint', namespace: 'shop', name: 'www-public' };
  central.put(ref, { ...ref, metadata: { name: ref.name, namespace: 'shop', labels: {} }, spec: { endpoints: [] } });
  const services = { www: { publicAddresses: ['192.0.2.1'] }, api: { publicAddresses: ['192.0.2.2'] } };
  await ask('POST', `${APP}/instantiate`, appOf(services));
  expect(hinted).toEqual(['api-public']);
  expect((await ask('GET', `${APP}/status`)).body).toMatchObject([
    { service: 'api', state: 'Pending' },
    { service: 'www', state: 'Error', reason: expect.stringContaining('made by somebody else') },
  ]);
  const found = await central.port.look(ref);
  if (found.kind === 'present') await central.port.remove(ref, found.existing.uid);
  await intents.sweep();
  expect(hinted).toEqual(['api-public', 'www-public']);
});

test('items that cannot be read hold up no other project', async () => {
  const { central, hinted, ask, intents, ledger } = await opened();
  central.stop('namespace shop is not in the central cluster: create it');
  await ask('POST', `${APP}/instantiate`, appOf({ www: { publicAddresses: ['192.0.2.1'] } }));
  central.stop(null);
  for (const [partition, sort] of [
    ['intentapps#test', 'book/web'],
    ['intentservices#test', 'book/web/former/0'],
    ['intentserved#test', 'book/www-public'],
  ] as const)
    await ledger.put({ partition, sort }, { version: 99 }, null);
  await intents.sweep();
  expect(hinted).toEqual(['www-public']);
  expect(central.objects().has('DNSEndpoint shop/www-public')).toBe(true);
});

const WWW = appOf({ www: { publicAddresses: ['192.0.2.1'] }, api: { publicAddresses: ['192.0.2.2'] } });
const LIST = '/v2/projects/shop/logical-clouds/main/kv-pairs';

test('hints that a call could not send are sent by the same call again, and only those', async () => {
  const { hinted, ask, queue, ledger } = await opened();
  queue.fails = 1;
  await expect(ask('POST', `${APP}/instantiate`, WWW)).rejects.toThrow('the queue does not answer');
  expect((await ledger.query('intentserved#test')).items).toHaveLength(2);
  expect((await ask('POST', `${APP}/instantiate`, WWW)).status).toBe(202);
  expect(hinted).toEqual(['api-public', 'www-public']);
  await ask('POST', `${APP}/instantiate`, WWW);
  expect(hinted).toHaveLength(2);
  queue.fails = 1;
  await expect(ask('POST', `${APP}/terminate`)).rejects.toThrow('the queue does not answer');
  expect((await ledger.query('intentserved#test')).items).toEqual([]);
  expect((await ask('POST', `${APP}/terminate`)).status).toBe(404);
  expect(hinted.slice(2)).toEqual(['api-public', 'www-public']);
});

test('the sweep sends hints that were lost, also of a project that nothing is left of', async () => {
  const { hinted, ask, queue, intents } = await opened();
  await ask('POST', `${APP}/instantiate`, WWW);
  hinted.length = 0;
  queue.fails = 1;
  await expect(ask('DELETE', `${LIST}/dns-update-record-list`)).rejects.toThrow();
  await intents.sweep();
  expect(hinted.splice(0)).toEqual(['api-public', 'www-public']);
  await ask('POST', LIST, listBody('public'));
  hinted.length = 0;
  queue.fails = 1;
  await expect(ask('POST', `${APP}/terminate`)).rejects.toThrow();
  // Its list is gone, too, and so is its record.
  queue.fails = 2;
  await expect(ask('DELETE', `${LIST}/dns-update-record-list`)).rejects.toThrow();
  await expect(ask('DELETE', '/v2/projects/shop/dns-update-records/public')).rejects.toThrow();
  expect(hinted).toEqual([]);
  await intents.sweep();
  expect(hinted).toEqual(['api-public', 'www-public']);
  await intents.sweep();
  expect(hinted).toHaveLength(2);
});

test('what another external-dns has taken up counts as published once it has what is asked for', async () => {
  const { central, ask, intents } = await opened();
  await ask('POST', '/v2/projects/shop/dns-update-records', recordBody('dyn', 'coredns'));
  await ask('PUT', `${LIST}/dns-update-record-list`, listBody('dyn'));
  const one = (address: string) => appOf({ www: { publicAddresses: [address] } });
  await ask('POST', `${APP}/instantiate`, one('192.0.2.1'));
  const ref = { apiVersion: 'externaldns.k8s.io/v1alpha1', kind: 'DNSEndpoint', namespace: 'shop', name: 'www-dyn' };
  const found = await central.port.look(ref);
  const object = found.kind === 'present' ? found.existing.object : {};
  const metadata = { ...(object.metadata as object), generation: 1 };
  central.put(ref, { ...object, metadata, status: { observedGeneration: 1 } });
  const state = async () => (await ask('GET', `${APP}/status`)).body[0].state;
  expect(await state()).toBe('Published');
  // The central cluster does not take the change yet.
  const apply = central.port.apply;
  Object.assign(central.port, {
    apply: async () => {
      throw new Error('the API server does not answer');
    },
  });
  expect((await ask('POST', `${APP}/instantiate`, one('192.0.2.2'))).status).toBe(202);
  expect(await state()).toBe('Pending');
  Object.assign(central.port, { apply });
  await intents.sweep();
  expect(central.objects().get('DNSEndpoint shop/www-dyn')).toMatchObject({
    spec: { endpoints: [{ targets: ['192.0.2.2'] }] },
  });
});

test('the sweep removes the objects of a project that was taken down while the central cluster did not answer', async () => {
  const { central, ask, intents, ledger } = await opened();
  await ask('POST', '/v2/projects/shop/dns-update-records', recordBody('dyn', 'coredns'));
  await ask('PUT', `${LIST}/dns-update-record-list`, listBody('public', 'dyn'));
  await ask('POST', `${APP}/instantiate`, WWW);
  const { list, remove } = central.port;
  const silent = async () => Promise.reject(new Error('the API server does not answer'));
  Object.assign(central.port, { list: silent, remove: silent });
  await ask('POST', `${APP}/terminate`);
  await ask('DELETE', `${LIST}/dns-update-record-list`);
  for (const record of ['dyn', 'public']) await ask('DELETE', `/v2/projects/shop/dns-update-records/${record}`);
  await intents.sweep();
  Object.assign(central.port, { list, remove });
  expect([...central.objects().keys()]).toContain('Deployment shop/external-dns-dyn');
  await intents.sweep();
  expect([...central.objects().keys()]).toEqual([]);
  expect((await ledger.query('intentremovals#test')).items).toEqual([]);
});

test('a project that fails holds up no other one, neither in the sweep nor after a change of a cluster', async () => {
  const { central, hinted, ask, intents } = await opened();
  await ask('POST', '/v2/projects/bank/dns-update-records', recordBody('public'));
  await ask('POST', '/v2/projects/bank/logical-clouds/main/kv-pairs', listBody('public'));
  const look = central.port.look;
  const isDown = { value: true };
  Object.assign(central.port, {
    look: async (ref: Parameters<typeof look>[0]) => {
      if (isDown.value && ref.namespace === 'bank') throw new Error('the API server does not answer');
      return look(ref);
    },
  });
  const www = appOf({ www: { publicAddresses: ['192.0.2.1'] } });
  await expect(ask('POST', '/v2/projects/bank/apps/web/instantiate', www)).rejects.toThrow('does not answer');
  central.stop('namespace shop is not in the central cluster: create it');
  await ask('POST', `${APP}/instantiate`, www);
  central.stop(null);
  await expect(intents.sweep()).rejects.toThrow('does not answer');
  expect(hinted).toEqual(['www-public']);
  expect(central.objects().has('DNSEndpoint shop/www-public')).toBe(true);
  const cluster = '/v2/cluster-providers/edge/clusters/one/kv-pairs';
  await expect(ask('POST', cluster, listBody('public'))).rejects.toThrow('does not answer');
  isDown.value = false;
  await intents.sweep();
  expect(hinted).toEqual(['www-public', 'www-public']);
});

test('an app with many services is published and reported with a hundred reads of the ledger at once', async () => {
  const inner = memoryLedger();
  const reads = { underWay: 0, most: 0 };
  const get: typeof inner.get = async (key) => {
    reads.underWay += 1;
    reads.most = Math.max(reads.most, reads.underWay);
    await setImmediate();
    reads.underWay -= 1;
    return inner.get(key);
  };
  const intents = openIntents(
    {
      ledger: { ...inner, get },
      clusterId: 'test',
      clock: { nowMs: () => 1_000_000 },
      log: () => {},
      limits: { assumeRoles: [] },
      central: null,
      account: { tagsOf: async () => null, roleTrouble: async () => null },
      hint: async () => {},
    },
    { waits: true },
  );
  const ask = async (method: string, target: string, body: unknown) => {
    reads.most = 0;
    const octets = Buffer.from(body === null ? '' : JSON.stringify(body));
    const answer = await answerIntents(intents.deps, { method, target, headers: {}, body: octets });
    return { status: answer.status, body: JSON.parse(answer.body), most: reads.most };
  };
  await ask('POST', '/v2/projects/shop/dns-update-records', recordBody('public'));
  await ask('POST', '/v2/projects/shop/logical-clouds/main/kv-pairs', listBody('public'));
  const names = Array.from({ length: 200 }, (_, index) => [`s${index}`, { publicAddresses: ['192.0.2.1'] }] as const);
  await ask('POST', '/v2/projects/shop/apps/large/instantiate', appOf(Object.fromEntries(names)));
  const { body, most } = await ask('GET', '/v2/projects/shop/apps/large/status?limit=200', null);
  expect([body.length, most]).toEqual([200, 100]);
});
