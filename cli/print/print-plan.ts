// Prints a plan as a diff: `+` creates, `-` deletes, `~` updates with both sides, `=` adopts without a change, `!`
// marks notes and held deletes. The sign is in the first column, so that the text works in a ```diff block.

import { inView, PUBLIC } from '../../lib/dns/names/view.ts';
import { withoutShare } from '../../lib/objects/share-id.ts';
import { HEALTH_CHECK_PRICES_OF } from '../../lib/route53/health-check-prices.ts';
import { withoutHow } from './how-to-release.ts';
import type { UnknownLedger } from './ledger-unknown.ts';
import { jsonMissing } from './missing-hosted-zones.ts';
import type {
  ChangeOutput,
  ContentOutput,
  DnsRecordOutput,
  HostedZoneOutput,
  Outcome,
  PlanOutput,
  UnmanagedOutput,
} from './output.ts';
import { noteOf } from './output.ts';
import { jsonErrors } from './print-errors.ts';
import { printConditions, whatIsLeft } from './print-render.ts';
import { jsonSources } from './print-sources.ts';
import { problemsOf } from './problems.ts';
import { outcomeWord, sumUp } from './sum-up.ts';
import { type Colour, counted, inPieces, lazily, type Paint, safeText } from './terminal-text.ts';

const NO_OBJECTS = { zones: [], records: [], sources: [] };

/** The stable JSON of `plan -o json`. `whole`: if a part is shown, the plan with all problems, as the exit code has. */
export function jsonPlan(plan: PlanOutput, whole: PlanOutput = plan): object {
  return {
    hostedZones: plan.hostedZones.map((hostedZone) => jsonHostedZone(hostedZone, jsonChange)),
    problems: problemsOf({ ...whole, resolved: whole.resolved ?? NO_OBJECTS }),
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
  const {
    id,
    name,
    zone,
    digest,
    held,
    heldDigest,
    holds = [],
    reasons,
    notes = [],
    drifts,
    adopts,
    calls,
    changes,
    unmanaged,
  } = hostedZone;
  const head = {
    id: id === null ? null : withoutShare(id),
    name,
    zone,
    digest,
    held,
    heldDigest: heldDigest ?? null,
    holds,
  };
  const said = { reasons: [...reasons, ...notes], ...(drifts !== undefined && { drifts }) };
  const last = { changes: lazily(changes, jsonOf), ...(unmanaged !== undefined && { unmanaged }) };
  return { ...head, ...said, ...(adopts !== undefined && { adopts }), ...(calls !== undefined && { calls }), ...last };
}

export function jsonChange(change: ChangeOutput): object {
  const {
    action,
    name,
    type,
    setIdentifier,
    cluster,
    from,
    view = PUBLIC,
    before,
    after,
    objects,
    held = false,
  } = change;
  const { also, healthChecks, standing, message, outcome } = change;
  const said = {
    ...(standing !== undefined && { standing }),
    ...(message !== undefined && { message }),
    ...(outcome !== undefined && { outcome }),
  };
  const asked = {
    ...{ action, name, type, setIdentifier },
    ...(cluster !== undefined && { cluster }),
    ...(from !== undefined && { from }),
    ...{ view, before, after, objects, held },
  };
  return {
    ...asked,
    ...(also !== undefined && { also }),
    ...(healthChecks !== undefined && { healthChecks }),
    ...said,
  };
}

/** How a plan, or what became of it, is printed. */
export type Shown = {
  /** Every change has its lines; otherwise a long plan is summed up. */
  readonly all?: boolean;
  /** The commands with which the held deletes of a Zone ("ns/name") are released, to be copied. */
  readonly release?: (zone: string, digest: string) => readonly string[];
};

/** The whole plan, the objects that it does not publish with the reasons, and a summary. */
export function printPlan(plan: PlanOutput, paint: Paint, shown: Shown = {}): string {
  return [...planPieces(plan, paint, shown)].join('');
}

/** The same in pieces, for who writes it: that of a large cluster is long. */
export function* planPieces(plan: PlanOutput, paint: Paint, shown: Shown = {}): Generator<string> {
  yield printLedger(plan, paint);
  for (const hostedZone of plan.hostedZones.filter(isWorthPrinting).map((one) => withoutEqual(one, plan.ledger))) {
    yield* printHostedZone(hostedZone, paint, (change) => printPlanned(change, paint), shown);
    yield '\n';
  }
  const conditions = plan.resolved === undefined ? '' : printConditions(withoutNoted(plan, plan.resolved), paint);
  if (conditions !== '') yield `${conditions}\n`;
  const { dnsRecords = [] } = plan;
  if (dnsRecords.length > 0) yield `${printDnsRecords(dnsRecords, paint)}\n`;
  yield `${printSummary(plan, paint)}\n`;
}

/** The objects, without the condition `Drifted` of those about which a note of their hosted zone says it. */
function withoutNoted(
  { hostedZones }: PlanOutput,
  { zones, records, sources }: NonNullable<PlanOutput['resolved']>,
): NonNullable<PlanOutput['resolved']> {
  const noted = hostedZones.flatMap(({ notes = [], drifts = [] }) =>
    drifts.filter((drift) => notes.includes(noteOf(drift))),
  );
  const objects = new Set(noted.flatMap((one) => one.objects));
  if (objects.size === 0) return { zones, records, sources };
  const said = <Of extends { readonly conditions: (typeof records)[number]['conditions'] }>(one: Of): Of => {
    return { ...one, conditions: one.conditions.filter(({ reason }) => reason !== 'Drifted') };
  };
  return {
    zones: zones.map((one) => (objects.has(`Zone ${one.namespace}/${one.name}`) ? said(one) : one)),
    records: records.map((one) => (objects.has(`Record ${one.namespace}/${one.name}`) ? said(one) : one)),
    sources: sources.map((one) =>
      objects.has(`${one.kind} ${one.namespace}/${one.name}`) ? { ...one, endpoints: one.endpoints.map(said) } : one,
    ),
  };
}

/** The line about a ledger that knows nothing of what stands as wanted; empty if there is none. */
export function printLedger({ ledger }: Pick<PlanOutput, 'ledger'>, paint: Paint): string {
  return ledger == null ? '' : `${paint('yellow', `! ${safeText(ledger.says)}`)}\n\n`;
}

/** A hosted zone of such a ledger, without a message at each record set that stands as wanted. */
export function withoutEqual<Of extends ChangeOutput>(
  hostedZone: HostedZoneOutput<Of>,
  ledger: UnknownLedger | null | undefined,
): HostedZoneOutput<Of> {
  if (ledger?.zones.includes(hostedZone.zone) !== true) return hostedZone;
  const changes = hostedZone.changes.map((one) => (one.standing === 'equal' ? { ...one, message: '' } : one));
  return { ...hostedZone, changes };
}

export function isWorthPrinting({
  changes,
  held,
  notes = [],
  unmanaged = [],
}: HostedZoneOutput<ChangeOutput>): boolean {
  return changes.length > 0 || held || notes.length > 0 || unmanaged.length > 0;
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
    return `${elsewhere}${printChange({ ...change, objects: [] }, paint)}`;
  });
  const said = [error === null ? '' : [...error.codes, error.message].join(' '), message].filter((text) => text !== '');
  const lines = said.map((text) => `${paint('yellow', `! ${safeText(text)}`)}\n`);
  return `  ${safeText(`${namespace}/${name}`)}: ${operation}, ${state}${where}\n${[...blocks, ...lines].join('')}`;
}

export const NOT_READ = 'Route 53 was not read: what stands at the names of creates is not shown.';

/** A hosted zone, in pieces: its head, its changes, and why the guard holds its deletes. */
export function* printHostedZone<Of extends ChangeOutput>(
  hostedZone: HostedZoneOutput<Of>,
  paint: Paint,
  printOne: (change: Of) => string,
  { all = false, release }: Shown,
): Generator<string> {
  const id =
    hostedZone.id === null ? 'hosted zone to be created' : `hosted zone ${safeText(withoutShare(hostedZone.id))}`;
  const head = `${paint('bold', safeText(inView(hostedZone.name, hostedZone.view ?? PUBLIC)))}  ${id}, Zone ${safeText(hostedZone.zone)}\n`;
  const digest = paint('dim', `  digest ${hostedZone.digest}\n`);
  const lines = (texts: readonly string[]) =>
    texts.map((text) => `${paint('yellow', `! ${safeText(text)}`)}\n`).join('');
  const { heldDigest = null } = hostedZone;
  const commands = heldDigest === null || release === undefined ? [] : release(hostedZone.zone, heldDigest);
  const reasons = lines(
    commands.length === 0 ? hostedZone.reasons : hostedZone.reasons.map((reason) => withoutHow(reason, heldDigest)),
  );
  const held = hostedZone.held ? `${paint('yellow', '! Held by the guard:')}\n${reasons}` : reasons;
  const summed = sumUp(hostedZone.changes, all);
  yield head +
    digest +
    lines([...(hostedZone.notes ?? []), ...(hostedZone.hidesWhatStands === true ? [NOT_READ] : [])]);
  yield* inPieces(summed.shown.values().map(printOne));
  if (summed.lines.length > 0)
    yield `${summed.lines.map((line, at) => `${at === 0 ? '' : '  '}  ${safeText(line)}`).join('\n')}\n`;
  yield* inPieces((hostedZone.unmanaged ?? []).values().map((one) => printUnmanaged(one, paint)));
  yield held;
  if (commands.length > 0)
    yield `${paint('yellow', '! To release them:')}\n${commands.map((one) => `    ${one}\n`).join('')}`;
}

function printUnmanaged({ name, type, setIdentifier, content }: UnmanagedOutput, paint: Paint): string {
  const identifier = setIdentifier === null ? '' : ` [${safeText(setIdentifier)}]`;
  const title = `? ${safeText(name)} ${type}${identifier}`;
  return `${paint('yellow', title)}${paint('dim', `  # nobody asks for it: ${contentText(content)}`)}\n`;
}

function printPlanned({ message = '', ...change }: ChangeOutput, paint: Paint): string {
  const { outcome } = change;
  if (outcome === undefined) return printChange({ ...change, message }, paint);
  return `${printChange(change, paint)}${printOutcome({ ...change, outcome }, message, paint)}`;
}

const OUTCOME_COLOURS: Readonly<Record<Outcome, Colour>> = {
  published: 'green',
  foreign: 'red',
  drifted: 'red',
  rejected: 'red',
  protected: 'red',
  held: 'yellow',
  failed: 'red',
};

/** What became of a change, or will, and why. */
export function printOutcome(
  { action, outcome }: { readonly action: ChangeOutput['action']; readonly outcome: Outcome },
  message: string,
  paint: Paint,
): string {
  return `      ${paint(OUTCOME_COLOURS[outcome], outcomeWord(action, outcome))}${message === '' ? '' : `: ${safeText(message)}`}\n`;
}

/** All outcomes, in the order in which they are counted. */
export const OUTCOMES = Object.keys(OUTCOME_COLOURS) as readonly Outcome[];

const SIGNS: Readonly<Record<ChangeOutput['action'], { readonly sign: string; readonly colour: Colour }>> = {
  create: { sign: '+', colour: 'green' },
  update: { sign: '~', colour: 'yellow' },
  delete: { sign: '-', colour: 'red' },
  adopt: { sign: '=', colour: 'cyan' },
  forget: { sign: '>', colour: 'cyan' },
};

/** One change. Where its outcome is known, that says whether it is held. */
export function printChange(change: ChangeOutput, paint: Paint): string {
  const { sign, colour } = SIGNS[change.action];
  const held = isHeldByGuard(change) ? paint('yellow', '  (held by the guard)') : '';
  const replaces =
    change.mayReplace === true ? paint('yellow', '  (takeover: may replace an existing record set, not read)') : '';
  const identifier = change.setIdentifier === null ? '' : ` [${safeText(change.setIdentifier)}]`;
  const from = change.from === undefined ? '' : paint('yellow', `  (from cluster ${safeText(change.from)})`);
  const by = change.why ?? change.objects.join(', ');
  const objects = by === '' ? '' : paint('dim', `  # ${safeText(by)}`);
  const title = `${sign} ${safeText(change.name)} ${change.type}${identifier}`;
  const lines = [
    ...contentLines(change, paint),
    ...alsoLines(change, paint),
    ...healthCheckLines(change, paint),
    ...standingLines(change, paint),
  ];
  return `${paint(colour, title)}${held}${replaces}${from}${objects}\n${lines.join('\n')}\n`;
}

/** True for a change of a plan that the guard holds: a delete, or a create that waits for one. */
function isHeldByGuard({ held, outcome }: ChangeOutput): boolean {
  return held === true && outcome === undefined;
}

function alsoLines({ action, also = [], standing }: ChangeOutput, paint: Paint): readonly string[] {
  if (action === 'forget')
    return also.map(({ name, type }) => paint('green', `+     with it ${safeText(name)} ${type} of external-dns`));
  return also.map(({ name, type }) =>
    paint('red', `-     with it ${safeText(name)} ${type}${standing === 'external-dns' ? ' of external-dns' : ''}`),
  );
}

const OF_HEALTH_CHECK = {
  create: { sign: '+', colour: 'green' },
  update: { sign: '~', colour: 'yellow' },
  delete: { sign: '-', colour: 'red' },
} as const;

function healthCheckLines({ healthChecks = [] }: ChangeOutput, paint: Paint): readonly string[] {
  return healthChecks.map(({ action, config, monthly }) => {
    const { sign, colour } = OF_HEALTH_CHECK[action];
    const { protocol, host, port, path = '' } = config;
    const cost = `at most ${monthly.toFixed(2)} dollars a month (prices of ${HEALTH_CHECK_PRICES_OF})`;
    return paint(colour, `${sign}     health check ${safeText(`${protocol} ${host}:${port}${path}`)}, ${cost}`);
  });
}

function standingLines({ standing, message = '' }: ChangeOutput, paint: Paint): readonly string[] {
  if (message === '' || standing === undefined || standing === 'none') return [];
  return [paint('yellow', `!     ${safeText(message)}`)];
}

function contentLines({ action, before, after }: ChangeOutput, paint: Paint): readonly string[] {
  if (action === 'update' && before !== null && after !== null) return differenceLines(before, after, paint);
  if (action === 'adopt' || action === 'forget')
    return after === null ? [] : plainLines(after).map((line) => paint('dim', `      ${line}`));
  const [sign, colour, content] =
    action === 'delete' ? (['-', 'red', before] as const) : (['+', 'green', after] as const);
  return content === null ? [] : plainLines(content).map((line) => paint(colour, `${sign}     ${line}`));
}

/** Content on one line. */
export function contentText(content: ContentOutput | null): string {
  return content === null ? 'nothing' : plainLines(content).join(', ');
}

function plainLines(content: ContentOutput): readonly string[] {
  return linesOf(content).map(safeText);
}

/** The lines of a content, which the caller must still make safe. */
export function linesOf(content: ContentOutput): readonly string[] {
  const routing = routingOf(content);
  const routed = routing === null ? [] : [routing];
  if ('alias' in content) return [aliasLine(content), ...routed];
  return [`ttl ${content.ttl}`, ...content.values, ...routed];
}

function routingLine(content: ContentOutput): string | null {
  const routing = routingOf(content);
  return routing === null ? null : safeText(routing);
}

function routingOf({ routing, healthCheckId }: ContentOutput): string | null {
  if (routing === undefined) return null;
  const check = healthCheckId === undefined ? '' : `, health check ${healthCheckId}`;
  return `routing ${JSON.stringify(routing)}${check}`;
}

function aliasLine({ alias }: Extract<ContentOutput, { alias: unknown }>): string {
  const health = alias.evaluateTargetHealth ? ', evaluates target health' : '';
  return `alias ${alias.dnsName} in hosted zone ${alias.hostedZoneId}${health}`;
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

/** The last line: how many changes there are, and what else is to be seen. It names no object. */
export function printSummary(plan: PlanOutput, paint: Paint): string {
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
  const { hidden = 0 } = plan;
  const others = hidden === 0 ? '' : ` ${counted(hidden, 'change')} elsewhere, not shown by --zone or --namespace.`;
  if (changes.length === 0) return nothingToDo(`${errors}${drift}${others}`, paint);
  const count = (action: ChangeOutput['action']) => changes.filter((change) => change.action === action).length;
  const changing = plan.hostedZones.filter((zone) => zone.changes.length > 0);
  // One of several clusters is there once for each.
  const zones = new Set(changing.map(({ id, name }) => (id === null ? name : withoutShare(id)))).size;
  const heldOf = (action: ChangeOutput['action']) =>
    changes.filter((change) => change.action === action && isHeldByGuard(change)).length;
  const heldText = heldOf('delete') === 0 ? '' : ` (${heldOf('delete')} of them held)`;
  const forgets = count('forget');
  if (forgets === changes.length)
    return paint('bold', `${forgets} to forget, in ${counted(zones, 'hosted zone')}.${errors}`);
  const adopts = count('adopt') === 0 ? '' : `${count('adopt')} to adopt, `;
  const forgetsText = forgets === 0 ? '' : `, ${forgets} to forget`;
  const occupied = changes.filter(
    (change) => change.action === 'create' && (change.standing ?? 'none') !== 'none',
  ).length;
  const ofCreates = [
    ...(occupied === 0 ? [] : [`${occupied} of them where Route 53 already has a record set`]),
    ...(heldOf('create') === 0 ? [] : [`${heldOf('create')} of them held`]),
  ];
  const occupiedText = ofCreates.length === 0 ? '' : ` (${ofCreates.join(', ')})`;
  const withheld = changes.filter(({ outcome }) => outcome !== undefined).length;
  const withheldText = withheld === 0 ? '' : ` ${withheld} of them will not be sent.`;
  const text = `${adopts}${count('create')} to create${occupiedText}, ${count('update')} to update, ${count('delete')} to delete${heldText}${forgetsText}, in ${counted(zones, 'hosted zone')}.${withheldText}${errors}`;
  return paint('bold', text);
}

/** The last line of a plan without changes. `but`: what is not as wanted nevertheless; empty if all is well. */
export function nothingToDo(but: string, paint: Paint): string {
  return but === '' ? paint('green', 'Nothing to do.') : paint('yellow', `No changes.${but}`);
}
