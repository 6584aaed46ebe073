// Makes a client of the AWS SDK for Route 53 that sends every request once, and gives up one that hangs. Its user,
// route53-hosted-zones.ts, decides what may be sent again, because each attempt takes a call of the budget.
import { Route53Client, type Route53ClientConfig } from '@aws-sdk/client-route-53';
import { unlogged } from '../aws/unlogged.ts';

/** Milliseconds. A batch of 1,000 elements takes less; a lease is longer (lib/record-sets/lease.ts). */
const REQUEST_MS_MAX = 10_000;
const CONNECT_MS_MAX = 3_000;

/** A client that never repeats a request. All other settings come from the caller or the SDK's environment. */
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

/** A client of the Route 53 that `zone53 local` serves, which checks no identity. */
export function localRoute53Client(endpoint: string): Route53Client {
  return route53Client({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}

/** The region of the environment or profile. Route 53 is global, so without a region us-east-1 is used. */
function regionOrGlobal(): Promise<string> {
  return new Route53Client({}).config.region().catch(() => 'us-east-1');
}

/** Throws an Error if the client might send a request twice. */
export async function checkSendsOnce(client: Route53Client): Promise<void> {
  const attempts = await client.config.maxAttempts();
  if (attempts === 1) return;
  throw new Error(
    `Cannot use a Route 53 client with maxAttempts ${attempts}: a batch sent twice hides what became of it; make it with route53Client()`,
  );
}
