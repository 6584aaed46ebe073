// sweep: the full comparison, measurements, and drift. Needs what reconcile needs, and reads the configured hosted
// zones whole.

import { keepHeapSmall } from '../lib/adapters/system/small-heap.ts';
import { handleSweep, sweepEach } from './handlers/handle-sweep.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { eachCluster } from './runtime/clusters.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { loadDnsRecords } from './runtime/load-dns-records.ts';
import { clock, meter, openQueues } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';
import { openLedger } from './runtime/wire-ledger.ts';
import { openAccount, openCluster, openContext } from './runtime/wire-pipeline.ts';

// The sweep reads everything. By default V8 would keep several times the memory that one page takes.
keepHeapSmall();
const environment = parseEnvironment('sweep', process.env);
const ledger = openLedger(environment.ZONE53_TABLE);

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, ledger), async (configuration) => {
    const ids = configuration.clusters.map((one) => one.config.clusterId);
    const sweeps = await eachCluster(configuration, async (served) => {
      const { config, access, events, log, tag, mark } = served;
      const queues = openQueues(environment, mark);
      const handle = handleSweep({
        context: openContext({
          ledger,
          config,
          cluster: openCluster(config, access, { log, ledger }),
          account: openAccount(ledger, config),
          queues,
          log,
        }),
        dnsRecords: await loadDnsRecords(served, ledger, queues),
        configuration: configuration.version,
        clusters: ids.length,
        ...(config.clusterId === ids[0] && { configured: ids }),
        ownRoles: environment.ZONE53_OWN_ROLES,
        meter,
        tag,
      });
      return { id: config.clusterId, everySeconds: events.sweepMinutes * 60, handle };
    });
    return sweepEach([...sweeps.values()], clock);
  }),
);
