// `zone53 history`: who changed a name, when, from what to what, and why.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { findRef } from '../../lib/objects/object-ref.ts';
import { parseDnsName, parseMoment } from '../account/parse-asked.ts';
import { csvHistory, jsonHistory, printEntries } from '../account/print-history.ts';
import { formatJson, safeText } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import {
  addLedgerOptions,
  type CommonFlags,
  configOption,
  fleetConfigFrom,
  nowOption,
  type StoreFlags,
  storeFrom,
} from './options.ts';
import { common, type Run, withProgress } from './run-command.ts';

const LIMIT_MAX = 10_000;

type HistoryFlags = CommonFlags &
  Pick<StoreFlags, 'state' | 'table'> & {
    readonly object?: string;
    readonly namespace?: string;
    readonly hostedZone?: string;
    readonly cluster?: string;
    readonly since?: (nowMs: number) => number;
    readonly until?: (nowMs: number) => number;
    readonly limit: number;
    readonly output?: 'json' | 'csv';
  };

/** Adds the command. */
export function addHistory(program: Command, run: Run): void {
  const command = program
    .command('history')
    .description('show who changed a name, when, from what to what, and why; changes nothing')
    .argument('[name]', 'only this DNS name, such as www.example.org', parseDnsName)
    .addOption(new Option('--object <ref>', 'only what this object asked for: "Record ns/name"').argParser(parseObject))
    .addOption(new Option('--namespace <ns>', 'only what objects of this namespace asked for'))
    .addOption(new Option('--hosted-zone <id>', 'only this hosted zone').argParser(parseHostedZone))
    .addOption(new Option('--cluster <id>', 'only this cluster'))
    .addOption(new Option('--since <time>', 'from then on: 2h, 7d, or 2026-01-31T12:00:00Z').argParser(parseMoment))
    .addOption(new Option('--until <time>', 'before then, in the same forms').argParser(parseMoment))
    .addOption(new Option('--limit <n>', 'at most so many entries').argParser(parseLimit).default(200))
    .addOption(configOption())
    .addOption(nowOption())
    .addOption(new Option('-o, --output <format>', 'print JSON or CSV').choices(['json', 'csv']));
  addLedgerOptions(command).addHelpText(
    'after',
    `
The newest entry comes first. On a terminal the text goes through PAGER, or "less -FRX". It works beside a running
zone53. Deleted objects and deleted Zones have a history, too. Entries are kept for "history.days" of zone53.yaml.

Examples:
  zone53 history www.example.org
  zone53 history --object "Record team-a/www" --table zone53
  zone53 history --since 2h --state .zone53/local
  zone53 history --namespace team-a --since 7d -o csv > team-a.csv

Exit codes: 0 shown, also if there is none; 1 error.
`,
  );
  command.action(async (name: string | undefined, flags: HistoryFlags) => {
    const store = storeFrom(flags);
    const config = await fleetConfigFrom(flags);
    const question = questionOf(name, flags, flags.now ?? Date.now());
    const found = await withProgress(run, (progress) =>
      run.useCases.history({ ...common(run, config, flags, progress), store, question }),
    );
    const { terminal } = run;
    if (flags.output === 'json') return terminal.write(formatJson(jsonHistory(found)));
    if (flags.output === 'csv') return terminal.write(csvHistory(found.entries));
    const { days } = config.history;
    const more = found.more ? `There are more: use --limit, or --until with the time of the last one.\n` : '';
    if (found.entries.length > 0) {
      const text = `${printEntries(found.entries, terminal.paint)}${more}`;
      return terminal.page === undefined ? terminal.write(text) : terminal.page(text);
    }
    terminal.write(terminal.fit(`${noneText(question.name, days)}\n`));
  });
}

function noneText(name: string | undefined, days: number): string {
  if (days === 0) return 'There is no history: history.days is 0 in the configuration.';
  const of = name === undefined ? '' : ` of ${safeText(name)}`;
  return `The ledger has no entry${of} that matches. Entries are kept for ${days} ${days === 1 ? 'day' : 'days'}.`;
}

function questionOf(name: string | undefined, flags: HistoryFlags, nowMs: number) {
  const { object, namespace, hostedZone, cluster, since, until, limit } = flags;
  const [sinceMs, untilMs] = [since?.(nowMs) ?? null, until?.(nowMs) ?? null];
  if (sinceMs !== null && untilMs !== null && sinceMs >= untilMs)
    throw new UsageError('--since must be before --until.');
  return {
    ...(name !== undefined && { name }),
    ...(object !== undefined && { object }),
    ...(namespace !== undefined && { namespace }),
    ...(hostedZone !== undefined && { hostedZone }),
    ...(cluster !== undefined && { cluster }),
    ...{ sinceMs, untilMs, limit },
  };
}

function parseObject(value: string): string {
  if (findRef(value) === null) throw new InvalidArgumentError('Write an object such as "Record team-a/www".');
  return value;
}

function parseHostedZone(value: string): string {
  return value.replace(/^\/?hostedzone\//, '');
}

function parseLimit(value: string): number {
  const limit = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > LIMIT_MAX) throw new InvalidArgumentError(`Write a number from 1 to ${LIMIT_MAX}.`);
  return limit;
}
