// Keeps compiled code for the next start. Compiling takes half the CPU of a short command, and stripping types some 20
// MiB in a checkout (docs/benchmarks.md). The cache is in a folder of the user, because Node runs what is in it.
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * Switches the cache on. If its folder cannot be written, code is compiled each time. NODE_COMPILE_CACHE names another
 * folder; NODE_DISABLE_COMPILE_CACHE=1 switches the cache off.
 */
export function keepCompiled(): void {
  enableCompileCache(cacheFolder(process.env, homedir()));
}

/** The folder by the XDG Base Directory Specification, which ignores a path that is not absolute. */
export function cacheFolder(
  { XDG_CACHE_HOME: named = '' }: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  return path.join(path.isAbsolute(named) ? named : path.join(home, '.cache'), 'zone53', 'compiled');
}
