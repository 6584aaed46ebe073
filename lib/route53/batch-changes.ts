// Divides changes into batches of a size that Route 53 accepts. Route 53 applies a batch as a whole or not at all, and
// in order:
//
//   changes of one name        | in one batch, deletes before creates
//   TXT of external-dns        | with the record set whose owner they note
//   an alias and its target    | the target first, in the same batch or an earlier one (alias-order.ts)
//   the apex                   | in batches of its own, so that IAM can deny some of it by condition keys
//   the SOA                    | alone, as an UPSERT, which counts twice
//   a name too large           | in several batches, but tied changes together (tied-changes.ts)
//   a record set too large     | two batches, DELETE then CREATE
//   ... even for two batches   | in one batch, which Route 53 refuses, so the existing record set stays
import { type Change, compareChanges } from '../dns/plan-changes.ts';
import type { RecordSet, RecordSetChange, RecordSetContent, RecordSetKey } from '../dns/record-set.ts';
import { inAliasOrder, predecessors } from './alias-order.ts';
import { formatRoute53Rdata } from './escapes.ts';
import { unitsOf } from './tied-changes.ts';

/** Maximum number of ResourceRecord elements in a batch (Route 53 quotas). Last verified 2026-11-21. */
export const BATCH_ELEMENTS_MAX = 1_000;
/** Maximum length of all Value elements in a batch, spaces included (Route 53 quotas). Last verified 2026-11-21. */
export const BATCH_CHARACTERS_MAX = 32_000;
/** Number of batches that are filled at the same time: enough to fill them well, few enough for linear time. */
const OPEN_BATCHES_MAX = 16;

/**
 * The changes of one call. `step`: "delete" and "create" for the two batches of a change that is too large for one.
 * Both have the same changes and follow each other. A record set that is larger than Route 53 allows is in a batch of
 * its own.
 */
export type Batch = {
  readonly step: 'whole' | 'delete' | 'create';
  readonly changes: readonly Change[];
  readonly recordSetChanges: readonly RecordSetChange[];
};

/** The size of a batch by the two quotas. */
type Size = { readonly elements: number; readonly characters: number };
type Unit = Size & { readonly changes: readonly Change[]; readonly recordSetChanges: readonly RecordSetChange[] };
type OpenBatch = {
  readonly place: number;
  elements: number;
  characters: number;
  changes: number;
  readonly units: Unit[];
};
type Predecessors = ReturnType<typeof predecessors>;

const NONE: Predecessors = new Map();

/**
 * Divides changes into batches. `apex`: the hosted zone's name, canonical. `changesMax`: the maximum number of elements
 * in a batch; a single name may have more.
 */
export function batchChanges(
  changes: Iterable<Change>,
  { apex, changesMax = null }: { readonly apex: string; readonly changesMax?: number | null },
): Batch[] {
  const most = changesMax ?? Number.POSITIVE_INFINITY;
  const sorted = [...changes].sort(compareChanges);
  const soa = sorted.filter(({ type }) => type === 'SOA');
  const rest = Map.groupBy(
    sorted.filter(({ type }) => type !== 'SOA'),
    ({ name }) => name,
  );
  const names = [...rest].map(([name, ofName]) => ({ name, changes: ofName }));
  const first = predecessors(names);
  const others = batchesOf(inAliasOrder(names.filter(({ name }) => name !== apex)), first, most);
  const ofApex = batchesOf(
    names.filter(({ name }) => name === apex),
    first,
    most,
  );
  // The apex may be an alias of a name that is created now.
  const tail = first.has(apex) ? [...others, ...ofApex] : [...ofApex, ...others];
  return [...tail, ...soa.map((change) => batchOf([unitOf([change])]))];
}

/**
 * The elements of one call with these changes, in the order in which Route 53 evaluates them: deletes of a name come
 * first. `isFirstOfTwo`: old and new values do not fit into one batch, so these are only the deletes.
 */
export function elementsOf(changes: readonly Change[], apex: string) {
  const batches = batchChanges(changes, { apex });
  const elements: RecordSetChange[] = batches.flatMap((batch) => batch.recordSetChanges);
  const isFirstOfTwo = batches.length > 1 && batches.every(({ step }) => step !== 'whole');
  return { isFirstOfTwo, elements: isFirstOfTwo ? elements.filter(({ action }) => action === 'DELETE') : elements };
}

function batchesOf(
  names: readonly { readonly changes: readonly Change[] }[],
  first: Predecessors,
  changesMax: number,
): Batch[] {
  const units = names
    .map(({ changes }) => unitOf(changes))
    // A name that is too large for one batch is divided into units of tied changes.
    .flatMap((unit) => (fits(unit) ? [unit] : unitsOf(unit.changes).map(unitOf)));
  return [
    ...pack(units.filter(fits), first, changesMax).map(batchOf),
    ...units.filter((unit) => !fits(unit)).flatMap(splitUnit),
  ];
}

/**
 * Makes two batches, DELETE and then CREATE. When one of the two would be too large as well, the change stays in one
 * batch, which Route 53 refuses: otherwise the old values would be deleted for nothing.
 */
function splitUnit(unit: Unit): Batch[] {
  const singles = unit.recordSetChanges.map((change) => measured(unit.changes, [change]));
  if (singles.length === 1 || !singles.every(fits)) return [batchOf([unit])];
  const deletes = singles.filter((single) => single.recordSetChanges[0]?.action === 'DELETE');
  const creates = singles.filter((single) => single.recordSetChanges[0]?.action !== 'DELETE');
  return [
    ...pack(deletes).map((units): Batch => ({ ...batchOf(units), step: 'delete', changes: unit.changes })),
    ...pack(creates).map((units): Batch => ({ ...batchOf(units), step: 'create', changes: unit.changes })),
  ];
}

/** Puts each unit into the first open batch with room, but never before a batch that must come first. */
function pack(units: readonly Unit[], first = NONE, changesMax = Number.POSITIVE_INFINITY): Unit[][] {
  const batches: OpenBatch[] = [];
  const placeOf = new Map<string, number>();
  let open: OpenBatch[] = [];
  for (const unit of units) {
    const name = unit.changes[0]?.name ?? '';
    const least = [...(first.get(name) ?? [])].reduce((most, one) => Math.max(most, placeOf.get(one) ?? 0), 0);
    let batch = open.find(
      (one) =>
        one.place >= least &&
        one.changes + unit.recordSetChanges.length <= changesMax &&
        fits({ elements: one.elements + unit.elements, characters: one.characters + unit.characters }),
    );
    if (batch === undefined) {
      batch = { place: batches.length, elements: 0, characters: 0, changes: 0, units: [] };
      batches.push(batch);
      open = [...open, batch].slice(-OPEN_BATCHES_MAX);
    }
    batch.elements += unit.elements;
    batch.characters += unit.characters;
    batch.changes += unit.recordSetChanges.length;
    batch.units.push(unit);
    placeOf.set(name, Math.max(batch.place, placeOf.get(name) ?? 0));
  }
  return batches.map((batch) => batch.units);
}

function batchOf(units: readonly Unit[]): Batch {
  return {
    step: 'whole',
    changes: units.flatMap(({ changes }) => changes),
    recordSetChanges: units.flatMap(({ recordSetChanges }) => recordSetChanges),
  };
}

function fits({ elements, characters }: Size): boolean {
  return elements <= BATCH_ELEMENTS_MAX && characters <= BATCH_CHARACTERS_MAX;
}

export function unitOf(changes: readonly Change[]): Unit {
  const recordSetChanges = changes.flatMap(recordSetChangesOf);
  const deletes = recordSetChanges.filter(({ action }) => action === 'DELETE');
  return measured(changes, [...deletes, ...recordSetChanges.filter(({ action }) => action !== 'DELETE')]);
}

function recordSetChangesOf(change: Change): RecordSetChange[] {
  const { before, after } = change;
  if (change.type === 'SOA') {
    if (after === null) throw new Error(`the SOA of ${change.name} cannot be deleted`);
    return [{ action: 'UPSERT', recordSet: recordSetOf(change, after) }];
  }
  const action = change.action === 'forget' ? 'CREATE' : 'DELETE';
  const parts: RecordSetChange[] = (change.also ?? []).map((recordSet) => ({ action, recordSet }));
  if (change.action === 'adopt' || change.action === 'forget') return parts;
  if (before !== null) parts.push({ action: 'DELETE', recordSet: recordSetOf(change, before) });
  if (after !== null) parts.push({ action: 'CREATE', recordSet: recordSetOf(change, after) });
  return parts;
}

function recordSetOf({ name, type, setIdentifier }: RecordSetKey, content: RecordSetContent): RecordSet {
  return { name, type, setIdentifier, content };
}

function measured(changes: readonly Change[], recordSetChanges: readonly RecordSetChange[]): Unit {
  let elements = 0;
  let characters = 0;
  for (const { action, recordSet } of recordSetChanges) {
    const times = action === 'UPSERT' ? 2 : 1;
    const { content, type } = recordSet;
    if (content.kind === 'alias') elements += times;
    else {
      elements += times * content.values.length;
      for (const value of content.values) characters += times * formatRoute53Rdata(type, value).length;
    }
  }
  return { elements, characters, changes, recordSetChanges };
}
