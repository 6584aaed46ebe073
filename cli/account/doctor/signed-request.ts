// A signed request to an API of AWS of which one call is needed, and so no client of the SDK.
import { Sha256 } from '@aws-crypto/sha256-js';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SignatureV4 } from '@smithy/signature-v4';
import { sendHttp } from '../../../lib/adapters/aws/send-http.ts';
import type { AwsCredentials } from '../../../lib/adapters/aws/sts.ts';
import type { Clock } from '../../../lib/ports/clock.ts';

const ANSWER_OCTETS_MAX = 4 * 1024 * 1024;
const REQUEST_MS_MAX = 8_000;

/** The region and the credentials of the environment or profile. */
export type Account = {
  readonly region: string;
  readonly credentials: () => Promise<AwsCredentials>;
  readonly clock: Clock;
};

/** The account. `region`: null for that of the environment. Throws an Error if there is none. */
export async function openAccount(region: string | null, clock: Clock): Promise<Account> {
  const { config } = new DynamoDBClient(region === null ? {} : { region });
  return { region: await config.region(), credentials: () => config.credentials() as Promise<AwsCredentials>, clock };
}

/** Sends a GET request to a service of the region. `endpoint`: its address, if it is not that of AWS. */
export async function getSigned(
  { region, credentials, clock }: Account,
  service: 'cloudformation' | 'eks',
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { [`AWS_ENDPOINT_URL_${service.toUpperCase()}`]: own, AWS_ENDPOINT_URL: all } = process.env;
  const suffix = region.startsWith('cn-') ? '.cn' : '';
  const url = new URL(own ?? all ?? `https://${service}.${region}.amazonaws.com${suffix}`);
  const signer = new SignatureV4({
    ...{ service, region, sha256: Sha256 },
    credentials: (await credentials()) as ConstructorParameters<typeof SignatureV4>[0]['credentials'],
  });
  const headers = { host: url.host, accept: 'application/json' };
  const signed = await signer.sign(
    { method: 'GET', protocol: url.protocol, hostname: url.hostname, path, query, headers },
    { signingDate: new Date(clock.nowMs()) },
  );
  const target = new URL(`${path}?${new URLSearchParams(query)}`, url);
  const answer = await sendHttp(target, {
    ...{ method: 'GET', headers: signed.headers, octetsMax: ANSWER_OCTETS_MAX, msMax: REQUEST_MS_MAX },
  });
  return { status: answer.status, text: answer.text ?? '' };
}
