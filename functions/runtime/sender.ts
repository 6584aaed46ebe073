// Who sent a request to the function URL (docs/security.md). Either IAM says so, which only Lambda itself can put into the
// event, or the sender knows the secret: as a bearer token, or as the last segment of the path for an API server's admission
// webhook, which can send nothing else. Current and previous secret are both good. Compared in constant time; a forged
// event costs a read of the cluster, so that is all there is to gain.
import { createHash, timingSafeEqual } from 'node:crypto';

export type Credentials = {
  readonly iam: boolean;
  readonly authorization: string | undefined;
  /** The path's segment after the kind of event; undefined where there is none. */
  readonly segment: string | undefined;
};

/** Whether the sender is one of ours. `secrets` is asked only where IAM does not say so. */
export async function isKnownSender(
  { iam, authorization, segment }: Credentials,
  secrets: () => Promise<readonly string[]>,
): Promise<boolean> {
  if (iam) return true;
  const bearer = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  const given = [bearer, segment].filter((one) => one !== undefined && one !== '') as string[];
  if (given.length === 0) return false;
  let known = false;
  for (const secret of await secrets()) {
    for (const one of given) known = equalInConstantTime(one, secret) || known;
  }
  return known;
}

function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(a), digest(b));
}
