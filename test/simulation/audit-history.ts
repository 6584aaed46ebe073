// I29: the history. No change of a record set stands in it more often than Route 53 had the change; in the end, each
// change of ours stands in it as often as it was made, and the item of its batch lists it. Of a record set that a
// stranger ever wrote, zone53 need not see every change. The SOA has an entry only if its timers change.
import type { RecordSetChange, RecordSetKey } from '../../lib/dns/record-set.ts';
import type { JsonObject, LedgerKey } from '../../lib/ports/ledger.ts';
import type { RecordSetItem } from '../../lib/record-sets/record-set-item.ts';
import { type Shadow, type Standing, standingAt } from './auditor.ts';
import { standingKey, textOf } from './record-set-texts.ts';
import { sawThat, type World } from './world.ts';

const CHANGES: ReadonlySet<unknown> = new Set(['create', 'update', 'delete', 'restore', 'takeover', 'handover']);

/** How often each content occurs. */
function timesOf(contents: Iterable<string>): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(contents, (one) => one)].map(([content, all]) => [content, all.length]));
}

/** An entry was written, or written again. */
export function noteEntry(world: World, { partition, sort }: LedgerKey, entry: JsonObject): void {
  const { auditor } = world;
  const { action, type } = entry;
  sawThat(world, `the history had an entry: ${String(action)}`);
  auditor.shadow.entries.set(`${partition} ${sort}`, entry);
  if (!CHANGES.has(action) || type === null || type === 'SOA') return;
  const standing = standingAt(auditor.shadow, partition.slice('history#'.length), entry as unknown as RecordSetKey);
  const after = contentOf(entry.after);
  standing.told ??= new Map();
  standing.told.set(sort, after);
  const [told, was] = [timesOf(standing.told.values()).get(after) ?? 0, timesOf(standing.log).get(after) ?? 0];
  if (told > was)
    auditor.fail('I29', `${sort} of the history: told ${told} times, and Route 53 had it ${was} times: ${after}`);
}

function contentOf(content: unknown): string {
  return content === null ? 'absent' : textOf(content);
}

/**
 * A batch of ours made `set` what `made` says. The delete of a run that had lost its lease is not noted: the run that
 * has the lease sees that the record set is gone, and may publish it again before it can tell by whom.
 */
export function noteOurs(standing: Standing, made: RecordSetChange | undefined): void {
  standing.ours ??= [];
  standing.ours.push(made === undefined ? 'absent' : textOf(made.recordSet.content));
}

/**
 * True for the write of a run that died, in a hosted zone that somebody removed before another run could read it back:
 * the write intent, or the late write that it became, is all that is known of it.
 */
function isLeftUnderWay({ items }: Shadow, key: string, content: string): boolean {
  const [id = ''] = key.split(' ');
  if (items.get(`hostedzones ${id}`)?.gone !== true) return false;
  return [...items].some(([at, body]) => {
    if (!at.startsWith(`recordsets#${id} `)) return false;
    const { intent, late } = body as unknown as RecordSetItem;
    const begun = [...(intent === null ? [] : [intent]), ...late].map((write) => contentOf(write.content));
    return standingKey(id, body as unknown as RecordSetKey) === key && begun.includes(content);
  });
}

/** Call this when nothing is under way. */
export function checkHistory(world: World): void {
  const { auditor } = world;
  const { standing, entries, items } = auditor.shadow;
  for (const [key, { ours = [], told = new Map<string, string>(), strangerAtMs }] of standing) {
    if (strangerAtMs !== undefined || key.includes(' SOA')) continue;
    const known = timesOf(told.values());
    for (const [content, times] of timesOf(ours))
      if (known.get(content) !== times && !isLeftUnderWay(auditor.shadow, key, content))
        auditor.fail('I29', `${key} became ${content} ${times} times, and the history has ${known.get(content) ?? 0}`);
  }
  for (const [key, { atMs, epoch, batch, name, type, setIdentifier }] of entries) {
    const [partition = '', ...sort] = key.split(' ');
    const hostedZone = partition.slice('history#'.length);
    const stamp = sort
      .join(' ')
      .slice(sort.join(' ').indexOf('!') + 1)
      .split(' ')
      .slice(0, 3)
      .join(' ');
    const listed = items.get(`batches#${hostedZone} ${stamp}`)?.sets as readonly unknown[] | undefined;
    const set = JSON.stringify([name, type ?? '', setIdentifier]);
    if (listed?.some((one) => JSON.stringify(one) === set) !== true)
      auditor.fail('I29', `${key}: no batch ${String(atMs)} ${String(epoch)} ${String(batch)} lists it`);
  }
}
