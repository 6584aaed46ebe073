// What the console reads, over the ledger and the account of a world of publish. The partitions that are queried are
// noted.
import { type ConsoleDeps, type ConsoleWorld, openWorld } from '../../cli/console/world.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { NO_QUEUES } from '../../lib/ports/queues.ts';
import type { PublishWorld } from './publish-world.ts';

export function consoleWorld(
  { ledger, route53, clock }: Pick<PublishWorld, 'ledger' | 'route53' | 'clock'>,
  more: Partial<ConsoleDeps> = {},
): { readonly world: ConsoleWorld; readonly queries: string[] } {
  const queries: string[] = [];
  const refuse = () => Promise.reject(new Error('no object is read'));
  const world = openWorld({
    context: {
      ledger: {
        ...ledger,
        query: (partition, options) => {
          queries.push(partition);
          return ledger.query(partition, options);
        },
      },
      cluster: { clusterId: 'default', list: refuse, listPage: refuse, get: refuse, report: refuse },
      sources: [],
      account: { hostedZones: route53.port },
      queues: NO_QUEUES,
      clock: { nowMs: () => clock.ms },
      config: DEFAULT_CONFIG,
      log: () => {},
    },
    source: null,
    isResolved: true,
    isEmbedded: true,
    refresh: async () => false,
    ledgerMsMax: 0,
    sourceMsMax: 0,
    skewMs: 0,
    described: { source: '', ledger: '' },
    version: '0',
    kubectl: 'kubectl',
    ...more,
  });
  return { world, queries };
}
