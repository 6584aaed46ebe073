// The end-to-end tests leave no server and no folder behind, even when the test process is killed. Servers run in
// process groups of their own, so that Ctrl-C does not end them before a test has cleaned up. A small shell waits for
// the end of its standard input, which comes when this process ends in any way; then it kills the servers that still
// run and removes their folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A temporary folder and the servers that run in it. */
export type Guard = {
  readonly folder: string;
  /** Starts a server; its output goes to `<name>.log` in the folder. */
  start(name: string, command: string, args: readonly string[], options?: StartOptions): ChildProcess;
  /** Kills a server and waits until it is gone. */
  kill(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** The end of a server's log, for messages. */
  logTail(name: string): string;
  /** Kills everything and removes the folder. */
  end(): Promise<void>;
};

/** Options of a server. */
type StartOptions = {
  /** Its environment; default: this process's. */
  readonly env?: NodeJS.ProcessEnv;
  /** `pipe`: the test can write to its standard input. Default: it has none. */
  readonly stdin?: 'ignore' | 'pipe';
};

const SWEEP =
  'cat >/dev/null; for f in "$1"/*.pid; do [ -e "$f" ] && kill -9 "$(cat "$f")" 2>/dev/null; done; rm -rf "$1"';

/** Opens a guarded folder. */
export function openGuard(prefix: string): Guard {
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  const sweeper = spawn('sh', ['-c', SWEEP, 'sh', folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  sweeper.unref();
  const running = new Map<string, ChildProcess>();
  const pidFile = (name: string) => path.join(folder, `${name}.pid`);
  const kill = async (name: string, signal: NodeJS.Signals = 'SIGKILL') => {
    const child = running.get(name);
    if (child === undefined) return;
    // Unreferenced while it runs, so that a forgotten server keeps no process alive; its end is worth waiting for.
    child.ref();
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill(signal);
    });
  };
  return {
    folder,
    start: (name, command, args, { env = process.env, stdin = 'ignore' } = {}) => {
      const child = spawn(command, args, { detached: true, stdio: [stdin, 'pipe', 'pipe'], cwd: folder, env });
      writeFileSync(pidFile(name), String(child.pid));
      // Opened at once: the folder may be gone before a stream comes to open it.
      const logFile = path.join(folder, `${name}.log`);
      const log = createWriteStream(logFile, { fd: openSync(logFile, 'a') });
      child.stdout?.pipe(log, { end: false });
      child.stderr?.pipe(log, { end: false });
      running.set(name, child);
      const gone = () => {
        running.delete(name);
        rmSync(pidFile(name), { force: true });
        log.end();
      };
      child.once('exit', gone);
      // One that never started has no exit to wait for.
      child.once('error', gone);
      child.unref();
      return child;
    },
    kill,
    logTail: (name) => readFileSync(path.join(folder, `${name}.log`), 'utf8').slice(-4_000),
    end: async () => {
      await Promise.all([...running.keys()].map((name) => kill(name)));
      sweeper.stdin.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Below the ports that Linux and macOS hand out by themselves: no outgoing connection ever holds one of these. */
const PORT_MIN = 10_000;
const PORT_MAX = 30_000;

/**
 * A TCP port of 127.0.0.1 that nothing listens on now. Other test files need ports at the same time, and a restarted
 * server needs its port again. So the port is drawn from a wide range outside of the system's own ports.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN));
    if (await isFree(port)) return port;
  }
  throw new Error(`Cannot find a free port between ${PORT_MIN} and ${PORT_MAX}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return isListening;
}
