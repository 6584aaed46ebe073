// Where external-dns is: among the engines of the tests, or where EXTERNAL_DNS says.
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const ENGINE = path.join(import.meta.dirname, '..', '..', 'test', 'engines', 'bin', 'external-dns');

export const NOT_MEASURED =
  'external-dns was not measured: run npm run engines, which builds it, or set EXTERNAL_DNS to its path';

/** Its program; null when it is not to be had. */
export function findExternalDns(): string | null {
  const file = process.env.EXTERNAL_DNS ?? ENGINE;
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return null;
  }
}
