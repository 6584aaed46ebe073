// Prints the result of `apply`: the plan with the outcome of each change, then every object that is not published as
// wanted, with the reason.
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
  printOutcome,
} from './print-plan.ts';
import { jsonCluster, printConditions, whatIsLeft } from './print-render.ts';
import { counted, type Paint } from './terminal-text.ts';

/** The stable JSON of `apply -o json`: that of `plan` with outcomes, and the objects as `render` has them. */
export function jsonApply(output: ApplyOutput): object {
  const { errors, ...resolved } = jsonCluster(output) as { errors: unknown };
  const hostedZones = output.hostedZones.map((hostedZone) => jsonHostedZone(hostedZone, jsonChange));
  return { hostedZones, errors, ...resolved, ...jsonDnsRecords(output.dnsRecords) };
}

/** The publisher's message for a change without anything to explain. */
const PUBLISHED = 'Published.';

/** Changes with their outcomes, conditions that are not True, and a summary. In pieces, as it may be long. */
export function* applyPieces(output: ApplyOutput, paint: Paint): Generator<string> {
  for (const hostedZone of output.hostedZones.filter(isWorthPrinting)) {
    yield* printHostedZone(hostedZone, paint, (change) => printApplied(change, hostedZone.reasons, paint));
    yield '\n';
  }
  const { dnsRecords = [] } = output;
  if (dnsRecords.length > 0) yield `${printDnsRecords(dnsRecords, paint)}\n`;
  const conditions = printConditions({ ...output, zones: withoutReasons(output) }, paint);
  if (conditions !== '') yield `${conditions}\n`;
  yield `${printSummary(output, paint)}\n`;
}

/** The Zones. A Zone whose held deletes are printed before does not repeat the reasons. */
function withoutReasons({ zones, hostedZones }: ApplyOutput): ApplyOutput['zones'] {
  const printed = new Set(hostedZones.filter(({ held }) => held).map(({ zone }) => zone));
  return zones.map((zone) => {
    if (!printed.has(`${zone.namespace}/${zone.name}`)) return zone;
    const conditions = zone.conditions.map((condition) =>
      condition.reason === 'HeldByGuard' ? { ...condition, message: 'The reasons are above.' } : condition,
    );
    return { ...zone, conditions };
  });
}

/** One change with its outcome. A held delete does not repeat the reason, which the hosted zone states once. */
function printApplied(change: AppliedChangeOutput, reasons: readonly string[], paint: Paint): string {
  const said =
    change.message === PUBLISHED || (change.outcome === 'held' && reasons.join(' ').startsWith(change.message));
  const outcome = printOutcome(change.outcome, said ? '' : change.message, paint);
  return `${printChange({ ...change, message: '' }, false, paint)}${outcome}`;
}

function printSummary(output: ApplyOutput, paint: Paint): string {
  const counts = new Map<Outcome, number>();
  for (const { changes } of output.hostedZones)
    for (const { outcome } of changes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const served = servedSummary(output);
  const errors = `${served}${whatIsLeft(output.errors, output)}`;
  if (counts.size === 0 && served !== '') return paint('yellow', `No changes of Zones.${errors}`);
  if (counts.size === 0) return nothingToDo(errors, paint);
  const parts = OUTCOMES.filter((outcome) => counts.has(outcome)).map((outcome) => `${counts.get(outcome)} ${outcome}`);
  const well = counts.size === 1 && counts.has('published') && errors === '';
  return paint(well ? 'green' : 'yellow', `${parts.join(', ')}.${errors}`);
}

function servedSummary({ dnsRecords = [] }: ApplyOutput): string {
  if (dnsRecords.length === 0) return '';
  const failed = dnsRecords.filter(({ state }) => state === 'Error').length;
  const open = dnsRecords.filter(({ state }) => state === 'Processing').length;
  const done = dnsRecords.length - failed - open;
  return ` ${counted(dnsRecords.length, 'DNSRecord')}: ${done} succeeded, ${failed} failed, ${open} not finished.`;
}
