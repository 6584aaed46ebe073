// The composition root of serving DNSRecords. It has the engine of publish with it, so functions load it only if the
// configuration asks for that.

import { randomUUID } from 'node:crypto';
import type { ClusterAccess } from '../../lib/adapters/config/access-schema.ts';
import { kubernetesTransport } from '../../lib/adapters/kubernetes/http/transport.ts';
import { readUid } from '../../lib/adapters/kubernetes/read-uid.ts';
import { kubernetesSeed } from '../../lib/adapters/kubernetes/seed/kubernetes-seed.ts';
import { accountLimits, route53Accounts } from '../../lib/adapters/route53/account-hosted-zones.ts';
import { ledgerCallBudget } from '../../lib/adapters/route53/shared-call-budget.ts';
import { sleepMs, timerOf } from '../../lib/adapters/system/system-time.ts';
import { type DnsRecordService, dnsRecordService } from '../../lib/gardener/service.ts';
import { checked, clusterCheck } from '../../lib/observe/known-cluster.ts';
import type { Config, DnsRecordSettings } from '../../lib/ports/config.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import type { Queues } from '../../lib/ports/queues.ts';
import { DNS_RECORD_KIND } from '../../lib/sources/gardener/dns-record.ts';
import { clock, log } from './wire.ts';
import { accessOf, type Patience } from './wire-pipeline.ts';

/** The service for the DNSRecords of a Gardener seed. */
export function openDnsRecords(
  { clusterId, history, region }: Pick<Config, 'clusterId' | 'history' | 'region'>,
  settings: DnsRecordSettings,
  access: ClusterAccess,
  ledger: Ledger,
  queues: Pick<Queues, 'hint' | 'publish'>,
  patience: Patience = {},
): DnsRecordService {
  const { requestsPerSecond } = settings;
  const transport = kubernetesTransport({ access: accessOf(access, region), ...patience });
  const shared = { ...accountLimits({ requestsPerSecond }), ledger, clock, sleep: sleepMs };
  const budgetOf = (account: string) => ledgerCallBudget({ ...shared, account });
  const identity = { clusterId, uid: () => readUid(transport) };
  const check = clusterCheck(identity, { ledger, clock, log, isNoted: true });
  return dnsRecordService({
    ...{ ledger, log, queues, history },
    clock: timerOf(clock),
    server: { clusterId, settings },
    seed: checked(kubernetesSeed({ clusterId, kind: DNS_RECORD_KIND, transport, clock }), check),
    accounts: route53Accounts({ clock, sleep: sleepMs, requestsPerSecond, budgetOf }),
    newHolder: randomUUID,
  });
}
