// Reads a related object that may have changed. If one of the facts that count has changed, its dependents get hints.
// As with every object, the observation is saved as unsettled before hints are sent, so that a run that dies in
// between is repeated.
import { digestOf } from '../../ledger/canonical-json.ts';
import { readItem, type Stored } from '../../ledger/item-codec.ts';
import { isOlder, type ObjectRef } from '../../objects/object-ref.ts';
import { jsonOf } from '../../objects/plain.ts';
import type { RelatedKind, RelatedLabel } from '../../objects/related.ts';
import type { Observation } from '../../ports/cluster.ts';
import type { Context } from '../../ports/context.ts';
import type { JsonValue } from '../../ports/ledger.ts';
import { causeOf, type Hint } from '../../ports/queues.ts';
import { type DependentsCursor, type HintOptions, hasDependents, hintDependents } from './dependents.ts';
import { ANY_FILE, factsOf } from './read-related.ts';
import { queriesThatFind, type RelatedItem, relatedCodec, relatedKey } from './related-items.ts';

/** How often the write may fail because other runs wrote the item. */
const ATTEMPTS_MAX = 10;

type StillAsks = HintOptions['stillAsks'];

/** The cursor of the hint that continues: which dependents of a related object have hints already. */
type HintCursor = {
  readonly labels: readonly RelatedLabel[];
  readonly again: boolean;
  readonly from: DependentsCursor;
};

/**
 * Observes a related object. False: the hint of a webhook came before its write was stored, so the object must be
 * looked at again. Throws if anything is left undone: the hint is then redelivered.
 */
export async function observeRelated(
  context: Context,
  kind: RelatedKind,
  hint: Hint,
  stillAsks: StillAsks,
): Promise<boolean> {
  const { namespace, name, cursor } = hint;
  if (namespace === null || name === null) return true;
  const ref = { kind: kind.kind, namespace, name };
  const cause = causeOf(hint);
  const sent = (jsonOf(cursor ?? '') ?? null) as HintCursor | null;
  if (sent !== null) {
    await hintAll(context, ref, sent.labels, { ...sent, cause, stillAsks });
    return true;
  }
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const { ledger, config, cluster } = context;
    const stored = await readItem(ledger, relatedKey(config.clusterId, ref), relatedCodec);
    const observation = await cluster.get(ref, ANY_FILE);
    if (await noteSeen(context, kind, { ref, stored, observation }, { cause, stillAsks })) {
      return isStored(hint, observation);
    }
  }
  throw new Error(`Cannot look at ${kind.kind} ${namespace}/${name}: it was noted by others ${ATTEMPTS_MAX} times`);
}

/**
 * True if the object as it was read may be the result of a webhook's write. A deletion counts as stored when the
 * version has changed: a Pod that is deleted stays for its grace period, and its removal has a hint of its own.
 */
function isStored({ oldVersion, awaited }: Hint, read: Observation): boolean {
  if (oldVersion === undefined || read.kind === 'unknown') return true;
  if (read.kind === 'absent') return oldVersion !== '';
  if (oldVersion === '') return true;
  const { uid, generation, version } = read.object;
  const isAwaited = awaited !== undefined && awaited.generation !== null && awaited.uid === uid;
  return isAwaited ? (generation ?? 0) >= awaited.generation : version !== oldVersion;
}

/** A related object, as the ledger has it and as it was read just now. */
type Seen = {
  readonly ref: ObjectRef;
  readonly stored: Stored<RelatedItem> | null;
  readonly observation: Observation;
};

/** Sends the hints for what was seen. False: another run has written its item meanwhile. */
async function noteSeen(
  context: Context,
  kind: RelatedKind,
  { ref, stored, observation }: Seen,
  { cause, stillAsks }: Pick<HintOptions, 'cause' | 'stillAsks'>,
): Promise<boolean> {
  const { ledger, config } = context;
  const key = relatedKey(config.clusterId, ref);
  const before = stored?.item ?? null;
  if (observation.kind === 'unknown') return true;
  const now = itemOf(context, kind, observation);
  if (before !== null && now !== null && !before.unsettled && !isNews(before, now)) return true;
  const labels = [
    ...new Map([...(before?.labels ?? []), ...(now?.labels ?? [])].map((one) => [JSON.stringify(one), one])).values(),
  ];
  const isWanted = await hasDependents(context, queriesThatFind(ref, labels));
  if (!isWanted) return stored === null || (await ledger.remove(key, stored.revision));
  const noted = now ?? before;
  const revision =
    noted === null
      ? null
      : await ledger.put(key, relatedCodec.encode({ ...noted, labels, unsettled: true }), stored?.revision ?? null);
  if (noted !== null && revision === null) return false;
  await hintAll(context, ref, labels, { from: null, again: before?.unsettled === true, cause, stillAsks });
  if (revision === null) return true;
  // If another run has written the item meanwhile, these writes fail, and that run settles it.
  if (now === null) await ledger.remove(key, revision);
  else await ledger.put(key, relatedCodec.encode({ ...now, unsettled: false }), revision);
  return true;
}

function itemOf({ sources }: Context, kind: RelatedKind, observation: Observation): RelatedItem | null {
  if (observation.kind !== 'present') return null;
  const { uid, version, labels } = observation.object;
  const kept = kind.selectedBy.flatMap((key) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [{ key, value }];
  });
  return {
    uid,
    version,
    digest: digestOf((factsOf(sources, observation.object) ?? null) as JsonValue),
    labels: kept,
    unsettled: true,
  };
}

function isNews(before: RelatedItem, now: RelatedItem): boolean {
  if (before.uid !== now.uid) return true;
  if (isOlder(now.version, before.version)) return false;
  return before.digest !== now.digest || JSON.stringify(before.labels) !== JSON.stringify(now.labels);
}

async function hintAll(
  context: Context,
  ref: ObjectRef,
  labels: readonly RelatedLabel[],
  options: HintOptions,
): Promise<void> {
  const next = await hintDependents(context, queriesThatFind(ref, labels), options);
  if (next === null) return;
  const sent: HintCursor = { labels, again: options.again, from: next };
  await context.queues.hint([{ ...ref, ...options.cause, cursor: JSON.stringify(sent) }]);
}
