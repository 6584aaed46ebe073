// The authority of an EKS cluster is rotated under a running client: a TLS server that shows another certificate, and
// an EKS that names its authority.
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROTATED_SERVER, SERVER } from '../../../test/support/client-certificates.ts';
import type { Log } from '../../ports/log.ts';
import { bearerIdentity } from '../kubernetes/access/bearer-identity.ts';
import { kubernetesTransport } from '../kubernetes/http/transport.ts';
import { eksAuthorities } from './eks-authority.ts';

const GET = {
  action: 'list records',
  method: 'GET',
  path: '/records',
  rule: { group: 'kubi.zone', resource: 'records', verb: 'list' },
} as const;

let nowMs: number;
let named: string;
let status: number;
let asked: string[];
let logged: string[];
const log: Log = (level, message, fields) => logged.push(`${level} ${message} ${JSON.stringify(fields)}`);

const apiServer = createServer(SERVER, (_, response) => response.end('true'));
const eks = createHttpServer(({ url, headers }, response) => {
  asked.push(`${url} ${/Credential=\S+?,/.exec(String(headers.authorization))?.[0]}`);
  const data = Buffer.from(named).toString('base64');
  response.writeHead(status).end(JSON.stringify({ cluster: { certificateAuthority: { data } }, message: 'not you' }));
});
const portOf = (server: typeof apiServer | typeof eks) => (server.address() as AddressInfo).port;

beforeEach(async () => {
  [nowMs, named, status, asked, logged] = [Date.parse('2026-11-29T10:00:00Z'), ROTATED_SERVER.cert, 200, [], []];
  apiServer.setSecureContext(SERVER);
  for (const server of [apiServer, eks])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
});
afterEach(() => {
  for (const server of [apiServer, eks]) {
    server.closeAllConnections();
    server.close();
  }
});

/** The API server shows a certificate of the new authority from now on, also to those who are connected. */
function rotate(to = ROTATED_SERVER): void {
  apiServer.setSecureContext(to);
  apiServer.closeAllConnections();
}

function client(configured: string) {
  const clock = { nowMs: () => nowMs };
  const credentials = async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' });
  const endpoint = `http://127.0.0.1:${portOf(eks)}`;
  const cluster = { region: 'eu-west-1', clusterName: 'prod', endpoint, configured, credentials };
  const access = bearerIdentity({
    server: `https://127.0.0.1:${portOf(apiServer)}`,
    certificateAuthority: configured,
    renewedAuthority: eksAuthorities(cluster, clock, log),
    token: async () => 'token',
  });
  return kubernetesTransport({ access });
}

test('the authority that EKS names is used from then on, and the log says so', async () => {
  const transport = client(SERVER.cert);
  expect(await transport.send(GET)).toBe(true);
  rotate();
  expect(await transport.send(GET)).toBe(true);
  expect(asked).toEqual(['/clusters/prod Credential=key/20261129/eu-west-1/eks/aws4_request,']);
  expect(logged).toEqual([expect.stringMatching(/^warn the cluster has a new certificate authority.*"prod"/)]);
  // While both may be shown, both are trusted, and EKS is not asked again.
  rotate(SERVER);
  expect(await transport.send(GET)).toBe(true);
  rotate();
  expect(await transport.send(GET)).toBe(true);
  expect(asked).toHaveLength(1);
  transport.close();
});

test('a stream fails once, and the next one trusts the new authority', async () => {
  const transport = client(SERVER.cert);
  const lines = async () => Array.fromAsync(transport.lines(GET, 10_000, new AbortController().signal));
  rotate();
  await expect(lines()).rejects.toThrow('self-signed certificate');
  expect(await lines()).toEqual([]);
  expect(asked).toHaveLength(1);
  transport.close();
});

test('several authorities of the configuration are trusted, without a question to EKS', async () => {
  const transport = client(`${SERVER.cert}\n${ROTATED_SERVER.cert}\n`);
  expect(await transport.send(GET)).toBe(true);
  rotate();
  expect(await transport.send(GET)).toBe(true);
  expect(asked).toEqual([]);
  transport.close();
});

test.each([
  ['names the old one', () => (named = SERVER.cert), 'EKS names no other certificate authority'],
  ['refuses', () => (status = 403), 'EKS did not say the certificate authority'],
])('if EKS %s, the error stays, and EKS is asked once a minute', async (_, prepare, message) => {
  prepare();
  const transport = client(SERVER.cert);
  rotate();
  for (let times = 0; times < 3; times += 1) await expect(transport.send(GET)).rejects.toThrow('certificate');
  expect([asked.length, logged]).toEqual([1, [expect.stringContaining(message)]]);
  [named, status] = [ROTATED_SERVER.cert, 200];
  nowMs += 59_000;
  await expect(transport.send(GET)).rejects.toThrow('certificate');
  nowMs += 1_000;
  expect(await transport.send(GET)).toBe(true);
  expect(asked).toHaveLength(2);
  transport.close();
});
