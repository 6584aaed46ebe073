// A process that ends when this one does, in whatever way this one ends: the guard of the test engines starts it. Its
// output is kept, so that the error about a process that died can quote it.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openGuard } from '../../test/engines/kubernetes/guard.ts';
import { processUsage, type Usage } from './process-usage.ts';

const POLL_MS = 20;

export type Guarded = {
  readonly pid: number | undefined;
  /** A folder that is removed with the process. */
  readonly folder: string;
  /** Waits for a line of the output that matches; throws when the process ends before, or after `timeoutMs`. */
  line(pattern: RegExp, timeoutMs: number): Promise<string>;
  /** How often a line matched so far. */
  count(pattern: RegExp): number;
  /** Writes a line to its standard input. */
  tell(text: string): void;
  /** Why it ended, with the end of its output; null while it runs. */
  death(): string | null;
  usage(): Usage | null;
  end(): Promise<void>;
};

export type GuardedOptions = {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Arguments that need the folder. */
  readonly args?: (folder: string) => readonly string[];
};

/** Starts a program under a guard. */
export function startGuarded(
  name: string,
  command: string,
  args: readonly string[],
  options: GuardedOptions = {},
): Guarded {
  const guard = openGuard(`zone53-bench-${name}-`);
  const all = [...args, ...(options.args?.(guard.folder) ?? [])];
  const child: ChildProcess = guard.start(name, command, all, {
    env: { ...process.env, ...options.env },
    stdin: 'pipe',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  let failure: string | null = null;
  child.once('error', (error) => {
    failure = error.message;
  });
  const tail = () => output.trimEnd().split('\n').slice(-5).join('\n');
  const death = () => {
    if (failure !== null) return `${name} does not start: ${failure}`;
    if (child.exitCode === null && child.signalCode === null) return null;
    return `${name} ended with ${child.exitCode ?? child.signalCode}: ${tail()}`;
  };
  return {
    pid: child.pid,
    folder: guard.folder,
    line: async (pattern, timeoutMs) => {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const found = output.split('\n').find((line) => pattern.test(line));
        if (found !== undefined) return found;
        const dead = death();
        if (dead !== null) throw new Error(dead);
        if (performance.now() > deadline)
          throw new Error(`${name} printed no line like ${pattern} within ${timeoutMs / 1_000} s: ${tail()}`);
        await sleep(POLL_MS);
      }
    },
    count: (pattern) => output.split('\n').filter((line) => pattern.test(line)).length,
    tell: (text) => void child.stdin?.write(`${text}\n`),
    death,
    usage: () => processUsage(child.pid),
    end: guard.end,
  };
}
