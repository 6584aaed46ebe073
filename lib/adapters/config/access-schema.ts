// The key `access` of `zone53.yaml`: where the API server of a deployment is, and how the functions sign in there.
//
//   access: { eks: prod, endpoint: https://….eks.amazonaws.com, certificateAuthority: LS0t… }
//       or { endpoint: https://k8s.example.org, certificateAuthority: LS0t…, tokenSecret: arn:aws:secretsmanag… }
import * as z from 'zod';
import { flag, text } from './value-schemas.ts';

const EKS_NAME = /^[0-9A-Za-z][\w-]{0,99}$/;
const SECRET_ARN = /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:\S+$/;

export const accessSchema = z
  .strictObject(
    {
      eks: text('the name of an EKS cluster')
        .regex(EKS_NAME, 'write the name of an EKS cluster, such as prod, not its ARN')
        .nullish()
        .describe('The name of the EKS cluster. For any other cluster write tokenSecret.'),
      endpoint: z
        .url({ protocol: /^https$/, error: 'write the API server address, such as https://k8s.example.org' })
        .describe('The address of the API server.'),
      certificateAuthority: z
        .base64('write base64 of PEM, as `aws eks describe-cluster` prints it')
        .nullish()
        .describe('The authority that signed its certificate, as base64 of PEM. Required for an EKS cluster.'),
      tokenSecret: text('the ARN of a secret')
        .nullish()
        .describe('The ARN of a secret with a bearer token, for a cluster that is not EKS.'),
      accessEntries: flag
        .nullish()
        .describe('false: the stack does not create the EKS access entries, and you create them. Default true.'),
    },
    'write a mapping, such as { eks: prod, endpoint: https://…, certificateAuthority: LS0t… }',
  )
  .describe('The API server of a deployment, and how its functions sign in.');

/** The API server of a deployment, and how its functions sign in. `certificateAuthority`: base64 of PEM. */
export type ClusterAccess =
  | {
      readonly kind: 'eks';
      readonly clusterName: string;
      readonly endpoint: string;
      readonly certificateAuthority: string;
      readonly accessEntries: boolean;
    }
  /** No certificate authority: one that Node knows. */
  | {
      readonly kind: 'token';
      readonly endpoint: string;
      readonly certificateAuthority: string | null;
      readonly tokenSecret: string;
    };

type Written = z.output<typeof accessSchema>;

/** The access that is written; null if keys contradict one another, or none is written. */
export function buildAccess(written: Written | null | undefined): ClusterAccess | null {
  if (written == null || accessProblems(written).length > 0) return null;
  const { endpoint, certificateAuthority, tokenSecret } = written;
  if (written.eks == null) {
    return {
      kind: 'token',
      endpoint,
      certificateAuthority: certificateAuthority ?? null,
      tokenSecret: tokenSecret ?? '',
    };
  }
  return {
    kind: 'eks',
    clusterName: written.eks,
    endpoint,
    certificateAuthority: certificateAuthority ?? '',
    accessEntries: written.accessEntries ?? true,
  };
}

/** Problems between keys that are valid one by one, by key; null: of `access` itself. */
export function accessProblems({
  eks,
  certificateAuthority,
  tokenSecret,
  accessEntries,
}: Written): readonly { readonly key: string | null; readonly message: string }[] {
  const problems: { key: string | null; message: string }[] = [];
  if (eks == null && tokenSecret == null) {
    const message = 'write eks, the name of an EKS cluster, or tokenSecret, the ARN of a secret with a bearer token';
    problems.push({ key: null, message });
  }
  if (eks != null && tokenSecret != null) {
    const message = 'zone53 signs in to an EKS cluster with IAM: write eks or tokenSecret, not both';
    problems.push({ key: 'tokenSecret', message });
  }
  if (tokenSecret != null && !SECRET_ARN.test(tokenSecret)) {
    const example = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:token-AbCdEf';
    problems.push({ key: 'tokenSecret', message: `write the whole ARN of a secret, such as ${example}` });
  }
  if (eks != null && certificateAuthority == null) {
    const message = 'missing: write certificateAuthority.data of `aws eks describe-cluster`';
    problems.push({ key: 'certificateAuthority', message });
  }
  if (eks == null && accessEntries != null) {
    problems.push({ key: 'accessEntries', message: 'only EKS has access entries: remove the key' });
  }
  return problems;
}
