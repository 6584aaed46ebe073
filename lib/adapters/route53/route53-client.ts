// The Route 53 client as route53-hosted-zones.ts needs it: it sends every request once and gives up on one that hangs.
// What may be sent again, and when, is decided there, where every attempt takes a call of the budget.
import { Route53Client, type Route53ClientConfig } from '@aws-sdk/client-route-53';
import { unlogged } from '../aws/unlogged.ts';

/** Milliseconds. A batch of 1,000 elements answers well within it; a lease outlives it (lib/record-sets/lease.ts). */
const REQUEST_MS_MAX = 10_000;
const CONNECT_MS_MAX = 3_000;

/** A client that never repeats a request by itself. Everything else is the caller's or the SDK's own environment's. */
export function route53Client(config: Route53ClientConfig = {}): Route53Client {
  return unlogged(
    new Route53Client({
      requestHandler: {
        connectionTimeout: CONNECT_MS_MAX,
        requestTimeout: REQUEST_MS_MAX,
        throwOnRequestTimeout: true,
      },
      region: regionOrGlobal,
      ...config,
      maxAttempts: 1,
    }),
  );
}

/**
 * The environment's or the profile's region; Route 53 is a global service, which us-east-1 stands for where nobody says
 * more.
 */
function regionOrGlobal(): Promise<string> {
  return new Route53Client({}).config.region().catch(() => 'us-east-1');
}

/** Throws an Error when the client might send a request twice. */
export async function checkSendsOnce(client: Route53Client): Promise<void> {
  const attempts = await client.config.maxAttempts();
  if (attempts === 1) return;
  throw new Error(
    `Cannot use a Route 53 client with maxAttempts ${attempts}: a batch sent twice hides what became of it; make it with route53Client()`,
  );
}
