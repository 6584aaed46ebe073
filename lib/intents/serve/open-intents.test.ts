import { expect, test } from 'vitest';
import { memoryCentralCluster } from '../../../test/fakes/memory-central-cluster.ts';
import { appOf, listBody, recordBody } from '../../../test/support/intent-client.ts';
import { memoryLedger } from '../../adapters/ledger/memory-ledger.ts';
import { answerIntents } from '../http/answer.ts';
import { openIntents } from './open-intents.ts';

const APP = '/v2/projects/shop/apps/web';

async function opened() {
  const central = memoryCentralCluster();
  const hinted: string[] = [];
  const ledger = memoryLedger();
  const intents = openIntents(
    {
      ledger,
      clusterId: 'test',
      clock: { nowMs: () => 1_000_000 },
      log: () => {},
      limits: { assumeRoles: [] },
      central: central.port,
      account: { tagsOf: async () => null, roleTrouble: async () => null },
      hint: async (hints) => void hinted.push(...hints.flatMap(({ name }) => name ?? [])),
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
  return { central, hinted, ask, intents, ledger };
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
