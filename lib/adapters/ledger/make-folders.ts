// Makes a folder and those above it, one by one: in a folder where nothing can be made, such as /proc, `recursive` of
// Node tries for ever.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Makes what is missing of the path. Throws the error of the operating system. */
export function makeFolders(folder: string): void {
  const missing: string[] = [];
  for (let one = resolve(folder); !existsSync(one); one = dirname(one)) missing.push(one);
  for (const one of missing.reverse()) makeFolder(one);
}

/** Another process may have made it meanwhile. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}
