// A plan is the sorted list of changes from what is published to what is desired. Each change has both contents, so it
// can be applied by compare-and-swap. Equal plans have equal digests, whoever made them.
import { createHash } from 'node:crypto';
import { describeContent } from './hash.ts';
import { compareText } from './names/compare-text.ts';
import { compareNames } from './names/name.ts';
import { type RecordSet, type RecordSetContent, type RecordSetKey, recordSetId, sameContent } from './record-set.ts';
import { typeNumber } from './record-type.ts';

/**
 * A change of one record set. `before` is null for a create, `after` for a delete. For an `adopt` both are equal: the
 * record set already exists as wanted and becomes ours. For a `forget` both are equal, too: it stays in Route 53, and
 * is not ours any more. `objects` are texts such as "Record ns/name".
 */
export type Change = RecordSetKey & {
  readonly action: 'create' | 'update' | 'delete' | 'adopt' | 'forget';
  readonly before: RecordSetContent | null;
  readonly after: RecordSetContent | null;
  readonly objects: readonly string[];
  /**
   * The TXT records of external-dns in the same batch: deleted when the record set is taken over from it, created when
   * it is forgotten and given to it.
   */
  readonly also?: readonly RecordSet[];
};

export type OwnedRecordSet = RecordSet & { readonly objects?: readonly string[] };

/** Deletes come first, so they make room for creates at the same name. */
const ACTION_ORDER = { delete: 0, update: 1, create: 2, adopt: 3, forget: 4 } as const;
const DIGEST_VERSION = 'v1';

/** Plans the changes between two canonical states. A delete has the objects of the published record set. */
export function planChanges(published: Iterable<OwnedRecordSet>, desired: Iterable<OwnedRecordSet>): Change[] {
  const before = byKey(published);
  const after = byKey(desired);
  const changes: Change[] = [];
  for (const [key, recordSet] of before) {
    if (!after.has(key)) changes.push(changeOf('delete', recordSet, recordSet, null));
  }
  for (const [key, recordSet] of after) {
    const old = before.get(key);
    if (old === undefined) changes.push(changeOf('create', recordSet, null, recordSet));
    else if (!sameContent(old.content, recordSet.content)) changes.push(changeOf('update', recordSet, old, recordSet));
  }
  return changes.sort(compareChanges);
}

function changeOf(
  action: Change['action'],
  { name, type, setIdentifier, objects = [] }: OwnedRecordSet,
  before: RecordSet | null,
  after: RecordSet | null,
): Change {
  return {
    action,
    name,
    type,
    setIdentifier,
    before: before?.content ?? null,
    after: after?.content ?? null,
    objects,
  };
}

/** Sorts by canonical name, then deletes, updates, creates, adopts, forgets, then by type number and set identifier. */
export function compareChanges(a: Change, b: Change): number {
  return compareNames(a.name, b.name) || ACTION_ORDER[a.action] - ACTION_ORDER[b.action] || compareTypes(a, b);
}

/** Sorts by canonical name, then by type number, then by set identifier. */
export function compareRecordSets(a: RecordSetKey, b: RecordSetKey): number {
  return compareNames(a.name, b.name) || compareTypes(a, b);
}

function compareTypes(a: RecordSetKey, b: RecordSetKey): number {
  return (
    (typeNumber(a.type) ?? 0) - (typeNumber(b.type) ?? 0) ||
    compareText(a.type, b.type) ||
    compareText(a.setIdentifier ?? '', b.setIdentifier ?? '')
  );
}

/**
 * A digest of the changes in plan order: 64 hex digits over actions, keys, both contents and the TXT records that go
 * with them. Objects and the serial of an SOA are left out: they do not make it another plan. `standing`: what
 * Route 53 has at these names, as far as it was read.
 */
export function digestChanges(changes: Iterable<Change>, standing: readonly RecordSet[] = []): string {
  const sum = createHash('sha256').update(`[${JSON.stringify(DIGEST_VERSION)},[`);
  // Hashed line by line, because the JSON of a large plan is long.
  for (const [index, change] of [...changes].sort(compareChanges).entries()) {
    const line = [
      change.action,
      change.name,
      change.type,
      change.setIdentifier,
      describeContent(withoutSerial(change.type, change.before)),
      describeContent(withoutSerial(change.type, change.after)),
      ...(change.also ?? []).map(({ name, setIdentifier, content }) => [name, setIdentifier, describeContent(content)]),
    ];
    sum.update(`${index === 0 ? '' : ','}${JSON.stringify(line)}`);
  }
  const lines = standing.toSorted(compareRecordSets).map(({ name, type, setIdentifier, content }) => {
    return JSON.stringify([name, type, setIdentifier, describeContent(content)]);
  });
  return sum.update(lines.length === 0 ? ']]' : `],[${lines.join(',')}]]`).digest('hex');
}

function withoutSerial(type: string, content: RecordSetContent | null): RecordSetContent | null {
  if (type !== 'SOA' || content?.kind !== 'values') return content;
  return {
    ...content,
    values: content.values.map((value) => value.replace(/^(\S+ \S+ )\d+/, (_, names: string) => `${names}0`)),
  };
}

function byKey<T extends RecordSet>(recordSets: Iterable<T>): Map<string, T> {
  const map = new Map<string, T>();
  for (const recordSet of recordSets) {
    const key = recordSetId(recordSet);
    if (map.has(key)) throw new Error(`the record set ${recordSet.name} ${recordSet.type} is given twice`);
    map.set(key, recordSet);
  }
  return map;
}
