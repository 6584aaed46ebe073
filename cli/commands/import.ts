// `zone53 import`: writes the record sets of a hosted zone as manifests.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { makeFolders } from '../../lib/adapters/ledger/make-folders.ts';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import type { Imported } from '../../lib/import/import-hosted-zone.ts';
import { isObjectName } from '../../lib/objects/object-ref.ts';
import { printManifests } from '../account/print-manifests.ts';
import { counted, safeText } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import { type CommonFlags, configFrom, configOption, nowOption } from './options.ts';
import { common, type Run, withProgress } from './run-command.ts';

type ImportFlags = Omit<CommonFlags, 'source'> & {
  readonly hostedZone: string;
  readonly namespace: string;
  readonly zoneName?: string;
  readonly output?: string;
};

type Described = Exclude<Imported, 'gone'>;

/** Adds the command. */
export function addImport(program: Command, run: Run): void {
  const command = program
    .command('import')
    .description('write manifests of all record sets in a hosted zone; changes nothing in Route 53')
    .addOption(
      new Option('--hosted-zone <id>', 'the id of the hosted zone, such as Z0123456789ABCDEFGHIJ')
        .argParser(parseHostedZoneId)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--namespace <name>', 'put the objects into this namespace')
        .argParser(parseObjectName)
        .default('default'),
    )
    .addOption(
      new Option('--zone-name <name>', 'the name of the Zone; default: the DNS name').argParser(parseObjectName),
    )
    .addOption(new Option('-o, --output <folder>', 'write a file into this folder; default: standard output'))
    .addOption(configOption())
    .addOption(nowOption());
  command.addHelpText(
    'after',
    `
The Zone has the annotation zone53.dev/takeover: "true", so that apply adopts the record sets. Remove it afterwards.
The NS and SOA record sets of the apex belong to Route 53 and are not imported. If zone53 publishes the SOA (key soa of
the configuration), the Zone has its TTL and timers.
With -o, the file is <dns name>.yaml. For a private hosted zone, or if several public ones have the name, it is
<dns name>.<id>.yaml.

Examples:
  zone53 import --hosted-zone Z0123456789ABCDEFGHIJ -o dns/
  zone53 import --hosted-zone Z0123456789ABCDEFGHIJ --namespace platform > example.org.yaml
  zone53 plan -f dns/                            shows only adopt
  zone53 apply -f dns/ --yes                     writes nothing to Route 53

Exit codes: 0 all imported; 1 an error, or a record set that a Record cannot express (the others are imported).
`,
  );
  command.action((flags: ImportFlags) => importAction(run, flags));
}

async function importAction(run: Run, flags: ImportFlags): Promise<void> {
  const { terminal } = run;
  const config = await configFrom(flags);
  const imported = await withProgress(run, (progress) =>
    run.useCases.importHostedZone({
      ...common(run, config, flags, progress),
      hostedZoneId: flags.hostedZone,
      namespace: flags.namespace,
      zoneName: flags.zoneName ?? null,
    }),
  );
  if (imported === 'gone') {
    throw new UsageError(
      `Cannot import hosted zone ${flags.hostedZone}: the account has none with this id, or it was deleted during the import. Nothing was written. "aws route53 list-hosted-zones" lists the hosted zones.`,
    );
  }
  const text = printManifests(imported.manifests);
  if (flags.output === undefined) terminal.write(text);
  else {
    const file = await writeManifests(flags.output, fileNameOf(imported, flags.hostedZone), text);
    terminal.writeError(`wrote ${safeText(file)}: 1 Zone and ${counted(imported.manifests.length - 1, 'Record')}\n`);
  }
  if (imported.isPrivate) {
    const entry = `{ zone: ${imported.apex}, id: ${flags.hostedZone}, visibility: private }`;
    terminal.writeError(
      `note a private hosted zone is never found by name: plan and apply need "hostedZones: [${safeText(entry)}]" in the configuration\n`,
    );
  }
  if (imported.isShared) {
    const entry = `{ zone: ${imported.apex}, id: ${flags.hostedZone} }`;
    terminal.writeError(
      `note the account has several public hosted zones named ${safeText(imported.apex)}: plan and apply need "hostedZones: [${safeText(entry)}]" in the configuration\n`,
    );
  }
  for (const problem of imported.problems)
    terminal.writeError(`${terminal.paintError('red', 'error')} ${safeText(problem)}\n`);
  run.exitCode = imported.problems.length > 0 ? 1 : 0;
}

/** Writes the file and returns its path. A file that exists may have been edited, so it is not replaced. */
async function writeManifests(folder: string, name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  try {
    makeFolders(folder);
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`Cannot write "${file}": ${reasonOf(error)}`);
  }
  return file;
}

/** The DNS name, with the id if another hosted zone may have the same name. */
function fileNameOf({ apex, isPrivate, isShared }: Described, id: string): string {
  const name = apex.slice(0, -1).replaceAll(/[^a-z0-9._-]/g, '-') || 'root';
  return `${isPrivate || isShared ? `${name}.${id}` : name}.yaml`;
}

function parseHostedZoneId(value: string): string {
  const [, id] = /^(?:\/hostedzone\/)?([A-Za-z0-9]{1,32})$/.exec(value) ?? [];
  if (id === undefined) throw new InvalidArgumentError('Write the id of a hosted zone, such as Z0123456789ABCDEFGHIJ.');
  return id;
}

function parseObjectName(value: string): string {
  if (!isObjectName(value))
    throw new InvalidArgumentError('Write a valid Kubernetes name: lower-case letters, digits, "-" and ".".');
  return value;
}
