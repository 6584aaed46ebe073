// `zone53 clusters`: which clusters share the ledger.
import { type Command, Option } from 'commander';
import type { ClusterList } from '../account/list-clusters.ts';
import { counted, formatColumns, formatJson, safeText } from '../print/terminal-text.ts';
import {
  addLedgerOptions,
  type CommonFlags,
  clusterIdsFrom,
  configOption,
  fleetConfigFrom,
  type StoreFlags,
  storeFrom,
} from './options.ts';
import { type Run, withProgress } from './run-command.ts';

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
