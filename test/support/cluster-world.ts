// A real API server and the Kubernetes adapter before it, for the tests of that adapter: contexts of a kubeconfig, a
// clock that stands still, and the two objects that they read and report.
import { kubeconfigContext } from '../../lib/adapters/kubernetes/access/access.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { type KubernetesTransport, kubernetesTransport } from '../../lib/adapters/kubernetes/transport.ts';
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { KINDS } from '../../lib/sources/source.ts';
import { apply, applyCrds, eventually, succeed } from '../engines/kubernetes/apply.ts';
import { type ContextName, type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';

export const WWW: ObjectRef = { kind: 'Record', namespace: 'default', name: 'www' };
export const ZONE: ObjectRef = { kind: 'Zone', namespace: 'default', name: 'example-org' };
export const FQDN = 'www.example.org.';

export type ClusterWorld = {
  readonly engine: KubernetesEngine;
  /** Lets time go on. */
  pass(ms: number): void;
  /**
   * The adapter, signed in as a context of the kubeconfig: by default as group zone53, which may do what crds/rbac.yaml
   * says.
   */
  open(context?: ContextName): { readonly cluster: Cluster; readonly transport: KubernetesTransport };
  /** The adapter over a transport of the test's own, which is closed with the rest. */
  over(transport: KubernetesTransport): Cluster;
  /** Zone example-org and Record www as new. */
  renew(): Promise<void>;
  close(): Promise<void>;
};

/** Starts an API server that does not know our kinds yet. */
export async function startClusterWorld(): Promise<ClusterWorld> {
  const engine = await startKubernetes();
  let nowMs = Date.parse('2026-11-21T10:00:00Z');
  const clock = { nowMs: () => nowMs };
  const transports: KubernetesTransport[] = [];
  const over = (transport: KubernetesTransport) => {
    transports.push(transport);
    return kubernetesCluster({ kinds: KINDS, clusterId: 'test', transport, clock });
  };
  return {
    engine,
    pass: (ms) => {
      nowMs += ms;
    },
    open: (context = 'zone53') => {
      const transport = kubernetesTransport({ access: kubeconfigContext(context, engine.kubeconfig) });
      return { cluster: over(transport), transport };
    },
    over,
    renew: () => renew(engine),
    close: async () => {
      for (const transport of transports) transport.close();
      await engine.stop();
    },
  };
}

/** Gives it CRDs, roles, Zone example-org and Record www, and waits until group zone53 may list them. */
export async function makeReady(world: ClusterWorld): Promise<void> {
  const { cluster } = world.open();
  await applyCrds(world.engine);
  await eventually(async () =>
    cluster.list().then(
      () => true,
      () => false,
    ),
  );
  await world.renew();
}

/** The spec of a Record of type A. */
export function recordSpec(domainName: string): object {
  return { domainName, type: 'A', rdata: '192.0.2.1' };
}

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
  if (stderr !== '') throw new Error(`Cannot make Zone and Record as new: ${stderr}`);
}
