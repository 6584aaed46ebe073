// zone53 as it is compared: watch, hints, reconcile, publish and report over the real adapters, with the Route 53 at
// AWS_ENDPOINT_URL_ROUTE_53. The in-process queues of `zone53 local` take the place of SQS and Lambda. Prints `ready`
// after its first sweep. On the line `sweep` from standard input it sweeps again and prints `swept`.
import { createInterface } from 'node:readline';
import { openContext } from '../../cli/run/open-context.ts';
import { EMBEDDED_HOLDER, publishDeps } from '../../cli/run/publish-deps.ts';
import { openStateFolder } from '../../lib/adapters/ledger/state-folder.ts';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { DEFAULT_SETTINGS } from '../../lib/objects/source-settings.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import { sourcesOn } from '../../lib/sources/source.ts';
import { startPipeline } from '../../local/pipeline.ts';

async function openLedger(where: string, table: string): Promise<Ledger> {
  if (!where.startsWith('http')) return (await openStateFolder(where)).ledger;
  // As in the command, a process whose ledger is a file does not load the client of DynamoDB.
  const { openDynamodb } = await import('./open-dynamodb.ts');
  return openDynamodb(where, table);
}

export type PeerRun = {
  readonly contextName: string;
  /** A URL of DynamoDB, or a folder. */
  readonly ledger: string;
  readonly table: string;
  /** "ingresses": Ingresses are read too. */
  readonly kind: string;
};

/** Runs until standard input ends. */
export async function runPeer({ contextName, ledger, table, kind }: PeerRun): Promise<void> {
  const config =
    kind === 'ingresses' ? { ...DEFAULT_CONFIG, sources: { ingresses: DEFAULT_SETTINGS } } : DEFAULT_CONFIG;
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const log = (level: string, message: string, fields: object = {}) => {
    if (level !== 'info') process.stderr.write(`${level} ${message} ${JSON.stringify(fields)}\n`);
  };
  const source = openContext(contextName, {
    clusterId: config.clusterId,
    sources: sourcesOn(config.sources),
    clock: systemClock,
    readingMsMax: 0,
  });
  const options = { config, cluster: source.cluster, clock: systemClock, log };
  const pipeline = startPipeline(
    { ...options, deps: (context) => publishDeps(context, EMBEDDED_HOLDER), onChange: () => {} },
    await openLedger(ledger, table),
    route53Client(),
  );
  const waiting: Hint[] = [];
  let follow = (hints: readonly Hint[]): void => void waiting.push(...hints);
  await source.watch({
    onHints: (hints) => follow(hints),
    onProblems: () => {},
    onRemarks: () => {},
    onTrouble: (message) => message !== null && log('warn', message),
  });
  await pipeline.sweep();
  follow = (hints) => void pipeline.hint(hints);
  // A watch begins with the hint "any object may have changed". The sweep has just read all objects.
  follow(waiting.filter(({ name }) => name !== null));
  say('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    if (line !== 'sweep') continue;
    await pipeline.sweep();
    say('swept');
  }
  // Standard input has ended: the process that started this one is gone, or needs it no longer.
  process.exit(0);
}
