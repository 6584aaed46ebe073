// Applies a change batch: first it checks the limits, then it applies every change in order to the state that the
// changes before it left. All messages of the batch are collected; with any message, nothing is written. A refused
// change leaves the draft unchanged, and the changes after it are checked against that draft.
//
//   action   record set exists      does not exist
//   CREATE   "already exists"       put
//   DELETE   must match, remove     "not found"
//   UPSERT   replace                put

import { BATCH_CHARACTERS_MAX, BATCH_ELEMENTS_MAX } from '../values/limits.ts';
import { invalidChangeBatch } from '../values/route53-error.ts';
import { type BatchTarget, checkNeighbours, checkRecordSet, checkRoom } from './change-rules.ts';
import { type LocalRecordSet, matchesStored } from './record-set.ts';
import type { ZoneRecords } from './zone-records.ts';

export type ChangeAction = 'CREATE' | 'DELETE' | 'UPSERT';

/** One change of a request: the name is as written, everything else has passed the schema. */
export type LocalChange = { readonly action: ChangeAction; readonly recordSet: LocalRecordSet };

/** Applies the batch whole and returns the names written, or throws InvalidChangeBatch with every message. */
export function applyChangeBatch(target: BatchTarget, changes: readonly LocalChange[]): readonly string[] {
  const limits = limitProblems(changes);
  if (limits.length > 0) throw invalidChangeBatch(limits);
  const draft = target.records.draft();
  const messages = changes.flatMap((change) => playChange(target, draft, change));
  if (messages.length > 0) throw invalidChangeBatch([...new Set(messages)]);
  return draft.commit();
}

function limitProblems(changes: readonly LocalChange[]): string[] {
  let elements = 0;
  let characters = 0;
  for (const { action, recordSet } of changes) {
    const times = action === 'UPSERT' ? 2 : 1;
    elements += times * Math.max(1, recordSet.values.length);
    characters += times * recordSet.values.reduce((sum, value) => sum + value.length, 0);
  }
  const problems: string[] = [];
  if (elements > BATCH_ELEMENTS_MAX) problems.push(`Number of records limit of ${BATCH_ELEMENTS_MAX} exceeded.`);
  if (characters > BATCH_CHARACTERS_MAX)
    problems.push(`Number of characters limit of ${BATCH_CHARACTERS_MAX} exceeded.`);
  return problems;
}

function playChange(target: BatchTarget, draft: ReturnType<ZoneRecords['draft']>, change: LocalChange): string[] {
  const { action } = change;
  const checked = checkRecordSet(target, change.recordSet);
  if (!checked.ok) return checked.problems;
  const { recordSet } = checked;
  const guarded = target.protectionProblem(recordSet);
  if (guarded !== null) return [guarded];
  const stored = draft.find(recordSet.name, recordSet.type, recordSet.setIdentifier);
  if (action === 'DELETE') {
    if (stored === undefined) return [`Tried to delete resource record set ${keyText(recordSet)} but it was not found`];
    if (!matchesStored(recordSet, stored)) {
      const head = `Tried to delete resource record set ${keyText(recordSet)}`;
      return [`${head} but the values provided do not match the current values`];
    }
    const required = requiredAtApex(target.zoneName, recordSet);
    if (required !== null) return [required];
    draft.remove(stored);
    return [];
  }
  if (action === 'CREATE' && stored !== undefined) {
    return [`Tried to create resource record set ${keyText(recordSet)} but it already exists`];
  }
  const problems = [
    ...checkNeighbours(target, draft, recordSet),
    ...(stored === undefined ? checkRoom(target, draft) : []),
  ];
  if (problems.length === 0) draft.put(recordSet);
  return problems;
}

function keyText(recordSet: LocalRecordSet): string {
  const identifier = recordSet.setIdentifier === null ? '' : `, set-identifier='${recordSet.setIdentifier}'`;
  return `[name='${recordSet.name}', type='${recordSet.type}'${identifier}]`;
}

function requiredAtApex(zoneName: string, recordSet: LocalRecordSet): string | null {
  if (recordSet.name !== zoneName) return null;
  if (recordSet.type === 'SOA') return 'A HostedZone must contain exactly one SOA record.';
  if (recordSet.type === 'NS') return 'A HostedZone must contain at least one NS record for the zone itself.';
  return null;
}
