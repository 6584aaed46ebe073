// How to reach an API server and who we are there, as @kubernetes/client-node understands it: a context of a kubeconfig,
// exec plugins included, or an address with a bearer token that somebody else renews. Loaded anew when the server no longer
// knows the token, so that a renewed kubeconfig, a rotated certificate authority or a new secret needs no restart.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { type Mapping, mapping } from './read-object.ts';

/** What a connection is made of: the part of a KubeConfig that says where the server is and who we are there. */
export type KubernetesIdentity = Pick<KubeConfig, 'getCurrentCluster' | 'getCurrentContext' | 'applyToHTTPSOptions'> & {
  /** Who asks, for messages. */
  readonly described?: string;
};

/** Loads the connection's particulars. Called again after a 401. */
export type KubernetesAccess = () => Promise<KubernetesIdentity>;

/** A context of a kubeconfig: of `file`, else of KUBECONFIG or ~/.kube/config. Throws, naming the known ones, when there is none of that name. */
export function kubeconfigContext(context: string | null, file?: string): KubernetesAccess {
  return async () => {
    const { config, missing, impersonation } = readKubeconfig(file);
    const known = config.getContexts().map(({ name }) => name);
    const wanted = context ?? config.getCurrentContext();
    if (!known.includes(wanted)) {
      const none = missing.length === 0 ? 'it has none' : `there is no file ${missing.join(', ')}`;
      const list = known.length === 0 ? none : `it has ${known.join(', ')}`;
      throw new Error(`Cannot find context "${wanted}" in the kubeconfig: ${list}`);
    }
    config.setCurrentContext(wanted);
    const user = config.getCurrentUser();
    const headers = impersonation(user?.name ?? '');
    const as = user?.impersonateUser;
    return {
      getCurrentCluster: () => config.getCurrentCluster(),
      getCurrentContext: () => wanted,
      applyToHTTPSOptions: async (options) => {
        await config.applyToHTTPSOptions(options);
        options.headers = { ...options.headers, ...headers };
      },
      described: `user "${user?.name ?? ''}" of the kubeconfig${as ? `, as ${[as, ...groupsOf(headers)].join(', ')}` : ''}`,
    };
  };
}

function groupsOf(headers: ReturnType<Kubeconfig['impersonation']>): readonly string[] {
  return [headers['Impersonate-Group'] ?? []].flat().map((group) => `group ${group}`);
}

/** An address and where its bearer token comes from. */
export type BearerAccess = {
  /** `https://…` */
  readonly server: string;
  /** PEM of the certificate authority; null for those that Node knows. */
  readonly certificateAuthority: string | null;
  /** The token as of now; may cache it, not past its end. */
  readonly token: () => Promise<string>;
};

/** An API server by address and bearer token. */
export function bearerAccess(access: BearerAccess): KubernetesAccess {
  return async () => {
    const config = new KubeConfig();
    config.addAuthenticator({
      isAuthProvider: (user) => user.name === 'zone53',
      applyAuthentication: async (_user, options) => {
        options.headers = { ...options.headers, Authorization: `Bearer ${await access.token()}` };
      },
    });
    const { certificateAuthority: pem } = access;
    const cluster = { name: 'zone53', server: access.server, skipTLSVerify: false };
    config.loadFromClusterAndUser(
      pem === null ? cluster : { ...cluster, caData: Buffer.from(pem).toString('base64') },
      { name: 'zone53' },
    );
    return config;
  };
}

// Kubeconfig files as kubectl reads them. The client fails on a file of KUBECONFIG that is not there and on a name that two
// files have, where kubectl passes over the former and takes the first of the latter; and of whom to impersonate it keeps
// the user alone, which would ask with other rights than the kubeconfig says.

/** Headers of a request, one or several values each. */
type Headers = Readonly<Record<string, string | readonly string[]>>;

type Kubeconfig = {
  readonly config: KubeConfig;
  /** Files that were to be read and are not there. */
  readonly missing: readonly string[];
  /** Whom the user of this name is to impersonate, besides `as`, which the client sends. */
  readonly impersonation: (userName: string) => Headers;
};

/** Reads `file`, else what KUBECONFIG names, else ~/.kube/config. What an earlier file has, a later one does not change. */
function readKubeconfig(file?: string): Kubeconfig {
  const files = file === undefined ? defaultFiles() : [file];
  const missing = files.filter((name) => !existsSync(name));
  const read = files.filter((name) => existsSync(name)).map(readFile);
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: firstOfEachName(read.flatMap(({ part }) => part.getClusters())),
    users: firstOfEachName(read.flatMap(({ part }) => part.getUsers())),
    contexts: firstOfEachName(read.flatMap(({ part }) => part.getContexts())),
    currentContext: read.map(({ part }) => part.getCurrentContext()).find(Boolean) ?? '',
  });
  const users = read.flatMap(({ rawUsers }) => rawUsers);
  return {
    config,
    missing,
    impersonation: (userName) => impersonationOf(mapping(users.find(({ name }) => name === userName)?.user)),
  };
}

function defaultFiles(): readonly string[] {
  const named = (process.env.KUBECONFIG ?? '').split(path.delimiter).filter((name) => name !== '');
  return named.length > 0 ? named : [path.join(homedir(), '.kube', 'config')];
}

function readFile(name: string): { readonly part: KubeConfig; readonly rawUsers: readonly Mapping[] } {
  const part = new KubeConfig();
  part.loadFromFile(name);
  const { users } = mapping(parse(readFileSync(name, 'utf8')));
  return { part, rawUsers: Array.isArray(users) ? users.map(mapping) : [] };
}

function firstOfEachName<Named extends { readonly name: string }>(all: readonly Named[]): Named[] {
  return [...new Map(all.toReversed().map((one) => [one.name, one])).values()].toReversed();
}

/** https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation Last verified 2026-11-22 */
function impersonationOf(user: Mapping): Headers {
  const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
  const groups = texts(user['as-groups']);
  const uid = user['as-uid'];
  const extra = Object.entries(mapping(user['as-user-extra'])).map(
    ([key, values]) => [`Impersonate-Extra-${encodeURIComponent(key.toLowerCase())}`, texts(values)] as const,
  );
  return {
    ...(groups.length === 0 ? {} : { 'Impersonate-Group': groups }),
    ...(uid === undefined || uid === null || uid === '' ? {} : { 'Impersonate-Uid': String(uid) }),
    ...Object.fromEntries(extra),
  };
}
