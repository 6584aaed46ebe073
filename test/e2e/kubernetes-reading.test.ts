// The Kubernetes adapter reads a real API server: single objects, lists in pages, and an API server that is restarted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAll, listPage } from '../../lib/adapters/kubernetes/list-objects.ts';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { allItems } from '../../lib/ledger/pages.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { RECORD } from '../../lib/sources/kubizone/parse-record.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, eventually, read, succeed } from '../engines/kubernetes/apply.ts';
import { type ClusterWorld, makeReady, recordSpec, startClusterWorld, WWW } from '../support/cluster-world.ts';

const TEN_A_PAGE = { ...RECORD, pageSize: 10 };

describeWithEngine(['kube-apiserver', 'etcd'], 'kubernetesCluster() reads', () => {
  let world: ClusterWorld;
  let cluster: Cluster;
  beforeAll(async () => {
    world = await startClusterWorld();
    cluster = world.open().cluster;
    await expect(cluster.list()).rejects.toThrow(
      /403.*missing RBAC rule: { apiGroups: \[kubi\.zone\], resources: \[zones\], verbs: \[list\] }/,
    );
    await expect(world.open('admin').cluster.list()).rejects.toThrow('kubectl apply -f crds/');
    await expect(world.open('admin').cluster.get(WWW, null)).rejects.toThrow('kubectl apply -f crds/');
    await makeReady(world);
  });
  afterAll(() => world?.close());

  it('an object as it is, and says absent only for a name that does not exist', async () => {
    const seen = await cluster.get(WWW, null);
    const standing = await read(world.engine, 'record/www');
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

  it('a list in pages, each object once', async () => {
    const names = Array.from({ length: 57 }, (_, index) => `page-${String(index).padStart(3, '0')}`);
    await apply(
      world.engine,
      names.map((name) => ({ kind: 'Record', name, spec: recordSpec(`${name}.example.org.`) })),
      {
        args: ['--server-side'],
      },
    );
    const { transport } = world.open();
    const before = transport.requests.count;
    const { objects } = await listAll(transport, TEN_A_PAGE);
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

  it('a list again from its start when its snapshot is compacted away', async () => {
    const { transport } = world.open();
    let pages = 0;
    const compacting: typeof transport = {
      ...transport,
      send: async (request) => {
        if (pages++ === 2) {
          await succeed(world.engine, ['label', 'records', '--all', '--overwrite', `seen=${pages}`]);
          await world.engine.compact();
          // The API server also has snapshots of its own; they are lost only when it ends.
          await world.engine.killApiServer();
          await world.engine.startApiServer();
        }
        return transport.send(request);
      },
    };
    const { objects } = await listAll(compacting, TEN_A_PAGE);
    expect(objects).toHaveLength(58);
    expect(pages).toBeGreaterThan(7);
  });

  it('page by page in the order of the ledger, in all namespaces or in one', async () => {
    const namespaces = ['order', 'order-b', 'order0'];
    const names = ['a', 'a-b', 'a.b', 'a0', 'ab'];
    for (const namespace of namespaces) {
      await succeed(world.engine, ['create', 'namespace', namespace]);
      const spec = recordSpec('www.example.org.');
      const objects = names.map((name) => ({ kind: 'Record' as const, namespace, name, spec }));
      await apply(world.engine, objects, { args: ['--server-side'] });
    }
    const ledger = memoryLedger();
    const keysOf = async (namespace: string | null) => {
      const keys: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await listPage(world.open().transport, { ...RECORD, pageSize: 2 }, namespace, cursor);
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
      await succeed(world.engine, ['delete', 'records', '--all', '--namespace', namespace]);
  });

  it('on from the same key when the snapshot of a page is gone', async () => {
    const { transport } = world.open();
    const first = await listPage(transport, TEN_A_PAGE, null, null);
    await succeed(world.engine, ['label', 'records', '--all', '--overwrite', 'seen=again']);
    await world.engine.compact();
    await world.engine.killApiServer();
    await world.engine.startApiServer();
    const second = await listPage(transport, TEN_A_PAGE, null, first?.next ?? null);
    const last = first?.objects.at(-1)?.ref.name ?? '';
    expect(second?.objects).toHaveLength(10);
    expect(second?.objects.every(({ ref, labels }) => ref.name > last && labels.seen === 'again')).toBe(true);
  });

  it('over one connection, also with a certificate authority', async () => {
    const { cluster: fresh } = world.open();
    const sockets = new Set<number>();
    const { default: diagnostics } = await import('node:diagnostics_channel');
    let sent = 0;
    const count = (message: unknown) => {
      const { socket } = message as { socket: { localPort?: number } };
      sent += 1;
      if (socket.localPort !== undefined) sockets.add(socket.localPort);
    };
    diagnostics.subscribe('undici:client:sendHeaders', count);
    for (let index = 0; index < 30; index += 1) await fresh.get(WWW, null);
    diagnostics.unsubscribe('undici:client:sendHeaders', count);
    expect(sent).toBe(30);
    expect(sockets.size).toBe(1);
  });

  describe('while the API server comes and goes', () => {
    it('an object once a restart is over', async () => {
      await world.engine.killApiServer();
      const reading = cluster.get(WWW, null).catch(async () => {
        await eventually(async () => (await world.engine.kubectl(['get', 'zones'])).code === 0);
        return cluster.get(WWW, null);
      });
      await world.engine.startApiServer();
      expect(await reading).toMatchObject({ kind: 'present' });
    });

    it('a whole list or none: one that is cut off in the middle is an error', async () => {
      await apply(
        world.engine,
        Array.from({ length: 40 }, (_, index) => ({
          kind: 'Record',
          name: `cut-${index}`,
          spec: recordSpec(`cut-${index}.example.org.`),
        })),
        { args: ['--server-side'] },
      );
      const whole = (await listAll(world.open().transport, RECORD)).objects.length;
      const { transport } = world.open();
      let pages = 0;
      const cutting: typeof transport = {
        ...transport,
        send: async (request) => {
          if (pages++ === 2) await world.engine.killApiServer();
          return transport.send(request);
        },
      };
      await expect(listAll(cutting, TEN_A_PAGE)).rejects.toThrow(
        /Cannot list records at https:.*(ECONNREFUSED|ECONNRESET|hang up)/,
      );
      await world.engine.startApiServer();
      pages = Number.NEGATIVE_INFINITY;
      expect((await listAll(cutting, TEN_A_PAGE)).objects).toHaveLength(whole);
    });
  });
});
