// A tenant whose Records Route 53 refuses, and who touches all of them again and again. I18: a refused change is not
// tried again before its pause is over. I19: it is sent apart from changes that were never refused, with a limit of
// calls for each run. The tenant has a random stream of its own, so that seeds without it stay as they were.
import type { RecordSetChange } from '../../lib/dns/record-set.ts';
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import type { JsonObject, LedgerKey } from '../../lib/ports/ledger.ts';
import { recordSetItemKey } from '../../lib/record-sets/record-set-item.ts';
import type { RunFacts } from './auditor.ts';
import { APEX, REJECTED } from './names.ts';
import { type Random, randomOf } from './random.ts';
import { textOf } from './record-set-texts.ts';
import { isOlderRegression } from './regressions.ts';
import { type FunctionRun, sawThat, tell, type World } from './world.ts';

/** One seed in so many has the tenant. */
const HOSTILE_EVERY = 16;
const HOSTILE_AT = 9;
const RECORDS = 8;
/** The first and the last pause, and the largest difference between the clocks of two functions. */
const FIRST_PAUSE_MS = 15 * 60_000;
const LAST_PAUSE_MS = 24 * 3_600_000;
const SKEW_MS = 10_000;
/** Of one run: 12, 4 more, and one at a time that was begun. */
const REFUSED_CALLS_MAX = 20;

/** A delegation of the root for this tenant's names. */
export const HOSTILE_RULE = { namespaces: ['c'], zones: [], records: [{ pattern: 'evil*' }] };

export function hostileOf(seed: number): Random | null {
  const has = seed % HOSTILE_EVERY === HOSTILE_AT && !isOlderRegression(seed);
  return has ? randomOf(seed ^ 0x5eed) : null;
}

/** The tenant touches all of its Records, or sometimes deletes one. */
export function hostileActs(world: World): void {
  const { hostile, cluster, queues, time } = world;
  if (hostile === null || !hostile.chance(0.04)) return;
  const ttl = 60 + hostile.whole(0, 500);
  for (let index = 0; index < RECORDS; index += 1) {
    const ref: ObjectRef = { kind: 'Record', namespace: 'c', name: `evil${index}` };
    const isGone = hostile.chance(0.05);
    if (isGone && cluster.find(ref) === null) continue;
    if (isGone) cluster.remove(ref);
    else cluster.put(ref, { spec: { domainName: `evil${index}.${APEX}`, type: 'TXT', rdata: REJECTED, ttl } });
    queues.send({ kind: 'hint', hint: ref }, time.ms + hostile.whole(0, 2_000), null);
  }
  sawThat(world, 'a hostile tenant touched its Records');
  tell(world, () => `hostile tenant: touches its Records, TTL ${ttl}`);
}

const isHostile = (name: unknown) => typeof name === 'string' && name.startsWith('evil');

/** I18: fails for an intent with the content that was refused, before the pause is over. */
export function checkPause(world: World, run: FunctionRun, before: JsonObject | null, after: JsonObject | null): void {
  if (!isHostile(before?.name) || before?.intent != null || after?.intent == null) return;
  const refusal = before?.refusal as { reason: string; atMs: number; content: JsonObject | null } | null | undefined;
  const { content } = after.intent as { content: JsonObject | null };
  if (refusal?.reason !== 'Rejected' || JSON.stringify(refusal.content) !== JSON.stringify(content)) return;
  sawThat(world, 'a refused record set was tried again');
  const pauseMs = world.time.ms + run.skewMs - refusal.atMs;
  const times = Number((before?.refused as { times: number } | null | undefined)?.times ?? 0);
  if (pauseMs < Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, times - 1)) - SKEW_MS)
    world.auditor.fail('I18', `${String(before?.name)} is tried again ${pauseMs} ms after it was refused`);
}

/** Notes which record sets were refused and not published since, independently of the ledger. */
export function noteRefused(
  { auditor }: World,
  key: LedgerKey,
  before: JsonObject | null,
  after: JsonObject | null,
): void {
  const id = `${key.partition} ${key.sort}`;
  const isPublished = after?.published != null && (before?.intent != null || !isSamePublished(before, after));
  // A record set that could not be deleted was refused, too.
  if (after?.refused != null) auditor.shadow.refused.add(id);
  else if (after === null || isPublished) auditor.shadow.refused.delete(id);
}

function isSamePublished(before: JsonObject | null, after: JsonObject): boolean {
  return textOf(before?.published) === textOf(after.published);
}

/**
 * I19: fails for a batch that mixes names that were refused before with names that never were. A name was refused if
 * one of its record sets was: they are planned together, and a part of them may be sent alone after a refusal.
 */
export function checkApart(world: World, facts: RunFacts, id: string, changes: readonly RecordSetChange[]): void {
  const { items, refused } = world.auditor.shadow;
  const before = new Set<string>();
  const names = new Set<unknown>();
  for (const { recordSet } of changes) {
    if (recordSet.type === 'SOA') continue;
    const { partition, sort } = recordSetItemKey(id, recordSet);
    const key = `${partition} ${sort}`;
    // A foreign record set that is taken over, or a TXT record of external-dns, has no item.
    if (!items.has(key)) continue;
    // A later run noted it, so this run does not know of it.
    if (Number(items.get(key)?.epoch ?? 0) > (facts.epoch ?? 0)) return;
    names.add(recordSet.name);
    if (refused.has(key)) before.add(recordSet.name);
  }
  if (before.size === 0) return;
  sawThat(world, 'names that were refused before were sent in a batch of their own');
  const { partition } = recordSetItemKey(id, { name: APEX, type: 'A', setIdentifier: null });
  const suspects = [...refused].filter((key) => key.startsWith(`${partition} `)).map((key) => items.get(key)?.name);
  const never = names.difference(new Set(suspects));
  if (never.size > 0)
    world.auditor.fail('I19', `${[...before].join(', ')} was refused before, and goes with ${[...never].join(', ')}`);
}

/** I19: a run has a limit of refused calls. */
export function checkRefused(world: World, run: FunctionRun, facts: RunFacts): void {
  facts.refusedCalls += 1;
  if (facts.refusedCalls > REFUSED_CALLS_MAX)
    world.auditor.fail('I19', `Route 53 refused ${facts.refusedCalls} batches of ${run.id}`);
}
