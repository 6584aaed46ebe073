// Prints the result of `apply`: the plan with the outcome of each change, then every object that is not published as
// wanted, with the reason.
import type { Condition } from '../../lib/objects/conditions.ts';
import type { AppliedChangeOutput, ApplyOutput, Outcome } from './output.ts';
import {
  isWorthPrinting,
  jsonChange,
  jsonDnsRecords,
  jsonHostedZone,
  nothingToDo,
  OUTCOMES,
  printChange,
  printDnsRecords,
  printHostedZone,
  printLedger,
  printOutcome,
  type Shown,
  withoutEqual,
} from './print-plan.ts';
import { jsonCluster, printConditions, whatIsLeft } from './print-render.ts';
import { problemsOf } from './problems.ts';
import { outcomeWord } from './sum-up.ts';
import { counted, type Paint } from './terminal-text.ts';

/** The stable JSON of `apply -o json`: that of `plan` with outcomes, and the objects as `render` has them. */
export function jsonApply(output: ApplyOutput): object {
  const { errors, problems, ...resolved } = jsonCluster(output) as { errors: unknown; problems: unknown };
  const hostedZones = output.hostedZones.map((hostedZone) => jsonHostedZone(hostedZone, jsonChange));
  return {
    hostedZones,
    problems: problemsOf({ ...output, resolved: output }),
    errors,
    ...resolved,
    ...jsonDnsRecords(output.dnsRecords),
  };
}

/** The publisher's message for a change without anything to explain. */
const PUBLISHED = 'Published.';

/**
 * Changes with their outcomes, conditions that are not True, and a summary. In pieces, as it may be long. `wasShown`:
 * the plan was shown before, so only what differs from it is.
 */
export function* applyPieces(
  output: ApplyOutput,
  paint: Paint,
  shown: Shown & { readonly wasShown?: boolean } = {},
): Generator<string> {
  const wasShown = shown.wasShown === true;
  if (!wasShown) yield printLedger(output, paint);
  const hostedZones = wasShown ? output.hostedZones.map(whatDiffers) : output.hostedZones;
  for (const hostedZone of hostedZones.filter(isWorthPrinting).map((one) => withoutEqual(one, output.ledger))) {
    yield* printHostedZone(hostedZone, paint, (change) => printApplied(change, hostedZone.reasons, paint), shown);
    yield '\n';
  }
  const { dnsRecords = [] } = output;
  if (dnsRecords.length > 0) yield `${printDnsRecords(dnsRecords, paint)}\n`;
  const conditions = printConditions(withoutForeign({ ...output, ...withoutReasons(output) }), paint);
  if (conditions !== '') yield `${conditions}\n`;
  yield `${printSummary(output, paint)}\n`;
}

/** A hosted zone without the changes that went as the plan said, held ones among them, and without its notes. */
function whatDiffers(hostedZone: ApplyOutput['hostedZones'][number]): ApplyOutput['hostedZones'][number] {
  const isAsShown = (outcome: Outcome) => outcome === 'published' || (outcome === 'held' && hostedZone.held);
  const changes = hostedZone.changes.filter(({ outcome }) => !isAsShown(outcome));
  return { ...hostedZone, changes, notes: [] };
}

/** The objects, without the reasons of the guard that are printed before, with the hosted zones. */
function withoutReasons({
  zones,
  records,
  sources,
  hostedZones,
}: ApplyOutput): Pick<ApplyOutput, 'zones' | 'records' | 'sources'> {
  const printed = hostedZones.filter(({ held }) => held).flatMap(({ reasons }) => reasons);
  const isPrinted = (message: string) => printed.length > 0 && printed.some((reason) => message.includes(reason));
  const said = <Of extends { readonly conditions: readonly Condition[] }>(one: Of): Of => {
    const conditions = one.conditions.map((condition) =>
      condition.reason === 'HeldByGuard' && isPrinted(condition.message)
        ? { ...condition, message: 'The reasons are above.' }
        : condition,
    );
    return { ...one, conditions };
  };
  return {
    zones: zones.map(said),
    records: records.map(said),
    sources: sources.map((source) => ({ ...source, endpoints: source.endpoints.map(said) })),
  };
}

/** The objects, without those of record sets about which the line on the ledger says all. */
function withoutForeign(output: ApplyOutput): Pick<ApplyOutput, 'zones' | 'records' | 'sources'> {
  const { ledger, hostedZones, records, sources } = output;
  if (ledger == null) return output;
  const changes = hostedZones.filter(({ zone }) => ledger.zones.includes(zone)).flatMap((one) => one.changes);
  const equal = new Set(changes.filter(({ standing }) => standing === 'equal').flatMap(({ objects }) => objects));
  const said = <Of extends { readonly conditions: ApplyOutput['records'][number]['conditions'] }>(one: Of): Of => {
    return { ...one, conditions: one.conditions.filter(({ reason }) => reason !== 'ForeignRecord') };
  };
  return {
    zones: output.zones,
    records: records.map((one) => (equal.has(`Record ${one.namespace}/${one.name}`) ? said(one) : one)),
    sources: sources.map((one) =>
      equal.has(`${one.kind} ${one.namespace}/${one.name}`) ? { ...one, endpoints: one.endpoints.map(said) } : one,
    ),
  };
}

/** One change with its outcome. A held delete does not repeat the reason, which the hosted zone states once. */
function printApplied(change: AppliedChangeOutput, reasons: readonly string[], paint: Paint): string {
  const said =
    change.message === PUBLISHED || (change.outcome === 'held' && reasons.join(' ').startsWith(change.message));
  const outcome = printOutcome(change, said ? '' : change.message, paint);
  return `${printChange({ ...change, message: '' }, paint)}${outcome}`;
}

function printSummary(output: ApplyOutput, paint: Paint): string {
  const counts = new Map<string, number>();
  for (const { changes } of output.hostedZones)
    for (const { action, outcome } of changes) {
      const word = outcomeWord(action, outcome);
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  const served = servedSummary(output);
  const errors = `${served}${whatIsLeft(output.errors, output)}`;
  if (counts.size === 0 && served !== '') return paint('yellow', `No changes of Zones.${errors}`);
  if (counts.size === 0) return nothingToDo(errors, paint);
  const words = ['published', 'deleted', 'forgotten', ...OUTCOMES.filter((outcome) => outcome !== 'published')];
  const parts = words.filter((word) => counts.has(word)).map((word) => `${counts.get(word)} ${word}`);
  const good = ['published', 'deleted', 'forgotten'];
  const well = [...counts.keys()].every((word) => good.includes(word)) && errors === '';
  return paint(well ? 'green' : 'yellow', `${parts.join(', ')}.${errors}`);
}

function servedSummary({ dnsRecords = [] }: ApplyOutput): string {
  if (dnsRecords.length === 0) return '';
  const failed = dnsRecords.filter(({ state }) => state === 'Error').length;
  const open = dnsRecords.filter(({ state }) => state === 'Processing').length;
  const done = dnsRecords.length - failed - open;
  return ` ${counted(dnsRecords.length, 'DNSRecord')}: ${done} succeeded, ${failed} failed, ${open} not finished.`;
}
