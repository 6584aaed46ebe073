// What `zone53 apply`, `plan`, `explain` and `local` take with 100,000 Records in files, as processes that a user
// starts. `plan` and `explain` run when all are published. The state folder is new, with SQLite in it. Route 53 is our
// double in another process, without a limit of calls.
// `local` has Route 53 and a DNS server in its own process; the DNS server is asked for a name once all is published.
import { spawn } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openGuard } from '../test/engines/kubernetes/guard.ts';
import { startGuarded } from './peers/guarded.ts';
import type { Usage } from './peers/process-usage.ts';
import { atMost, type BenchResult } from './result.ts';
import { rounded } from './statistics.ts';

type Options = { readonly quick: boolean };

const RECORDS = 100_000;
const FEW_RECORDS = 10_000;
const RECORDS_A_FILE = 1_000;
const PEAK_MIB_MAX = 512;
/** For an `apply` of 10,000 Records on two cores that do nothing else. */
const SECONDS_MAX = 30;
const MS_MAX = 900_000;
const APEX = 'example.org.';
const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const REPORT_USAGE = fileURLToPath(new URL('./report-usage.ts', import.meta.url));
const DOUBLE = fileURLToPath(new URL('./peers/local-double.ts', import.meta.url));

type Cost = Usage & { readonly seconds: number };

/** The commands on one state folder, in this order. After the first, everything is published. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  apply: ['apply', '--yes'],
  'plan, all is published': ['plan'],
  'explain, all is published': ['explain', `r1.${APEX}`],
  'apply, all is published': ['apply', '--yes'],
};

/** Limits: peak memory within 512 MiB at 100,000 Records; 10,000 Records applied within 30 s. */
export async function benchLarge({ quick }: Options): Promise<BenchResult> {
  const many = quick ? FEW_RECORDS : RECORDS;
  const few = await inFolder(FEW_RECORDS, (folder) =>
    measureCommands(folder, quick ? COMMANDS : { apply: ['apply', '--yes'] }),
  );
  const commands = quick ? few : await inFolder(many, (folder) => measureCommands(folder, COMMANDS));
  const served = await inFolder(many, measureLocal);
  const row = (command: string, records: number, { seconds, cpuSeconds, peakMiB }: Cost) => {
    return { command, records, seconds: rounded(seconds, 1), 'CPU s': rounded(cpuSeconds, 1), 'peak MiB': peakMiB };
  };
  return {
    name: `large: apply, plan, explain and local of ${many} Records${quick ? ' (quick: fewer)' : ''}`,
    rows: [
      ...(quick ? [] : few.map(([name, cost]) => row(name, FEW_RECORDS, cost))),
      ...commands.map(([name, cost]) => row(name, many, cost)),
      row('local, until it serves', many, served),
    ],
    limits: [
      ...commands.map(([name, { peakMiB }]) => atMost(`${name}: ${many} Records, peak MiB`, peakMiB, PEAK_MIB_MAX)),
      atMost(`local with ${many} Records, peak MiB`, served.peakMiB, PEAK_MIB_MAX),
      ...few
        .slice(0, 1)
        .map(([, { seconds }]) => atMost(`apply of ${FEW_RECORDS} Records, seconds`, seconds, SECONDS_MAX)),
    ],
    notes: [
      'The Records are in files of 1,000 each. The state folder is new, and the hosted zone is created. The seconds of local end when it serves DNS.',
      'All keep to the default budget of Route 53 calls. All figures are of the whole process, with its start, Node and the modules.',
    ],
  };
}

/** Runs `measure` in a new folder with so many Records, and removes the folder afterwards. */
async function inFolder<Result>(records: number, measure: (folder: string) => Promise<Result>): Promise<Result> {
  const guard = openGuard('zone53-bench-large-');
  try {
    const zone = { domainName: APEX, delegations: [{ records: [{ pattern: '*' }] }] };
    mkdirSync(path.join(guard.folder, 'dns'));
    write(guard.folder, 'zone', [manifest('Zone', 'example', zone)]);
    for (let from = 0; from < records; from += RECORDS_A_FILE) {
      const some = Array.from({ length: Math.min(RECORDS_A_FILE, records - from) }, (_, index) => {
        const name = `r${from + index}`;
        const spec = { domainName: `${name}.${APEX}`, type: 'A', rdata: `192.0.2.${index % 250}`, ttl: 300 };
        return manifest('Record', name, spec);
      });
      write(guard.folder, `records-${from}`, some);
    }
    writeFileSync(path.join(guard.folder, 'zone53.yaml'), 'clusterId: bench\ncreateHostedZones: all\n');
    return await measure(guard.folder);
  } finally {
    await guard.end();
  }
}

function manifest(kind: string, name: string, spec: object): object {
  return { apiVersion: 'kubi.zone/v1alpha1', kind, metadata: { name, namespace: 'team' }, spec };
}

function write(folder: string, name: string, objects: readonly object[]): void {
  const documents = objects.map((object) => JSON.stringify(object));
  writeFileSync(path.join(folder, 'dns', `${name}.yaml`), `${documents.join('\n---\n')}\n`);
}

function commandOf([name = '', ...rest]: readonly string[], folder: string): readonly string[] {
  const inFolder = (file: string) => path.join(folder, file);
  const options = ['-f', inFolder('dns'), '--config', inFolder('zone53.yaml'), '--state', inFolder('state')];
  return [MAIN, name, ...rest, ...options];
}

async function measureCommands(
  folder: string,
  commands: Readonly<Record<string, readonly string[]>>,
): Promise<readonly (readonly [string, Cost])[]> {
  const double = startGuarded('local-route53', process.execPath, [DOUBLE]);
  try {
    const env = {
      ...process.env,
      AWS_ENDPOINT_URL_ROUTE_53: await double.line(/^http:.*$/, MS_MAX),
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
      // With this, the command ends when this process does (cli/end-with-parent.ts).
      ZONE53_LAUNCHED: '1',
    };
    const costs: (readonly [string, Cost])[] = [];
    for (const [name, command] of Object.entries(commands))
      costs.push([name, await measureCommand(commandOf(command, folder), env)]);
    return costs;
  } finally {
    await double.end();
  }
}

/** Runs a command to its end. Standard output, a line for each change, is dropped. */
async function measureCommand(command: readonly string[], env: NodeJS.ProcessEnv): Promise<Cost> {
  const child = spawn(process.execPath, ['--import', REPORT_USAGE, ...command], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  const usage = /^usage (.*)$/m.exec(said)?.[1];
  if (code !== 0 || usage === undefined) throw new Error(`${command[1]} ended with ${code}: ${said.slice(-500)}`);
  const { ms, cpuMs, peakKiB } = JSON.parse(usage) as Record<'ms' | 'cpuMs' | 'peakKiB', number>;
  return { seconds: ms / 1_000, cpuSeconds: cpuMs / 1_000, peakMiB: Math.round(peakKiB / 1_024) };
}

async function measureLocal(folder: string): Promise<Cost> {
  const begunMs = performance.now();
  const args = [...commandOf(['local'], folder), '--dns-port', '0', '--route53-port', '0'];
  const child = startGuarded('local', process.execPath, args);
  try {
    const served = await child.line(/^DNS .*$/, MS_MAX);
    const seconds = (performance.now() - begunMs) / 1_000;
    const port = /127\.0\.0\.1:(\d+)/.exec(served)?.[1];
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${port}`]);
    const answer = await resolver.resolve4(`r${FEW_RECORDS - 1}.${APEX}`);
    const usage = child.usage();
    if (answer.length !== 1 || usage === null) throw new Error('local does not serve what it published');
    return { seconds, ...usage };
  } finally {
    await child.end();
  }
}
