// Prints the result of `migrate`: for each hosted zone what would be adopted, updated, kept or deleted, and what is
// foreign; then the steps to take, with how to stop external-dns first.
import { realName } from '../../lib/dns/names/view.ts';
import type { HostedZoneMigration, MigrationEntry, MigrationReport } from '../../lib/inspect/migration-report.ts';
import type { ExternalDnsTakeover } from '../../lib/ports/config.ts';
import { describeContent } from '../print/describe-plan.ts';
import { contentText } from '../print/print-plan.ts';
import { type Colour, counted, type Paint, safeText } from '../print/terminal-text.ts';

/** The stable JSON of `migrate -o json`. */
export function jsonMigration({ hostedZones }: MigrationReport): object {
  return {
    hostedZones: hostedZones.map(({ id, name, owner, adopt, update, unwanted, foreign }) => ({
      id,
      name: realName(name),
      owner,
      adopt: adopt.map(jsonEntry),
      update: update.map(jsonEntry),
      unwanted: unwanted.map(jsonEntry),
      foreign: foreign.map(jsonEntry),
    })),
  };
}

function jsonEntry({ name, type, setIdentifier, standing, wanted, wantedType, objects }: MigrationEntry): object {
  const replaced = wantedType === undefined ? {} : { wantedType };
  const contents = { standing: describeContent(standing), wanted: describeContent(wanted), ...replaced };
  return { name: realName(name), type, setIdentifier, ...contents, objects };
}

type Asked = { readonly owner: string; readonly takeover: ExternalDnsTakeover | null };

/** The report for people. */
export function printMigration(report: MigrationReport, asked: Asked, paint: Paint): string {
  const { hostedZones } = report;
  const blocks = hostedZones.map((one) => printHostedZone(one, paint));
  const none = `external-dns owns nothing as "${safeText(asked.owner)}" in the hosted zones of this account. Check that --owner is its --txt-owner-id, and that the configuration has its prefix and suffix.\n`;
  const owned = hostedZones.some(({ adopt, update, unwanted }) => adopt.length + update.length + unwanted.length > 0);
  return [...blocks, owned ? steps(asked, paint) : none].join('\n');
}

function printHostedZone({ id, name, adopt, update, unwanted, foreign, whyKept }: HostedZoneMigration, paint: Paint) {
  const goes = unwanted.filter(({ isDeleted }) => isDeleted === true);
  const stays = unwanted.filter((entry) => !goes.includes(entry));
  const those = goes.length === 1 ? 'it' : 'them';
  const kept = whyKept === null ? 'left unchanged' : `left unchanged: ${whyKept}`;
  const unwantedTitle = (of: readonly MigrationEntry[], fate: string) =>
    `${counted(of.length, 'record set')} that no object asks for: ${fate}`;
  return [
    `${paint('bold', safeText(name))}  hosted zone ${safeText(id)}\n`,
    list('=', 'cyan', `${counted(adopt.length, 'record set')} to adopt, with no change`, adopt, paint),
    list('~', 'yellow', `${counted(update.length, 'record set')} to update to the desired content`, update, paint),
    list('-', 'red', unwantedTitle(goes, `apply deletes ${those}, unless the guard holds ${those}`), goes, paint),
    list(' ', 'dim', unwantedTitle(stays, kept), stays, paint),
    list(
      '!',
      'red',
      `${counted(foreign.length, 'record set')} desired but not owned by this owner: left unchanged`,
      foreign,
      paint,
    ),
  ].join('');
}

function list(sign: string, colour: Colour, title: string, entries: readonly MigrationEntry[], paint: Paint): string {
  if (entries.length === 0) return '';
  return `  ${title}\n${entries.map((entry) => printEntry(sign, colour, entry, paint)).join('')}`;
}

function printEntry(
  sign: string,
  colour: Colour,
  { name, type, setIdentifier, standing, wanted, wantedType, objects, note }: MigrationEntry,
  paint: Paint,
): string {
  const identifier = setIdentifier === null ? '' : ` [${safeText(setIdentifier)}]`;
  const by = objects.length === 0 ? '' : paint('dim', `  # ${objects.map(safeText).join(', ')}`);
  const from = contentText(describeContent(standing));
  const as = wantedType === undefined ? '' : `${wantedType} `;
  const to = sign === '~' || sign === '!' ? ` → ${as}${contentText(describeContent(wanted))}` : '';
  const why = note === undefined ? '' : `\n        ${safeText(note)}`;
  return `    ${paint(colour, `${sign} ${safeText(name)} ${type}${identifier}`)}  ${from}${to}${by}${why}\n`;
}

function steps({ owner, takeover }: Asked, paint: Paint): string {
  const configure =
    takeover === null
      ? `Let apply take over: in zone53.yaml, takeover: { externalDns: [{ ownerId: ${safeText(JSON.stringify(owner))} }] }`
      : 'The configuration lets apply take over from this owner already';
  return `${paint('bold', 'What to do')}
  1. Stop this external-dns first, or it writes its records again: kubectl scale deployment external-dns --replicas=0
     (in its own namespace; and keep it so in the chart or the GitOps repository that deploys it).
  2. ${configure}.
  3. zone53 plan shows the changes, zone53 apply makes them: each record set and its TXT records in one batch.
`;
}
