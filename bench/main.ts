// npm run bench -- [NAME ...] (--help): the figures that are promised, as ratios within one run where that can be, so
// that they hold on any machine. Prints tables and says whether each limit is kept; exits 1 when one is not, or when a
// bench could not run. Without a name, those that need Node alone.
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { benchAccount } from './account.ts';
import { benchBacklog } from './backlog.ts';
import { benchBundles } from './bundles.ts';
import { benchChain } from './chain.ts';
import { benchDiscovery } from './discovery.ts';
import { benchDnsRecords } from './dns-records.ts';
import { writeDocs } from './docs.ts';
import { benchFirstPublish } from './first-publish.ts';
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
  ingest: { run: benchIngest, engines: false },
  intents: { run: benchIntents, engines: false },
  simulation: { run: benchSimulation, engines: false },
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
  if (found === undefined) throw new InvalidArgumentError(`There are ${PEER_CASES.join(', ')}.`);
  return [...before, found];
}

function count(text: string, before: readonly number[] = []): readonly number[] {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It is a count of names.');
  return [...before, Number(text)];
}

const command = new Command('npm run bench --')
  .description(`Measures what is promised, and says of each limit whether it is kept; exits 1 when one is not.`)
  .addArgument(
    new Argument('[names...]', 'what to measure')
      .choices(Object.keys(BENCHES))
      .default(alone, 'those that need Node alone'),
  )
  .addOption(new Option('-o, --output <format>', 'how to print it').choices(['table', 'json']).default('table'))
  .option('--quick', 'smaller sizes, fewer samples')
  .option('--case <case>', `of peers only this: ${PEER_CASES.join(', ')}; may be repeated`, caseNamed)
  .option('--names <count>', 'of peers only zones of so many names; may be repeated', count)
  .option('--docs', 'write what was printed into docs/benchmarks.md')
  .addHelpText('after', `\nThose that need Node alone: ${alone.join(', ')}. The others need npm run engines.`)
  .addHelpText('after', '\n  npm run bench -- render -o json\n  npm run bench -- peers --quick --case one-change')
  .parse();
const values = command.opts<{
  readonly output: 'table' | 'json';
  readonly quick?: true;
  readonly case?: readonly PeerCase[];
  readonly names?: readonly number[];
  readonly docs?: true;
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
    if (values.docs) writeDocs(name, result, { machine, at: `${new Date().toISOString().slice(0, 16)}Z`, seconds });
    if (result.limits.some(({ kept }) => !kept)) process.exitCode = 1;
  } catch (error) {
    // The others are measured all the same.
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${name}: not measured: ${message}\n`);
    results.push({ bench: name, failed: message });
    process.exitCode = 1;
  }
}
if (values.output === 'json') process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
// A connection that a double left open keeps nobody waiting.
process.exit();
