// The users of the test cluster and the kubeconfig that has a context for each:
//
//   admin    may do everything
//   zone53   is in group zone53 and no other, so may do what crds/rbac.yaml says
//   tenant   may do what a test grants it
//   exec     is zone53 too, but its token comes from an exec plugin, as on EKS
//   expired  has a token that the API server does not know
import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';

/** A context of the kubeconfig. */
export type ContextName = 'admin' | 'zone53' | 'tenant' | 'exec' | 'expired';

/** The API server's static token file: token, user, uid, groups. */
export const TOKENS = [
  'admin-token,admin,1,system:masters',
  'zone53-token,zone53,2,zone53',
  'tenant-token,tenant,3,tenants',
  '',
].join('\n');

/** Writes a kubeconfig with every context. */
export function writeKubeconfig(file: string, server: string, caFile: string): void {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: 'zone53-token' },
  };
  const users = {
    admin: { token: 'admin-token' },
    zone53: { token: 'zone53-token' },
    tenant: { token: 'tenant-token' },
    expired: { token: 'long-gone' },
    exec: {
      exec: {
        apiVersion: exec.apiVersion,
        command: 'printf',
        args: ['%s', JSON.stringify(exec)],
        interactiveMode: 'Never',
      },
    },
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'admin',
    clusters: [
      { name: 'test', cluster: { server, 'certificate-authority-data': readFileSync(caFile).toString('base64') } },
    ],
    users: Object.entries(users).map(([name, user]) => ({ name, user })),
    contexts: Object.keys(users).map((name) => ({ name, context: { cluster: 'test', user: name } })),
  };
  writeFileSync(file, stringify(config), { mode: 0o600 });
}
