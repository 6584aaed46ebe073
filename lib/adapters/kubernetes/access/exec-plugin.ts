// The credentials that the exec plugin of a kubeconfig's user prints. Errors name the plugin and the user. As from
// kubectl, the plugin gets what is asked of it in KUBERNETES_EXEC_INFO:
// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
// Last verified 2026-11-26.
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import { type Mapping, mapping, mappingsIn } from '../../../objects/plain.ts';

/** Adds the plugin's credentials to a request. It is run again only when they expire. Null: the user has no plugin. */
export function execPlugin(cluster: Cluster | null, user: User): ((options: RequestOptions) => Promise<void>) | null {
  const auth = new ExecAuth();
  if (!auth.isAuthProvider(user)) return null;
  const exec = mapping(user.exec);
  const info = { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(execInfo(exec, cluster)) };
  const informed = { ...user, exec: { ...exec, env: [...mappingsIn(exec.env), info] } };
  return (options) =>
    auth.applyAuthentication(informed, options).catch((cause: unknown) => {
      // The cause of what a plugin printed would be an error of the library that reads it.
      throw new Error(
        `the exec plugin "${String(exec.command ?? '')}" of user "${user.name}" ${problemOfPlugin(exec, cause)}`,
      );
    });
}

function execInfo({ apiVersion, provideClusterInfo }: Mapping, cluster: Cluster | null): Mapping {
  const spec = { interactive: false, ...(provideClusterInfo === true && cluster && { cluster: clusterInfo(cluster) }) };
  return { apiVersion, kind: 'ExecCredential', spec };
}

function clusterInfo({ server, tlsServerName, skipTLSVerify, caFile, caData, proxyUrl }: Cluster): Mapping {
  return {
    server,
    'tls-server-name': tlsServerName,
    'insecure-skip-tls-verify': skipTLSVerify,
    'certificate-authority-data': caFile ? readFileSync(caFile).toString('base64') : caData,
    'proxy-url': proxyUrl,
  };
}

function problemOfPlugin({ installHint }: Mapping, cause: unknown): string {
  const { code, message } = cause as { readonly code?: unknown; readonly message: string };
  if (code === 'ENOENT') return `is not installed${typeof installHint === 'string' ? `: ${installHint.trim()}` : ''}`;
  if (cause instanceof SyntaxError) return 'printed something else than JSON';
  if (cause instanceof TypeError) return 'printed no credentials';
  return `failed: ${message.trim() || 'it printed no reason'}`;
}
