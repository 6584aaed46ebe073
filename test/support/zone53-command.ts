// Runs the zone53 command as a user does: as a process, in a folder of its own, with the SDK's environment variables
// for the endpoints of AWS. Its output and exit code are returned as a value.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ApplyOutput, PlanOutput } from '../../cli/print/output.ts';

/** Node's compile cache, shared by all runs: compiling takes half of the time of a short command. */
const COMPILED = path.join(tmpdir(), 'zone53-compiled');
const MAIN = path.resolve(import.meta.dirname, '../../cli/main.ts');

export type Ran = {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
};

export type Running = { readonly child: ChildProcess; readonly ended: Promise<Ran> };

export type CommandPlace = {
  /** The folder that it runs in. */
  readonly folder: string;
  /** `http://127.0.0.1:PORT` of Route 53, and of DynamoDB where the ledger is a table. */
  readonly route53: string;
  readonly dynamodb?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** Where `zone53 local` serves. */
export type Serving = { readonly dnsPort: string; readonly route53: string; readonly intents: string };

/** Where `zone53 local` serves, read from what it has printed; null until it says that it watches. */
export function serving(said: string): Serving | null {
  if (!/^Watching/m.test(said)) return null;
  const printed = (line: RegExp) => line.exec(said)?.[1] ?? '';
  return {
    dnsPort: printed(/^DNS +127\.0\.0\.1:(\d+)/m),
    route53: printed(/^Route 53 +(\S+)/m),
    intents: printed(/^Intents +(\S+)/m),
  };
}

/** Starts `zone53 …`. */
export function startZone53(place: CommandPlace, argv: readonly string[], input = ''): Running {
  const env = {
    PATH: process.env.PATH ?? '',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_ROUTE_53: place.route53,
    ...(place.dynamodb === undefined ? {} : { AWS_ENDPOINT_URL_DYNAMODB: place.dynamodb }),
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: COMPILED,
    ...place.env,
  };
  const child = spawn(process.execPath, [MAIN, ...argv], { cwd: place.folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
  return { child, ended: untilEnded(child, input) };
}

async function untilEnded(child: ChildProcess, input: string): Promise<Ran> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  // A command may end before it has read its input.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out: Buffer.concat(out).toString('utf8'), err: Buffer.concat(err).toString('utf8') };
}

/** Runs `zone53 …` to its end. */
export function zone53(place: CommandPlace, argv: readonly string[], input = ''): Promise<Ran> {
  return startZone53(place, argv, input).ended;
}

/** What `apply -o json` printed; null when it printed nothing. Throws an Error when that is not JSON. */
export function appliedOf({ out }: Ran): ApplyOutput | null {
  return out === '' ? null : (JSON.parse(out) as ApplyOutput);
}

/** What `plan -o json` printed. */
export function plannedOf({ out }: Ran): PlanOutput {
  return JSON.parse(out) as PlanOutput;
}
