// What a run of publish knows of each name: one map. An entry is a value; it is replaced, never changed. A name is done
// when everything planned at it has an outcome that ends it. The dirty mark of any other name stays, and the next run
// looks at it again:
//
//   planned   `open` has changes of which nothing is known yet
//   waiting   its turn has not come: `waitsFor` says what has to go before
//   failed    `stays`, also where it waits: something about it is not settled
//   done      none of these
import { type RecordSetKey, recordSetId } from '../../dns/record-set.ts';
import type { Cause } from '../../ports/queues.ts';
import type { DirtyItem } from '../../record-sets/dirty-mark.ts';

export type DirtySince = Cause & { readonly sinceMs: number };

/** `revision`: the generation that is planned. `retry`: what was refused before is tried again. */
type Mark = { readonly revision: string; readonly retry: boolean };

export type RunName = {
  /** Its dirty mark; null: it is not dirty, or its mark was cleared. */
  readonly mark: Mark | null;
  /** What Route 53 refused in this run, by record set id. */
  readonly refused: ReadonlySet<string>;
  /** Since when it has been dirty, and the event behind it; stays when the mark goes. Null: it was not dirty. */
  readonly cause: DirtySince | null;
  /** Whom to tell: "Record ns/name", "Zone ns/name". */
  readonly owners: ReadonlySet<string>;
  /** Changes that are to be applied and of which nothing is known yet, by record set id. */
  readonly open: ReadonlySet<string>;
  readonly stays: boolean;
  /** It moves between hosted zones, and has to wait for its turn (lib/publish/order/cross-zone-order.ts). */
  readonly moves: boolean;
  readonly waitsFor: string | null;
};

export type RunNames = Map<string, RunName>;

const NOTHING: ReadonlySet<string> = new Set();
const UNKNOWN: RunName = {
  mark: null,
  refused: NOTHING,
  cause: null,
  owners: NOTHING,
  open: NOTHING,
  stays: false,
  moves: false,
  waitsFor: null,
};

export function nameOf(names: ReadonlyMap<string, RunName>, name: string): RunName {
  return names.get(name) ?? UNKNOWN;
}

/** Notes something about a name. */
export function noteName(names: RunNames, name: string, news: Partial<RunName>): void {
  names.set(name, { ...nameOf(names, name), ...news });
}

/** Notes that Route 53 refused this change in this run. */
export function noteRefused(names: RunNames, change: RecordSetKey & { readonly name: string }): void {
  const { refused } = nameOf(names, change.name);
  noteName(names, change.name, { refused: refused.union(new Set([recordSetId(change)])) });
}

/** True when its dirty mark may go. */
export function isDone({ stays, open }: RunName): boolean {
  return !stays && open.size === 0;
}

/** Since when it is dirty; null when it is not, or no more. */
export function dirtySinceMs({ mark, cause }: RunName): number | null {
  return mark === null ? null : (cause?.sinceMs ?? null);
}

/** Since when a name is dirty by its mark, and the event behind it. */
export function causeOfMark({ sinceMs, hintAtMs, correlationId }: DirtyItem): DirtySince {
  return {
    sinceMs,
    ...(hintAtMs === undefined ? {} : { atMs: hintAtMs }),
    ...(correlationId === undefined ? {} : { correlationId }),
  };
}

/** What each dirty name was put down to. */
export function causesOf(names: ReadonlyMap<string, RunName>): ReadonlyMap<string, DirtySince> {
  return new Map([...names].flatMap(([name, { cause }]) => (cause === null ? [] : [[name, cause]])));
}

/** The names whose turn has not come, with what they wait for. */
export function waitsOf(names: ReadonlyMap<string, RunName>): ReadonlyMap<string, string> {
  return new Map([...names].flatMap(([name, { waitsFor }]) => (waitsFor === null ? [] : [[name, waitsFor]])));
}
