// Opens the Route 53 of the own account and of those of the configuration, each within its budget. Closes them also
// after an error.
import { accountClients } from '../../lib/adapters/route53/account-clients.ts';
import { callBudget } from '../../lib/adapters/route53/call-budget.ts';
import { hostedZonesOfAccounts } from '../../lib/adapters/route53/hosted-zones-of-accounts.ts';
import { localRoute53Client, route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { patientCallBudget } from '../../lib/adapters/route53/shared-call-budget.ts';
import { sleepMs, systemClock } from '../../lib/adapters/system/system-time.ts';
import { hostedZonesWithHealthChecks } from '../../lib/health-checks/hosted-zones-with-health-checks.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { accountInLedger } from '../../lib/record-sets/list-hosted-zones.ts';

/** Variables of the AWS SDK that name the Route 53 to use. */
const ENDPOINTS = ['AWS_ENDPOINT_URL_ROUTE_53', 'AWS_ENDPOINT_URL'];

/**
 * Calls `work` with the hosted zones. `shared`: the ledger whose budget functions use, too; null: there is none.
 * `localUrl`: the Route 53 of a running `zone53 local`, which is used unless the environment names another; it has all
 * accounts. `known`: the ledger that knows in which account a hosted zone is; null: there is none.
 */
export async function withHostedZones<Result>(
  config: Pick<Config, 'clusterId' | 'budget' | 'accounts' | 'hostedZones' | 'healthChecks'>,
  work: (hostedZones: HostedZones) => Promise<Result>,
  shared: Ledger | null = null,
  localUrl: string | null = null,
  known: Ledger | null = null,
): Promise<Result> {
  const isNamed = ENDPOINTS.some((name) => (process.env[name] ?? '') !== '');
  const isLocal = localUrl !== null && !isNamed;
  const own = isLocal ? localRoute53Client(localUrl) : route53Client();
  const clients = isLocal
    ? new Map(Object.keys(config.accounts).map((id) => [id, own]))
    : accountClients(config.accounts, own, systemClock);
  try {
    const options = { ...config.budget, clock: systemClock, sleep: sleepMs };
    const budgetOf = (account?: string) =>
      shared === null
        ? callBudget(options)
        : patientCallBudget({ ...options, ledger: shared, ...(account === undefined ? {} : { account }) });
    const inLedger = known === null ? {} : { accountInLedger: accountInLedger(known) };
    const hostedZones = hostedZonesOfAccounts({ config, own, clients, budgetOf, ...inLedger });
    if (known === null) return await work(hostedZones);
    return await work(hostedZonesWithHealthChecks(hostedZones, { ledger: known, clock: systemClock, config }));
  } finally {
    for (const one of [own, ...clients.values()]) one.destroy();
  }
}
