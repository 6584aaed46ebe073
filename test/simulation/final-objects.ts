// What must hold of the ledger's objects in the end (Q3). Part of final-checks.ts.
import type { JsonObject } from '../../lib/ports/ledger.ts';
import { HOUR_MS } from '../../lib/record-sets/retention.ts';
import { sawThat, type World } from './world.ts';

/** An hour, and the time from one sweep to the next. */
const TOMBSTONE_MS_MAX = 2 * HOUR_MS;

/**
 * Checks the ledger's item of an object in the end: settled if the object exists; otherwise, for an hour, a tombstone.
 */
export function checkObjectItem(
  world: World,
  fail: (message: string) => void,
  partition: string,
  key: string,
  body: JsonObject,
  when: string,
): void {
  const kind = partition.slice(partition.lastIndexOf('#') + 1);
  const object = world.cluster.history.get(`${kind} ${key}`)?.at(-1)?.object ?? null;
  const isTombstone =
    body.deleted === true && body.unsettled === false && body.endpoints === null && body.spec === null;
  if (object === null && !isTombstone) fail(`${kind} ${key} is gone, and the ledger still has it`);
  else if (object === null) checkTombstone(world, fail, `${kind} ${key}`, body, when);
  else if (body.unsettled === true) fail(`${kind} ${key} is unsettled`);
  else if (body.uid !== object.uid || body.generation !== object.generation)
    fail(`${kind} ${key} is known at generation ${String(body.generation)}, and stands at ${object.generation}`);
}

/** Sweeps come more than an hour apart, and remove the tombstones of which no name was left within the hour. */
function checkTombstone(
  world: World,
  fail: (message: string) => void,
  what: string,
  { left }: JsonObject,
  when: string,
): void {
  sawThat(world, `a tombstone ${when}`);
  const times = ((left ?? []) as readonly { readonly atMs: number }[]).map(({ atMs }) => atMs);
  if (when === 'after sweeps' && Math.max(0, ...times) < world.time.ms - TOMBSTONE_MS_MAX)
    fail(`${what} is gone for more than an hour, and the ledger still has its tombstone`);
}
