// Where external-dns is: no part of this repository, it is taken from EXTERNAL_DNS.
import { accessSync, constants } from 'node:fs';

export const HOW_TO_GET =
  'go install sigs.k8s.io/external-dns@v0.21.0 (some 5 minutes), then run it again with EXTERNAL_DNS=PATH';

/** Its program; null when it is not to be had. */
export function findExternalDns(): string | null {
  const file = process.env.EXTERNAL_DNS;
  if (file === undefined) return null;
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return null;
  }
}
