// A client of Route 53 for each account of the configuration, with the credentials of its role, and whether that role
// can be assumed now.
import type { Route53Client } from '@aws-sdk/client-route-53';
import { errorMessage } from '../../objects/plain.ts';
import type { Clock } from '../../ports/clock.ts';
import { type AccountSettings, type Config, intentRoles } from '../../ports/config.ts';
import { assumedRole, type RoleCredentials } from '../aws/assumed-role.ts';
import { route53Client } from './route53-client.ts';

/** Clients by the name of their account. */
export type AccountClients = ReadonlyMap<string, Route53Client>;

/**
 * The clients of these accounts. A role is assumed when its client is first used. The address of STS is that of the
 * SDK's own variables.
 */
export function accountClients(
  accounts: Readonly<Record<string, AccountSettings>>,
  own: Route53Client,
  clock: Clock,
): AccountClients {
  const { region } = own.config;
  const endpoint = process.env.AWS_ENDPOINT_URL_STS || process.env.AWS_ENDPOINT_URL;
  const clientOf = ({ role, externalId }: AccountSettings) => {
    const world = { region, credentials: own.config.credentials, clock, externalId, ...(endpoint ? { endpoint } : {}) };
    return route53Client({ region, credentials: withoutWaits(assumedRole(role, world), clock) });
  };
  return new Map(Object.entries(accounts).map(([id, settings]) => [id, clientOf(settings)]));
}

/** A refusal that took longer is given again for a while: a slow STS delays the hosted zones of others only once. */
const SLOW_MS = 1_000;
const GIVEN_AGAIN_MS = 60_000;

/** The same credentials. Who asks while STS is asked gets the same answer. */
export function withoutWaits(assume: () => Promise<RoleCredentials>, clock: Clock): () => Promise<RoleCredentials> {
  let asked: Promise<RoleCredentials> | null = null;
  let untilMs = Number.NEGATIVE_INFINITY;
  const ask = async () => {
    const beganMs = clock.nowMs();
    untilMs = Number.POSITIVE_INFINITY;
    try {
      const given = await assume();
      untilMs = Number.NEGATIVE_INFINITY;
      return given;
    } catch (error) {
      const nowMs = clock.nowMs();
      untilMs = nowMs - beganMs > SLOW_MS ? nowMs + GIVEN_AGAIN_MS : Number.NEGATIVE_INFINITY;
      throw error;
    }
  };
  return () => {
    if (asked === null || clock.nowMs() >= untilMs) asked = ask();
    return asked;
  };
}

/** The answer about a role is cached for this time. */
const GOOD_MS = 10_000;

/** Returns why a role of intents cannot be assumed now; null if it can. */
export function roleTroubles({ accounts }: Pick<Config, 'accounts'>, clients: AccountClients, clock: Clock) {
  const known = new Map<string, { readonly trouble: Promise<string | null>; readonly atMs: number }>();
  const clientOf = (role: string) => {
    const found = Object.entries(accounts).find(
      ([, one]) => one.role === role && intentRoles({ accounts }).includes(role),
    );
    return found === undefined ? undefined : clients.get(found[0]);
  };
  return (role: string): Promise<string | null> => {
    const before = known.get(role);
    if (before !== undefined && clock.nowMs() - before.atMs < GOOD_MS) return before.trouble;
    const trouble = troubleWith(role, clientOf(role));
    known.set(role, { trouble, atMs: clock.nowMs() });
    return trouble;
  };
}

async function troubleWith(role: string, client: Route53Client | undefined): Promise<string | null> {
  if (client === undefined)
    return `role ${role} is no longer that of an account with intents: true in the configuration`;
  try {
    await client.config.credentials();
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}
