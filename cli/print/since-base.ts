// What a branch changes: the plan of its objects, without what the plan of the base has too (`plan --base`).
import { PUBLIC } from '../../lib/dns/names/view.ts';
import type { Condition } from '../../lib/objects/conditions.ts';
import type { EndpointOutput, SourceOutput } from '../../lib/report/describe-sources.ts';
import type { ChangeOutput, ClusterOutput, ErrorOutput, HostedZoneOutput, PlanOutput, RemarkOutput } from './output.ts';
import { isForeign } from './problems.ts';
import { counted } from './terminal-text.ts';

export type SinceBase = {
  /** To be printed. */
  readonly shown: PlanOutput;
  /** For the exit code: a changed name that is held or foreign in the base too is neither here. */
  readonly judged: PlanOutput;
};

type HostedZone = HostedZoneOutput<ChangeOutput>;

/** The paths that were read for each side. Places are compared without them. */
export type Roots = { readonly branch: readonly string[]; readonly base: readonly string[] };

/**
 * Compares record sets by name, type and set identifier, and objects by their names and the reasons of their
 * conditions. Files of the branch that cannot be read stay errors, even if those of the base cannot be read either.
 */
export function sinceBase(plan: PlanOutput, base: PlanOutput, roots: Roots): SinceBase {
  const before = new Map(base.hostedZones.map((one) => [keyOf(one), one]));
  const pairs = plan.hostedZones.map((one) => zoneSince(one, before.get(keyOf(one))));
  const known = new Set(plan.hostedZones.map(keyOf));
  const gone = base.hostedZones
    .filter((one) => !known.has(keyOf(one)))
    .map((one) => zoneSince({ ...headOf(one), changes: [] }, one));
  const kept = [...pairs, ...gone].filter(({ shown }) => isKept(shown));
  const asking = new Set(kept.flatMap(({ shown }) => shown.changes.flatMap(({ objects }) => objects)));
  const rest = { ...plan, ...remarksSince(plan, base, roots), ...objectsSince(plan, base, asking) };
  return {
    shown: { ...rest, hostedZones: kept.map(({ shown }) => shown) },
    judged: { ...rest, hostedZones: kept.map(({ judged }) => judged) },
  };
}

function keyOf({ id, name, zone }: HostedZone): string {
  return id ?? `${name} ${zone}`;
}

function headOf({ id, name, view = PUBLIC, zone, digest }: HostedZone) {
  return { id, name, view, zone, digest, held: false, reasons: [] };
}

function isKept({ changes, notes = [], reasons, drifts, isUnread }: HostedZone): boolean {
  return changes.length + notes.length + reasons.length > 0 || drifts !== undefined || isUnread === true;
}

function zoneSince(
  hostedZone: HostedZone,
  base: HostedZone | undefined,
): { readonly shown: HostedZone; readonly judged: HostedZone } {
  if (base === undefined) return { shown: hostedZone, judged: hostedZone };
  const before = new Map(base.changes.map((change) => [recordSetOf(change), change]));
  const after = new Set(hostedZone.changes.map(recordSetOf));
  const changes = hostedZone.changes.filter((change) => !isSame(change, before.get(recordSetOf(change))));
  const judged = changes.map((change) => withoutKnown(change, before.get(recordSetOf(change))));
  const held = judged.some((change) => change.held === true);
  const { heldDigest, holds, drifts: all = [], ...rest } = hostedZone;
  const isNews = (text: string, known: readonly string[] = []) => !known.includes(text);
  const reasons = hostedZone.reasons.filter((reason) => isNews(reason, base.reasons));
  const notes = hostedZone.notes?.filter((note) => hostedZone.isUnread === true || isNews(note, base.notes)) ?? [];
  const known = new Set((base.drifts ?? []).map(recordSetOf));
  const drifts = all.filter((one) => !known.has(recordSetOf(one)));
  const undone = base.changes.filter((change) => !after.has(recordSetOf(change)));
  const shown = {
    ...rest,
    ...{ held, reasons: hostedZone.held && !held ? [] : reasons, notes: [...notes, ...undoneNotes(undone)], changes },
    ...(held && heldDigest !== undefined && { heldDigest }),
    ...(held && holds !== undefined && { holds: holdsSince(holds, base.holds ?? []) }),
    ...(drifts.length > 0 && { drifts }),
  };
  return { shown, judged: { ...shown, changes: judged } };
}

function recordSetOf({ name, type, setIdentifier }: Pick<ChangeOutput, 'name' | 'type' | 'setIdentifier'>): string {
  return JSON.stringify([name, type, setIdentifier]);
}

/** True if the base makes the same change. Who asks for it, and whether the guard holds it, does not matter. */
function isSame(change: ChangeOutput, base: ChangeOutput | undefined): boolean {
  const sidesOf = ({ action, before, after, also, standing, outcome }: ChangeOutput) =>
    JSON.stringify([action, before, after, also, standing, outcome]);
  return base !== undefined && sidesOf(change) === sidesOf(base);
}

/** A change, not held and not foreign if it is that in the base, too. */
function withoutKnown(change: ChangeOutput, base: ChangeOutput | undefined): ChangeOutput {
  if (base === undefined) return change;
  const now = base.held === true ? { ...change, held: false } : change;
  if (!isForeign(change) || !isForeign(base)) return now;
  const { outcome: _, ...rest } = now;
  return { ...rest, standing: 'none' };
}

function holdsSince(
  holds: NonNullable<HostedZone['holds']>,
  base: NonNullable<HostedZone['holds']>,
): NonNullable<HostedZone['holds']> {
  const known = new Set(base.map(({ digest }) => digest));
  return holds.filter(({ digest }) => !known.has(digest));
}

/** So many changes that the branch takes back are named. */
const UNDONE_MAX = 5;

function undoneNotes(undone: readonly ChangeOutput[]): readonly string[] {
  if (undone.length === 0) return [];
  const named = undone.slice(0, UNDONE_MAX).map(({ action, name, type }) => `${action} ${name} ${type}`);
  const more = undone.length > UNDONE_MAX ? ` and ${undone.length - UNDONE_MAX} more` : '';
  return [`${counted(undone.length, 'change')} of the base, not made with this branch: ${named.join(', ')}${more}.`];
}

/** Remarks, also those that `--strict` makes errors, without those of the base. */
function remarksSince({ errors, remarks = [] }: PlanOutput, base: PlanOutput, { branch, base: roots }: Roots) {
  const known = new Set([...base.errors, ...(base.remarks ?? [])].map((one) => placeless(one, roots)));
  const isNews = (one: ErrorOutput) => !known.has(placeless(one, branch));
  return { errors: errors.filter((one) => !isRemark(one) || isNews(one)), remarks: remarks.filter(isNews) };
}

function isRemark(error: ErrorOutput): error is RemarkOutput {
  return 'level' in error;
}

/** File and message without the path that was given, and without the line. */
function placeless({ file, message }: ErrorOutput, roots: readonly string[]): string {
  return roots.reduce((text, root) => text.replaceAll(root.replace(/\/+$/, ''), ''), JSON.stringify([file, message]));
}

type Stated = {
  readonly namespace: string;
  readonly name: string;
  readonly fqdn: string | null;
  readonly conditions: readonly Condition[];
};

/** The objects that say something that they do not say in the base, and those that ask for what changes. */
function objectsSince(
  { resolved, sources = [] }: PlanOutput,
  base: PlanOutput,
  asking: ReadonlySet<string>,
): Pick<PlanOutput, 'resolved' | 'sources'> {
  const before = new Set((base.sources ?? []).flatMap((one) => [...textsOf(one), ...endpointTexts(one)]));
  const shown = sources.map((one) => sourceSince(one, before, one.endpoints.filter(isNewIn(one, before))));
  const printed = { sources: shown.filter(saysAnything) };
  if (resolved === undefined) return printed;
  const known = new Set(base.resolved === undefined ? [] : sayingsOf(base.resolved));
  const since = <Of extends Stated>(kind: string, all: readonly Of[]) =>
    all.flatMap((one) => statedSince(kind, one, known, asking.has(`${kind} ${one.namespace}/${one.name}`)));
  const ofSource = (one: SourceOutput) =>
    sourceSince(
      one,
      known,
      one.endpoints.flatMap((endpoint) => endpointSince(one, endpoint, known)),
    );
  const isShown = (one: SourceOutput) => saysAnything(one) || asking.has(`${one.kind} ${one.namespace}/${one.name}`);
  return {
    ...printed,
    resolved: {
      zones: since('Zone', resolved.zones),
      records: since('Record', resolved.records),
      sources: resolved.sources.map(ofSource).filter(isShown),
    },
  };
}

function sourceSince(source: SourceOutput, known: ReadonlySet<string>, endpoints: readonly EndpointOutput[]) {
  const isNews = (text: string) => !known.has(textOf(source, text));
  return { ...source, endpoints, problems: source.problems.filter(isNews), notes: source.notes.filter(isNews) };
}

function isNewIn(source: SourceOutput, known: ReadonlySet<string>) {
  return (endpoint: EndpointOutput) => !known.has(textOf(source, JSON.stringify(endpoint)));
}

function endpointTexts(source: SourceOutput): readonly string[] {
  return source.endpoints.map((one) => textOf(source, JSON.stringify(one)));
}

function saysAnything({ endpoints, problems, notes }: SourceOutput): boolean {
  return endpoints.length + problems.length + notes.length > 0;
}

/** The object with those of its conditions that the base does not have; none if it is refused there, too. */
function statedSince<Of extends Stated>(
  kind: string,
  object: Of,
  known: ReadonlySet<string>,
  isAsking = false,
): readonly Of[] {
  const isKnown = (condition: Condition) => known.has(sayingOf(kind, object, condition));
  const accepted = object.conditions.filter(({ type }) => type === 'Accepted');
  if (accepted.some((one) => one.status !== 'True' && isKnown(one))) return [];
  const news = object.conditions.filter((one) => !isKnown(one));
  if (news.length === 0 && !isAsking) return [];
  return [{ ...object, conditions: object.conditions.filter((one) => accepted.includes(one) || news.includes(one)) }];
}

function endpointSince(source: SourceOutput, endpoint: EndpointOutput, known: ReadonlySet<string>) {
  const { namespace, name } = source;
  return statedSince(kindOf(source, endpoint), { ...endpoint, namespace, name }, known);
}

function kindOf({ kind }: SourceOutput, { type, setIdentifier }: EndpointOutput): string {
  return JSON.stringify([kind, type, setIdentifier]);
}

function sayingOf(kind: string, { namespace, name, fqdn }: Stated, condition: Condition): string {
  const { type, status, reason, message } = condition;
  return JSON.stringify([kind, namespace, name, fqdn, type, reason, status === 'True' ? message : '']);
}

function textsOf(source: SourceOutput): readonly string[] {
  return [...source.problems, ...source.notes].map((text) => textOf(source, text));
}

function textOf({ kind, namespace, name }: SourceOutput, text: string): string {
  return JSON.stringify([kind, namespace, name, text]);
}

function sayingsOf({ zones, records, sources }: Pick<ClusterOutput, 'zones' | 'records' | 'sources'>) {
  const of = (kind: string, object: Stated) => object.conditions.map((one) => sayingOf(kind, object, one));
  return [
    ...zones.flatMap((one) => of('Zone', one)),
    ...records.flatMap((one) => of('Record', one)),
    ...sources.flatMap((source) => [
      ...source.endpoints.flatMap((one) =>
        of(kindOf(source, one), { ...one, namespace: source.namespace, name: source.name }),
      ),
      ...textsOf(source),
    ]),
  ];
}
