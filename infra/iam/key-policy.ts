// What publish may read in Secrets Manager: the keys of the external-dns that may be taken over, and nothing else.
import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** For publish: to read these secrets, by ARN or name; `env:NAME` is none. */
export function keyStatements(secrets: readonly string[]): PolicyStatement[] {
  // The last six characters of a secret's ARN are not part of its name.
  const resources = secrets
    .filter((secret) => !secret.startsWith('env:'))
    .map((secret) =>
      secret.startsWith('arn:')
        ? secret
        : `arn:${Aws.PARTITION}:secretsmanager:${Aws.REGION}:${Aws.ACCOUNT_ID}:secret:${secret}-??????`,
    );
  if (resources.length === 0) return [];
  return [new PolicyStatement({ sid: 'ReadTxtKeys', actions: ['secretsmanager:GetSecretValue'], resources })];
}
