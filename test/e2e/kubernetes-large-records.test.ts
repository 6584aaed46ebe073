// Records of the largest size that the API server accepts are listed a few at a time, because a process cannot hold 500
// of them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { KINDS } from '../../lib/sources/source.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { applyCrds } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';

/** More objects of 1.36 MB than one answer may have. */
const COUNT = 30;

describeWithEngine(['kube-apiserver', 'etcd'], 'large Records', () => {
  let engine: KubernetesEngine;
  beforeAll(async () => {
    engine = await startKubernetes();
    await applyCrds(engine);
    const values = Array.from({ length: 340 }, (_, index) => `${index}`.padEnd(3_950, 'x'));
    const transport = kubeconfigTransport('admin', engine.kubeconfig);
    for (let index = 0; index < COUNT; index += 1) {
      await transport.send({
        action: 'create records',
        method: 'POST',
        path: '/apis/kubi.zone/v1alpha1/namespaces/default/records',
        body: {
          apiVersion: 'kubi.zone/v1alpha1',
          kind: 'Record',
          metadata: { name: `r${index}` },
          spec: { domainName: `r${index}.example.org.`, type: 'TXT', values },
        },
        rule: { group: 'kubi.zone', resource: 'records', verb: 'create' },
      });
    }
    transport.close();
  }, 400_000);
  afterAll(async () => void (await engine?.stop()));
  it('are all listed', async () => {
    const transport = kubeconfigTransport('zone53', engine.kubeconfig);
    const cluster = kubernetesCluster({ kinds: KINDS, clusterId: 'default', transport, clock: systemClock });
    const found: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = await cluster.listPage('Record', null, cursor);
      found.push(...(page?.objects ?? []).map(({ ref }) => ref.name));
      cursor = page?.next ?? null;
      if (cursor === null) break;
    }
    const requests = transport.requests.count;
    transport.close();
    expect(found).toHaveLength(COUNT);
    // Pages of 500 objects, and then of 63, are too large at first.
    expect(requests).toBeGreaterThan(2);
  }, 200_000);
});
