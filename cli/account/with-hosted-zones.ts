// The account's Route 53, within the budget of the configuration, closed whatever happens.
import { callBudget } from '../../lib/adapters/route53/call-budget.ts';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { route53HostedZones } from '../../lib/adapters/route53/route53-hosted-zones.ts';
import { sleepMs, systemClock } from '../../lib/adapters/system/system-time.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';

/** Works with it. */
export async function withHostedZones<Result>(
  { budget }: Config,
  work: (hostedZones: HostedZones) => Promise<Result>,
): Promise<Result> {
  const client = route53Client();
  try {
    return await work(route53HostedZones(client, callBudget({ ...budget, clock: systemClock, sleep: sleepMs })));
  } finally {
    client.destroy();
  }
}
