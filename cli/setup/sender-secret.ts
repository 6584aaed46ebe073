// The secret that a cluster sends to the function URL, from a file or from Secrets Manager. It is never a flag, which
// every user of the machine could see.
import { readFile } from 'node:fs/promises';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import { UsageError } from '../print/usage-error.ts';

/** The text of a file without surrounding white space; `-` is standard input. */
export async function readSecretFile(file: string): Promise<string> {
  const text = (await readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`Cannot read the secret from ${file}: ${reasonOf(error)}`);
  })) as string;
  const secret = text.trim();
  if (secret === '') throw new UsageError(`Cannot read the secret from ${file}: it is empty`);
  return secret;
}

/** The current secret with this ARN, read in the ARN's region with the credentials of the AWS SDK. */
export async function readSenderSecret(arn: string): Promise<string> {
  const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const { secretText } = await import('../../lib/adapters/aws/rotating-secret.ts');
  const { systemClock } = await import('../../lib/adapters/system/system-time.ts');
  const region = arn.split(':')[3];
  const client = new SecretsManagerClient(region === undefined || region === '' ? {} : { region });
  try {
    return await secretText(client, arn, systemClock).current();
  } finally {
    client.destroy();
  }
}
