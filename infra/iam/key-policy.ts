// What the publisher may read in Secrets Manager: the keys that decrypt TXT records of external-dns, and nothing else.
import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Lets the publisher read these secrets, given by ARN or name. An entry `env:NAME` is not a secret. */
export function keyStatements(secrets: readonly string[]): PolicyStatement[] {
  // A secret's ARN ends in six random characters that its name lacks.
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
