// Polling a real API server: what one poll finds and reads, also after the server forgot the version, and
// `zone53 local --poll`.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import type { KubernetesTransport } from '../../lib/adapters/kubernetes/http/transport.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { KINDS as ALL, sourcesOn } from '../../lib/sources/source.ts';
import { pollKinds } from '../../lib/sweep/poll-kinds.ts';
import { sweepPiece } from '../../lib/sweep/sweep-cluster.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, eventually, succeed } from '../engines/kubernetes/apply.ts';
import { deliverAll, deliverHints, type ReconcileWorld, reconcileWorld, through } from '../fakes/reconcile-world.ts';
import { contextWorld, type Local, TEAMS } from '../support/context-world.ts';

const KINDS = ['Zone', 'Record'];
const MANY = 60;

describeWithEngine(['kube-apiserver', 'etcd'], 'polling', () => {
  const kubernetes = contextWorld();
  let transport: KubernetesTransport;
  let world: ReconcileWorld;
  const sent: string[] = [];
  const record = (name: string, rdata: string) =>
    apply(kubernetes.engine, [
      { kind: 'Record', name, namespace: 'default', spec: { domainName: `${name}.polled.test.`, type: 'A', rdata } },
    ]);
  /** What a poll hints at, and the requests that it sends besides its watches. */
  const poll = async () => {
    sent.length = 0;
    const { failed } = await pollKinds(world.context, KINDS);
    expect(failed).toEqual([]);
    return { hinted: world.queued.hints.map(({ kind, name }) => `${kind} ${name ?? '*'}`).toSorted(), sent: [...sent] };
  };
  const settle = async () => {
    await deliverHints(world);
    await deliverAll(world);
  };

  beforeAll(async () => {
    const { engine } = kubernetes;
    await apply(engine, [
      {
        kind: 'Zone',
        name: 'polled',
        namespace: 'default',
        spec: { domainName: 'polled.test.', delegations: [{ records: [{ pattern: '*' }] }] },
      },
      ...Array.from({ length: MANY }, (_, index) => ({
        kind: 'Record' as const,
        name: `r${index}`,
        namespace: 'default',
        spec: { domainName: `r${index}.polled.test.`, type: 'A', rdata: '192.0.2.1' },
      })),
    ]);
    const plain = kubeconfigTransport('zone53', engine.kubeconfig);
    transport = {
      ...plain,
      send: (request) => {
        sent.push(`${request.method} ${request.path}`);
        return plain.send(request);
      },
    };
    const inMemory = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'polled.test.' }], sources: sourcesOn({}) });
    const { clusterId } = inMemory.context.config;
    const cluster = kubernetesCluster({ kinds: ALL, clusterId, transport, clock: systemClock });
    world = through(inMemory, { cluster });
    await pollKinds(world.context, KINDS);
    await sweepPiece(world.context, Number.POSITIVE_INFINITY);
    await settle();
    expect(world.route53.recordSets('Z1').filter(({ type }) => type === 'A')).toHaveLength(MANY);
  });
  afterAll(() => transport?.close());

  it('finds nothing in our own statuses, and reads no object', async () => {
    expect(await poll()).toEqual({ hinted: [], sent: [] });
    expect(await poll()).toEqual({ hinted: [], sent: [] });
  });

  it('finds the one object that changed, and the one that is gone, by their events', async () => {
    await record('r7', '192.0.2.7');
    expect(await poll()).toEqual({ hinted: ['Record r7'], sent: [] });
    sent.length = 0;
    await deliverHints(world);
    expect(sent.filter((line) => line.startsWith('GET'))).toEqual([
      'GET /apis/kubi.zone/v1alpha1/namespaces/default/records/r7',
    ]);
    await succeed(kubernetes.engine, ['delete', 'record/r8']);
    expect(await poll()).toMatchObject({ hinted: ['Record r8'] });
    await settle();
    const names = world.route53.recordSets('Z1').map(({ name }) => name);
    expect(names).not.toContain('r8.polled.test.');
    expect(await poll()).toMatchObject({ hinted: [] });
  });

  it('compares the kind where the server no longer has the version', async () => {
    const key = { partition: `polls#${world.context.config.clusterId}`, sort: 'versions' };
    const stored = await world.ledger.get(key);
    await record('r9', '192.0.2.9');
    await world.ledger.put(key, { v: 1, versions: { Zone: '1', Record: '1' } }, stored?.revision ?? null);
    expect(await poll()).toMatchObject({ hinted: ['Record *', 'Zone *'] });
    await settle();
    const values = JSON.stringify(world.route53.recordSets('Z1'));
    expect(values).toContain('192.0.2.9');
    expect(world.route53.recordSets('Z1').filter(({ type }) => type === 'A')).toHaveLength(MANY - 1);
  });

  it('zone53 local --poll publishes an edit without a watch', async () => {
    await succeed(kubernetes.engine, ['apply', '-f', TEAMS]);
    const local: Local = await kubernetes.startLocal('zone53', '--poll', '1s');
    try {
      for (const address of ['192.0.2.21', '192.0.2.22']) {
        await kubernetes.record('www', address);
        await eventually(async () => (await local.dns.resolve4('www.example.org')).includes(address));
      }
      expect(local.said()).not.toContain('Cannot watch');
      expect(local.said()).toContain('asked every 1 s');
    } finally {
      expect(await local.stop()).toBe(0);
    }
  });
});
