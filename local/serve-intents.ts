// The intent API of `zone53 local`, over the ledger of the local stack. The consequences of a write are applied at
// once, and a sweep every minute compares everything.

import { roleTroubles } from '../lib/adapters/route53/account-clients.ts';
import { hostedZoneTags } from '../lib/adapters/route53/hosted-zone-tags.ts';
import { withIntentsOver } from '../lib/intents/serve/intent-sources.ts';
import { openIntents } from '../lib/intents/serve/open-intents.ts';
import type { Source } from '../lib/objects/source.ts';
import type { CentralCluster } from '../lib/ports/central-cluster.ts';
import type { Cluster } from '../lib/ports/cluster.ts';
import { intentRoles } from '../lib/ports/config.ts';
import { startIntents } from './intents-server.ts';
import type { LocalStack, LocalStackOptions } from './local-stack.ts';

/** Between two sweeps of the intents. A namespace or CRD that was missing is used at most a minute after it appears. */
const SWEEP_MS = 60_000;

export type ServedIntents = { readonly url: string; close(): Promise<void> };

/** Reads the cluster together with its intents, and with the sources that are switched on. */
export function intentsOver(cluster: Cluster, on: readonly Source[]): NonNullable<LocalStackOptions['overLedger']> {
  return (ledger) => withIntentsOver(ledger, cluster, on);
}

/** Serves the API. Throws when the port is taken. */
export async function serveIntents(
  port: number,
  { config, clock, log }: Pick<LocalStackOptions, 'config' | 'clock' | 'log'>,
  stack: LocalStack,
  central: CentralCluster | null,
): Promise<ServedIntents> {
  const intents = openIntents(
    {
      ledger: stack.ledger,
      clusterId: config.clusterId,
      clock,
      log,
      limits: { assumeRoles: intentRoles(config) },
      central,
      account: {
        tagsOf: hostedZoneTags(config, stack.clients.own, stack.clients.accounts, clock),
        roleTrouble: roleTroubles(config, stack.clients.accounts, clock),
      },
      hint: stack.hint,
    },
    { waits: false },
  );
  const sweep = () =>
    intents.sweep().catch((error: unknown) => log('error', `the sweep of intents failed: ${String(error)}`));
  const server = await startIntents(port, intents.deps, log);
  void sweep();
  const timer = setInterval(() => void sweep(), SWEEP_MS);
  return {
    url: server.url,
    close: async () => {
      clearInterval(timer);
      await server.close();
      await intents.idle();
    },
  };
}
