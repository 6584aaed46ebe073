import { expect, test } from 'vitest';
import { KubernetesError } from '../../lib/adapters/kubernetes/http/kubernetes-error.ts';
import type { KubernetesTransport } from '../../lib/adapters/kubernetes/http/transport.ts';
import { kindNamed } from '../../lib/adapters/kubernetes/read-object.ts';
import { KINDS } from '../../lib/sources/source.ts';
import { waitUntilStarted } from './wait-until-started.ts';

const forbidden = () => new KubernetesError('Cannot list zones: 403', { status: 403 });

/** A server that answers 403 so many times, and says that it is ready or not. */
function serverOf(refusals: number, isReady: boolean): KubernetesTransport {
  let left = refusals;
  return {
    requests: { count: 0 },
    send: async () => {
      if (left === 0) return {};
      left -= 1;
      throw forbidden();
    },
    async *lines() {
      if (!isReady) throw forbidden();
      yield 'ok';
    },
    close: () => {},
  };
}

const ZONE = kindNamed(KINDS, 'Zone');
const { signal } = new AbortController();

test('waitUntilStarted() waits while a server that is not ready answers 403, and prints that once', async () => {
  const told: string[] = [];
  await waitUntilStarted(serverOf(2, false), ZONE, signal, (message) => told.push(message));
  expect(told).toEqual(['waiting for the API server: Cannot list zones: 403']);
});

test('waitUntilStarted() does not wait if a ready server denies a right', async () => {
  const told: string[] = [];
  await expect(waitUntilStarted(serverOf(9, true), ZONE, signal, (message) => told.push(message))).rejects.toThrow(
    '403',
  );
  expect(told).toEqual([]);
});

test('waitUntilStarted() ends when it is stopped', async () => {
  const ending = new AbortController();
  await waitUntilStarted(serverOf(99, false), ZONE, ending.signal, () => ending.abort());
});
