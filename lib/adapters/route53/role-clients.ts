// A client of Route 53 for each role that may be assumed, beside our own.
import type { Route53Client } from '@aws-sdk/client-route-53';
import type { Clock } from '../../ports/clock.ts';
import { assumedRole } from '../aws/assumed-role.ts';
import { route53Client } from './route53-client.ts';

/** By the ARN of its role. No role is assumed before its client is used. `stsEndpoint`: the region's own when absent. */
export function roleClients(
  roles: readonly string[],
  own: Route53Client,
  clock: Clock,
  stsEndpoint?: string,
): ReadonlyMap<string, Route53Client> {
  const { region, credentials } = own.config;
  const world = { region, credentials, clock, ...(stsEndpoint === undefined ? {} : { endpoint: stsEndpoint }) };
  return new Map(roles.map((role) => [role, route53Client({ region, credentials: assumedRole(role, world) })]));
}
