// The Kubernetes adapter on a real API server, signed in as group zone53, which may do what crds/rbac.yaml says and no more.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAccess, kubeconfigContext } from '../../lib/adapters/kubernetes/access.ts';
import { OBJECT_OCTETS_MAX } from '../../lib/adapters/kubernetes/apply-status.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { listAll, listPage } from '../../lib/adapters/kubernetes/list-objects.ts';
import { kubernetesTransport } from '../../lib/adapters/kubernetes/transport.ts';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import type { Entry } from '../../lib/dns/entry.ts';
import { allItems } from '../../lib/ledger/pages.ts';
import type { Condition } from '../../lib/objects/conditions.ts';
import { ZONE_KIND } from '../../lib/objects/kind.ts';
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import type { Cluster, ObjectStatus } from '../../lib/ports/cluster.ts';
import { RECORD } from '../../lib/sources/kubizone/parse-record.ts';
import { KINDS } from '../../lib/sources/source.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, applyCrds, eventually, read, succeed } from '../engines/kubernetes/apply.ts';
import { type ContextName, type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';

const WWW: ObjectRef = { kind: 'Record', namespace: 'default', name: 'www' };
const ZONE: ObjectRef = { kind: 'Zone', namespace: 'default', name: 'example-org' };
const ADOPTED: Condition = {
  type: 'Accepted',
  status: 'True',
  reason: 'Adopted',
  message: 'by it',
  observedGeneration: 1,
};

const INVALID: Condition = {
  type: 'Accepted',
  status: 'False',
  reason: 'InvalidSpec',
  message: 'no',
  observedGeneration: 1,
};

const PENDING: Condition = {
  type: 'Programmed',
  status: 'False',
  reason: 'Pending',
  message: 'soon',
  observedGeneration: 1,
};

const PUBLISHED: Condition = {
  type: 'Programmed',
  status: 'True',
  reason: 'Published',
  message: 'in Z1',
  observedGeneration: 1,
};

const FQDN = 'www.example.org.';
const PARENT = 'default/example-org';

describeWithEngine(['kube-apiserver', 'etcd'], 'kubernetesCluster()', () => {
  let engine: KubernetesEngine;
  let nowMs = Date.parse('2026-11-21T10:00:00Z');
  const closing: (() => void)[] = [];
  const open = (context: ContextName = 'zone53') => {
    const transport = kubernetesTransport({ access: kubeconfigContext(context, engine.kubeconfig) });
    closing.push(() => transport.close());
    const cluster = kubernetesCluster({ kinds: KINDS, clusterId: 'test', transport, clock: { nowMs: () => nowMs } });
    return { cluster, transport };
  };
  let cluster: Cluster;

  beforeAll(async () => {
    engine = await startKubernetes();
    cluster = open().cluster;
    await expect(cluster.list()).rejects.toThrow(
      /403.*missing RBAC rule: { apiGroups: \[kubi\.zone\], resources: \[zones\], verbs: \[list\] }/,
    );
    await expect(open('admin').cluster.list()).rejects.toThrow('kubectl apply -f crds/');
    await expect(open('admin').cluster.get(WWW, null)).rejects.toThrow('kubectl apply -f crds/');
    await applyCrds(engine);
    await eventually(async () =>
      cluster.list().then(
        () => true,
        () => false,
      ),
    );
    await renew(engine);
  });
  afterAll(async () => {
    for (const close of closing) close();
    await engine?.stop();
  });

  describe('reading', () => {
    it('gives an object as it stands, and says absent only for a name that is not there', async () => {
      const seen = await cluster.get(WWW, null);
      const standing = await read(engine, 'record/www');
      expect(seen).toMatchObject({
        kind: 'present',
        object: {
          ref: WWW,
          uid: standing.metadata.uid,
          version: standing.metadata.resourceVersion,
          generation: 1,
          order: '',
        },
      });
      expect(seen.kind === 'present' && seen.object.spec).toEqual(standing.spec);
      expect(await cluster.get({ ...WWW, name: 'other' }, null)).toEqual({ kind: 'absent' });
      expect(await cluster.get({ ...WWW, namespace: 'no-such' }, null)).toEqual({ kind: 'absent' });
    });

    it('lists in pages, each object once', async () => {
      const names = Array.from({ length: 57 }, (_, index) => `page-${String(index).padStart(3, '0')}`);
      await apply(
        engine,
        names.map((name) => ({ kind: 'Record', name, spec: recordSpec(`${name}.example.org.`) })),
        {
          args: ['--server-side'],
        },
      );
      const { transport } = open();
      const before = transport.requests.count;
      const { objects } = await listAll(transport, RECORD, 10);
      expect(transport.requests.count - before).toBe(6);
      expect(
        objects
          .map(({ ref }) => ref.name)
          .filter((name) => name.startsWith('page-'))
          .toSorted(),
      ).toEqual(names);
      const { objects: all } = await cluster.list();
      expect(all.map(({ ref }) => ref.kind).filter((kind) => kind === 'Zone')).toHaveLength(1);
      expect(all).toHaveLength(59);
    });

    it('starts a list over when its snapshot is compacted away', async () => {
      const { transport } = open();
      let pages = 0;
      const compacting: typeof transport = {
        ...transport,
        send: async (request) => {
          if (pages++ === 2) {
            await succeed(engine, ['label', 'records', '--all', '--overwrite', `seen=${pages}`]);
            await engine.compact();
            // The API server keeps snapshots of its own, which only go with it.
            await engine.killApiServer();
            await engine.startApiServer();
          }
          return transport.send(request);
        },
      };
      const { objects } = await listAll(compacting, RECORD, 10);
      expect(objects).toHaveLength(58);
      expect(pages).toBeGreaterThan(7);
    });

    it('lists page by page in the order of the ledger, of all namespaces or of one', async () => {
      const namespaces = ['order', 'order-b', 'order0'];
      const names = ['a', 'a-b', 'a.b', 'a0', 'ab'];
      for (const namespace of namespaces) {
        await succeed(engine, ['create', 'namespace', namespace]);
        const spec = recordSpec('www.example.org.');
        const objects = names.map((name) => ({ kind: 'Record' as const, namespace, name, spec }));
        await apply(engine, objects, { args: ['--server-side'] });
      }
      const ledger = memoryLedger();
      const keysOf = async (namespace: string | null) => {
        const keys: string[] = [];
        let cursor: string | null = null;
        do {
          const page = await listPage(open().transport, RECORD, namespace, cursor, null, 2);
          if (page === null) throw new Error('the list has expired');
          expect(page.objects.length).toBeLessThanOrEqual(2);
          keys.push(...page.objects.map(({ ref }) => `${ref.namespace}/${ref.name}`));
          cursor = page.next;
        } while (cursor !== null);
        return keys;
      };
      const listed = (await keysOf(null)).filter((key) => key.startsWith('order'));
      for (const sort of listed.toReversed()) await ledger.put({ partition: 'p', sort }, {}, null);
      expect(listed).toEqual((await allItems(ledger, 'p')).map(({ sort }) => sort));
      expect(listed).toHaveLength(15);
      expect(await keysOf('order-b')).toEqual(names.map((name) => `order-b/${name}`));
      for (const namespace of namespaces)
        await succeed(engine, ['delete', 'records', '--all', '--namespace', namespace]);
    });

    it('goes on from the same key when the snapshot of a page is gone', async () => {
      const { transport } = open();
      const first = await listPage(transport, RECORD, null, null, null, 10);
      await succeed(engine, ['label', 'records', '--all', '--overwrite', 'seen=again']);
      await engine.compact();
      await engine.killApiServer();
      await engine.startApiServer();
      const second = await listPage(transport, RECORD, null, first?.next ?? null, null, 10);
      const last = first?.objects.at(-1)?.ref.name ?? '';
      expect(second?.objects).toHaveLength(10);
      expect(second?.objects.every(({ ref, labels }) => ref.name > last && labels.seen === 'again')).toBe(true);
    });

    it('opens one connection for many requests, also with a certificate authority', async () => {
      const { cluster: fresh } = open();
      const sockets = new Set<number>();
      const { default: diagnostics } = await import('node:diagnostics_channel');
      const count = (message: unknown) => {
        const { request } = message as { request: { socket: { localPort?: number } | null } };
        if (request.socket?.localPort !== undefined) sockets.add(request.socket.localPort);
      };
      diagnostics.subscribe('http.client.response.finish', count);
      for (let index = 0; index < 10; index += 1) await fresh.get(WWW, null);
      diagnostics.unsubscribe('http.client.response.finish', count);
      expect(sockets.size).toBe(1);
    });
  });

  describe('signing in', () => {
    it('by an exec plugin', async () => {
      expect(await open('exec').cluster.get(WWW, null)).toMatchObject({ kind: 'present' });
    });

    it('by a bearer token, asked for again after a 401', async () => {
      const tokens = ['expired-token', 'zone53-token'];
      const access = bearerAccess({
        server: engine.url,
        certificateAuthority: engine.ca,
        token: async () => tokens.shift() ?? 'zone53-token',
      });
      const transport = kubernetesTransport({ access });
      closing.push(() => transport.close());
      const bearer = kubernetesCluster({ kinds: KINDS, clusterId: 'test', transport, clock: { nowMs: () => nowMs } });
      expect(await bearer.get(WWW, null)).toMatchObject({ kind: 'present' });
      expect(transport.requests.count).toBe(2);
    });

    it('with a token that is known no more', async () => {
      await expect(open('expired').cluster.list()).rejects.toThrow(
        'the token has expired or is not known to this server',
      );
    });

    it('with a kubeconfig that has been renewed meanwhile', async () => {
      const file = path.join(path.dirname(engine.kubeconfig), 'renewed');
      writeFileSync(file, readFileSync(engine.kubeconfig, 'utf8').replace('zone53-token', 'old-token'));
      const transport = kubernetesTransport({ access: kubeconfigContext('zone53', file) });
      closing.push(() => transport.close());
      const renewed = kubernetesCluster({ kinds: KINDS, clusterId: 'test', transport, clock: { nowMs: () => nowMs } });
      await expect(renewed.get(WWW, null)).rejects.toThrow('401');
      writeFileSync(file, readFileSync(engine.kubeconfig, 'utf8'));
      expect(await renewed.get(WWW, null)).toMatchObject({ kind: 'present' });
    });

    it('with the wrong certificate authority', async () => {
      const access = bearerAccess({
        server: engine.url,
        certificateAuthority: null,
        token: async () => 'zone53-token',
      });
      const transport = kubernetesTransport({ access });
      closing.push(() => transport.close());
      await expect(listAll(transport, ZONE_KIND)).rejects.toThrow(/SELF_SIGNED|CERT|VERIFY/);
      await expect(listAll(transport, ZONE_KIND)).rejects.toThrow('certificate authority');
    });

    it('in a context that is not there', async () => {
      const transport = kubernetesTransport({ access: kubeconfigContext('nowhere', engine.kubeconfig) });
      await expect(listAll(transport, ZONE_KIND)).rejects.toThrow(
        'it has admin, tenant, zone53, expired, exec'.slice(0, 12),
      );
      await expect(listAll(transport, ZONE_KIND)).rejects.toThrow(
        'Cannot find context "nowhere" in the kubeconfig: it has admin, zone53, tenant, expired, exec',
      );
    });

    it('as somebody who may not write status', async () => {
      const grant = ['create', 'clusterrolebinding', 'reader', '--clusterrole=reader', '--user=tenant'];
      await succeed(engine, [
        'create',
        'clusterrole',
        'reader',
        '--verb=get,list',
        '--resource=zones.kubi.zone,records.kubi.zone',
      ]);
      await succeed(engine, grant);
      const { cluster: tenant } = open('tenant');
      await eventually(async () =>
        tenant.get(WWW, null).then(
          () => true,
          () => false,
        ),
      );
      const writing = tenant.report(WWW, { fqdn: FQDN, parent: null, conditions: [INVALID] }, null);
      await expect(writing).rejects.toThrow('resources: [records/status], verbs: [patch]');
    });
  });

  describe('reporting', () => {
    beforeAll(() => renew(engine));

    const record = (...conditions: readonly Condition[]): ObjectStatus => ({ fqdn: FQDN, parent: PARENT, conditions });

    it('writes our fields as zone53, and the label; a second time it writes nothing', async () => {
      const { cluster: counted, transport } = open();
      await counted.report(WWW, record(ADOPTED, PENDING), null);
      const written = await read(engine, 'record/www');
      expect(written.status).toEqual({
        fqdn: FQDN,
        conditions: [
          { ...ADOPTED, lastTransitionTime: '2026-11-21T10:00:00Z' },
          { ...PENDING, lastTransitionTime: '2026-11-21T10:00:00Z' },
        ],
      });
      expect(written.metadata.labels).toEqual({ 'kubi.zone/parent-zone': 'example-org.default' });
      expect(written.metadata.generation).toBe(1);
      const status = written.metadata.managedFields.find(({ subresource }) => subresource === 'status');
      expect(status).toMatchObject({ manager: 'zone53', operation: 'Apply' });
      const before = transport.requests.count;
      await counted.report(WWW, record(ADOPTED, PENDING), null);
      expect(transport.requests.count - before).toBe(1);
      expect((await read(engine, 'record/www')).metadata.resourceVersion).toBe(written.metadata.resourceVersion);
    });

    it('moves lastTransitionTime only with the status', async () => {
      nowMs += 60_000;
      const newWords = { ...ADOPTED, message: 'by it, still', observedGeneration: 2 };
      await cluster.report(WWW, record(newWords, PUBLISHED), record(ADOPTED, PENDING));
      const { conditions } = (await read(engine, 'record/www')).status;
      expect(conditions.map(({ message, lastTransitionTime }) => [message, lastTransitionTime])).toEqual([
        ['by it, still', '2026-11-21T10:00:00Z'],
        ['in Z1', '2026-11-21T10:01:00Z'],
      ]);
    });

    it('makes one Event of a first report, one of each transition after it, and a series of what repeats', async () => {
      await cluster.report(WWW, record(INVALID), record(ADOPTED, PUBLISHED));
      await cluster.report(WWW, record(ADOPTED, PUBLISHED), record(INVALID));
      await cluster.report(WWW, record(INVALID), record(ADOPTED, PUBLISHED));
      await cluster.report(WWW, record(INVALID), record(ADOPTED, PUBLISHED));
      // Three at once, as after three hints: one transition.
      const thrice = Array.from({ length: 3 }, () => cluster.report(WWW, record(PENDING), record(INVALID)));
      await Promise.all(thrice);
      const { items } = JSON.parse(await succeed(engine, ['get', 'events.events.k8s.io', '-o', 'json']));
      const told = items
        .filter((event: { regarding: { name: string } }) => event.regarding.name === 'www')
        .map((event: { type: string; reason: string; series?: { count: number } }) => [
          event.type,
          event.reason,
          event.series?.count ?? 1,
        ]);
      expect(told.toSorted()).toEqual([
        ['Normal', 'Adopted', 1],
        ['Normal', 'Adopted', 1],
        ['Normal', 'Pending', 1],
        ['Normal', 'Published', 2],
        ['Warning', 'InvalidSpec', 3],
      ]);
      const described = await succeed(engine, ['describe', 'record/www']);
      expect(described).toMatch(/Warning\s+InvalidSpec\s+\S+ \(x3 over \S+\)\s+zone53\s+no/);
    });

    it('puts right what a tenant forged in status and label, also a condition that we do not state', async () => {
      await cluster.report(WWW, record(INVALID), null);
      const forged = {
        fqdn: 'bank.example.',
        conditions: [
          { ...ADOPTED, message: 'honest', lastTransitionTime: '2020-01-01T00:00:00Z' },
          { ...PUBLISHED, lastTransitionTime: '2020-01-01T00:00:00Z' },
          { type: 'Theirs', status: 'True', reason: 'X', message: '', lastTransitionTime: '2020-01-01T00:00:00Z' },
        ],
      };
      const patch = JSON.stringify({ status: forged });
      await succeed(engine, ['patch', 'record/www', '--subresource=status', '--type=merge', '-p', patch]);
      await succeed(engine, ['label', 'record/www', '--overwrite', 'kubi.zone/parent-zone=bank.platform', 'mine=kept']);
      await cluster.report(WWW, record(INVALID), record(INVALID));
      const { status, metadata } = await read(engine, 'record/www');
      expect(status.fqdn).toBe(FQDN);
      expect(status.conditions.map(({ type, status: truth }) => [type, truth])).toEqual([
        ['Accepted', 'False'],
        ['Theirs', 'True'],
      ]);
      expect(metadata.labels).toEqual({ 'kubi.zone/parent-zone': 'example-org.default', mine: 'kept' });
      const before = metadata.resourceVersion;
      await cluster.report(WWW, record(INVALID), record(INVALID));
      expect((await read(engine, 'record/www')).metadata.resourceVersion).toBe(before);
    });

    it('takes the label away with the parent; cuts a long one and keeps the whole in an annotation', async () => {
      const long = `${'n'.repeat(40)}/${'z'.repeat(50)}`;
      await cluster.report(WWW, { ...record(ADOPTED), parent: long }, null);
      const { labels, annotations } = (await read(engine, 'record/www')).metadata;
      expect(labels?.['kubi.zone/parent-zone']).toMatch(/^z{50}\.nnn-[0-9a-f]{8}$/);
      expect(annotations?.['kubi.zone/parent-zone']).toBe(`${'z'.repeat(50)}.${'n'.repeat(40)}`);
      await cluster.report(WWW, { ...record(INVALID), parent: null }, null);
      const after = (await read(engine, 'record/www')).metadata;
      expect(after.labels).not.toHaveProperty(['kubi.zone/parent-zone']);
      expect(after.annotations).not.toHaveProperty(['kubi.zone/parent-zone']);
    });

    it('gives a Zone its entries, hash and serial, and nulls where there are none', async () => {
      const entries: Entry[] = [{ fqdn: FQDN, type: 'A', class: 'IN', ttl: 360, rdata: '192.0.2.1' }];
      const zone = { entries, hash: `v1:${'ab'.repeat(32)}`, serial: 2026112100, entriesOmitted: 0 };
      const root = { fqdn: 'example.org.', parent: null, conditions: [ADOPTED] };
      await cluster.report(ZONE, { ...root, zone }, null);
      const { conditions: _, ...rest } = (await read(engine, 'zone/example-org')).status;
      expect(rest).toEqual({ fqdn: 'example.org.', entries, hash: zone.hash, serial: 2026112100 });
      expect(await succeed(engine, ['get', 'zones'])).toMatch(/example\.org\.\s+v1:(ab){32}\s+2026112100\s+True/);
      await cluster.report(ZONE, { ...root, zone: { entries: [], hash: null, serial: null, entriesOmitted: 0 } }, null);
      const gone = (await read(engine, 'zone/example-org')).status;
      expect([gone.entries, gone.hash ?? null, gone.serial ?? null]).toEqual([[], null, null]);
    });

    it('cuts the entries of a large Zone so that the object stays under 1 MiB, and says how many it omits', async () => {
      const entries = Array.from({ length: 20_000 }, (_, index): Entry => {
        return { fqdn: `host-${index}.example.org.`, type: 'A', class: 'IN', ttl: 360, rdata: '192.0.2.1' };
      });
      const zone = { entries, hash: 'v1:00', serial: 2026112101, entriesOmitted: 0 };
      await cluster.report(ZONE, { fqdn: 'example.org.', parent: null, conditions: [ADOPTED], zone }, null);
      const standing = await read(engine, 'zone/example-org');
      const kept = standing.status.entries?.length ?? 0;
      expect(kept + (standing.status.entriesOmitted ?? 0)).toBe(20_000);
      const octets = Buffer.byteLength(JSON.stringify(standing));
      expect(octets).toBeLessThan(OBJECT_OCTETS_MAX);
      expect(octets).toBeGreaterThan(OBJECT_OCTETS_MAX * 0.99);
      const small = { ...zone, entries: entries.slice(0, 2) };
      await cluster.report(ZONE, { fqdn: 'example.org.', parent: null, conditions: [ADOPTED], zone: small }, null);
      expect((await read(engine, 'zone/example-org')).status).toMatchObject({ entriesOmitted: 0 });
    });

    it('an object that is gone is no error, and is not made again', async () => {
      const ghost = { ...WWW, name: 'ghost' };
      await cluster.report(ghost, record(ADOPTED), null);
      expect(await cluster.get(ghost, null)).toEqual({ kind: 'absent' });
    });
  });

  describe('while the API server comes and goes', () => {
    it('a read waits for a restart', async () => {
      await engine.killApiServer();
      const reading = cluster.get(WWW, null).catch(async () => {
        await eventually(async () => (await engine.kubectl(['get', 'zones'])).code === 0);
        return cluster.get(WWW, null);
      });
      await engine.startApiServer();
      expect(await reading).toMatchObject({ kind: 'present' });
    });

    it('a list that is cut in the middle is whole or an error, never short', async () => {
      await apply(
        engine,
        Array.from({ length: 40 }, (_, index) => ({
          kind: 'Record',
          name: `cut-${index}`,
          spec: recordSpec(`cut-${index}.example.org.`),
        })),
        { args: ['--server-side'] },
      );
      const whole = (await listAll(open().transport, RECORD)).objects.length;
      const { transport } = open();
      let pages = 0;
      const cutting: typeof transport = {
        ...transport,
        send: async (request) => {
          if (pages++ === 2) await engine.killApiServer();
          return transport.send(request);
        },
      };
      await expect(listAll(cutting, RECORD, 10)).rejects.toThrow(
        /Cannot list records at https:.*(ECONNREFUSED|ECONNRESET|hang up)/,
      );
      await engine.startApiServer();
      pages = Number.NEGATIVE_INFINITY;
      expect((await listAll(cutting, RECORD, 10)).objects).toHaveLength(whole);
    });
  });
});

function recordSpec(domainName: string): object {
  return { domainName, type: 'A', rdata: '192.0.2.1' };
}

/** Zone example-org and Record www as new. */
async function renew(engine: KubernetesEngine): Promise<void> {
  await succeed(engine, ['delete', 'zones,records,events', '--all']);
  const { stderr } = await apply(engine, [
    {
      kind: 'Zone',
      name: 'example-org',
      spec: { domainName: 'example.org.', delegations: [{ records: [{ pattern: '*' }] }] },
    },
    { kind: 'Record', name: 'www', spec: recordSpec(FQDN) },
  ]);
  expect(stderr).toBe('');
}
