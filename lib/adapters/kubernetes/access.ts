// How to reach an API server and who we are there, as @kubernetes/client-node understands it: a context of a kubeconfig,
// exec plugins included, or an address with a bearer token that somebody else renews. Loaded anew when the server no longer
// knows the token, so that a renewed kubeconfig, a rotated certificate authority or a new secret needs no restart.
import { KubeConfig } from '@kubernetes/client-node';

/** What a connection is made of: the part of a KubeConfig that says where the server is and who we are there. */
export type KubernetesIdentity = Pick<KubeConfig, 'getCurrentCluster' | 'getCurrentContext' | 'applyToHTTPSOptions'>;

/** Loads the connection's particulars. Called again after a 401. */
export type KubernetesAccess = () => Promise<KubernetesIdentity>;

/** A context of a kubeconfig: of `file`, else of KUBECONFIG or ~/.kube/config. Throws, naming the known ones, when there is none of that name. */
export function kubeconfigContext(context: string | null, file?: string): KubernetesAccess {
  return async () => {
    const config = new KubeConfig();
    if (file === undefined) config.loadFromDefault();
    else config.loadFromFile(file);
    const known = config.getContexts().map(({ name }) => name);
    const wanted = context ?? config.getCurrentContext();
    if (!known.includes(wanted)) {
      const list = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
      throw new Error(`Cannot find context "${wanted}" in the kubeconfig: ${list}`);
    }
    config.setCurrentContext(wanted);
    return config;
  };
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
