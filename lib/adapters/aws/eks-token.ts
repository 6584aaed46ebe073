// Makes the bearer token of an EKS cluster: a presigned GetCallerIdentity request, made without a call (reference:
// aws-iam-authenticator pkg/token/token.go). For 15 minutes its holder counts as the signer, at this cluster only,
// because the signed header `x-k8s-aws-id` names the cluster.
import type { Clock } from '../../ports/clock.ts';
import { type AwsCredentials, stsHost, stsSigner } from './sts.ts';

const PREFIX = 'k8s-aws-v1.';
/** The longest token that the server accepts. */
const TOKEN_CHARACTERS_MAX = 4_096;
/** The usual value. The server accepts 0 to 900, and counts 15 minutes from the time of signing. */
const EXPIRES_SECONDS = 60;
/** A token is used for this part of its 15 minutes, because clocks differ and calls take time. */
const TOKEN_MS = 10 * 60_000;

export type EksTokenOptions = {
  /** The region of the cluster, whose STS endpoint is used. */
  readonly region: string;
  /** The cluster's name; its id for a local cluster on Outposts. */
  readonly clusterName: string;
  readonly credentials: AwsCredentials;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
};

/** Makes a token. Throws an Error if a long session token makes it too long for the API server. */
export async function eksToken({ region, clusterName, credentials, nowMs }: EksTokenOptions): Promise<string> {
  const hostname = stsHost(region);
  const signed = await stsSigner(region, credentials).presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host: hostname, 'x-k8s-aws-id': clusterName },
    },
    { expiresIn: EXPIRES_SECONDS, signingDate: new Date(nowMs) },
  );
  const query = Object.entries(signed.query ?? {}).map(([key, value]) => `${encode(key)}=${encode(String(value))}`);
  const token = PREFIX + Buffer.from(`https://${hostname}/?${query.join('&')}`, 'utf8').toString('base64url');
  if (token.length <= TOKEN_CHARACTERS_MAX) return token;
  throw new Error(
    `Cannot sign in to EKS cluster "${clusterName}": the token has ${token.length} characters, ${TOKEN_CHARACTERS_MAX} at most; the session token is too long`,
  );
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * Returns a source of tokens. A token is replaced after ten minutes, or when the credentials may have changed. Throws
 * what `credentials` throws.
 */
export function eksTokens(
  cluster: Pick<EksTokenOptions, 'region' | 'clusterName'>,
  credentials: () => Promise<AwsCredentials>,
  clock: Clock,
): () => Promise<string> {
  let made: { readonly atMs: number; readonly token: string } | null = null;
  return async () => {
    const nowMs = clock.nowMs();
    if (made === null || nowMs - made.atMs >= TOKEN_MS || nowMs < made.atMs) {
      made = { atMs: nowMs, token: await eksToken({ ...cluster, credentials: await credentials(), nowMs }) };
    }
    return made.token;
  };
}
