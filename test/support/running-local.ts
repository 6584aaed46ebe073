// Starts `zone53 local` as a process and waits until it serves: the ports of its DNS and Route 53, what it printed, and
// dig.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Route53Client } from '@aws-sdk/client-route-53';
import { type CommandPlace, type Running, serving, startZone53 } from './zone53-command.ts';

const WAIT_MS = 60_000;
const run = promisify(execFile);

export type RunningLocal = {
  readonly route53: Route53Client;
  /** What it has printed. */
  readonly said: () => string;
  /** Waits until it is true; fails with what was printed. */
  readonly until: (isTrue: () => Promise<boolean> | boolean) => Promise<void>;
  /** What dig prints. */
  readonly dig: (...question: string[]) => Promise<string>;
  /** The answers in short, sorted. */
  readonly answers: (name: string, type?: string) => Promise<string[]>;
  /** Says how a health check is; the HTTP status of the answer. */
  readonly putHealth: (id: string, health: 'healthy' | 'unhealthy') => Promise<number>;
  /** Its exit status. */
  readonly stop: () => Promise<number | null>;
};

/** Starts it on free ports, in a folder. */
export async function startLocal(
  where: string | Pick<CommandPlace, 'folder' | 'env'>,
  ...argv: string[]
): Promise<RunningLocal> {
  const place: CommandPlace = {
    ...(typeof where === 'string' ? { folder: where } : where),
    route53: 'http://127.0.0.1:9',
  };
  const local = startZone53(place, ['local', ...argv, '--dns-port', '0', '--route53-port', '0']);
  const said = listen(local);
  const until = async (isTrue: () => Promise<boolean> | boolean) => {
    const deadline = performance.now() + WAIT_MS;
    while (!(await isTrue())) {
      const over = local.child.exitCode !== null || performance.now() > deadline;
      if (over) throw new Error(`it did not come true:\n${said()}`);
      await sleep(100);
    }
  };
  await until(() => serving(said()) !== null);
  const { dnsPort = '', route53: endpoint = '' } = serving(said()) ?? {};
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  // The account's ten requests a second are shared with zone53 itself, so a reading may be throttled a few times.
  const route53 = new Route53Client({ endpoint, region: 'us-east-1', credentials, maxAttempts: 10 });
  const dig = async (...question: string[]): Promise<string> => {
    const args = ['@127.0.0.1', '-p', dnsPort, '+norecurse', '+tries=2', '+time=5', '+nocookie', ...question];
    return (await run('dig', args)).stdout;
  };
  return {
    route53,
    said,
    until,
    dig,
    answers: async (name, type = 'A') => (await dig('+short', name, type)).split('\n').filter(Boolean).toSorted(),
    putHealth: async (id, health) => (await fetch(`${endpoint}/health/${id}`, { method: 'PUT', body: health })).status,
    stop: async () => {
      route53.destroy();
      local.child.kill('SIGINT');
      return (await local.ended).code;
    },
  };
}

function listen({ child }: Running): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
  }
  return () => said;
}
