// Which foreign record sets may be taken over: by a Zone's annotation, or by the TXT records of an external-dns that
// the configuration names. This is part of I1. Part of Q1 is that the TXT records of what was taken over are deleted.
import type { RecordSet, RecordSetChange, RecordSetContent, RecordSetKey } from '../../lib/dns/record-set.ts';
import type { JsonObject } from '../../lib/ports/ledger.ts';
import { recordSetItemKey } from '../../lib/record-sets/record-set-item.ts';
import { type RunFacts, type Standing, standingAt } from './auditor.ts';
import { APEX, EXTERNAL_DNS } from './names.ts';
import { standingKey, textOf } from './record-set-texts.ts';
import { type FunctionRun, sawThat, type World } from './world.ts';

const PREFIX = EXTERNAL_DNS.txtPrefix;
/** The old format speaks for no others. */
const OLD_FORMAT_TYPES = ['A', 'CNAME'];
const TYPES = [...OLD_FORMAT_TYPES, 'TXT'];

/**
 * The names of the TXT records in which external-dns notes the owner of a record set, in the new and the old format. A
 * wildcard and the name that replaces it have the same.
 */
export function textNamesOf({ name, type, content }: Pick<RecordSet, 'name' | 'type'> & Partial<RecordSet>): string[] {
  const spelt = name.replace(/^\*\./, `${EXTERNAL_DNS.wildcardReplacement}.`);
  const old = OLD_FORMAT_TYPES.includes(type) ? [`${PREFIX}${spelt}`] : [];
  const names = [`${PREFIX}${type.toLowerCase()}-${spelt}`, ...old];
  // The name that older versions used for an alias of type A.
  return content?.kind === 'alias' && type === 'A' ? [...names, `${PREFIX}cname-${spelt}`] : names;
}

export function isOwnershipText({ name, type }: RecordSetKey): boolean {
  return type === 'TXT' && name.startsWith(PREFIX);
}

/** The owner in a TXT record set; null: it is damaged. */
function ownerIn(content: RecordSetContent): string | null {
  const value = content.kind === 'values' ? content.values.join() : '';
  return /external-dns\/owner=([^,"]+)/.exec(value)?.[1] ?? null;
}

/** The present TXT record sets that note the owner of a record set. */
function textsOf(world: World, id: string, set: RecordSet): readonly RecordSet[] {
  const names = textNamesOf(set);
  return world.route53
    .recordSets(id)
    .filter((text) => isOwnershipText(text) && names.includes(text.name) && text.setIdentifier === set.setIdentifier);
}

/** True when the external-dns whose record sets may be taken over owns it now. */
export function isTakeable(world: World, id: string, set: RecordSet): boolean {
  if (world.routed?.takesOver !== true || isOwnershipText(set)) return false;
  const owners = textsOf(world, id, set).map(({ content }) => ownerIn(content));
  return owners.length > 0 && owners.every((owner) => owner === EXTERNAL_DNS.ownerId);
}

/**
 * Call this after a stranger's write. It notes what may be taken over from now on, even if its TXT records change while
 * a run takes it over.
 */
export function noteTakeable(world: World, id: string): void {
  for (const set of world.route53.recordSets(id)) {
    const standing = world.auditor.shadow.standing.get(standingKey(id, set));
    if (standing === undefined || !isTakeable(world, id, set)) continue;
    if (standing.writer === 'stranger' || isOnlyAdopted(standing)) standing.takeable = true;
  }
}

/** The Zones that a hosted zone may belong to, and whether one of them ever asked for a takeover. */
function isAnnotated({ cluster, route53 }: World, id: string): boolean {
  const name = route53.recordSets(id).find(({ type }) => type === 'SOA')?.name;
  const keys = name === APEX ? ['Zone a/root'] : ['Zone a/sub', 'Zone b/sub', 'Zone a/deep'];
  return keys.some((key) =>
    (cluster.history.get(key) ?? []).some(({ object }) => object?.annotations['zone53.dev/takeover'] === 'true'),
  );
}

/**
 * True where a stranger's record set may be changed or noted as ours. That includes content that equals what we had
 * begun to write there.
 */
export function mayTouch(world: World, id: string, standing: Standing): boolean {
  return isAnnotated(world, id) || standing.takeable === true || hadIntent(standing);
}

/** True where objects may take over what is there, because it is as they want it: without a change in Route 53. */
export function mayTakeEqual(
  { config: { takeover } }: World,
  wanted: unknown,
  objects: readonly string[],
  actual: unknown,
): boolean {
  const isTheirs = objects.every((object) => object.split(' ')[1]?.startsWith('a/') === true);
  return takeover.equal && isTheirs && actual !== null && textOf(wanted) === textOf(actual);
}

function hadIntent({ intended, log }: Standing): boolean {
  return intended?.has(log.at(-1) ?? '') === true;
}

/**
 * The ledger says that we are about to adopt exactly what a stranger deleted last, or that we were and that call may
 * still land; and it belonged to external-dns.
 */
function wasIntended({ log, wasTakeable }: Standing, item: JsonObject | undefined): boolean {
  const { intent, late } = (item ?? {}) as { intent?: { content: unknown } | null; late?: { content: unknown }[] };
  const begun = [...(intent == null ? [] : [intent]), ...(late ?? [])].map(({ content }) => textOf(content));
  return wasTakeable === true && begun.includes(log.at(-2) ?? '');
}

/**
 * Call this when the ledger notes a stranger's record set as ours. `isOurs`: we had published another content there,
 * and the stranger wrote the desired one (the table in judge-reading.ts).
 */
export function noteAdopted(
  world: World,
  { startedAtMs }: Pick<FunctionRun, 'startedAtMs'>,
  id: string,
  set: RecordSetKey,
  standing: Standing,
  isOurs: boolean,
  isEqual: boolean,
): void {
  if (isEqual) sawThat(world, "a stranger's record set became ours, because it was as wanted");
  if (!isOurs && !isEqual && !mayTouch(world, id, standing))
    world.auditor.fail('I1', `${standingKey(id, set)} is a stranger's, and is noted as ours`);
  const stands = world.route53.recordSets(id).find((one) => standingKey(id, one) === standingKey(id, set));
  const isClaimed = stands !== undefined && isTakeable(world, id, stands) && !hadIntent(standing);
  standing.texts = isClaimed
    ? textsOf(world, id, stands)
        // The run cannot have seen a TXT record that was written after it began.
        .filter((text) => (standingAt(world.auditor.shadow, id, text).strangerAtMs ?? 0) < startedAtMs)
        .map((text) => ({ key: standingKey(id, text), writes: writesOf(world, id, text) }))
    : [];
  standing.writer = 'us';
  standing.adoptedText = standing.log.at(-1) ?? null;
  sawThat(world, "a stranger's record set became ours");
}

/** The number of writes to that record set. */
function writesOf(world: World, id: string, key: RecordSetKey): number {
  return world.auditor.shadow.standing.get(standingKey(id, key))?.log.length ?? 0;
}

/**
 * The ledger notes no more as ours what it had begun to take over: true where that is so, and it is its stranger's
 * again, or a stranger has written it since.
 */
export function noteGivenUp(standing: Standing): boolean {
  if (standing.writer === 'stranger') return true;
  if (!isOnlyAdopted(standing)) return false;
  standing.writer = 'stranger';
  return true;
}

/** True while there stands what was adopted without a write. */
function isOnlyAdopted({ adoptedText = null, log }: Standing): boolean {
  return adoptedText !== null && adoptedText === log.at(-1);
}

/** I1: a TXT record set of external-dns is deleted only together with the last record set whose owner it notes. */
export function checkText(
  world: World,
  facts: RunFacts,
  id: string,
  text: RecordSetKey,
  before: string | undefined,
  changes: readonly RecordSetChange[],
): void {
  const fail = (why: string) => world.auditor.fail('I1', `${standingKey(id, text)} was deleted, ${why}`);
  if (ownerIn(JSON.parse(before ?? 'null') as RecordSetContent) !== EXTERNAL_DNS.ownerId)
    fail('which says whose another is, and not that it is to be taken over');
  // The run cannot have seen what was written after it looked at that name.
  const began = facts.ours?.atMs ?? facts.leaseSeenAtMs;
  const reads = facts.readsBefore.get(changes);
  const isSeen = ({ key }: { readonly key: RecordSetKey }) =>
    (standingAt(world.auditor.shadow, id, key).strangerAtMs ?? 0) < (reads?.get(`${id} ${key.name}`) ?? began);
  const spoken = namesSpokenFor(text.name).flatMap((name) => TYPES.map((type) => ({ name, type })));
  const sets = spoken.flatMap(({ name, type }) => {
    const key = { name, type, setIdentifier: text.setIdentifier };
    const stands = world.route53.recordSets(id).find((set) => standingKey(id, set) === standingKey(id, key));
    const isFor = textNamesOf(stands ?? key).includes(text.name);
    const { partition, sort } = recordSetItemKey(id, key);
    // A record set that we published and a stranger changed does not belong to external-dns.
    const item = world.auditor.shadow.items.get(`${partition} ${sort}`);
    const isKnown = item?.published != null;
    const standing = standingAt(world.auditor.shadow, id, key);
    // Adopted in this batch: there is an intent, and only the TXT records are written. A stranger may have deleted it
    // since the run looked.
    const isAdopted = isKnown || hadIntent(standing) || (wasIntended(standing, item) && !isSeen({ key }));
    return isFor ? [{ key, stands, writer: isAdopted ? 'us' : standing.writer }] : [];
  });
  const left = sets.find((set) => set.stands !== undefined && set.writer === 'stranger' && isSeen(set));
  if (left !== undefined) fail(`and ${standingKey(id, left.key)} is still a stranger's`);
  const isOurs = sets.some(({ key, writer }) => {
    const touched = changes.some(({ recordSet }) => standingKey(id, recordSet) === standingKey(id, key));
    const { log, deletedAt } = standingAt(world.auditor.shadow, id, key);
    // Where the account takes few changes at once, the TXT records go right after it, whoever writes it in between.
    const isParted =
      world.changeBucket !== null && deletedAt !== undefined && (deletedAt === log.length || !isSeen({ key }));
    return touched || isParted || writer === 'us';
  });
  sawThat(world, 'a TXT record of external-dns was deleted with its record set');
  if (!isOurs) fail('and nothing that it spoke for was taken over');
}

function namesSpokenFor(textName: string): readonly string[] {
  const name = textName.slice(PREFIX.length).replace(/^(a|cname|txt)-/, '');
  const [first = '', ...rest] = name.split('.');
  return first === EXTERNAL_DNS.wildcardReplacement ? [name, ['*', ...rest].join('.')] : [name];
}

/**
 * Q1: the TXT records of what was taken over from external-dns are deleted, except those that other record sets need.
 */
export function checkTextsGone(world: World, id: string, set: RecordSet, fail: (message: string) => void): void {
  const { standing, items } = world.auditor.shadow;
  const own = standing.get(standingKey(id, set));
  if (own?.writer !== 'us' || (own.adoptedText ?? null) === null || isAnnotated(world, id)) return;
  // If Route 53 refuses the replacement, the record set and its TXT records stay.
  const isRefused = (of: RecordSetKey) => {
    const { partition, sort } = recordSetItemKey(id, of);
    return items.get(`${partition} ${sort}`)?.refusal != null;
  };
  if (isRefused(set)) return;
  const others = world.route53
    .recordSets(id)
    .filter((other) => standing.get(standingKey(id, other))?.writer === 'stranger' || isRefused(other));
  for (const { key, writes } of own.texts ?? []) {
    const there = standing.get(key);
    // A TXT record that was written afterwards belongs to external-dns.
    if (there?.writer !== 'stranger' || there.log.length !== writes) continue;
    const isNeeded = others.some((other) => textsOf(world, id, other).some((one) => standingKey(id, one) === key));
    if (isNeeded) sawThat(world, 'a TXT record of external-dns stayed for its other record set');
    else fail(`${key} stands there, and what it speaks for was taken over`);
  }
}
