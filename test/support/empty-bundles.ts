// Folders with empty bundles to deploy, for the tests of the template. Real bundles have tests of their own.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder with a bundle that does nothing for each function. */
export function emptyBundles(names: readonly string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-bundles-'));
  for (const name of names) {
    mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, name, 'index.mjs'), `export const handler = '${name}';\n`);
  }
  return folder;
}
