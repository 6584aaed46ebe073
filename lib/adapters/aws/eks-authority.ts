// The certificate authorities of an EKS cluster. EKS rotates them, by itself when the old one expires (Amazon EKS User
// Guide, "Rotate the certificate authority"). So when the server's certificate is not trusted, EKS is asked for the
// present one, and that is trusted besides those of the configuration.
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { sendHttp } from './send-http.ts';
import type { AwsCredentials } from './sts.ts';

/** EKS is asked once in this time at most, whatever it answers. */
const PAUSE_MS = 60_000;
const REQUEST_MS_MAX = 3_000;
const ANSWER_OCTETS_MAX = 200_000;

export type EksCluster = {
  readonly region: string;
  readonly clusterName: string;
  /** The address of EKS. Default: that of the region. */
  readonly endpoint?: string | undefined;
  /** PEM: one or several certificates. */
  readonly configured: string;
  readonly credentials: () => Promise<AwsCredentials>;
};

/**
 * Returns a source of authorities for `renewedAuthority` of `bearerIdentity()`: PEM with those of the configuration and
 * the one that EKS names. Null if EKS names none, or was asked within the last minute. It never throws; the log says
 * what EKS answered.
 */
export function eksAuthorities(cluster: EksCluster, clock: Clock, log: Log): () => Promise<string | null> {
  const { clusterName, configured } = cluster;
  let askedMs = Number.NEGATIVE_INFINITY;
  let known = configured;
  return async () => {
    const nowMs = clock.nowMs();
    if (nowMs - askedMs < PAUSE_MS) return null;
    askedMs = nowMs;
    const named = await describeAuthority(cluster, nowMs).catch((error: unknown) => error as Error);
    if (named instanceof Error) {
      log('warn', 'EKS did not say the certificate authority of the cluster', {
        cluster: clusterName,
        reason: named.message,
      });
      return null;
    }
    if (known.includes(named)) {
      log('warn', 'EKS names no other certificate authority than those that are trusted', { cluster: clusterName });
      return null;
    }
    log(
      'warn',
      'the cluster has a new certificate authority, which is used from now on: write it into the configuration',
      {
        cluster: clusterName,
      },
    );
    known = `${configured.trimEnd()}\n${named}\n`;
    return known;
  };
}

/** The PEM that DescribeCluster names. Last verified 2026-11-29 (Amazon EKS API reference). */
async function describeAuthority(cluster: EksCluster, nowMs: number): Promise<string> {
  const { region, clusterName, endpoint, credentials } = cluster;
  const host = `https://eks.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const url = new URL(`/clusters/${encodeURIComponent(clusterName)}`, endpoint ?? host);
  const signer = new SignatureV4({
    ...{ service: 'eks', region, sha256: Sha256 },
    credentials: (await credentials()) as ConstructorParameters<typeof SignatureV4>[0]['credentials'],
  });
  const { headers } = await signer.sign(
    { method: 'GET', protocol: url.protocol, hostname: url.hostname, path: url.pathname, headers: { host: url.host } },
    { signingDate: new Date(nowMs) },
  );
  const { status, text } = await sendHttp(url, {
    ...{ method: 'GET', headers, octetsMax: ANSWER_OCTETS_MAX, msMax: REQUEST_MS_MAX },
  });
  if (status !== 200) throw new Error(`it answers ${status}: ${(text ?? '').slice(0, 200)}`);
  const { cluster: described } = JSON.parse(text ?? 'null') as {
    readonly cluster?: { readonly certificateAuthority?: { readonly data?: unknown } };
  };
  const data = described?.certificateAuthority?.data;
  if (typeof data !== 'string') throw new Error('its answer has no certificateAuthority.data');
  return Buffer.from(data, 'base64').toString('utf8').trim();
}
