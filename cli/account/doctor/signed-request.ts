// A signed request to an API of AWS of which few calls are needed, and so no client of the SDK.
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

/** Sends a GET request to a service of the region. */
export function getSigned(
  account: Account,
  service: 'cloudformation' | 'eks',
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<SignedAnswer> {
  return sendSigned(account, { service, path, query });
}

export type SignedAnswer = { readonly status: number; readonly text: string };

export type SignedRequest = {
  /** The service as its address and its signature name it. */
  readonly service: string;
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** How long it may take, in milliseconds. */
  readonly msMax?: number;
};

/** Sends a request to a service of the region, at its address in AWS or in AWS_ENDPOINT_URL. */
export async function sendSigned(
  { region, credentials, clock }: Account,
  { service, method = 'GET', path, query = {}, headers = {}, body, msMax = REQUEST_MS_MAX }: SignedRequest,
): Promise<SignedAnswer> {
  const { [`AWS_ENDPOINT_URL_${service.toUpperCase()}`]: own, AWS_ENDPOINT_URL: all } = process.env;
  const suffix = region.startsWith('cn-') ? '.cn' : '';
  const url = new URL(own ?? all ?? `https://${service}.${region}.amazonaws.com${suffix}`);
  const signer = new SignatureV4({
    ...{ service, region, sha256: Sha256, uriEscapePath: service !== 's3' },
    credentials: (await credentials()) as ConstructorParameters<typeof SignatureV4>[0]['credentials'],
  });
  const signed = await signer.sign(
    {
      ...{ method, protocol: url.protocol, hostname: url.hostname, path, query },
      headers: { host: url.host, accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    },
    { signingDate: new Date(clock.nowMs()) },
  );
  const target = new URL(`${path}?${new URLSearchParams(query)}`, url);
  const answer = await sendHttp(target, {
    ...{ method, headers: signed.headers, body, octetsMax: ANSWER_OCTETS_MAX, msMax },
  });
  return { status: answer.status, text: answer.text ?? '' };
}
