// Finds the program of external-dns: the path in EXTERNAL_DNS, or the one that `npm run engines` has built.
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const ENGINE = path.join(import.meta.dirname, '..', '..', 'test', 'engines', 'bin', 'external-dns');

export const NOT_MEASURED =
  'external-dns was not measured: run npm run engines, which builds it, or set EXTERNAL_DNS to its path';

/** Path of the program; null when there is none. */
export function findExternalDns(): string | null {
  const file = process.env.EXTERNAL_DNS ?? ENGINE;
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return null;
  }
}
