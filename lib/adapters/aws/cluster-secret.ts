// The secret that one cluster of several shows to the endpoint. It is made of the secret of the stack, so a further
// cluster needs no further secret in AWS, and no cluster can show that of another.
import { createHmac } from 'node:crypto';

/** The secret of a cluster: an HMAC (SHA-256) of its id, with the secret of the stack as the key. */
export function clusterSecret(ofStack: string, clusterId: string): string {
  return createHmac('sha256', ofStack).update(clusterId, 'utf8').digest('base64url');
}
