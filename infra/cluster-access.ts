// How the functions reach the API server and who they are there: an EKS cluster, by an access entry for each role, or
// any other, by address and a bearer token out of Secrets Manager. What they may do there is RBAC's business
// (crds/rbac.yaml).
import { Stack } from 'aws-cdk-lib';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { KubernetesSettings } from '../functions/runtime/environment.ts';

/** An EKS cluster. All of it is printed by `aws eks describe-cluster --name NAME`. */
export interface EksClusterProps {
  readonly kind: 'eks';
  readonly clusterName: string;
  /** `https://….eks.amazonaws.com` */
  readonly endpoint: string;
  /** `certificateAuthority.data`: base64 of PEM. */
  readonly certificateAuthority: string;
  /**
   * Whether the stack makes the access entries, with the group `zone53`. They need the authentication mode `API` or
   * `API_AND_CONFIG_MAP`.
   *
   * @default true
   */
  readonly accessEntries?: boolean;
}

/** Any other cluster. */
export interface TokenClusterProps {
  readonly kind: 'token';
  /** `https://…` */
  readonly endpoint: string;
  /**
   * Base64 of PEM.
   *
   * @default - the authorities that Node knows
   */
  readonly certificateAuthority?: string;
  /** A secret whose text is the bearer token; somebody else renews it. */
  readonly tokenSecret: ISecret;
}

export type ClusterProps = EksClusterProps | TokenClusterProps;

/**
 * RBAC groups of the access entries (crds/rbac.yaml). What the first one writes is not taken for news
 * (events/object-hints.ts); the second one only lists Zones.
 */
export type AccessGroup = 'zone53' | 'zone53-validate' | 'zone53-intents';

/** The settings for the functions' environment. */
export function kubernetesSettings(scope: Construct, cluster: ClusterProps): KubernetesSettings {
  if (cluster.kind === 'eks') {
    const { clusterName, endpoint, certificateAuthority } = cluster;
    return { kind: 'eks', clusterName, region: Stack.of(scope).region, endpoint, certificateAuthority };
  }
  const { endpoint, certificateAuthority = null, tokenSecret } = cluster;
  return { kind: 'token', endpoint, certificateAuthority, tokenSecret: tokenSecret.secretArn };
}

export interface ClusterAccessProps {
  readonly cluster: ClusterProps;
  /** Those that speak to the API server, by id. */
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  readonly group: AccessGroup;
}

/** Lets the functions in. */
export class ClusterAccess extends Construct {
  constructor(scope: Construct, id: string, { cluster, functions, group }: ClusterAccessProps) {
    super(scope, id);
    for (const [name, one] of Object.entries(functions)) {
      if (cluster.kind === 'token') allowReading(one, cluster.tokenSecret, 'ReadToken');
      else if (cluster.accessEntries !== false) {
        new CfnAccessEntry(this, name, {
          clusterName: cluster.clusterName,
          principalArn: (one.role as NonNullable<typeof one.role>).roleArn,
          kubernetesGroups: [group],
          type: 'STANDARD',
        });
      }
    }
  }
}

/** Reading a secret's text, without the right to describe it that CDK's own grant adds. */
export function allowReading(one: LambdaFunction, secret: Pick<ISecret, 'secretArn'>, sid: string): void {
  one.addToRolePolicy(
    new PolicyStatement({
      sid,
      actions: ['secretsmanager:GetSecretValue'],
      resources: [secret.secretArn],
    }),
  );
}
