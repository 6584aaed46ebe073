// What holds of a secret while Secrets Manager cannot be read.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { secretText } from './rotating-secret.ts';

const MINUTE_MS = 60_000;

/** A secret in a Secrets Manager whose answers the test sets, at a time that it sets. */
function start() {
  const state = { nowMs: 0, asked: 0, answer: async (_?: AbortSignal) => ({ SecretString: 'first' }) as object };
  type Options = { abortSignal?: AbortSignal };
  const send = async ({ input }: { input: { VersionStage: string } }, { abortSignal }: Options = {}) => {
    if (input.VersionStage === 'AWSPREVIOUS')
      throw Object.assign(new Error('none'), { name: 'ResourceNotFoundException' });
    state.asked += 1;
    return state.answer(abortSignal);
  };
  const secret = secretText({ send } as unknown as SecretsManagerClient, 'arn', { nowMs: () => state.nowMs });
  return { state, secret };
}

const unavailable = Object.assign(new Error('down'), {
  name: 'InternalServiceError',
  $fault: 'server',
  $metadata: { httpStatusCode: 503 },
});
const throttled = Object.assign(new Error('slow down'), {
  name: 'ThrottlingException',
  $fault: 'client',
  $metadata: { httpStatusCode: 400 },
});
const denied = Object.assign(new Error('no'), {
  name: 'AccessDeniedException',
  $fault: 'client',
  $metadata: { httpStatusCode: 400 },
});

/** As the SDK does it for a call that is aborted. */
const never = (signal?: AbortSignal) =>
  new Promise<object>((_, reject) => {
    const abort = () => reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }));
    signal?.addEventListener('abort', abort);
  });

test.each<[string, (signal?: AbortSignal) => Promise<object>]>([
  ['fails', () => Promise.reject(unavailable)],
  ['throttles', () => Promise.reject(throttled)],
  ['cannot be reached', () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))],
  ['does not answer', never],
])('secretText() keeps its texts for an hour while Secrets Manager %s, and asks once a minute', async (_, answer) => {
  const { state, secret } = start();
  expect(await secret.texts()).toEqual(['first']);
  state.answer = answer;
  state.nowMs = 6 * MINUTE_MS;
  for (let times = 0; times < 3; times += 1) expect(await secret.texts()).toEqual(['first']);
  expect(await secret.current()).toBe('first');
  expect(state.asked).toBe(2);
  state.nowMs = 8 * MINUTE_MS;
  state.answer = async () => ({ SecretString: 'second' });
  expect(await secret.texts()).toEqual(['second']);
});

test('secretText() keeps no text for more than an hour, nor one that is refused, nor one that it may not read', async () => {
  const { state, secret } = start();
  await expect(secret.current()).resolves.toBe('first');
  state.answer = () => Promise.reject(unavailable);
  state.nowMs = MINUTE_MS;
  await expect(secret.current(true)).rejects.toThrow('Cannot read secret "arn": InternalServiceError: down');
  state.nowMs = 60 * MINUTE_MS;
  await expect(secret.texts()).rejects.toThrow('InternalServiceError');
  state.answer = () => Promise.reject(denied);
  state.nowMs = 10 * MINUTE_MS;
  await expect(secret.texts()).rejects.toThrow('AccessDeniedException');
});

test('secretText() throws if it has read nothing yet', async () => {
  const { state, secret } = start();
  state.answer = () => Promise.reject(unavailable);
  await expect(secret.texts()).rejects.toThrow('InternalServiceError');
});
