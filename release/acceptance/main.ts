// npm run acceptance -- --profile P --zone acceptance.example.com --eks NAME --context C: walks docs/deploy.md on a
// real account, measures, removes everything, and prints the table of docs/acceptance.md.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { accept, checkPlace, type Measured, type Options, removeAll } from './accept.ts';
import { EMULATOR } from './stack.ts';

const USAGE = `usage: npm run acceptance -- --zone NAME --eks CLUSTER --context CONTEXT
  [--profile P] [--region R] [--name-server HOST#PORT] [--destroy]
--destroy removes what a run left that was killed; the same command without it continues that run.`;

const REMOVALS_MAX = 3;

function optionsOf(): (Options & { readonly destroy: boolean }) | null {
  const text = { type: 'string' } as const;
  const flags = { zone: text, eks: text, context: text, profile: text, region: text, 'name-server': text };
  try {
    const { values } = parseArgs({ options: { ...flags, destroy: { type: 'boolean' } } });
    const { zone, eks, context, profile, region = null, 'name-server': nameServer = null, destroy = false } = values;
    if (zone === undefined || eks === undefined || context === undefined) return null;
    if (profile !== undefined) useProfile(profile);
    return { zone, eks, context, region, nameServer, destroy };
  } catch {
    return null;
  }
}

/** Commands of the run use it, too. Keys of the environment would go before it. */
function useProfile(profile: string): void {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']) delete process.env[name];
  process.env.AWS_PROFILE = profile;
}

function tableOf(measured: readonly Measured[]): string {
  const mark = EMULATOR === null ? '☁' : 'emulated';
  const rows = measured.map(
    ({ step, seconds, figure }) => `| ${mark} | ${step} | ${seconds.toFixed(1)} s | ${figure} |`,
  );
  return ['| | step | took | measured |', '|---|---|---|---|', ...rows].join('\n');
}

const options = optionsOf();
if (options === null) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(1);
}
const begin = performance.now();
const say = (line: string) =>
  void process.stdout.write(`${((performance.now() - begin) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`);
const stopping = new AbortController();
const stop = () => {
  if (stopping.signal.aborted) process.exit(130);
  say('interrupted: everything is removed; interrupt again to leave it, and remove it later with --destroy');
  stopping.abort();
};
process.on('SIGINT', stop).on('SIGTERM', stop);

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));
try {
  await checkPlace(options);
} catch (error) {
  process.stderr.write(`error: ${reason(error)}\n`);
  process.exit(1);
}
let measured: readonly Measured[] = [];
let failure: string | null = null;
if (!options.destroy) {
  try {
    measured = await accept(options, say, stopping.signal);
  } catch (error) {
    failure = stopping.signal.aborted ? 'interrupted' : reason(error);
    if (!stopping.signal.aborted) say(`failed: ${failure}`);
  }
}
let left: readonly string[] = [];
// What was still being made while it was removed is found the second time.
for (let tries = 1; tries === 1 || (tries <= REMOVALS_MAX && left.length > 0); tries += 1)
  left = await removeAll(options, say).catch((error: unknown) => [`unknown: ${reason(error)}`]);
say(left.length === 0 ? 'nothing is left' : `left behind (--destroy tries again):\n${left.join('\n')}`);
if (failure === null && left.length === 0 && measured.length > 0) {
  const table = tableOf(measured);
  process.stdout.write(`\n${table}\n`);
  if (EMULATOR === null) {
    const file = path.join(import.meta.dirname, '..', '..', 'docs', 'acceptance.md');
    const said = `zone53 ${manifest.version}, ${new Date().toISOString().slice(0, 10)}, ${((performance.now() - begin) / 60_000).toFixed(1)} minutes in all.`;
    writeFileSync(file, `# Acceptance on a real account\n\nPrinted by \`npm run acceptance\`. ${said}\n\n${table}\n`);
    process.stdout.write('\ndocs/acceptance.md has it: link it in docs/deploy.md and docs/README.md\n');
  }
}
process.exitCode = stopping.signal.aborted ? 130 : failure === null && left.length === 0 ? 0 : 1;
