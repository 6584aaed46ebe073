// Opens the account's Route 53, and the roles of intents, within the budget of the configuration. Closes them also
// after an error.
import { callBudget } from '../../lib/adapters/route53/call-budget.ts';
import { roleClients } from '../../lib/adapters/route53/role-clients.ts';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { route53HostedZones } from '../../lib/adapters/route53/route53-hosted-zones.ts';
import { sleepMs, systemClock } from '../../lib/adapters/system/system-time.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';

/** Calls `work` with the hosted zones. */
export async function withHostedZones<Result>(
  { budget, intents }: Config,
  work: (hostedZones: HostedZones) => Promise<Result>,
): Promise<Result> {
  const client = route53Client();
  const roles = roleClients(intents?.assumeRoles ?? [], client, systemClock);
  try {
    const perSecond = callBudget({ ...budget, clock: systemClock, sleep: sleepMs });
    return await work(route53HostedZones(client, perSecond, { roles }));
  } finally {
    for (const one of [client, ...roles.values()]) one.destroy();
  }
}
