// Reads a rotating secret from AWS Secrets Manager: its current text and the previous one. Both are valid until the
// next rotation, so that holders of the old one have time to change. The texts are cached for five minutes, because
// each read is a call.
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Clock } from '../../ports/clock.ts';
import { awsFailure } from './aws-failure.ts';

const KEPT_MS = 5 * 60_000;
/** A text that was refused is read again after this time: it may have been replaced. */
const KEPT_REFUSED_MS = 10_000;

export type SecretText = {
  /** The current text, then the previous one if there is one. Throws an Error that names the secret. */
  texts(): Promise<readonly string[]>;
  /** The current text. `isRefused`: the one that was returned last is not accepted. */
  current(isRefused?: boolean): Promise<string>;
};

export function secretText(client: SecretsManagerClient, arn: string, clock: Clock): SecretText {
  let kept: { readonly atMs: number; readonly texts: readonly string[] } | null = null;
  const read = async (keptMs: number) => {
    const nowMs = clock.nowMs();
    if (kept === null || nowMs - kept.atMs >= keptMs) {
      const current = await readStage(client, arn, 'AWSCURRENT');
      if (current === null) throw new Error(`Cannot read secret "${arn}": it has no current text`);
      const previous = await readStage(client, arn, 'AWSPREVIOUS');
      kept = { atMs: nowMs, texts: previous === null ? [current] : [current, previous] };
    }
    return kept.texts;
  };
  return {
    texts: () => read(KEPT_MS),
    current: async (isRefused = false) => (await read(isRefused ? KEPT_REFUSED_MS : KEPT_MS))[0] as string,
  };
}

/** Null if no version has this stage, as before the first rotation. */
async function readStage(client: SecretsManagerClient, arn: string, stage: string): Promise<string | null> {
  try {
    const answer = await client.send(new GetSecretValueCommand({ SecretId: arn, VersionStage: stage }));
    const text = answer.SecretString?.trim() ?? '';
    return text === '' ? null : text;
  } catch (cause) {
    const { code, message } = awsFailure(cause);
    if (code === 'ResourceNotFoundException' && stage === 'AWSPREVIOUS') return null;
    throw new Error(`Cannot read secret "${arn}": ${code}: ${message}`, { cause });
  }
}
