// Who sent a request to the function URL (docs/security.md). Either IAM says so, which only Lambda itself can put into
// the event, or the sender knows the secret: as a bearer token, or as the last segment of the path for an API server's
// admission webhook, which can send nothing else. Current and previous secret are both good. Compared in constant time;
// a forged event costs a read of the cluster, so that is all there is to gain.
import { createHash, timingSafeEqual } from 'node:crypto';

export type Credentials = {
  readonly iam: boolean;
  readonly authorization: string | undefined;
};

type Secrets = () => Promise<readonly string[]>;

/** Whether the sender is one of ours. `secrets` is asked only where IAM does not say so. */
export async function isKnownSender({ iam, authorization }: Credentials, secrets: Secrets): Promise<boolean> {
  if (iam) return true;
  const bearer = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return bearer !== undefined && isOneOf([bearer], await secrets());
}

/**
 * Whether the path after the kind of event is a secret. Its letters came escaped, and who served the address may have
 * undone that: so a slash in a secret may be one of the path.
 */
export async function isSecret(path: string, secrets: Secrets): Promise<boolean> {
  if (path === '') return false;
  const plain = unescaped(path);
  return isOneOf(plain === null ? [path] : [path, plain], await secrets());
}

/** Null where it is no escaped text. */
function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function isOneOf(given: readonly string[], secrets: readonly string[]): boolean {
  let known = false;
  for (const secret of secrets) {
    for (const one of given) known = equalInConstantTime(one, secret) || known;
  }
  return known;
}

function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(a), digest(b));
}
