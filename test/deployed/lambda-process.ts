// A function as deployed: its bundle in processes of its own, which are started when an invocation finds none free, are ended
// when one takes longer than the function's timeout, and can be killed in the middle by a test.
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';

export type LambdaOptions = {
  readonly bundle: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
};

export type LambdaFunction = {
  /** The handler's result. Throws its error, or that it timed out or died. */
  invoke(event: unknown): Promise<unknown>;
  /** Kills every process that is working now. */
  kill(): void;
  /** What the function wrote: its log lines and figures. */
  readonly output: string[];
  close(): void;
};

type Message = { readonly ready?: true; readonly id?: number; readonly result?: unknown; readonly error?: string };

/** A function; no process is started before the first invocation. */
export function lambdaFunction({ bundle, environment, timeoutMs }: LambdaOptions): LambdaFunction {
  const free: ChildProcess[] = [];
  const busy = new Set<ChildProcess>();
  const output: string[] = [];
  let invocations = 0;

  const start = async (): Promise<ChildProcess> => {
    const child = fork(path.join(import.meta.dirname, 'lambda-runner.ts'), [bundle], {
      env: {
        PATH: process.env.PATH ?? '',
        AWS_LAMBDA_FUNCTION_NAME: path.basename(path.dirname(bundle)),
        ...environment,
      },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => output.push(String(data)));
    await answerOf(child, ({ ready }) => ready === true);
    return child;
  };

  return {
    output,
    invoke: async (event) => {
      const child = free.pop() ?? (await start());
      const id = ++invocations;
      busy.add(child);
      const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      try {
        child.send({ id, event, timeoutMs });
        const answer = await answerOf(child, (message) => message.id === id);
        if (answer.error !== undefined) throw new Error(answer.error);
        return answer.result;
      } finally {
        clearTimeout(timer);
        busy.delete(child);
        if (child.connected) free.push(child);
      }
    },
    kill: () => {
      for (const child of busy) child.kill('SIGKILL');
    },
    close: () => {
      for (const child of [...free, ...busy]) child.kill('SIGKILL');
    },
  };
}

/** The next message that is wanted. Throws when the process ends before. */
function answerOf(child: ChildProcess, isWanted: (message: Message) => boolean): Promise<Message> {
  return new Promise((resolve, reject) => {
    const end = () => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    const onMessage = (message: unknown) => {
      if (!isWanted(message as Message)) return;
      end();
      resolve(message as Message);
    };
    const onExit = (code: number | null, signal: string | null) => {
      end();
      reject(new Error(`the function's process ended: ${signal ?? code}`));
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}
