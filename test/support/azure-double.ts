// The part of Azure that external-dns uses: a login, and the public and private zones and record sets of one resource
// group. A proxy leads Azure's host names here, with certificates that the caller trusts.
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import { selfSigned } from '../../local/self-signed-certificate.ts';

const LOGIN = 'login.microsoftonline.com';
const HOSTS = [LOGIN, 'management.azure.com'];
const TENANT = 'tenant';
const SECRET = 'client-secret';
const TOKEN = 'token-of-azure';
/** A record set of a zone of either kind: kind of zone, zone, type, name. */
const RECORD_SET = /\/(dnsZones|privateDnsZones)\/([^/]+)\/([A-Z]+)\/([^/?]+)$/i;

export type AzureDouble = {
  /** Environment variables with which a program finds the double. */
  readonly env: Readonly<Record<string, string>>;
  /** Parameters of a DNS Update Record that lead to the double. */
  readonly parameters: Readonly<Record<string, string>>;
  /** `type name values` of the record sets in the zones of a kind, sorted; without TXT. */
  recordSets(kind: 'dnsZones' | 'privateDnsZones'): readonly string[];
  close(): void;
};

type Properties = {
  readonly ARecords?: readonly { readonly ipv4Address: string }[];
  readonly aRecords?: Properties['ARecords'];
};

/** Starts the double with one zone of each kind. Its files are in `folder`. */
export async function startAzure(folder: string, zone: string): Promise<AzureDouble> {
  const written = new Map<string, Properties>();
  const certificates = new Map(HOSTS.map((host) => [host, selfSigned(host, Date.now())]));
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const trusted = file('azure.pem', [...certificates.values()].map(({ cert }) => cert).join('\n'));
  const answer = async (request: IncomingMessage): Promise<object> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const { pathname } = new URL(request.url ?? '/', `https://${request.headers.host}`);
    if (request.headers.host === LOGIN) return login(pathname, new URLSearchParams(body));
    if (request.headers.authorization !== `Bearer ${TOKEN}`) throw new Error('nobody is logged in');
    return manage(request.method ?? 'GET', pathname, body);
  };
  const manage = (method: string, pathname: string, body: string): object => {
    const key = pathname.toLowerCase();
    if (method === 'DELETE') written.delete(key);
    else if (method === 'PUT') {
      const { properties } = JSON.parse(body) as { readonly properties: Properties };
      written.set(key, properties);
      return { name: pathname.split('/').at(-1), properties };
    } else if (/zones$/i.test(pathname)) {
      return { value: [{ id: `${pathname}/${zone}`, name: zone, location: 'global', properties: {} }] };
    } else {
      const below = key.replace(/\/all$/, '/');
      const all = [...written].filter(([one]) => one.startsWith(below));
      return { value: all.map(([id, properties]) => ({ id, ...named(id), properties })) };
    }
    return {};
  };
  const secure = createSecureServer(
    {
      SNICallback: (host, then) => {
        const found = certificates.get(host);
        then(null, found === undefined ? undefined : createSecureContext({ key: found.key, cert: found.cert }));
      },
    },
    (request, response) => {
      const send = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      answer(request).then(
        (body) => send(request.method === 'PUT' ? 201 : 200, body),
        (error: unknown) => send(403, { error: { code: 'AuthorizationFailed', message: String(error) } }),
      );
    },
  );
  const proxy = createServer().on('connect', (request: IncomingMessage, socket) => {
    if (!HOSTS.includes((request.url ?? '').split(':')[0] ?? '')) return void socket.destroy();
    const there = connect(portOf(secure), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      there.pipe(socket).pipe(there);
    });
    for (const one of [there, socket]) one.on('error', () => [there, socket].map((end) => end.destroy()));
  });
  for (const server of [secure, proxy])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const config = { tenantId: TENANT, aadClientId: 'client', aadClientSecret: SECRET };
  return {
    env: { HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}`, SSL_CERT_FILE: trusted },
    parameters: {
      'azure-config-file': file('azure.json', JSON.stringify(config)),
      'azure-resource-group': 'group',
      'azure-subscription-id': 'subscription',
    },
    recordSets: (kind) =>
      [...written]
        .flatMap(([id, { ARecords, aRecords }]) => {
          const values = (ARecords ?? aRecords)?.map(({ ipv4Address }) => ipv4Address).join();
          const [, ofKind, , type, name] = RECORD_SET.exec(id) ?? [];
          return ofKind !== kind.toLowerCase() || values === undefined
            ? []
            : [`${type?.toUpperCase()} ${name} ${values}`];
        })
        .toSorted(),
    close: () => {
      for (const server of [secure, proxy]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** The answers of OpenID Connect, for a client that knows the secret. */
function login(pathname: string, asked: URLSearchParams): object {
  const at = `https://${LOGIN}/${TENANT}`;
  if (pathname.includes('/discovery/instance')) {
    const metadata = [{ preferred_network: LOGIN, preferred_cache: LOGIN, aliases: [LOGIN] }];
    return { tenant_discovery_endpoint: `${at}/v2.0/.well-known/openid-configuration`, metadata };
  }
  if (pathname.endsWith('openid-configuration')) {
    const [token_endpoint, authorization_endpoint] = [`${at}/oauth2/v2.0/token`, `${at}/oauth2/v2.0/authorize`];
    return { token_endpoint, authorization_endpoint, issuer: `${at}/v2.0` };
  }
  if (asked.get('client_secret') !== SECRET) throw new Error('the secret is wrong');
  return { token_type: 'Bearer', expires_in: 3_600, ext_expires_in: 3_600, access_token: TOKEN };
}

function named(id: string): { readonly name: string; readonly type: string } {
  const [, kind = '', , type = '', name = ''] = RECORD_SET.exec(id) ?? [];
  return { name, type: `Microsoft.Network/${kind}/${type.toUpperCase()}` };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
