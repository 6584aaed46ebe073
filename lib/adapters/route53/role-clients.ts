// A client of Route 53 for each role that may be assumed, and whether a role can be assumed.
import type { Route53Client } from '@aws-sdk/client-route-53';
import { errorMessage } from '../../objects/plain.ts';
import type { Clock } from '../../ports/clock.ts';
import { assumedRole } from '../aws/assumed-role.ts';
import { route53Client } from './route53-client.ts';

/**
 * Clients by the ARN of their role. A role is assumed when its client is first used. The address of STS is that of the
 * SDK's own variables.
 */
export function roleClients(
  roles: readonly string[],
  own: Route53Client,
  clock: Clock,
): ReadonlyMap<string, Route53Client> {
  const { region, credentials } = own.config;
  const endpoint = process.env.AWS_ENDPOINT_URL_STS || process.env.AWS_ENDPOINT_URL;
  const options = { region, credentials, clock, ...(endpoint ? { endpoint } : {}) };
  return new Map(roles.map((role) => [role, route53Client({ region, credentials: assumedRole(role, options) })]));
}

/** The answer about a role is cached for this time. */
const GOOD_MS = 10_000;

/** Returns why a role cannot be assumed now; null if it can. `clients`: by the ARN of their role. */
export function roleTroubles(clients: ReadonlyMap<string, Route53Client>, clock: Clock) {
  const known = new Map<string, { readonly trouble: Promise<string | null>; readonly atMs: number }>();
  return (role: string): Promise<string | null> => {
    const before = known.get(role);
    if (before !== undefined && clock.nowMs() - before.atMs < GOOD_MS) return before.trouble;
    const trouble = troubleWith(role, clients.get(role));
    known.set(role, { trouble, atMs: clock.nowMs() });
    return trouble;
  };
}

async function troubleWith(role: string, client: Route53Client | undefined): Promise<string | null> {
  if (client === undefined) return `role ${role} is not on the list intents.assumeRoles of the configuration any more`;
  try {
    await client.config.credentials();
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}
