import { expect, test } from 'vitest';
import { appOf, CLOUD, intentClient, listBody, RECORDS, recordBody } from '../../../test/support/intent-client.ts';
import type { Cluster, ClusterObject } from '../../ports/cluster.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import { RECORD_LABEL } from '../manifests/flags.ts';
import { serveProject } from '../state/serve-project.ts';
import { intentCluster } from './intent-cluster.ts';

const object = (namespace: string, name: string, labels: Readonly<Record<string, string>> = {}): ClusterObject => ({
  ref: { kind: 'DNSEndpoint', namespace, name },
  uid: name,
  creationTimestamp: null,
  order: '',
  version: '1',
  generation: 1,
  annotations: {},
  labels,
  spec: { endpoints: [] },
  origin: null,
});

/** A cluster whose pages have one object each. */
function clusterOf(objects: readonly ClusterObject[], reported: string[]): Cluster {
  return {
    clusterId: 'test',
    list: async () => ({ objects, problems: [], unreadable: new Set() }),
    listPage: async (_kind, _namespace, cursor) => {
      const index = cursor === null ? 0 : Number(cursor);
      const next = index + 1 < objects.length ? String(index + 1) : null;
      return { objects: objects.slice(index, index + 1), next, unreadable: new Set() };
    },
    get: async (ref) => {
      const found = objects.find((one) => one.ref.name === ref.name && one.ref.namespace === ref.namespace);
      return found === undefined ? { kind: 'absent' } : { kind: 'present', object: found };
    },
    report: async ({ name }) => void reported.push(name),
  };
}

async function withIntents(objects: readonly ClusterObject[], isRead: boolean) {
  const { ask, ledger, deps } = intentClient();
  await ask('POST', RECORDS, recordBody('public'));
  await ask('POST', CLOUD, listBody('public'));
  const services = { www: { publicAddresses: ['192.0.2.1'] }, api: { publicAddresses: ['192.0.2.2'] } };
  await ask('POST', '/v2/projects/shop/apps/web/instantiate', appOf(services));
  await serveProject(deps.state, 'shop');
  const reported: string[] = [];
  return {
    cluster: intentCluster(clusterOf(objects, reported), ledger, isRead ? [DNS_ENDPOINT] : []),
    reported,
    ledger,
  };
}

const THEIRS = [
  object('bank', 'a'),
  object('shop', 'c', { [RECORD_LABEL]: 'public' }),
  object('shop', 'm'),
  object('zoo', 'z'),
];

async function pagesOf(cluster: Cluster) {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const page = await cluster.listPage('DNSEndpoint', null, cursor);
    pages.push((page?.objects ?? []).map(({ ref }) => `${ref.namespace}/${ref.name}`));
    cursor = page?.next ?? null;
  } while (cursor !== null);
  return pages;
}

test('intents are listed in order among the other objects, page by page, each once', async () => {
  const { cluster } = await withIntents(THEIRS, true);
  const pages = await pagesOf(cluster);
  expect(pages.flat()).toEqual(['bank/a', 'shop/api-public', 'shop/m', 'shop/www-public', 'zoo/z']);
});

test('without the source of DNSEndpoints, only intents are read', async () => {
  const { cluster } = await withIntents(THEIRS, false);
  expect((await pagesOf(cluster)).flat()).toEqual(['shop/api-public', 'shop/www-public']);
  expect(await cluster.get({ kind: 'DNSEndpoint', namespace: 'shop', name: 'm' }, null)).toEqual({ kind: 'absent' });
});

test('a DNSEndpoint with the label of a record is never read as one of the cluster', async () => {
  const { cluster } = await withIntents(THEIRS, true);
  expect(await cluster.get({ kind: 'DNSEndpoint', namespace: 'shop', name: 'c' }, null)).toEqual({ kind: 'absent' });
  expect((await cluster.list()).objects.map(({ ref }) => ref.name)).not.toContain('c');
});

test('reports about intents go to nobody, and reports about other objects to the cluster', async () => {
  const { cluster, reported } = await withIntents(THEIRS, true);
  const status = { fqdn: null, parent: null, conditions: [] };
  await cluster.report({ kind: 'DNSEndpoint', namespace: 'shop', name: 'www-public' }, status, null);
  await cluster.report({ kind: 'DNSEndpoint', namespace: 'shop', name: 'm' }, status, null);
  expect(reported).toEqual(['m']);
});

test('an intent whose item cannot be read is not gone, and keeps no other one from being read', async () => {
  const { cluster, ledger } = await withIntents(THEIRS, true);
  const key = { partition: 'intentserved#test', sort: 'shop/api-public' };
  await ledger.put(key, { v: 99 }, (await ledger.get(key))?.revision ?? null);
  const others = ['bank/a', 'shop/m', 'shop/www-public', 'zoo/z'];
  expect((await pagesOf(cluster)).flat()).toEqual(others);
  expect((await cluster.list()).objects.map(({ ref }) => `${ref.namespace}/${ref.name}`).toSorted()).toEqual(others);
  expect(await cluster.get({ kind: 'DNSEndpoint', namespace: 'shop', name: 'api-public' }, null)).toMatchObject({
    kind: 'unknown',
    message: expect.stringContaining('shop/api-public'),
  });
});
