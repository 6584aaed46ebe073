// For the tests of the Kubernetes adapter: a real API server, the adapter, contexts of a kubeconfig, a clock that only
// the test moves, and the two objects that the tests read and report to.
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import type { KubernetesTransport } from '../../lib/adapters/kubernetes/http/transport.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
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
  /** Moves the clock forward. */
  pass(ms: number): void;
  /**
   * The adapter with a context of the kubeconfig. Default: group zone53, which has the rights of crds/rbac.yaml.
   */
  open(context?: ContextName): { readonly cluster: Cluster; readonly transport: KubernetesTransport };
  /** The adapter over a transport that the test made. It is closed with the world. */
  over(transport: KubernetesTransport): Cluster;
  /** Creates Zone example-org and Record www anew. */
  renew(): Promise<void>;
  close(): Promise<void>;
};

/** Starts an API server without our CRDs. */
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
      const transport = kubeconfigTransport(context, engine.kubeconfig);
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

/** Applies CRDs, roles, Zone example-org and Record www, and waits until group zone53 may list them. */
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
