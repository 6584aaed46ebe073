// The address of an API server and our identity there, from a context of a kubeconfig, exec plugins included. Both are
// read again when the server rejects the token, or when nobody known has signed its certificate. So a renewed
// kubeconfig or certificate authority needs no restart. How each kind of credentials is handled:
//
//   token, token file, client certificate, password, exec plugin   by the few parts of the client that do that
//   proxy-url, auth-provider (oidc, gcp, azure)                     by the whole client, which takes 45 MiB and 0.5 s
import { readFileSync } from 'node:fs';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';
import { execPlugin } from './exec-plugin.ts';
import { readKubeconfig } from './read-kubeconfig.ts';

/** The part of a KubeConfig with the address of the server and our identity. */
export type KubernetesIdentity = Pick<KubeConfig, 'getCurrentCluster' | 'getCurrentContext' | 'applyToHTTPSOptions'> & {
  /** The identity for messages. */
  readonly described?: string;
};

/** What was refused: our credentials, with a 401; or by us, the certificate of the server. */
export type Refused = 'credentials' | 'certificate';

/** Loads address and identity. Called again after something was refused. */
export type KubernetesAccess = (refused?: Refused) => Promise<KubernetesIdentity>;

/**
 * A context of a kubeconfig: from `file`, else from KUBECONFIG or ~/.kube/config. Throws an Error with the known
 * contexts if there is none of that name.
 */
export function kubeconfigContext(context: string | null, file?: string): KubernetesAccess {
  return async () => {
    const kubeconfig = readKubeconfig(file);
    const { clusters, users, contexts, missing } = kubeconfig;
    const name = context ?? kubeconfig.currentContext;
    const wanted = contexts.find((one) => one.name === name);
    if (wanted === undefined) {
      const none = missing.length === 0 ? 'it has none' : `there is no file ${missing.join(', ')}`;
      const list = contexts.length === 0 ? none : `it has ${contexts.map((one) => one.name).join(', ')}`;
      throw new Error(`Cannot find context "${name}" in the kubeconfig: ${list}`);
    }
    const cluster = clusters.find((one) => one.name === wanted.cluster) ?? null;
    if (cluster !== null) requireUrls(cluster, name);
    const found = users.find((one) => one.name === wanted.user) ?? null;
    if (found === null && wanted.user)
      throw new Error(`Cannot find user "${wanted.user}" of context "${name}" in the kubeconfig`);
    const user = withToken(found, kubeconfig.tokenFile(wanted.user));
    const apply =
      cluster?.proxyUrl || user?.authProvider
        ? await withWholeClient({ ...kubeconfig, users: user === null ? [] : [user] }, name)
        : withOwnParts(cluster, user, name);
    const headers = kubeconfig.impersonation(user?.name ?? '');
    const as = user?.impersonateUser;
    return {
      getCurrentCluster: () => cluster,
      getCurrentContext: () => name,
      applyToHTTPSOptions: async (options) => {
        await apply(options);
        options.headers = { ...options.headers, ...headers };
      },
      described: `user "${user?.name ?? ''}" of the kubeconfig${as ? `, as ${[as, ...groupsOf(headers)].join(', ')}` : ''}`,
    };
  };
}

type Apply = KubernetesIdentity['applyToHTTPSOptions'];
type Kubeconfig = ReturnType<typeof readKubeconfig>;

function groupsOf(headers: ReturnType<Kubeconfig['impersonation']>): readonly string[] {
  return [headers['Impersonate-Group'] ?? []].flat().map((group) => `group ${group}`);
}

function requireUrls({ server, proxyUrl }: Cluster, context: string): void {
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    throw new Error(`Cannot use context "${context}": its server "${server}" is not a URL such as https://HOST:6443`);
  if (proxyUrl && !URL.canParse(proxyUrl))
    throw new Error(`Cannot use context "${context}": its proxy-url "${proxyUrl}" is not a URL`);
}

/** The user with the token of its file, which comes before a token in the kubeconfig, as with kubectl. */
function withToken(user: User | null, tokenFile: string | null): User | null {
  if (user === null || tokenFile === null) return user;
  const token = readToken(user, tokenFile);
  if (token === '')
    throw new Error(`Cannot sign in as user "${user.name}" of the kubeconfig: its tokenFile "${tokenFile}" is empty`);
  return { ...user, token };
}

function readToken(user: User, tokenFile: string): string {
  try {
    return readFileSync(tokenFile, 'utf8').trim();
  } catch (cause) {
    const { message } = cause as Error;
    const text = `Cannot read the tokenFile "${tokenFile}" of user "${user.name}" in the kubeconfig: ${message}`;
    throw new Error(text, { cause });
  }
}

/** For credentials that only the whole client supports. It brings its own agent. */
async function withWholeClient({ clusters, users, contexts }: Kubeconfig, currentContext: string): Promise<Apply> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromOptions({ clusters, users, contexts, currentContext });
  return (options) => config.applyToHTTPSOptions(options);
}

/** For all other credentials. Files are read for each request, so that renewed ones are used. */
function withOwnParts(cluster: Cluster | null, user: User | null, context: string): Apply {
  if (cluster?.server.startsWith('http:') && !cluster.skipTLSVerify)
    throw new Error(
      `Cannot use context "${context}": its server ${cluster.server} is plain http. Use https, or say insecure-skip-tls-verify: true`,
    );
  const plugin = user === null ? null : execPlugin(cluster, user);
  return async (options) => {
    if (cluster?.skipTLSVerify) options.rejectUnauthorized = false;
    if (cluster?.tlsServerName) options.servername = cluster.tlsServerName;
    const pems = {
      ca: pemOf(cluster?.caFile, cluster?.caData),
      cert: pemOf(user?.certFile, user?.certData),
      key: pemOf(user?.keyFile, user?.keyData),
    };
    for (const [name, pem] of Object.entries(pems)) if (pem !== null) Object.assign(options, { [name]: pem });
    options.headers = { ...(user?.impersonateUser && { 'Impersonate-User': user.impersonateUser }) };
    if (user === null) return;
    await plugin?.(options);
    if (user.token) options.headers = { ...options.headers, Authorization: `Bearer ${user.token}` };
    if (user.username) options.auth = `${user.username}:${user.password}`;
  };
}

function pemOf(file: string | null | undefined, base64: string | null | undefined): Buffer | null {
  if (file) return readFileSync(file);
  return base64 ? Buffer.from(base64, 'base64') : null;
}
