// Prints a plan as a diff: `+` creates, `-` deletes, `~` updates with both sides, `=` adopts without a change, `!`
// marks notes and held deletes. The sign is in the first column, so that the text works in a ```diff block.
import { jsonMissing } from './missing-hosted-zones.ts';
import type { ChangeOutput, ContentOutput, DnsRecordOutput, HostedZoneOutput, Outcome, PlanOutput } from './output.ts';
import { jsonErrors } from './print-errors.ts';
import { printConditions, whatIsLeft } from './print-render.ts';
import { jsonSources } from './print-sources.ts';
import { type Colour, counted, inPieces, lazily, type Paint, safeText } from './terminal-text.ts';

/** The stable JSON of `plan -o json`. */
export function jsonPlan(plan: PlanOutput): object {
  return {
    hostedZones: plan.hostedZones.map((hostedZone) => jsonHostedZone(hostedZone, jsonChange)),
    errors: jsonErrors(plan.errors),
    sources: jsonSources(plan.sources ?? []),
    ...jsonMissing(plan.resolved),
    ...jsonDnsRecords(plan.dnsRecords),
  };
}

/** The key `dnsRecords`; absent if no DNSRecords are served. */
export function jsonDnsRecords(dnsRecords: PlanOutput['dnsRecords']): object {
  return dnsRecords === undefined ? {} : { dnsRecords: dnsRecords.map(jsonDnsRecord) };
}

function jsonDnsRecord(dnsRecord: DnsRecordOutput): object {
  const { namespace, name, operation, state, account, hostedZone, changes, error, message } = dnsRecord;
  return {
    ...{ namespace, name, operation, state, account, hostedZone },
    changes: changes.map((one) => ({ ...jsonChange(one), hostedZone: one.hostedZone, account: one.account })),
    ...{ error: error === null ? null : { codes: error.codes, message: error.message }, message },
  };
}

/** One hosted zone, with its keys in the order of the contract. */
export function jsonHostedZone<Of extends ChangeOutput>(
  hostedZone: HostedZoneOutput<Of>,
  jsonOf: (change: Of) => object,
): object {
  const { id, name, zone, digest, held, heldDigest, reasons, notes = [], changes } = hostedZone;
  const head = { id, name, zone, digest, held, ...(heldDigest !== undefined && { heldDigest }) };
  return { ...head, reasons: [...reasons, ...notes], changes: lazily(changes, jsonOf) };
}

export function jsonChange(change: ChangeOutput): object {
  const { action, name, type, setIdentifier, before, after, objects, also, standing, message, outcome } = change;
  const said = {
    ...(standing !== undefined && { standing }),
    ...(message !== undefined && { message }),
    ...(outcome !== undefined && { outcome }),
  };
  return { action, name, type, setIdentifier, before, after, objects, ...(also !== undefined && { also }), ...said };
}

/** The whole plan, the objects that it does not publish with the reasons, and a summary. */
export function printPlan(plan: PlanOutput, paint: Paint): string {
  return [...planPieces(plan, paint)].join('');
}

/** The same in pieces, for who writes it: that of a large cluster is long. */
export function* planPieces(plan: PlanOutput, paint: Paint): Generator<string> {
  for (const hostedZone of plan.hostedZones.filter(isWorthPrinting)) {
    yield* printHostedZone(hostedZone, paint, (change) => printPlanned(change, hostedZone.held, paint));
    yield '\n';
  }
  const conditions = plan.resolved === undefined ? '' : printConditions(plan.resolved, paint);
  if (conditions !== '') yield `${conditions}\n`;
  const { dnsRecords = [] } = plan;
  if (dnsRecords.length > 0) yield `${printDnsRecords(dnsRecords, paint)}\n`;
  yield `${printSummary(plan, paint)}\n`;
}

export function isWorthPrinting({ changes, held, notes = [] }: HostedZoneOutput<ChangeOutput>): boolean {
  return changes.length > 0 || held || notes.length > 0;
}

/** Characters of an account's digest that are printed. */
const ACCOUNT_CHARACTERS = 12;

/** The DNSRecords, each with its changes and its problems. */
export function printDnsRecords(dnsRecords: readonly DnsRecordOutput[], paint: Paint): string {
  return `${paint('bold', 'DNSRecords')}\n${dnsRecords.map((one) => printDnsRecord(one, paint)).join('')}`;
}

function printDnsRecord(dnsRecord: DnsRecordOutput, paint: Paint): string {
  const { namespace, name, operation, state, account, hostedZone, changes, error, message } = dnsRecord;
  const zone = hostedZone === null ? '' : `, hosted zone ${safeText(hostedZone)}`;
  const where = `${zone}${account === null ? '' : `, account ${account.slice(0, ACCOUNT_CHARACTERS)}`}`;
  const blocks = changes.map((change) => {
    const isElsewhere = change.hostedZone !== hostedZone;
    const elsewhere = isElsewhere ? paint('dim', `  in hosted zone ${safeText(change.hostedZone)}:\n`) : '';
    return `${elsewhere}${printChange({ ...change, objects: [] }, false, paint)}`;
  });
  const said = [error === null ? '' : [...error.codes, error.message].join(' '), message].filter((text) => text !== '');
  const lines = said.map((text) => `${paint('yellow', `! ${safeText(text)}`)}\n`);
  return `  ${safeText(`${namespace}/${name}`)}: ${operation}, ${state}${where}\n${[...blocks, ...lines].join('')}`;
}

/** A hosted zone, in pieces: its head, its changes, and why the guard holds its deletes. */
export function* printHostedZone<Of extends ChangeOutput>(
  hostedZone: HostedZoneOutput<Of>,
  paint: Paint,
  printOne: (change: Of) => string,
): Generator<string> {
  const id = hostedZone.id === null ? 'hosted zone to be created' : `hosted zone ${safeText(hostedZone.id)}`;
  const head = `${paint('bold', safeText(hostedZone.name))}  ${id}, Zone ${safeText(hostedZone.zone)}\n`;
  const digest = paint('dim', `  digest ${hostedZone.digest}\n`);
  const lines = (texts: readonly string[]) =>
    texts.map((text) => `${paint('yellow', `! ${safeText(text)}`)}\n`).join('');
  const reasons = lines(hostedZone.reasons);
  const held = hostedZone.held ? `${paint('yellow', '! Held by the guard:')}\n${reasons}` : reasons;
  yield head + digest + lines(hostedZone.notes ?? []);
  yield* inPieces(hostedZone.changes.values().map(printOne));
  yield held;
}

function printPlanned({ message = '', ...change }: ChangeOutput, zoneHeld: boolean, paint: Paint): string {
  const { outcome } = change;
  if (outcome === undefined) return printChange({ ...change, message }, zoneHeld, paint);
  return `${printChange(change, zoneHeld, paint)}${printOutcome(outcome, message, paint)}`;
}

const OUTCOME_COLOURS: Readonly<Record<Outcome, Colour>> = {
  published: 'green',
  foreign: 'red',
  drifted: 'red',
  rejected: 'red',
  held: 'yellow',
  failed: 'red',
};

/** What became of a change, or will, and why. */
export function printOutcome(outcome: Outcome, message: string, paint: Paint): string {
  return `      ${paint(OUTCOME_COLOURS[outcome], outcome)}${message === '' ? '' : `: ${safeText(message)}`}\n`;
}

/** All outcomes, in the order in which they are counted. */
export const OUTCOMES = Object.keys(OUTCOME_COLOURS) as readonly Outcome[];

const SIGNS: Readonly<Record<ChangeOutput['action'], { readonly sign: string; readonly colour: Colour }>> = {
  create: { sign: '+', colour: 'green' },
  update: { sign: '~', colour: 'yellow' },
  delete: { sign: '-', colour: 'red' },
  adopt: { sign: '=', colour: 'cyan' },
};

/** One change. `zoneHeld`: the guard holds the deletes of the hosted zone. */
export function printChange(change: ChangeOutput, zoneHeld: boolean, paint: Paint): string {
  const { sign, colour } = SIGNS[change.action];
  const held = zoneHeld && change.action === 'delete' ? paint('yellow', '  (held by the guard)') : '';
  const replaces =
    change.mayReplace === true ? paint('yellow', '  (takeover: may replace an existing record set, not read)') : '';
  const identifier = change.setIdentifier === null ? '' : ` [${safeText(change.setIdentifier)}]`;
  const objects = change.objects.length === 0 ? '' : paint('dim', `  # ${change.objects.map(safeText).join(', ')}`);
  const title = `${sign} ${safeText(change.name)} ${change.type}${identifier}`;
  const lines = [...contentLines(change, paint), ...alsoLines(change, paint), ...standingLines(change, paint)];
  return `${paint(colour, title)}${held}${replaces}${objects}\n${lines.join('\n')}\n`;
}

function alsoLines({ also = [], standing }: ChangeOutput, paint: Paint): readonly string[] {
  return also.map(({ name, type }) =>
    paint('red', `-     with it ${safeText(name)} ${type}${standing === 'external-dns' ? ' of external-dns' : ''}`),
  );
}

function standingLines({ standing, message = '' }: ChangeOutput, paint: Paint): readonly string[] {
  if (message === '' || standing === undefined || standing === 'none') return [];
  return [paint('yellow', `!     ${safeText(message)}`)];
}

function contentLines({ action, before, after }: ChangeOutput, paint: Paint): readonly string[] {
  if (action === 'update' && before !== null && after !== null) return differenceLines(before, after, paint);
  if (action === 'adopt') return after === null ? [] : plainLines(after).map((line) => paint('dim', `      ${line}`));
  const [sign, colour, content] =
    action === 'delete' ? (['-', 'red', before] as const) : (['+', 'green', after] as const);
  return content === null ? [] : plainLines(content).map((line) => paint(colour, `${sign}     ${line}`));
}

/** Content on one line. */
export function contentText(content: ContentOutput | null): string {
  return content === null ? 'nothing' : plainLines(content).join(', ');
}

function plainLines(content: ContentOutput): readonly string[] {
  const routing = routingLine(content);
  const routed = routing === null ? [] : [routing];
  if ('alias' in content) return [aliasLine(content), ...routed];
  return [`ttl ${content.ttl}`, ...content.values.map(safeText), ...routed];
}

function routingLine({ routing, healthCheckId }: ContentOutput): string | null {
  if (routing === undefined) return null;
  const check = healthCheckId === undefined ? '' : `, health check ${healthCheckId}`;
  return safeText(`routing ${JSON.stringify(routing)}${check}`);
}

function aliasLine({ alias }: Extract<ContentOutput, { alias: unknown }>): string {
  const health = alias.evaluateTargetHealth ? ', evaluates target health' : '';
  return `alias ${safeText(alias.dnsName)} in hosted zone ${safeText(alias.hostedZoneId)}${health}`;
}

/** Both sides of an update: the TTL as `300 → 60`, unchanged values dimmed. */
function differenceLines(before: ContentOutput, after: ContentOutput, paint: Paint): readonly string[] {
  if ('alias' in before || 'alias' in after) {
    return [
      ...plainLines(before).map((line) => paint('red', `-     ${line}`)),
      ...plainLines(after).map((line) => paint('green', `+     ${line}`)),
    ];
  }
  const ttl =
    before.ttl === after.ttl
      ? paint('dim', `      ttl ${after.ttl}`)
      : paint('yellow', `~     ttl ${before.ttl} → ${after.ttl}`);
  const gone = before.values.filter((value) => !after.values.includes(value));
  const values = after.values.map((value) =>
    before.values.includes(value)
      ? paint('dim', `      ${safeText(value)}`)
      : paint('green', `+     ${safeText(value)}`),
  );
  const [was, is] = [routingLine(before), routingLine(after)];
  const routing =
    was === is
      ? [is].flatMap((line) => (line === null ? [] : [paint('dim', `      ${line}`)]))
      : [paint('yellow', `~     ${was ?? 'no routing'} → ${is ?? 'no routing'}`)];
  return [ttl, ...gone.map((value) => paint('red', `-     ${safeText(value)}`)), ...values, ...routing];
}

function printSummary(plan: PlanOutput, paint: Paint): string {
  const changes = plan.hostedZones.flatMap(({ changes: all }) => all);
  const { dnsRecords = [] } = plan;
  const refused = dnsRecords.filter(({ state }) => state === 'Error').length;
  const served =
    dnsRecords.length === 0 ? '' : ` ${counted(dnsRecords.length, 'DNSRecord')} to serve, ${refused} refused.`;
  const errors = `${served}${whatIsLeft(plan.errors, plan.resolved)}`;
  const drift = plan.hostedZones.some((zone) => (zone.notes ?? []).length > 0)
    ? ' Changes made by hand are listed above.'
    : '';
  if (changes.length === 0 && served !== '') return paint('yellow', `No changes of Zones.${errors}${drift}`);
  if (changes.length === 0) return nothingToDo(`${errors}${drift}`, paint);
  const count = (action: ChangeOutput['action']) => changes.filter((change) => change.action === action).length;
  const held = plan.hostedZones
    .filter((zone) => zone.held)
    .flatMap((zone) => zone.changes.filter(({ action }) => action === 'delete')).length;
  const zones = plan.hostedZones.filter((zone) => zone.changes.length > 0).length;
  const heldText = held === 0 ? '' : ` (${held} of them held)`;
  const adopts = count('adopt') === 0 ? '' : `${count('adopt')} to adopt, `;
  const occupied = changes.filter(
    (change) => change.action === 'create' && (change.standing ?? 'none') !== 'none',
  ).length;
  const occupiedText = occupied === 0 ? '' : ` (${occupied} of them where others have a record set)`;
  const withheld = changes.filter(({ outcome }) => outcome !== undefined).length;
  const withheldText = withheld === 0 ? '' : ` ${withheld} of them will not be sent.`;
  const text = `${adopts}${count('create')} to create${occupiedText}, ${count('update')} to update, ${count('delete')} to delete${heldText}, in ${counted(zones, 'hosted zone')}.${withheldText}${errors}`;
  return paint('bold', text);
}

/** The last line of a plan without changes. `but`: what is not as wanted nevertheless; empty if all is well. */
export function nothingToDo(but: string, paint: Paint): string {
  return but === '' ? paint('green', 'Nothing to do.') : paint('yellow', `No changes.${but}`);
}
