// The token of a cluster that is not EKS, from a secret that somebody replaces.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { secretText } from '../../aws/rotating-secret.ts';
import { kubernetesTransport } from '../http/transport.ts';
import { bearerIdentity } from './bearer-identity.ts';

const GET = {
  action: 'list records',
  method: 'GET',
  path: '/records',
  rule: { group: 'kubi.zone', resource: 'records', verb: 'list' },
} as const;

test('a token that was replaced is used as soon as the API server refuses the old one', async () => {
  let [nowMs, text, accepted, reads] = [0, 'old', 'old', 0];
  const client = {
    send: async () => {
      reads += 1;
      return { SecretString: text };
    },
  } as unknown as SecretsManagerClient;
  const server = createServer(({ headers }, response) => {
    const isKnown = headers.authorization === `Bearer ${accepted}`;
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' }).end('true');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const secret = secretText(client, 'arn', { nowMs: () => nowMs });
  const transport = kubernetesTransport({
    access: bearerIdentity({
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      certificateAuthority: null,
      token: (isRefused) => secret.current(isRefused),
    }),
  });
  try {
    expect(await transport.send(GET)).toBe(true);
    [text, accepted] = ['new', 'new'];
    nowMs += 30_000;
    expect(await transport.send(GET)).toBe(true);
    // A token that stays invalid is not read again for each request.
    accepted = 'unknown';
    const before = reads;
    for (let times = 0; times < 3; times += 1) await expect(transport.send(GET)).rejects.toThrow('sign in again');
    expect(reads).toBe(before);
  } finally {
    transport.close();
    server.close();
  }
});
