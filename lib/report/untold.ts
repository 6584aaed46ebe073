// When a transition becomes a Kubernetes Event: once it has stood for ten seconds. A folder that is applied for the
// first time has Records before their Zones, and warnings that are true for a second. So a status that shows a
// transition is written without its Event, the last report notes what was told before it, and the object is reported
// once more when the time has come. If the message for that is lost, the sweep finds the note.
import { type Condition, isTold } from '../objects/conditions.ts';
import type { StatusItem } from '../observe/status-item.ts';

const STANDS_MS = 10_000;

/** A report, with its Events: those of what differs between `told` and its conditions. */
export type Telling = {
  /** The report to save. */
  readonly now: StatusItem;
  readonly told: readonly Condition[];
  /** In how many seconds the object must be reported again; null: all is told. */
  readonly againSeconds: number | null;
};

/** `before`: the last report of this very object; null: there is none, and nothing was told. */
export function tellingOf(before: StatusItem | null, report: StatusItem, nowMs: number): Telling {
  const { untold: _, ...now } = report;
  const told = before?.untold?.conditions ?? before?.conditions ?? [];
  const silent = { now, told: now.conditions, againSeconds: null };
  // Where an object asks for nothing, there is nothing to tell.
  if (now.conditions.length === 0 || isSame(told, now.conditions)) return silent;
  const stands = before !== null && isSame(before.conditions, now.conditions);
  // What stood before there was such a note has been told.
  if (stands && before.untold === undefined) return silent;
  const sinceMs = (stands ? before.untold?.sinceMs : undefined) ?? nowMs;
  const leftMs = sinceMs + STANDS_MS - nowMs;
  if (leftMs <= 0) return { now, told, againSeconds: null };
  const untold = { conditions: [...told], sinceMs };
  return { now: { ...now, untold }, told: now.conditions, againSeconds: Math.ceil(leftMs / 1_000) };
}

/** True if nothing is a transition from one to the other. */
function isSame(some: readonly Condition[], others: readonly Condition[]): boolean {
  const texts = (all: readonly Condition[]) =>
    all.filter(isTold).map(({ type, status, reason }) => `${type} ${status} ${reason}`);
  return texts(some).toSorted().join('\n') === texts(others).toSorted().join('\n');
}
