// `zone53 render`: shows the zones that manifests, or the objects of a cluster, make.
import { type Command, Option } from 'commander';
import { inheritedEntries } from '../../lib/report/inherited-entries.ts';
import { parseView } from '../account/parse-asked.ts';
import { exitOfRender } from '../print/exit-code.ts';
import { jsonCluster, printConditions, printRender, printZoneFiles } from '../print/print-render.ts';
import { jsonPieces } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import {
  addCommonOptions,
  type CommonFlags,
  configFrom,
  contextOption,
  fileOption,
  type SourceFlags,
  sourceFrom,
  strictOption,
} from './options.ts';
import { common, type Run, sayErrors, withProgress } from './run-command.ts';

type RenderFlags = CommonFlags & SourceFlags & { readonly output?: 'json' | 'zonefile'; readonly view?: string };

/** Adds the command. */
export function addRender(program: Command, run: Run): void {
  const command = program
    .command('render')
    .description('show the zones that these objects make, and what is wrong with them; changes nothing')
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(
      new Option('-o, --output <format>', 'print JSON, or the live Zones as zone files').choices(['json', 'zonefile']),
    )
    .addOption(new Option('--view <name>', 'with -o zonefile: only the Zones of this view').argParser(parseView))
    .addOption(strictOption());
  addCommonOptions(command).addHelpText(
    'after',
    `
Examples:
  zone53 render -f dns/ -f extra.yaml
  kubectl get zones,records -A -o yaml | zone53 render -f - --strict
  zone53 render --context prod --strict
  zone53 render -f dns/ -o json | jq '.zones[].entries'
  zone53 render -f dns/example.yaml -o zonefile > example.org.zone

Exit codes:
  0  success, also if objects are not accepted
  1  something cannot be read; with --strict also if an object is not accepted
`,
  );
  command.action(async (flags: RenderFlags) => {
    if (flags.view !== undefined && flags.output !== 'zonefile')
      throw new UsageError('--view chooses zone files: use it with -o zonefile');
    const source = sourceFrom(flags);
    const config = await configFrom(flags);
    const resolved = await withProgress(run, (progress) =>
      run.useCases.render({ ...common(run, config, flags, progress), source }),
    );
    const { terminal } = run;
    if (flags.output === 'json') for (const piece of jsonPieces(jsonCluster(resolved))) terminal.write(piece);
    else if (flags.output === 'zonefile') {
      terminal.write(printZoneFiles(resolved, flags.view ?? null, await inheritedEntries(resolved.zones, config)));
      terminal.writeError(terminal.fitError(printConditions(resolved, terminal.paintError)));
    } else terminal.write(terminal.fit(printRender(resolved, terminal.paint)));
    sayErrors(run, resolved, flags.output === 'json');
    run.exitCode = exitOfRender(resolved, flags.strict === true);
  });
}
