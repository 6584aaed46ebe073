// Keeps what Node compiles for the next start: half the CPU of a short command goes into that, and in a checkout some
// 20 MiB into what strips the types (docs/benchmarks.md). In a folder of the user's own: what lies there is run.
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * From now on. A folder that cannot be made or written costs nothing but the time. NODE_COMPILE_CACHE names another
 * one, and with NODE_DISABLE_COMPILE_CACHE=1 nothing is kept.
 */
export function keepCompiled(): void {
  enableCompileCache(cacheFolder(process.env, homedir()));
}

/** As the XDG Base Directory Specification has it: a path that is not absolute does not count. */
export function cacheFolder(
  { XDG_CACHE_HOME: named = '' }: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  return path.join(path.isAbsolute(named) ? named : path.join(home, '.cache'), 'zone53', 'compiled');
}
