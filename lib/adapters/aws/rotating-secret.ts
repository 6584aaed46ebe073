// Reads a rotating secret from AWS Secrets Manager: its current text and the previous one. Both are valid until the
// next rotation, so that holders of the old one have time to change. The texts are cached for five minutes, because
// each read is a call. While Secrets Manager does not answer, they hold for an hour: the senders of events and the API
// server do not depend on it.
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Clock } from '../../ports/clock.ts';
import { awsFailure } from './aws-failure.ts';

const KEPT_MS = 5 * 60_000;
/** A text that was refused is read again after this time: it may have been replaced. */
const KEPT_REFUSED_MS = 10_000;
/** How long the texts hold while Secrets Manager does not answer. */
const KEPT_UNANSWERED_MS = 60 * 60_000;
/** The pause until Secrets Manager is asked again after it did not answer. */
const ASK_AGAIN_MS = 60_000;
/** How long an answer is waited for while there are texts that hold. */
const ANSWER_MS_MAX = 1_000;

export type SecretText = {
  /** The current text, then the previous one if there is one. Throws an Error that names the secret. */
  texts(): Promise<readonly string[]>;
  /** The current text. `isRefused`: the one that was returned last is not accepted. */
  current(isRefused?: boolean): Promise<string>;
};

export function secretText(client: SecretsManagerClient, arn: string, clock: Clock): SecretText {
  let kept: { readonly atMs: number; readonly askMs: number; readonly texts: readonly string[] } | null = null;
  const keep = (texts: readonly string[], nowMs: number) => {
    kept = { atMs: nowMs, askMs: nowMs + KEPT_MS, texts };
    return texts;
  };
  const read = async (isRefused: boolean) => {
    const nowMs = clock.nowMs();
    if (kept === null) return keep(await readTexts(client, arn), nowMs);
    if (nowMs < (isRefused ? kept.atMs + KEPT_REFUSED_MS : kept.askMs)) return kept.texts;
    if (isRefused || nowMs >= kept.atMs + KEPT_UNANSWERED_MS) return keep(await readTexts(client, arn), nowMs);
    const before = kept;
    const texts = await readSoon(client, arn);
    if (texts !== null) return keep(texts, nowMs);
    kept = { ...before, askMs: nowMs + ASK_AGAIN_MS };
    return before.texts;
  };
  return {
    texts: () => read(false),
    current: async (isRefused = false) => (await read(isRefused))[0] as string,
  };
}

/** The texts; null if Secrets Manager does not answer soon. Throws if it refuses, as when the secret is gone. */
async function readSoon(client: SecretsManagerClient, arn: string): Promise<readonly string[] | null> {
  try {
    return await readTexts(client, arn, { abortSignal: AbortSignal.timeout(ANSWER_MS_MAX) });
  } catch (error) {
    const { kind, code } = awsFailure(error instanceof Error ? error.cause : error);
    if (kind === 'lost' || kind === 'unsent' || code === 'ThrottlingException') return null;
    throw error;
  }
}

type SendOptions = { readonly abortSignal?: AbortSignal };

async function readTexts(
  client: SecretsManagerClient,
  arn: string,
  options: SendOptions = {},
): Promise<readonly string[]> {
  const current = await readStage(client, arn, 'AWSCURRENT', options);
  if (current === null) throw new Error(`Cannot read secret "${arn}": it has no current text`);
  const previous = await readStage(client, arn, 'AWSPREVIOUS', options);
  return previous === null ? [current] : [current, previous];
}

/** Null if no version has this stage, as before the first rotation. */
async function readStage(
  client: SecretsManagerClient,
  arn: string,
  stage: string,
  options: SendOptions,
): Promise<string | null> {
  try {
    const answer = await client.send(new GetSecretValueCommand({ SecretId: arn, VersionStage: stage }), options);
    const text = answer.SecretString?.trim() ?? '';
    return text === '' ? null : text;
  } catch (cause) {
    const { code, message } = awsFailure(cause);
    if (code === 'ResourceNotFoundException' && stage === 'AWSPREVIOUS') return null;
    throw new Error(`Cannot read secret "${arn}": ${code}: ${message}`, { cause });
  }
}
