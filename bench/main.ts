// npm run bench -- [NAME ...] (--help): measures the figures that are promised, as ratios within one run where
// possible, so that they hold on any machine. Prints tables and whether each limit is kept. Exits 1 when a limit is
// missed or a bench could not run. Without a name, the benches run that need only Node.
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { benchAccount } from './account.ts';
import { benchBacklog } from './backlog.ts';
import { benchBundles } from './bundles.ts';
import { benchChain } from './chain.ts';
import { benchDiscovery } from './discovery.ts';
import { benchDnsRecords } from './dns-records.ts';
import { benchFirstPublish } from './first-publish.ts';
import { benchFleet } from './fleet.ts';
import { benchGrowth } from './growth.ts';
import { benchHostile } from './hostile.ts';
import { benchHotPath } from './hot-path.ts';
import { benchIngest } from './ingest.ts';
import { benchIngresses } from './ingresses.ts';
import { benchIntents } from './intents.ts';
import { benchKubernetes } from './kubernetes.ts';
import { benchLarge } from './large.ts';
import { describeMachine } from './machine.ts';
import { findExternalDns } from './peers/external-dns.ts';
import { PEER_CASES, type PeerCase } from './peers/sizes.ts';
import { benchPeers } from './peers.ts';
import { benchRender } from './render.ts';
import { type BenchResult, formatResult } from './result.ts';
import { benchSimulation } from './simulation.ts';
import { benchSources } from './sources.ts';
import { benchSweep } from './sweep.ts';

type Options = { readonly quick: boolean; readonly cases: readonly PeerCase[]; readonly names: readonly number[] };
type Bench = { readonly run: (options: Options) => Promise<BenchResult>; readonly engines: boolean };

const BENCHES: Readonly<Record<string, Bench>> = {
  render: { run: benchRender, engines: false },
  'hot-path': { run: benchHotPath, engines: false },
  'first-publish': { run: benchFirstPublish, engines: false },
  backlog: { run: benchBacklog, engines: false },
  hostile: { run: benchHostile, engines: false },
  dnsrecords: { run: benchDnsRecords, engines: false },
  account: { run: benchAccount, engines: false },
  discovery: { run: benchDiscovery, engines: false },
  sources: { run: benchSources, engines: false },
  bundles: { run: benchBundles, engines: false },
  large: { run: benchLarge, engines: false },
  ingest: { run: () => benchIngest(), engines: false },
  intents: { run: benchIntents, engines: false },
  simulation: { run: benchSimulation, engines: false },
  fleet: { run: benchFleet, engines: true },
  kubernetes: { run: benchKubernetes, engines: true },
  chain: { run: benchChain, engines: true },
  ingresses: { run: benchIngresses, engines: true },
  growth: { run: benchGrowth, engines: true },
  sweep: { run: benchSweep, engines: true },
  peers: { run: benchPeers, engines: true },
};

const alone = Object.keys(BENCHES).filter((name) => !BENCHES[name]?.engines);

function caseNamed(name: string, before: readonly PeerCase[] = []): readonly PeerCase[] {
  const found = PEER_CASES.find((one) => one === name);
  if (found === undefined) throw new InvalidArgumentError(`The cases are ${PEER_CASES.join(', ')}.`);
  return [...before, found];
}

function count(text: string, before: readonly number[] = []): readonly number[] {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Use a number of names, for example 1000.');
  return [...before, Number(text)];
}

const command = new Command('npm run bench --')
  .description('Measures the promised figures and prints whether each limit is kept. Exits 1 when a limit is missed.')
  .addArgument(
    new Argument('[names...]', 'what to measure')
      .choices(Object.keys(BENCHES))
      .default(alone, 'all that need only Node'),
  )
  .addOption(new Option('-o, --output <format>', 'how to print it').choices(['table', 'json']).default('table'))
  .option('--quick', 'smaller sizes, fewer samples')
  .option('--case <case>', `only this case of peers: ${PEER_CASES.join(', ')}; may be repeated`, caseNamed)
  .option('--names <count>', 'peers only in zones of so many names; may be repeated', count)
  .addHelpText('after', `\nThese need only Node: ${alone.join(', ')}. The others need npm run engines.`)
  .addHelpText('after', '\n  npm run bench -- render -o json\n  npm run bench -- peers --quick --case one-change')
  .parse();
const values = command.opts<{
  readonly output: 'table' | 'json';
  readonly quick?: true;
  readonly case?: readonly PeerCase[];
  readonly names?: readonly number[];
}>();
const options: Options = { quick: values.quick === true, cases: values.case ?? [], names: values.names ?? [] };
const names = command.processedArgs[0] as readonly string[];
const results: object[] = [];
for (const name of names) {
  process.stderr.write(`${name} ...\n`);
  const machine = describeMachine(findExternalDns());
  const begunMs = performance.now();
  try {
    const result = await (BENCHES[name] as Bench).run(options);
    const seconds = (performance.now() - begunMs) / 1_000;
    results.push({ bench: name, ...result, machine, seconds: Math.round(seconds) });
    if (values.output !== 'json') process.stdout.write(formatResult(result));
    if (result.limits.some(({ kept }) => !kept)) process.exitCode = 1;
  } catch (error) {
    // The other benches still run.
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${name}: not measured: ${message}\n`);
    results.push({ bench: name, failed: message });
    process.exitCode = 1;
  }
}
if (values.output === 'json') process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
// A connection that a double left open must not keep this process alive.
process.exit();
