// After a client certificate was renewed, the connections with the old one are no longer used.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, it, onTestFinished } from 'vitest';
import { FIRST_CLIENT, SECOND_CLIENT, SERVER } from '../../../test/support/client-certificates.ts';
import { kubernetesTransport } from './http/transport.ts';
import { undiciPool } from './http/undici-pool.ts';

const base64 = (pem: string) => Buffer.from(pem).toString('base64');

it.each([
  ['node:http', {}],
  ['undici', { openPool: undiciPool }],
])(
  'loads a client certificate again that the server no longer accepts, and opens new connections with it: %s',
  async (_, http) => {
    let revoked = '';
    const asked: string[] = [];
    const options = { ...SERVER, ca: SERVER.cert, requestCert: true, rejectUnauthorized: true };
    const server = createServer(options, (request, response) => {
      const { subject }: PeerCertificate = (request.socket as TLSSocket).getPeerCertificate();
      asked.push(subject.CN as string);
      response.statusCode = subject.CN === revoked ? 401 : 200;
      response.end(JSON.stringify({ code: response.statusCode }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const clients = [FIRST_CLIENT, SECOND_CLIENT];
    const access = async () => {
      const { cert, key } = clients.shift() ?? SECOND_CLIENT;
      const config = new KubeConfig();
      const { port } = server.address() as AddressInfo;
      config.loadFromClusterAndUser(
        { name: 'c', server: `https://127.0.0.1:${port}`, caData: base64(SERVER.cert), skipTLSVerify: false },
        { name: 'u', certData: base64(cert), keyData: base64(key) },
      );
      return Object.assign(config, { described: 'the client of the test' });
    };
    const transport = kubernetesTransport({ access, ...http });
    onTestFinished(() => {
      transport.close();
      server.close();
    });
    const rule = { group: 'kubi.zone', resource: 'records', verb: 'list' } as const;
    const get = () => transport.send({ action: 'list records', method: 'GET', path: '/apis', rule });
    await get();
    revoked = 'first';
    await get();
    await get();
    expect(asked).toEqual(['first', 'first', 'second', 'second']);
  },
);
