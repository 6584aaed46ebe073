// Where kube-apiserver, etcd and kubectl are: in the folder that KUBEBUILDER_ASSETS names (the envtest convention), or
// in test/engines/bin/, where install.sh puts them.
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const NAMES = ['kube-apiserver', 'etcd', 'kubectl'] as const;

/** Paths of the three programs, or a sentence that says what is missing and how to get it. */
export type Binaries =
  | { readonly found: true; readonly apiserver: string; readonly etcd: string; readonly kubectl: string }
  | { readonly found: false; readonly message: string };

/** Looks for the Kubernetes engine. */
export function findKubernetes(environment: NodeJS.ProcessEnv = process.env): Binaries {
  const assets = environment.KUBEBUILDER_ASSETS;
  const folder = assets ?? path.join(import.meta.dirname, '..', 'bin');
  const missing = NAMES.filter((name) => !isExecutable(path.join(folder, name)));
  if (missing.length > 0) {
    const remedy = assets === undefined ? 'run test/engines/kubernetes/install.sh' : 'KUBEBUILDER_ASSETS names it';
    return { found: false, message: `no ${missing.join(', ')} in ${folder} (${remedy})` };
  }
  const [apiserver, etcd, kubectl] = NAMES.map((name) => path.join(folder, name)) as [string, string, string];
  return { found: true, apiserver, etcd, kubectl };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
