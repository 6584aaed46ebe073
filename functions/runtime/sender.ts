// Who sent a request to the function URL (docs/security.md). Either IAM identified the sender, which only Lambda can
// write into the event, or the sender knows the secret: as a bearer token, or as the last segment of the path for an
// API server's admission webhook, which cannot send anything else. The current and the previous secret are both valid.
// They are compared in constant time. All that a forged event causes is a read of the cluster.
import { createHash, timingSafeEqual } from 'node:crypto';

export type Credentials = {
  readonly iam: boolean;
  readonly authorization: string | undefined;
};

type Secrets = () => Promise<readonly string[]>;

/** Whether the sender is known. `secrets` is called only where IAM did not identify the sender. */
export async function isKnownSender({ iam, authorization }: Credentials, secrets: Secrets): Promise<boolean> {
  if (iam) return true;
  const bearer = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return bearer !== undefined && isOneOf([bearer], await secrets());
}

/**
 * Whether the path after the kind of event is a secret. The sender escapes its characters, and a proxy may have
 * unescaped them: a slash in the path may therefore belong to the secret.
 */
export async function isSecret(path: string, secrets: Secrets): Promise<boolean> {
  if (path === '') return false;
  const plain = unescaped(path);
  return isOneOf(plain === null ? [path] : [path, plain], await secrets());
}

/** The unescaped text; null if the escapes are invalid. */
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
