// What the publisher may read in Secrets Manager: the keys that decrypt TXT records of external-dns, and nothing else.
import { Aws, Token } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Lets the publisher read these secrets, given by ARN or name. */
export function keyStatements(secrets: readonly string[]): PolicyStatement[] {
  const resources = secrets.map(arnOf);
  if (resources.length === 0) return [];
  return [new PolicyStatement({ sid: 'ReadTxtKeys', actions: ['secretsmanager:GetSecretValue'], resources })];
}

/** The six random characters at the end of a secret's ARN, which its name lacks, and an ARN that CDK made of a name. */
const SUFFIX = /-[A-Za-z0-9]{6}$/;

function arnOf(secret: string): string {
  if (secret.startsWith('arn:')) return SUFFIX.test(secret) ? secret : `${secret}-??????`;
  // The ARN of a secret of the same app is known only to CloudFormation.
  if (Token.isUnresolved(secret)) return secret;
  return `arn:${Aws.PARTITION}:secretsmanager:${Aws.REGION}:${Aws.ACCOUNT_ID}:secret:${secret}-??????`;
}
