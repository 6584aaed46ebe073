// What a key of your own needs, with which the stack encrypts table, queues, logs, secrets and the configuration.
import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/**
 * Lets CloudWatch Logs use the key for logs, and EventBridge for the queue of events that it cannot deliver. A key that
 * was looked up keeps its policy, which must allow both (docs/iam.md).
 */
export function allowServices(scope: Construct, key: IKey): void {
  const { account, region, urlSuffix } = Stack.of(scope);
  const logs = Stack.of(scope).formatArn({ service: 'logs', resource: '*' });
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${region}.${urlSuffix}`)],
      actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
      resources: ['*'],
      conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logs } },
    }),
    true,
  );
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
    true,
  );
}
