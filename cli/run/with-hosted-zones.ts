// Opens the account's Route 53, and the roles of intents, within the budget of the configuration. Closes them also
// after an error.
import { callBudget } from '../../lib/adapters/route53/call-budget.ts';
import { roleClients } from '../../lib/adapters/route53/role-clients.ts';
import { localRoute53Client, route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { route53HostedZones } from '../../lib/adapters/route53/route53-hosted-zones.ts';
import { patientCallBudget } from '../../lib/adapters/route53/shared-call-budget.ts';
import { sleepMs, systemClock } from '../../lib/adapters/system/system-time.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';

/** Variables of the AWS SDK that name the Route 53 to use. */
const ENDPOINTS = ['AWS_ENDPOINT_URL_ROUTE_53', 'AWS_ENDPOINT_URL'];

/**
 * Calls `work` with the hosted zones. `shared`: the ledger whose budget functions use, too; null: there is none.
 * `localUrl`: the Route 53 of a running `zone53 local`, which is used unless the environment names another.
 */
export async function withHostedZones<Result>(
  { budget, intents }: Pick<Config, 'budget' | 'intents'>,
  work: (hostedZones: HostedZones) => Promise<Result>,
  shared: Ledger | null = null,
  localUrl: string | null = null,
): Promise<Result> {
  const isNamed = ENDPOINTS.some((name) => (process.env[name] ?? '') !== '');
  const client = localUrl === null || isNamed ? route53Client() : localRoute53Client(localUrl);
  const roles = roleClients(intents?.assumeRoles ?? [], client, systemClock);
  try {
    const options = { ...budget, clock: systemClock, sleep: sleepMs };
    const perSecond = shared === null ? callBudget(options) : patientCallBudget({ ...options, ledger: shared });
    return await work(route53HostedZones(client, perSecond, { roles }));
  } finally {
    for (const one of [client, ...roles.values()]) one.destroy();
  }
}
