// `zone53 export`: the same as `render -o zonefile`, under the name that a user expects who moves away.
import { type Command, Option } from 'commander';
import { inheritedEntries } from '../../lib/report/inherited-entries.ts';
import { parseView } from '../account/parse-asked.ts';
import { exitOfRender } from '../print/exit-code.ts';
import { printConditions, printZoneFiles } from '../print/print-render.ts';
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

/** Adds the command. */
export function addExport(program: Command, run: Run): void {
  const command = program
    .command('export')
    .description('print the live Zones as zone files, as render -o zonefile does; changes nothing')
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(new Option('-o, --output <format>', 'the format').choices(['zonefile']).default('zonefile'))
    .addOption(new Option('--view <name>', 'only the Zones of this view').argParser(parseView))
    .addOption(strictOption());
  addCommonOptions(command).addHelpText(
    'after',
    `
Examples:
  zone53 export -f dns/ -o zonefile > example.org.zone
  zone53 export -f dns/example.yaml | named-checkzone example.org /dev/stdin   if its Zone declares NS records

Exit codes: 0 success; 1 something cannot be read; with --strict also if an object is not accepted.
`,
  );
  command.action(async (flags: CommonFlags & SourceFlags & { readonly view?: string }) => {
    const source = sourceFrom(flags);
    const config = await configFrom(flags);
    const resolved = await withProgress(run, (progress) =>
      run.useCases.render({ ...common(run, config, flags, progress), source }),
    );
    run.terminal.write(printZoneFiles(resolved, flags.view ?? null, await inheritedEntries(resolved.zones, config)));
    run.terminal.writeError(printConditions(resolved, run.terminal.paintError));
    sayErrors(run, resolved, false);
    run.exitCode = exitOfRender(resolved, flags.strict === true);
  });
}
