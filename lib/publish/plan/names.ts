// What a run of publish knows of each name: one map of values, which are replaced, never changed. A name is done when
// each change planned there has a final outcome. The dirty mark of any other name stays, and the next run looks at the
// name again:
//
//   planned   `open` has changes without an outcome
//   waiting   `waitsFor` says what must happen first
//   failed    `stays` is set, as it is while the name waits
//   done      none of these
import { type RecordSetKey, recordSetId } from '../../dns/record-set.ts';
import type { Cause } from '../../ports/queues.ts';
import type { DirtyItem } from '../../record-sets/dirty-mark.ts';

export type DirtySince = Cause & { readonly sinceMs: number };

/**
 * `revision`: the generation that is planned. `retry`: changes that were refused before are tried again. `moves`: the
 * Zone of the hosted zone is resolved again.
 */
type Mark = { readonly revision: string; readonly retry: boolean; readonly moves: boolean };

export type RunName = {
  /** The dirty mark of the name; null: it is not dirty, or its mark was cleared. */
  readonly mark: Mark | null;
  /**
   * Changes that Route 53 refused, by record set id: in this run; and those that were `Rejected` before it, and are
   * tried again with the same content.
   */
  readonly refused: { readonly now: ReadonlySet<string>; readonly before: ReadonlySet<string> };
  /** Since when the name has been dirty, and the event behind it. Kept after the mark is cleared. Null: not dirty. */
  readonly cause: DirtySince | null;
  /** The objects to report: "Record ns/name", "Zone ns/name". None once the name is done and they were reported. */
  readonly owners: ReadonlySet<string>;
  /** Changes that will be applied and have no outcome yet, by record set id. */
  readonly open: ReadonlySet<string>;
  readonly stays: boolean;
  /** The name moves between hosted zones, so the order matters (lib/publish/order/cross-zone-order.ts). */
  readonly moves: boolean;
  readonly waitsFor: string | null;
  /** The digest that released deletes here. */
  readonly releasedBy: string | null;
};

export type RunNames = Map<string, RunName>;

const NOTHING: ReadonlySet<string> = new Set();
const UNKNOWN: RunName = {
  mark: null,
  refused: { now: NOTHING, before: NOTHING },
  cause: null,
  owners: NOTHING,
  open: NOTHING,
  stays: false,
  moves: false,
  waitsFor: null,
  releasedBy: null,
};

export function nameOf(names: ReadonlyMap<string, RunName>, name: string): RunName {
  return names.get(name) ?? UNKNOWN;
}

export function noteName(names: RunNames, name: string, news: Partial<RunName>): void {
  names.set(name, { ...nameOf(names, name), ...news });
}

/** Notes that Route 53 refused a change: in this run, or `before` it. */
export function noteRefused(names: RunNames, change: RecordSetKey, when: keyof RunName['refused']): void {
  const { refused } = nameOf(names, change.name);
  noteName(names, change.name, {
    refused: { ...refused, [when]: refused[when].union(new Set([recordSetId(change)])) },
  });
}

export function wasRejected(names: RunNames, set: RecordSetKey): boolean {
  return nameOf(names, set.name).refused.before.has(recordSetId(set));
}

/** True if the dirty mark of the name may be cleared. */
export function isDone({ stays, open }: RunName): boolean {
  return !stays && open.size === 0;
}

/** Since when the name has been dirty; null if it is not dirty, or its mark was cleared. */
export function dirtySinceMs({ mark, cause }: RunName): number | null {
  return mark === null ? null : (cause?.sinceMs ?? null);
}

/** The parts of a dirty mark that say since when the name has been dirty, and because of which event. */
export function causeOfMark({ sinceMs, hintAtMs, correlationId, via, user }: DirtyItem): DirtySince {
  return {
    sinceMs,
    ...(hintAtMs === undefined ? {} : { atMs: hintAtMs }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(via === undefined ? {} : { via }),
    ...(user === undefined ? {} : { user }),
  };
}

/** For each dirty name: since when, and because of which event. */
export function causesOf(names: ReadonlyMap<string, RunName>): ReadonlyMap<string, DirtySince> {
  return new Map([...names].flatMap(([name, { cause }]) => (cause === null ? [] : [[name, cause]])));
}

/** The names that wait, with what they wait for. */
export function waitsOf(names: ReadonlyMap<string, RunName>): ReadonlyMap<string, string> {
  return new Map([...names].flatMap(([name, { waitsFor }]) => (waitsFor === null ? [] : [[name, waitsFor]])));
}
