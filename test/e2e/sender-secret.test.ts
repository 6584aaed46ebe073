// The sender's secret in moto's Secrets Manager: `manifests-for-cluster` prints it for a deployed stack, and ingest
// accepts the current text and the one before a rotation.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { secretText } from '../../lib/adapters/aws/rotating-secret.ts';
import { describeWithEngine, type RunningEngine, startMoto } from '../engines/engines.ts';
import { zone53 } from '../support/zone53-command.ts';

const REGION = 'eu-west-1';
const FIRST = 'first-secret-of-48-characters';
const SECOND = 'second-secret-of-48-characters';

describeWithEngine('moto', 'the secret of the sender in Secrets Manager', () => {
  let moto: RunningEngine;
  let client: SecretsManagerClient;
  let folder: string;
  const clock = { nowMs: () => 0 };

  beforeAll(async () => {
    moto = await startMoto();
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-secret-'));
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    client = new SecretsManagerClient({ endpoint: moto.url, region: REGION, credentials });
  }, 120_000);
  afterAll(async () => {
    client?.destroy();
    if (folder !== undefined) rmSync(folder, { recursive: true });
    await moto?.close();
  });

  async function create(name: string): Promise<string> {
    const { ARN } = await client.send(new CreateSecretCommand({ Name: name, SecretString: FIRST }));
    if (ARN === undefined) throw new Error('Secrets Manager gave no ARN');
    return ARN;
  }

  /**
   * Runs `zone53 manifests-for-cluster` with the outputs of a stack that has this secret. The stack is in another
   * region than the command.
   */
  async function manifests(arn: string) {
    const outputs = {
      Zone53WebhookUrl00000001: 'https://abc.lambda-url.eu-west-1.on.aws/',
      Zone53SenderSecretArn00000002: arn,
      Zone53Table00000003: 'table',
      Zone53reconcileRole00000004: 'arn:aws:iam::123456789012:role/reconcile',
    };
    writeFileSync(path.join(folder, 'outputs.json'), JSON.stringify({ Zone53: outputs }));
    const env = { AWS_ENDPOINT_URL_SECRETS_MANAGER: moto.url, AWS_REGION: 'us-west-2', AWS_MAX_ATTEMPTS: '1' };
    const place = { folder, route53: 'http://127.0.0.1:9', env };
    return zone53(place, ['manifests-for-cluster', '--outputs', 'outputs.json', '-o', 'json']);
  }

  it("is in the webhook's address that manifests-for-cluster prints, also after a rotation", async () => {
    const arn = await create('rotated');
    const before = await manifests(arn);
    expect(before).toMatchObject({ code: 0, err: '' });
    expect(before.out).toContain(`https://abc.lambda-url.eu-west-1.on.aws/admission/${FIRST}`);
    await client.send(new PutSecretValueCommand({ SecretId: arn, SecretString: `${SECOND}\n` }));
    const after = await manifests(arn);
    expect(after.code).toBe(0);
    expect(after.out).toContain(`https://abc.lambda-url.eu-west-1.on.aws/admission/${SECOND}`);
    expect(after.out).not.toContain(FIRST);
  });

  it('has two texts that ingest accepts: the current one, and the one before a rotation', async () => {
    const arn = await create('accepted');
    expect(await secretText(client, arn, clock).texts()).toEqual([FIRST]);
    await client.send(new PutSecretValueCommand({ SecretId: arn, SecretString: SECOND }));
    expect(await secretText(client, arn, clock).texts()).toEqual([SECOND, FIRST]);
  });

  it('is named by an error, and nothing is printed, when it does not exist or was deleted', async () => {
    const missing = `arn:aws:secretsmanager:${REGION}:123456789012:secret:missing-AbCdEf`;
    const deleted = await create('deleted');
    await client.send(new DeleteSecretCommand({ SecretId: deleted }));
    for (const arn of [missing, deleted]) {
      const { code, out, err } = await manifests(arn);
      expect(code).toBe(1);
      expect(out).toBe('');
      expect(err).toContain(`Cannot read secret "${arn}"`);
      expect(err).not.toContain('    at ');
    }
  });
});
