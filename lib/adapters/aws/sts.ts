// Signs requests to STS: to assume a role, and for the token of an EKS cluster.
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';

export type AwsCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

/** The host of STS in a region. */
export function stsHost(region: string): string {
  return `sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

export function stsSigner(region: string, { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials): SignatureV4 {
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  return new SignatureV4({ service: 'sts', region, sha256: Sha256, credentials });
}
