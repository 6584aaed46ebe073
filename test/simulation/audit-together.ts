// Invariant I17: deletes are judged together. No delete is sent while another has waited for less than
// DELETES_QUIET_MS, unless it belongs to what replaces it. If the ledger changed while the run was reading, so that the
// auditor cannot tell, it reports no violation.
import type { RecordSetChange, RecordSetContent } from '../../lib/dns/record-set.ts';
import { excludes } from '../../lib/dns/routing-policy.ts';
import type { JsonObject, LedgerItem } from '../../lib/ports/ledger.ts';
import { type RecordSetItem, recordSetItemKey } from '../../lib/record-sets/record-set-item.ts';
import { samePublishing } from '../../lib/record-sets/same-content.ts';
import type { RunFacts, Shadow } from './auditor.ts';
import { waitsForOthers } from './discovery/audit.ts';
import type { FunctionRun, World } from './world.ts';

/** How long deletes wait for others to come, and how long at the most, milliseconds. */
const DELETES_QUIET_MS = 300;
const DELETES_WAIT_MS_MAX = 30_000;

/** Whether a delete waits for others, and others wait for it. `may`: that depends on when the run looked. */
export type Waits = 'must' | 'may' | 'never';

/**
 * A delete in the ledger: since when its name has been dirty, whether it waits, and whether the guard knows of it
 * already.
 */
export type PendingDelete = {
  readonly atApex: boolean;
  readonly sinceMs: number;
  readonly waits: Waits;
  readonly known: boolean;
};

function isPending(body: JsonObject | undefined): body is JsonObject {
  return body !== undefined && body.type !== 'SOA' && body.desired === null && body.published != null;
}

/** The deletes that wait at the names of these marks, as a run reads them. */
export function* pendingDeletesOf(
  world: World,
  partition: string,
  marks: readonly LedgerItem[],
): Generator<[string, PendingDelete]> {
  const id = partition.slice('dirty#'.length);
  const { items } = world.auditor.shadow;
  const apex = world.route53.recordSets(id).find(({ type }) => type === 'SOA')?.name;
  const sinceMs = new Map(marks.map(({ body }) => [body.name, Number(body.sinceMs)]));
  for (const [key, body] of items) {
    const since = sinceMs.get(body.name ?? null);
    if (since === undefined || !key.startsWith(`recordsets#${id} `) || !isPending(body) || body.intent !== null)
      continue;
    const known = [...items].some(([one, held]) => one.startsWith(`held#${id} `) && held.name === body.name);
    yield [key, { atApex: body.name === apex, sinceMs: since, waits: waitsNow(world, key, body), known }];
  }
}

function waitsNow(world: World, key: string, body: JsonObject): Waits {
  return isTied(world.auditor.shadow, key, body as unknown as RecordSetItem) ? 'never' : waitsForOthers(world, body);
}

/** Checks, before a batch is sent, that none of its deletes should have waited. */
export function checkTogether(
  world: World,
  run: FunctionRun,
  { pendingDeletes }: RunFacts,
  id: string,
  changes: readonly RecordSetChange[],
): void {
  const { auditor, time, swarm } = world;
  const { items } = auditor.shadow;
  // The run may have read anything from its first look at the marks until now. An earlier batch of this run may have
  // deleted what no longer needs a delete.
  const waitsOf = (key: string, { waits }: PendingDelete): Waits => {
    const body = items.get(key);
    return isPending(body) && waitsNow(world, key, body) === waits ? waits : 'may';
  };
  const all = [...pendingDeletes]
    .filter(([key, { known }]) => key.startsWith(`recordsets#${id} `) && !known)
    .map(([key, pending]) => ({ key, sinceMs: pending.sinceMs, first: pending.waits, waits: waitsOf(key, pending) }))
    .filter(({ waits }) => waits !== 'never');
  // So many are held at sight.
  if (all.filter(({ first }) => first === 'must').length > swarm.deletesMax) return;
  const waiting = new Map(all.flatMap(({ key, sinceMs, waits }) => (waits === 'must' ? [[key, sinceMs]] : [])));
  const nowMs = time.ms + run.skewMs;
  const newestMs = Math.max(...waiting.values());
  const oldestMs = Math.min(...all.map(({ sinceMs }) => sinceMs));
  if (nowMs - newestMs >= DELETES_QUIET_MS || nowMs - oldestMs >= DELETES_WAIT_MS_MAX) return;
  for (const { recordSet } of changes) {
    const { partition, sort } = recordSetItemKey(id, recordSet);
    const key = `${partition} ${sort}`;
    if (!waiting.has(key)) continue;
    auditor.fail(
      'I17',
      `${key} is deleted ${nowMs - newestMs} ms after the newest of ${waiting.size} deletes that wait`,
    );
  }
}

/**
 * True for a delete that is sent only together with what replaces it, because Route 53 does not accept both, or because
 * one object asks for both. It does not wait for other deletes, nor they for it.
 */
function isTied({ items }: Shadow, key: string, gone: RecordSetItem): boolean {
  const partition = key.slice(0, key.indexOf(' ') + 1);
  const ofName = [...items]
    .filter(([other, { name, type }]) => other.startsWith(partition) && name === gone.name && type !== 'SOA')
    .map(([, body]) => body as unknown as RecordSetItem)
    .filter(({ type, desired, published }) => !samePublishing(type, desired, published));
  const types = new Set(ofName.map(({ type }) => type));
  const comes = ofName.filter(({ desired }) => desired !== null);
  if (types.size > 1 && types.has('CNAME')) return comes.length > 0;
  const ofType = ofName.filter(({ type }) => type === gone.type);
  return ofType.some((one) => movesTtl(one) || replaces(one, gone) || ofType.some((other) => isBarred(one, other)));
}

/** True for a record set that cannot be created while the other one exists. */
function isBarred(one: RecordSetItem, { setIdentifier, published }: RecordSetItem): boolean {
  if (one.desired === null || published === null || one.setIdentifier === setIdentifier) return false;
  return excludes(one.desired.routing, published.routing);
}

/** True where an object has its record set under another identifier. */
function replaces({ desired, published, objects }: RecordSetItem, { publishedObjects }: RecordSetItem): boolean {
  return desired !== null && published === null && objects.some((object) => publishedObjects.includes(object));
}

/** True for a weighted record set whose TTL changes, because all of its name and type must change at once. */
function movesTtl({ desired, published }: RecordSetItem): boolean {
  const ttlOf = (content: RecordSetContent | null) => (content?.kind === 'values' ? content.ttlSeconds : null);
  const [to, from] = [ttlOf(desired), ttlOf(published)];
  return desired?.routing?.policy.kind === 'weight' && to !== null && from !== null && to !== from;
}
