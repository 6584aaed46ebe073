// `zone53 import`: writes the record sets of a hosted zone or a zone file as manifests.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { makeFolders } from '../../lib/adapters/ledger/make-folders.ts';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import { readName } from '../../lib/dns/names/name.ts';
import { PUBLIC, realName, viewOf } from '../../lib/dns/names/view.ts';
import type { DescribedOwn as Described } from '../../lib/import/describe-own.ts';
import { WRITERS, type Writer } from '../../lib/import/written-by-others.ts';
import { isObjectName } from '../../lib/objects/object-ref.ts';
import { printManifests } from '../account/print-manifests.ts';
import type { ImportRequest } from '../account/requests.ts';
import { counted, safeText } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import { type CommonFlags, clusterOption, configFrom, configOption, nowOption } from './options.ts';
import { common, type Run, withProgress } from './run-command.ts';

type ImportFlags = Omit<CommonFlags, 'source'> & {
  readonly hostedZone?: string;
  readonly origin?: string;
  readonly namespace: string;
  readonly zoneName?: string;
  readonly output?: string;
  readonly takeover?: boolean;
  readonly with?: readonly Writer[];
};

/** Adds the command. */
export function addImport(program: Command, run: Run): void {
  const command = program
    .command('import')
    .description('write manifests of all record sets in a zone file or a hosted zone; changes nothing in Route 53')
    .argument('[file]', 'the zone file (RFC 1035), such as BIND reads; - is standard input')
    .addOption(
      new Option(
        '--hosted-zone <id>',
        'read the hosted zone with this id instead, such as Z0123456789ABCDEFGHIJ',
      ).argParser(parseHostedZoneId),
    )
    .addOption(
      new Option(
        '--origin <name>',
        'of a zone file: the origin until it has $ORIGIN, and its zone if it has no SOA',
      ).argParser(parseOrigin),
    )
    .addOption(
      new Option('--namespace <name>', 'put the objects into this namespace')
        .argParser(parseObjectName)
        .default('default'),
    )
    .addOption(
      new Option('--zone-name <name>', 'the name of the Zone; default: the DNS name').argParser(parseObjectName),
    )
    .addOption(
      new Option('--takeover', 'annotate the Zone zone53.dev/takeover: "true", so that apply takes over what is there'),
    )
    .addOption(
      new Option(
        '--with <what>',
        'also what others write: registry (TXT records of external-dns), acme (challenges), or both with a comma',
      ).argParser(parseWriters),
    )
    .addOption(new Option('-o, --output <folder>', 'write a file into this folder; default: standard output'))
    .addOption(configOption())
    .addOption(clusterOption())
    .addOption(nowOption());
  command.addHelpText(
    'after',
    `
Without --takeover, apply leaves what Route 53 has as it is, and says so. With it, the Zone has the annotation
zone53.dev/takeover: "true", and apply adopts the record sets. Remove the annotation afterwards. If external-dns owns
some of them, zone53 migrate takes them from it instead.
The TXT records in which external-dns notes what it owns, and those of ACME challenges (_acme-challenge, and where a
CNAME leads from there), are left out and counted: their programs write and delete them. --with imports them. The CNAME
and NS records that delegate a challenge are imported.
The NS and SOA record sets of the apex belong to Route 53 and are not imported. If zone53 publishes the SOA (key soa of
the configuration), the Zone has its TTL and timers.
A zone file has $ORIGIN and $TTL, TTLs such as 1h30m, and types and data as RFC 3597 writes them (TYPE1, \\#). $INCLUDE,
$GENERATE and other directives are errors, and so are types and classes that Route 53 does not have. An error has file
and line and costs its own record; after a quote or a parenthesis that stays open, nothing more is read. The Zone has
the TTL and the timers of the SOA. A Record has the lowest TTL of its values.
With -o, the file is <dns name>.yaml. For a private hosted zone, or if several public ones have the name, it is
<dns name>.<id>.yaml.

Examples:
  zone53 import db.example.org -o dns/
  dig @ns1.example.net example.org AXFR | zone53 import - > example.org.yaml
  zone53 import db.10 --origin 10.in-addr.arpa > reverse.yaml
  zone53 import --hosted-zone Z0123456789ABCDEFGHIJ --namespace platform > example.org.yaml
  zone53 import --hosted-zone Z0123456789ABCDEFGHIJ --takeover -o dns/
  zone53 plan -f dns/                            shows only adopt
  zone53 apply -f dns/ --yes                     writes nothing to Route 53

Exit codes: 0 all imported; 1 an error, or a record set that a Record cannot express (the others are imported).
`,
  );
  command.action((file: string | undefined, flags: ImportFlags) => importAction(run, file, flags));
}

async function importAction(run: Run, file: string | undefined, flags: ImportFlags): Promise<void> {
  const { hostedZone, origin } = flags;
  if ((file === undefined) === (hostedZone === undefined))
    throw new UsageError('Name a zone file (- is standard input), or a hosted zone with --hosted-zone, and not both.');
  if (hostedZone !== undefined && origin !== undefined)
    throw new UsageError('--origin is for a zone file; a hosted zone has its own name.');
  const asked = {
    namespace: flags.namespace,
    zoneName: flags.zoneName ?? null,
    takesOver: flags.takeover === true,
    withWriters: flags.with ?? [],
  };
  const config = await configFrom(flags);
  if (hostedZone !== undefined) return importHosted(run, hostedZone, flags, { ...asked, config });
  const imported = await run.useCases.importZoneFile({ ...asked, config, file: file ?? '-', origin: origin ?? null });
  if (imported.apex !== null) await writeOut(run, flags, imported, fileNameOf(imported.apex, null));
  sayRest(run, flags, imported);
}

type Asked = Pick<ImportRequest, 'config' | 'namespace' | 'zoneName' | 'takesOver' | 'withWriters'>;

async function importHosted(run: Run, hostedZoneId: string, flags: ImportFlags, asked: Asked): Promise<void> {
  const { terminal } = run;
  const imported = await withProgress(run, (progress) =>
    run.useCases.importHostedZone({ ...common(run, asked.config, flags, progress), ...asked, hostedZoneId }),
  );
  if (imported === 'gone') {
    throw new UsageError(
      `Cannot import hosted zone ${hostedZoneId}: the account has none with this id, or it was deleted during the import. Nothing was written. "aws route53 list-hosted-zones" lists the hosted zones.`,
    );
  }
  const { apex, isPrivate, isShared } = imported;
  // A view is known only of a hosted zone that the configuration names already.
  const isOfView = viewOf(apex) !== PUBLIC;
  await writeOut(
    run,
    flags,
    imported,
    fileNameOf(realName(apex), isPrivate || isShared || isOfView ? hostedZoneId : null),
  );
  if (isPrivate && !isOfView) {
    const entry = `{ zone: ${apex}, id: ${hostedZoneId}, visibility: private }`;
    terminal.writeError(
      `note: a private hosted zone is never found by name: plan and apply need "hostedZones: [${safeText(entry)}]" in the configuration\n`,
    );
  }
  if (isShared) {
    const entry = `{ zone: ${apex}, id: ${hostedZoneId} }`;
    terminal.writeError(
      `note: the account has several public hosted zones named ${safeText(apex)}: plan and apply need "hostedZones: [${safeText(entry)}]" in the configuration\n`,
    );
  }
  if (imported.unlisted !== null)
    terminal.writeError(`note: what is protected could not be listed: ${safeText(imported.unlisted)}\n`);
  sayRest(run, flags, imported);
}

/** Prints the objects, or writes them into the folder. */
async function writeOut({ terminal }: Run, flags: ImportFlags, imported: Described, name: string): Promise<void> {
  const text = printManifests(imported.manifests, imported.remarks);
  if (flags.output === undefined) {
    terminal.write(text);
    return;
  }
  const file = await writeManifests(flags.output, name, text);
  terminal.writeError(`wrote ${safeText(file)}: 1 Zone and ${counted(imported.manifests.length - 1, 'Record')}\n`);
}

/** Says what others wrote and what could not be imported, and sets the exit code. */
function sayRest(run: Run, flags: ImportFlags, imported: Described): void {
  const { terminal } = run;
  for (const note of notesOnOthers(imported, flags)) terminal.writeError(`note ${safeText(note)}\n`);
  for (const problem of imported.problems)
    terminal.writeError(`${terminal.paintError('red', 'error:')} ${safeText(problem)}\n`);
  run.exitCode = imported.problems.length > 0 ? 1 : 0;
}

/** What was found of other programs, and whether it was imported. */
function notesOnOthers({ others: { writers, owners, mixed } }: Described, flags: ImportFlags): readonly string[] {
  const count = (writer: Writer) => [...writers.values()].filter((one) => one === writer).length;
  const fate = (writer: Writer) =>
    flags.with?.includes(writer) === true ? 'imported' : `left out (--with ${writer} imports them)`;
  const [registry, acme] = [count('registry'), count('acme')];
  const notes: string[] = [];
  if (registry > 0) {
    const names = owners.map((owner) => JSON.stringify(owner)).join(', ');
    const as = owners.length === 0 ? '' : `, with the owner ${names}`;
    const spelt = (owner: string) => (/^[\w.-]+$/.test(owner) ? owner : JSON.stringify(owner));
    const how = owners.map((owner) => `zone53 migrate --from external-dns --owner ${spelt(owner)}`).join(', ');
    const next = how === '' ? '' : `. What they speak for belongs to external-dns: see ${how}`;
    notes.push(`TXT records in which external-dns notes what it owns${as}: ${registry} ${fate('registry')}${next}`);
  }
  for (const name of mixed)
    notes.push(`TXT ${name} has a value in which external-dns notes what it owns, beside others: imported as it is`);
  if (acme > 0)
    notes.push(`TXT records of ACME challenges, which cert-manager or the like writes: ${acme} ${fate('acme')}`);
  return notes;
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
function fileNameOf(apex: string, id: string | null): string {
  const name = apex.slice(0, -1).replaceAll(/[^a-z0-9._-]/g, '-') || 'root';
  return `${id === null ? name : `${name}.${id}`}.yaml`;
}

function parseOrigin(value: string): string {
  const parsed = readName(value);
  if (!parsed.ok) throw new InvalidArgumentError(`${parsed.problems.join('; ')}.`);
  return parsed.name;
}

function parseHostedZoneId(value: string): string {
  const [, id] = /^(?:\/hostedzone\/)?([A-Za-z0-9]{1,32})$/.exec(value) ?? [];
  if (id === undefined) throw new InvalidArgumentError('Write the id of a hosted zone, such as Z0123456789ABCDEFGHIJ.');
  return id;
}

function parseWriters(value: string, before: readonly Writer[] = []): readonly Writer[] {
  const found = value.split(',').map((one) => WRITERS.find((writer) => writer === one.trim()));
  if (found.includes(undefined)) throw new InvalidArgumentError(`Write ${WRITERS.join(', ')}, or both with a comma.`);
  return [...before, ...found.filter((writer) => writer !== undefined)];
}

function parseObjectName(value: string): string {
  if (!isObjectName(value))
    throw new InvalidArgumentError('Write a valid Kubernetes name: lower-case letters, digits, "-" and ".".');
  return value;
}
