// How the functions sign in to the API server. An EKS cluster has an access entry for each function's role. Any other
// cluster takes a bearer token from Secrets Manager. RBAC decides what they may do there (crds/rbac.yaml).
import { Aws, Stack, Token } from 'aws-cdk-lib';
import { CfnAccessEntry, type ICluster } from 'aws-cdk-lib/aws-eks';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';

/** An EKS cluster. `aws eks describe-cluster --name NAME` prints all of these. */
export interface EksAccessProps {
  readonly kind: 'eks';
  readonly clusterName: string;
  /** `https://….eks.amazonaws.com` */
  readonly endpoint: string;
  /** `certificateAuthority.data`: base64 of PEM. */
  readonly certificateAuthority: string;
  /**
   * Whether the stack makes the access entries. They need the authentication mode `API` or `API_AND_CONFIG_MAP`.
   *
   * @default true
   */
  readonly accessEntries?: boolean;
}

/** Any other cluster. */
export interface TokenAccessProps {
  readonly kind: 'token';
  /** `https://…` */
  readonly endpoint: string;
  /**
   * Base64 of PEM.
   *
   * @default - the authorities that Node knows
   */
  readonly certificateAuthority?: string;
  /** A secret whose text is the bearer token. zone53 does not renew it. */
  readonly tokenSecret: ISecret;
}

/** An EKS cluster of the same app, or one that was looked up: its name, endpoint and authority. */
export interface ClusterProps {
  readonly kind: 'eks';
  readonly cluster: Pick<ICluster, 'clusterName' | 'clusterEndpoint' | 'clusterCertificateAuthorityData'>;
  /** As that of `EksAccessProps`. */
  readonly accessEntries?: boolean;
}

/** The access by the names of things. */
export function plainAccess(access: AccessProps | ClusterProps): AccessProps {
  if (!('cluster' in access)) return access;
  const { cluster, ...rest } = access;
  return {
    ...rest,
    clusterName: cluster.clusterName,
    endpoint: cluster.clusterEndpoint,
    certificateAuthority: cluster.clusterCertificateAuthorityData,
  };
}

export type AccessProps = EksAccessProps | TokenAccessProps;

/**
 * RBAC groups of the access entries. `zone53`: reconcile, report and sweep; events about their own writes are ignored
 * (events/object-hints.ts). `zone53-validate`: lists Zones only. `zone53-intents`: the intent API.
 */
export type AccessGroup = 'zone53' | 'zone53-validate' | 'zone53-intents';

/** A cluster by its id. */
export type AccessOfCluster = {
  readonly id: string;
  readonly access: AccessProps;
  /** Null: that of the stack. */
  readonly region: string | null;
};

export interface ClusterAccessProps {
  readonly clusters: readonly AccessOfCluster[];
  /** The functions that call the API servers, by construct id. */
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  readonly group: AccessGroup;
}

/** The construct id of the policy that lets the functions describe EKS clusters. */
export const DESCRIBE_CLUSTER = 'DescribeCluster';

/** Lets the functions sign in to the clusters. */
export class ClusterAccess extends Construct {
  constructor(scope: Construct, id: string, { clusters, functions, group }: ClusterAccessProps) {
    super(scope, id);
    const eks = clusters.flatMap(({ access, region }) =>
      access.kind === 'eks' ? [{ resourceName: access.clusterName, ...(region !== null && { region }) }] : [],
    );
    if (eks.length > 0) this.allowDescribing(eks, Object.values(functions));
    for (const [index, { id: cluster, access, region }] of clusters.entries())
      for (const [name, one] of Object.entries(functions)) {
        if (access.kind === 'token') allowReading(one, access.tokenSecret, `ReadToken${index === 0 ? '' : index}`);
        else if (access.accessEntries !== false && !isElsewhere(this, region)) {
          // EKS has one entry for each cluster and role. So an entry keeps its id when another cluster is added.
          new CfnAccessEntry(this, `${name}-${cluster}`, {
            clusterName: access.clusterName,
            principalArn: (one.role as NonNullable<typeof one.role>).roleArn,
            kubernetesGroups: [group],
            type: 'STANDARD',
          });
        }
      }
  }

  /** When the authority of a cluster was rotated, the functions ask for the new one (eks-authority.ts). */
  private allowDescribing(
    clusters: readonly { readonly resourceName: string; readonly region?: string }[],
    functions: readonly LambdaFunction[],
  ): void {
    const resources = clusters.map((one) => Stack.of(this).formatArn({ service: 'eks', resource: 'cluster', ...one }));
    const statement = { sid: 'DescribeCluster', actions: ['eks:DescribeCluster'], resources };
    new Policy(this, DESCRIBE_CLUSTER, {
      statements: [new PolicyStatement(statement)],
      roles: functions.flatMap(({ role }) => role ?? []),
    });
  }
}

/** True for another region than that of the stack: CloudFormation reaches nothing there. */
export function isElsewhere(scope: Construct, region: string | null): boolean {
  const own = Stack.of(scope).region;
  return region !== null && !Token.isUnresolved(own) && region !== own;
}

type ReadableSecret = Pick<ISecret, 'secretArn'> & {
  readonly secretFullArn?: string | undefined;
  readonly encryptionKey?: { readonly keyArn: string } | undefined;
};

/**
 * Lets a function read a secret's text, with the key that encrypts it. CDK's own grant would also let it describe the
 * secret.
 */
export function allowReading(one: LambdaFunction, secret: ReadableSecret, sid: string): void {
  // The ARN of a secret that was looked up by its name lacks its last six characters.
  const arn = secret.secretFullArn ?? `${secret.secretArn}-??????`;
  one.addToRolePolicy(new PolicyStatement({ sid, actions: ['secretsmanager:GetSecretValue'], resources: [arn] }));
  if (secret.encryptionKey === undefined) return;
  // It may be in another region, where it is read then. A token is that of a secret of the same app.
  const region = Token.isUnresolved(secret.secretArn) ? Stack.of(one).region : secret.secretArn.split(':')[3];
  one.addToRolePolicy(
    new PolicyStatement({
      sid: `${sid}Key`,
      actions: ['kms:Decrypt'],
      resources: [secret.encryptionKey.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `secretsmanager.${region}.${Aws.URL_SUFFIX}` } },
    }),
  );
}
