// The transport of commands and of `zone53 local`: address and identity are those of a kubeconfig, and requests go
// through undici.
import { kubeconfigContext } from '../access/access.ts';
import { type KubernetesTransport, kubernetesTransport, type TransportOptions } from './transport.ts';
import { undiciPool } from './undici-pool.ts';

/** A transport for a context. `file`: the kubeconfig; default: as kubectl finds it. */
export function kubeconfigTransport(
  context: string,
  file?: string,
  options: Omit<TransportOptions, 'access'> = {},
): KubernetesTransport {
  return kubernetesTransport({ access: kubeconfigContext(context, file), openPool: undiciPool, ...options });
}
