// Where a plan changes nothing because an item of the ledger cannot be read: it was written by another version, or is
// damaged. Such an item costs its own name, object or hosted zone, and the plan goes on for all others. Functions keep
// the same names as they are (lib/publish/run/dirty-names.ts).
import { isAtOrBelow } from '../dns/names/name.ts';
import { recordSetId } from '../dns/record-set.ts';
import type { UnreadableItemError } from '../ledger/item-codec.ts';
import type { ProgrammedReason, Verdict } from '../objects/conditions.ts';
import { formatRef } from '../objects/object-ref.ts';
import type { UnreadOfCluster } from '../observe/read-cluster.ts';
import type { ReadProblem } from '../ports/cluster.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import type { EndpointOutcome, ResolvedCluster, ResolvedZone } from '../zones/resolve-cluster.ts';

type Unread = ReadonlyMap<string, UnreadableItemError>;

/** The items of the cluster that cannot be read, by what each of them is about. */
export type UnreadItems = UnreadOfCluster & {
  /** By name. */
  readonly names: Unread;
  /** By id. */
  readonly hostedZones: Unread;
};

/**
 * What keeps each name of a hosted zone as it is, by name. `names`: of its own items. `items`: as they are stored, and
 * as they would be.
 */
export function keptNames(
  unread: UnreadItems,
  names: Unread,
  items: readonly Iterable<RecordSetItem>[],
): Map<string, UnreadableItemError> {
  const kept = new Map(names);
  const isNone = [unread.objects, unread.names, unread.subtrees].every(({ size }) => size === 0);
  for (const item of isNone ? [] : items.flatMap((some) => [...some])) {
    const error = keptBy(unread, item.name, [...item.objects, ...item.publishedObjects]);
    if (error !== undefined) kept.set(item.name, error);
  }
  return kept;
}

/** The first unread item that concerns the name, or one of its objects. */
function keptBy({ objects, names, subtrees }: UnreadItems, name: string, of: readonly string[]) {
  const own = names.get(name) ?? [...subtrees].find(([top]) => isAtOrBelow(name, top))?.[1];
  return own ?? of.map((object) => objects.get(object)).find((error) => error !== undefined);
}

/** Says on an object that nothing changes there. */
function unreadVerdict(error: UnreadableItemError): Verdict<ProgrammedReason> {
  return { reason: 'Pending', message: keptMessage(error) };
}

/** Says that nothing changes where an item cannot be read. */
export function keptMessage({ message }: UnreadableItemError): string {
  return `Nothing changes here until zone53 can read its ledger. ${message}. "zone53 ledger check" says what to do.`;
}

/** Says it on each object and Zone that is concerned. `keptIn`: what keeps names as they are, by hosted zone. */
export function withUnread(
  resolved: ResolvedCluster,
  unread: UnreadItems,
  keptIn: ReadonlyMap<string, Unread>,
): ResolvedCluster {
  const isNone = Object.values(unread).every(({ size }) => size === 0);
  if (isNone && [...keptIn.values()].every(({ size }) => size === 0)) return resolved;
  const whyAt = (zone: ResolvedZone | undefined, fqdn: string | null) => {
    const target = zone?.placed?.target;
    if (target?.kind !== 'hosted') return undefined;
    return unread.hostedZones.get(target.hostedZoneId) ?? keptIn.get(target.hostedZoneId)?.get(fqdn ?? '');
  };
  const said = (outcome: EndpointOutcome): EndpointOutcome => {
    if (outcome.parent === null || outcome.programmed !== null) return outcome;
    const zone = resolved.zones.get(outcome.parent);
    const error = unread.objects.get(formatRef(outcome.ref)) ?? whyAt(zone, outcome.fqdn);
    return error === undefined ? outcome : { ...outcome, programmed: unreadVerdict(error) };
  };
  const saidOf = (zone: ResolvedZone): ResolvedZone => {
    const error = unread.objects.get(formatRef(zone.ref)) ?? whyAt(zone, zone.fqdn);
    return error === undefined ? zone : { ...zone, hidden: unreadVerdict(error) };
  };
  return {
    ...resolved,
    zones: new Map([...resolved.zones].map(([key, zone]) => [key, saidOf(zone)])),
    objects: new Map([...resolved.objects].map(([id, outcomes]) => [id, outcomes.map(said)])),
  };
}

/** The items as they would be, but as they are stored at names that are kept. */
export function keepStored(
  merged: ReadonlyMap<string, RecordSetItem>,
  stored: readonly RecordSetItem[],
  kept: Unread,
): ReadonlyMap<string, RecordSetItem> {
  if (kept.size === 0) return merged;
  const left = [...merged].filter(([, { name }]) => !kept.has(name));
  const before = stored.filter(({ name }) => kept.has(name));
  return new Map([...left, ...before.map((item) => [recordSetId(item), item] as const)]);
}

/** The items that cannot be read, each once, for the errors of a command. `more`: others than those of the plan. */
export function unreadProblems(
  {
    unread: { objects, names, subtrees, hostedZones: ofHostedZones },
    hostedZones,
  }: { readonly unread: UnreadItems; readonly hostedZones: readonly { readonly kept: Unread }[] },
  more: Iterable<UnreadableItemError> = [],
): readonly ReadProblem[] {
  const found = [objects, names, subtrees, ofHostedZones, ...hostedZones.map(({ kept }) => kept)];
  const messages = [...found.flatMap((one) => [...one.values()]), ...more].map(({ message }) => message);
  return [...new Set(messages)].map((message) => ({
    file: 'ledger',
    line: 0,
    message: `${message}. Nothing changes there; "zone53 ledger check" says what to do`,
  }));
}
