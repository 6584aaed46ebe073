// Ends this process, as SIGTERM does, when the process that started it is gone. Neither npm nor our launcher can pass
// on a SIGKILL, and killing npx ends its shell without a signal to us. Without this, a forgotten server would keep its
// ports.
//
//   npx, npm start   npm → sh → (launcher →) zone53    npm and the shell are watched: the shell outlives npm
//   by hand          shell → zone53                    not watched: nohup and disown are meant to outlive the shell
import { readFileSync } from 'node:fs';

/** Set by bin/zone53.mjs for the process that it starts. */
const LAUNCHED = 'ZONE53_LAUNCHED';
const LOOK_MS = 500;

/** Watches the processes that started this one. The timer does not keep the process alive. */
export function endWithParent(): void {
  const launched = process.env[LAUNCHED] !== undefined;
  const byNpm = process.env.npm_command !== undefined;
  if (!launched && !byNpm) return;
  const before = starters(launched, byNpm);
  const timer = setInterval(() => {
    if (starters(launched, byNpm) === before) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
}

/**
 * The ids of the processes from our parent up to npm or the launcher, with the shell between; without /proc, only the
 * parent's.
 */
function starters(launched: boolean, byNpm: boolean): string {
  const pids = [process.ppid];
  if (!byNpm) return String(pids);
  for (let left = launched ? 2 : 1; left > 0; left -= 1) {
    const last = parentOf(pids.at(-1) ?? 0);
    if (last === null || (left === 1 && !last.isShell)) break;
    pids.push(last.parent);
  }
  return String(pids);
}

function parentOf(pid: number): { readonly isShell: boolean; readonly parent: number } | null {
  try {
    // `pid (name) state ppid …`; the name may contain any character.
    const [, name = '', parent] = /^\d+ \((.*)\) \S+ (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { isShell: /^(?:ba|da|a|z|k)?sh$/.test(name), parent: Number(parent) };
  } catch {
    return null;
  }
}
