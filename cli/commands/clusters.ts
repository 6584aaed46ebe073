// `zone53 clusters`: which clusters share the ledger.
import { type Command, Option } from 'commander';
import { jsonStandby, printStandby, type StandbyOutput } from '../account/describe-standby.ts';
import type { ClusterList } from '../account/list-clusters.ts';
import { exitOfApply, exitOfPlan } from '../print/exit-code.ts';
import { GUARD_HOLDS } from '../print/how-to-release.ts';
import { counted, formatColumns, formatJson, safeText } from '../print/terminal-text.ts';
import { addForgettingOptions, type ForgettingFlags, reviewedAction } from './forgetting.ts';
import {
  addLedgerOptions,
  type CommonFlags,
  clusterIdsFrom,
  configOption,
  fleetConfigFrom,
  nowOption,
  retireWith,
  type StoreFlags,
  storeFrom,
} from './options.ts';
import { logTo, type Run, withProgress } from './run-command.ts';

type StandbyFlags = Omit<ForgettingFlags, 'cluster'>;
type ClustersFlags = CommonFlags & Pick<StoreFlags, 'state' | 'table'> & { readonly output?: 'json' };

/** Adds the command. */
export function addClusters(program: Command, run: Run): void {
  const command = program
    .command('clusters')
    .description('list the clusters of the configuration and of the ledger; changes nothing')
    .addOption(configOption())
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']));
  addLedgerOptions(command).addHelpText(
    'after',
    `
A cluster that is in the ledger and not in the configuration is listed, too: what it published stays.

Examples:
  zone53 clusters
  zone53 clusters --table zone53 --config zone53.yaml
  zone53 clusters -o json | jq -r '.clusters[] | select(.configured | not) | .id'

Exit codes: 0 listed; 1 error.
`,
  );
  addStandby(command, run, true);
  addStandby(command, run, false);
  addRetire(command, run);
  addRebuilt(command, run);
  command.action(async (flags: ClustersFlags) => {
    const store = storeFrom(flags);
    const configured = await clusterIdsFrom(flags);
    const { standby } = await fleetConfigFrom(flags);
    const list = await withProgress(run, ({ say: progress }) =>
      run.useCases.clusters({ store, configured, standby, progress }),
    );
    const { terminal } = run;
    terminal.write(flags.output === 'json' ? formatJson(jsonClusters(list)) : terminal.fit(printClusters(list)));
  });
}

/** Adds `clusters standby`, or `clusters active`. */
function addStandby(clusters: Command, run: Run, standby: boolean): void {
  const word = standby ? 'standby' : 'active';
  const says = standby
    ? 'publish the names of a cluster only where no other cluster asks for them'
    : 'end the standby of a cluster, whatever the configuration says';
  const command = clusters
    .command(word)
    .description(`${says}; moves all names at once`)
    .argument('<id>', 'the clusterId')
    .addOption(configOption())
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']))
    .addOption(nowOption());
  addLedgerOptions(addForgettingOptions(command)).addHelpText(
    'after',
    `
It is noted in the ledger and goes before clusters.ID.standby of the configuration, until the other command is used.
It shows the names that move, asks, and then moves them: each changes in one batch, so that no query is unanswered. If
the command ends before it is done, use it again: it continues. The objects show it after the next apply or sweep.

Examples:
  zone53 clusters ${word} prod-eu --dry-run
  zone53 clusters ${word} prod-eu --table zone53 --yes
  zone53 clusters ${word} prod-eu --out plan.json
  zone53 clusters ${word} prod-eu --plan plan.json

Exit codes: 0 done; 1 an error, or a name could not be moved; 3 the guard holds a change.
`,
  );
  command.action(async (cluster: string, flags: StandbyFlags) => {
    const configured = await clusterIdsFrom(flags);
    const output = await reviewedAction(run, flags, {
      config: await fleetConfigFrom(flags),
      carry: (request) => run.useCases.standby({ ...request, cluster, standby, configured }),
      json: jsonStandby,
      print: printStandby,
    });
    run.exitCode =
      output.kind === 'planned' ? exitOfPlan(output.plan, false, 'any') : exitOfApply(output.applied, 'any');
  });
}

/** Adds `clusters retire`. */
function addRetire(clusters: Command, run: Run): void {
  const command = clusters
    .command('retire')
    .description('give the names of a cluster to the others, delete the rest, and forget the cluster')
    .argument('<id>', 'the clusterId')
    .addOption(new Option('--retain', 'leave in Route 53 what no other cluster asks for, and manage it no longer'))
    .addOption(configOption())
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']))
    .addOption(nowOption());
  addLedgerOptions(addForgettingOptions(command)).addHelpText(
    'after',
    `
For a cluster that is gone. Remove it from the configuration first, also where zone53 is deployed: a cluster that is
read again publishes its objects again. Its API server is not read. The command shows which names move to other
clusters, and which record sets are deleted, or stay with --retain. Then it asks, and does it: what moves changes in
one batch. Who answers the question, or gives the plan with --plan, agrees also to the deletes that the guard holds;
--yes does not. If the command ends before it is done, use it again: it continues.

Examples:
  zone53 clusters retire prod-eu --dry-run
  zone53 clusters retire prod-eu --table zone53
  zone53 clusters retire prod-eu --out plan.json
  zone53 clusters retire prod-eu --plan plan.json

Exit codes: 0 the cluster is retired; 1 an error, or something of it is left; 3 the guard holds deletes.
`,
  );
  command.action(async (cluster: string, flags: StandbyFlags & { readonly retain?: boolean }) => {
    const configured = await clusterIdsFrom(flags);
    const asked = { cluster, configured, retain: flags.retain === true, releases: flags.yes !== true };
    const release = () => [retireWith(cluster, asked.retain, flags)];
    const output = await reviewedAction<StandbyOutput>(run, flags, {
      config: await fleetConfigFrom(flags),
      carry: ({ log, ...request }) => {
        // The output says it, and how to release what is held here.
        const others: typeof log = (level, message, fields) => {
          if (!message.startsWith(GUARD_HOLDS)) log(level, message, fields);
        };
        return run.useCases.retire({ ...request, ...asked, log: others });
      },
      json: jsonStandby,
      print: (planned, paint) => printStandby(planned, paint, { release }),
    });
    if (output.kind === 'planned') run.exitCode = exitOfPlan(output.plan, false, 'any');
    else run.exitCode = exitOfApply(output.applied, 'any') || (output.isWhole ? 0 : 1);
  });
}

/** Adds `clusters rebuilt`. */
function addRebuilt(clusters: Command, run: Run): void {
  const command = clusters
    .command('rebuilt')
    .description('say that a cluster was built anew, after which it is read again')
    .argument('<id>', 'the clusterId')
    .addOption(configOption());
  addLedgerOptions(command).addHelpText(
    'after',
    `
The ledger knows a cluster by the uid of its namespace kube-system. Another one with the same id is not read, and
nothing changes: its objects are not those of the first, whose names would be deleted. After this command, the ledger
takes the cluster that is read next for the right one. What it does not ask for is then deleted, under the guard.

Examples:
  zone53 clusters rebuilt prod-eu --table zone53

Exit codes: 0 done; 1 error.
`,
  );
  command.action(async (cluster: string, flags: ClustersFlags) => {
    const configured = await clusterIdsFrom(flags);
    const store = storeFrom(flags);
    await withProgress(run, (progress) =>
      run.useCases.rebuilt({ store, cluster, configured, log: logTo(run, progress) }),
    );
    run.terminal.write(run.terminal.fit(`The next reading notes which cluster ${safeText(cluster)} is.\n`));
  });
}

/** The stable JSON. */
function jsonClusters({ clusters }: ClusterList): object {
  return {
    clusters: clusters.map(({ id, standby, standbyFrom, owns, waits, readMs, configured }) => ({
      ...{ id, standby, standbyFrom, owns, waits },
      ...{ lastReading: timeText(readMs), configured },
    })),
  };
}

function printClusters({ clusters }: ClusterList): string {
  const rows = clusters.map(({ id, standby, owns, waits, readMs, configured }) => [
    safeText(id),
    `${counted(owns, 'name')}${waits === 0 ? '' : `, waits for ${waits}`}${standby ? ', on standby' : ''}`,
    readMs === null ? 'never read' : `last read ${timeText(readMs)}`,
    configured ? '' : 'not in the configuration',
  ]);
  return `${formatColumns(rows, '').join('\n')}\n`;
}

function timeText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
