// Runs a function as Lambda does. Each execution environment is a process of its own. It starts with only the
// function's environment and the address of the Runtime API, serves one invocation at a time and is kept for the next.
// In the process runs Lambda's own runtime client, aws-lambda-ric, or our replacement where that is not installed
// (lambda-runner.ts). An invocation that exceeds the function's timeout is killed, and so is one that a test kills.
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { engine } from '../engines/engines.ts';
import { type RuntimeApi, startRuntimeApi } from './runtime-api.ts';

export type LambdaOptions = {
  readonly bundle: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly memoryMb: number;
};

export type LambdaFunction = {
  /** Resolves with the handler's result. Rejects with its error, or because it timed out or died. */
  invoke(event: unknown): Promise<unknown>;
  /** Kills every process that has an invocation. */
  kill(): void;
  /** The whole lines that the function wrote to its output: log lines and metrics. */
  readonly output: string[];
  /** When each invocation began, milliseconds since the epoch. */
  readonly begunMs: number[];
  close(): void;
};

/** Names the runtime client that the functions run under. */
export function runtimeInUse(): string {
  return engine('lambda-ric') === null ? 'our own runner, as aws-lambda-ric is not installed' : 'aws-lambda-ric';
}

type Environment = { readonly child: ChildProcess; readonly api: RuntimeApi; dead: string | null };

/** Makes a function. The first invocation starts its first process. */
export function lambdaFunction(options: LambdaOptions): LambdaFunction {
  const free: Environment[] = [];
  const busy = new Set<Environment>();
  const output: string[] = [];
  const begunMs: number[] = [];
  return {
    output,
    begunMs,
    invoke: async (event) => {
      begunMs.push(Date.now());
      const environment = takeFree(free) ?? (await startEnvironment(options, output));
      busy.add(environment);
      const timer = setTimeout(() => environment.child.kill('SIGKILL'), options.timeoutMs);
      try {
        return await environment.api.invoke(event, options.timeoutMs);
      } finally {
        clearTimeout(timer);
        busy.delete(environment);
        if (environment.dead === null) free.push(environment);
      }
    },
    kill: () => {
      for (const { child } of busy) child.kill('SIGKILL');
    },
    close: () => {
      for (const { child, api } of [...free, ...busy]) {
        child.kill('SIGKILL');
        api.close();
      }
    },
  };
}

function takeFree(free: Environment[]): Environment | undefined {
  for (let taken = free.pop(); taken !== undefined; taken = free.pop()) if (taken.dead === null) return taken;
  return undefined;
}

async function startEnvironment(options: LambdaOptions, output: string[]): Promise<Environment> {
  const { bundle, environment, memoryMb } = options;
  const api = await startRuntimeApi();
  const folder = path.dirname(bundle);
  const client = engine('lambda-ric');
  const args =
    client === null ? [path.join(import.meta.dirname, 'lambda-runner.ts'), bundle] : [client, 'index.handler'];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_LAMBDA_FUNCTION_NAME: path.basename(folder),
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/zone53',
      AWS_LAMBDA_LOG_STREAM_NAME: 'test',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      LAMBDA_TASK_ROOT: folder,
      LAMBDA_RUNTIME_DIR: folder,
      _HANDLER: 'index.handler',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const started: Environment = { child, api, dead: null };
  for (const stream of [child.stdout, child.stderr]) {
    // A line may come in parts, and a process that is killed leaves a part of one.
    let rest = '';
    stream.setEncoding('utf8').on('data', (data: string) => {
      const lines = `${rest}${data}`.split('\n');
      rest = lines.pop() ?? '';
      output.push(...lines.map((line) => `${line}\n`));
    });
  }
  child.once('exit', (code, signal) => {
    started.dead = `the function's process ended: ${signal ?? code}`;
    api.fail(new Error(started.dead));
    api.close();
  });
  return started;
}
