// The engines of the end-to-end tests: where each is installed, and what a suite does if its engine is missing. On a
// developer's machine the suite is skipped, with the engine's name and the remedy in its title; under CI it fails.
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { freePort, openGuard } from './kubernetes/guard.ts';

export type EngineName =
  | 'moto'
  | 'dynamodb-local'
  | 'dig'
  | 'named-checkzone'
  | 'named'
  | 'kube-apiserver'
  | 'etcd'
  | 'lambda-ric'
  | 'cfn-lint'
  | 'source-crds'
  | 'ministack'
  | 'external-dns'
  | 'helm'
  | 'openapi'
  | 'endpoint-slices'
  | 'chromium';

/** An engine that runs; `url` has no slash at its end. */
export type RunningEngine = { readonly url: string; readonly pid: number | undefined; close(): Promise<void> };

const BIN = path.join(import.meta.dirname, 'bin');
/** How long an engine may take to answer, milliseconds; on an idle machine it is 3 s. */
const READY_MS_MAX = 120_000;

/**
 * Where the engine is: its program, for dynamodb-local the folder of its jars, for source-crds that of its CRDs, for
 * lambda-ric its entry, for openapi the folder of its packages; null when it is not installed.
 */
export function engine(name: EngineName): string | null {
  switch (name) {
    case 'moto': {
      const own = process.env.MOTO_SERVER;
      return executable(own ?? path.join(BIN, 'moto', 'bin', 'moto_server'));
    }
    case 'dynamodb-local': {
      const folder = path.join(BIN, 'dynamodb-local');
      return existsSync(path.join(folder, 'pom.installed')) && onPath('java') !== null ? folder : null;
    }
    case 'cfn-lint':
      return executable(path.join(BIN, 'cfn-lint', 'bin', 'cfn-lint'));
    case 'ministack':
      return executable(path.join(BIN, 'ministack', 'bin', 'python'));
    case 'lambda-ric': {
      const folder = path.join(BIN, 'lambda-ric');
      return existsSync(path.join(folder, 'package.installed')) ? path.join(folder, 'index.mjs') : null;
    }
    case 'source-crds': {
      const folder = path.join(BIN, 'source-crds');
      return existsSync(path.join(folder, 'external-dns', 'dnsendpoints.yaml')) ? folder : null;
    }
    case 'openapi': {
      const folder = path.join(BIN, 'openapi');
      return existsSync(path.join(folder, 'package.installed')) ? folder : null;
    }
    case 'external-dns':
      return executable(process.env.EXTERNAL_DNS ?? path.join(BIN, 'external-dns'));
    case 'endpoint-slices':
    case 'helm':
      return executable(path.join(BIN, name));
    case 'chromium':
      return onPath('chromium') ?? onPath('chromium-browser') ?? onPath('google-chrome');
    case 'dig':
    case 'named-checkzone':
      return onPath(name);
    case 'named':
      return onPath(name) ?? executable('/usr/sbin/named');
    case 'kube-apiserver':
    case 'etcd':
      return executable(path.join(process.env.KUBEBUILDER_ASSETS ?? BIN, name));
  }
}

/**
 * Declares a suite that needs engines. If one is missing, a single test replaces the suite: it is skipped, or fails
 * under CI.
 */
export function describeWithEngine(names: EngineName | readonly EngineName[], title: string, suite: () => void): void {
  const missing = [names].flat().filter((name) => engine(name) === null);
  if (missing.length === 0) {
    describe(title, suite);
    return;
  }
  const reason = `${missing.join(', ')} not installed: npm run engines`;
  describe(title, () => {
    if (process.env.CI) it('needs its engine', () => expect.fail(reason));
    else it.skip(`needs its engine (${reason})`, () => {});
  });
}

/** Starts moto_server: Route 53, SQS and more at one URL. */
export function startMoto(): Promise<RunningEngine> {
  return start('moto', (port) => ({
    command: installed('moto'),
    args: ['-H', '127.0.0.1', '-p', String(port)],
    probe: '/moto-api/',
  }));
}

/**
 * For a JVM that lives for seconds: its second compiler and its parallel collector cost more CPU than they save. The
 * start and 2,000 requests take half as much without them.
 */
const SHORT_LIVED = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/** Starts DynamoDB Local, in memory, or with its tables in a file of that folder. */
export function startDynamodbLocal({
  folder: tables = null,
}: {
  readonly folder?: string | null;
} = {}): Promise<RunningEngine> {
  return start('dynamodb-local', (port) => {
    const folder = installed('dynamodb-local');
    const server = ['com.amazonaws.services.dynamodbv2.local.main.ServerRunner', '-disableTelemetry'];
    server.push(...(tables === null ? ['-inMemory'] : ['-dbPath', tables]));
    const java = [
      ...(tables === null ? SHORT_LIVED : []),
      `-Djava.library.path=${folder}`,
      '-cp',
      path.join(folder, '*'),
    ];
    return { command: 'java', args: [...java, ...server, '-port', String(port)], probe: '/' };
  });
}

type Program = { readonly command: string; readonly args: readonly string[]; readonly probe: string };

async function start(name: EngineName, programAt: (port: number) => Program): Promise<RunningEngine> {
  const port = await freePort();
  const { command, args, probe } = programAt(port);
  // The guard ends the server also when this process is killed.
  const guard = openGuard(`zone53-${name}-`);
  const child = guard.start(name, command, args);
  const url = `http://127.0.0.1:${port}`;
  let failure: unknown = null;
  child.once('error', (error) => {
    failure = error;
  });
  const deadline = Date.now() + READY_MS_MAX;
  while (!(await answers(`${url}${probe}`))) {
    if (failure !== null || child.exitCode !== null || Date.now() > deadline) {
      const log = guard.logTail(name);
      await guard.end();
      throw new Error(`Cannot start ${name} at ${url}: it does not answer\n${log}`, { cause: failure });
    }
    await sleep(100);
  }
  return { url, pid: child.pid, close: guard.end };
}

/** True when the server answers over HTTP, with any status. */
async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { signal: AbortSignal.timeout(5_000) })).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

function installed(name: EngineName): string {
  const found = engine(name);
  if (found === null) throw new Error(`Cannot start ${name}: it is not installed (npm run engines)`);
  return found;
}

function onPath(program: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const found = folder === '' ? null : executable(path.join(folder, program));
    if (found !== null) return found;
  }
  return null;
}

function executable(file: string): string | null {
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return null;
  }
}
