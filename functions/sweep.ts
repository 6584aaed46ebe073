// sweep: the full comparison, measurements, and drift. Needs what reconcile needs, and reads the configured hosted
// zones whole.

import { keepHeapSmall } from '../lib/adapters/system/small-heap.ts';
import { handleSweep } from './handlers/handle-sweep.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { loadDnsRecords } from './runtime/load-dns-records.ts';
import { meter, openQueues, tag } from './runtime/wire.ts';
import { openAccount, openCluster, openContext, openLedger } from './runtime/wire-pipeline.ts';

// The sweep reads everything. By default V8 would keep several times the memory that one page takes.
keepHeapSmall();
const environment = parseEnvironment('sweep', process.env);
const { ZONE53_CONFIG: config } = environment;
const ledger = openLedger(environment.ZONE53_TABLE);
const queues = openQueues(environment);

export const handler = atTheEdge(
  handleSweep({
    context: openContext({
      ledger,
      config,
      cluster: openCluster(config, environment.ZONE53_KUBERNETES),
      account: openAccount(ledger, config),
      queues,
    }),
    dnsRecords: await loadDnsRecords(environment, ledger, queues),
    ownRoles: environment.ZONE53_OWN_ROLES,
    meter,
    tag,
  }),
);
