// Opens a kubeconfig context. A separate file, because the Kubernetes client is loaded only if it is needed.

import { kubernetesCentralCluster } from '../../lib/adapters/central-cluster/kubernetes-central-cluster.ts';
import { servedKinds } from '../../lib/adapters/kubernetes/discover-kinds.ts';
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { rememberWrites } from '../../lib/adapters/kubernetes/own-writes.ts';
import { kindNamed } from '../../lib/adapters/kubernetes/read-object.ts';
import { kubernetesSeed } from '../../lib/adapters/kubernetes/seed/kubernetes-seed.ts';
import { watchKubernetes } from '../../lib/adapters/kubernetes/watch-objects.ts';
import { rememberWatched } from '../../lib/adapters/kubernetes/watched-objects.ts';
import { DNS_RECORD_KIND } from '../../lib/sources/gardener/dns-record.ts';
import { kindsRead } from '../../lib/sources/source.ts';
import type { OpenSource, SourceOptions } from './open-objects.ts';
import { waitUntilStarted } from './wait-until-started.ts';

/** The API server of a kubeconfig context. Opening sends no request. */
export function openContext(
  name: string,
  { clusterId, sources, dnsRecords = false, own = 'needed', clock, log }: SourceOptions,
): OpenSource {
  const kinds = kindsRead(sources);
  const hinted = dnsRecords ? [...kinds, DNS_RECORD_KIND] : kinds;
  const transport = kubeconfigTransport(name);
  // Each watch holds a connection: one for each kind, and two for other requests.
  const watching = kubeconfigTransport(name, undefined, { socketsMax: hinted.length + 2 });
  const [ownWrites, watched] = [rememberWrites(), rememberWatched()];
  // One for both: a hint of the watch must not be read with an older answer that the kind is not served.
  const served = servedKinds(transport, clock, own);
  return {
    cluster: kubernetesCluster({ clusterId, kinds, transport, clock, ownWrites, watched, served, ...(log && { log }) }),
    central: kubernetesCentralCluster(transport),
    seed: dnsRecords ? kubernetesSeed({ clusterId, kind: DNS_RECORD_KIND, transport, clock, ownWrites }) : null,
    placeOf: () => null,
    described: `context ${name}`,
    ready: (signal, onWaiting) =>
      waitUntilStarted(transport, dnsRecords ? DNS_RECORD_KIND : kindNamed(kinds, 'Zone'), signal, onWaiting),
    watch: async ({ onHints, onTrouble }) => {
      const ending = new AbortController();
      const { signal } = ending;
      const ended = watchKubernetes({
        kinds: hinted,
        served,
        transport: watching,
        signal,
        onHints,
        onProblem: onTrouble,
        ownWrites,
        watched,
      });
      return {
        close: async () => {
          ending.abort();
          await ended;
        },
      };
    },
    close: () => {
      transport.close();
      watching.close();
    },
  };
}
