// Finds the files that come with the command besides its code, such as crds/ and package.json. A checkout, the package
// and the executable of one file (npm run release) have them in different places.
import { readFileSync } from 'node:fs';
import { getAsset, isSea } from 'node:sea';

/** From here to the folder of the package: in a checkout, and in `dist` of the package. */
const PLACES = ['../../../', '../../../../'];

/** The text of a file, by its path in the package. Throws an Error if it is not there. */
export function shippedFile(name: string): string {
  if (isSea()) return getAsset(name, 'utf8');
  for (const place of PLACES) {
    try {
      return readFileSync(new URL(place + name, import.meta.url), 'utf8');
    } catch {
      // Not there: try the other place.
    }
  }
  throw new Error(`Cannot find ${name}, which comes with the package`);
}
