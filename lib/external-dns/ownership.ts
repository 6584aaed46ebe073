// Finds out who owns a record set by the TXT registry of external-dns, and which TXT record sets are deleted when it is
// taken over.
//
//   its TXT records                                      | it is
//   -----------------------------------------------------|-----------------------------------------------
//   none, or none of external-dns                        | foreign
//   one that cannot be read: damaged, encrypted          | foreign, whatever the others say
//   two that name different owners                       | foreign
//   all name an owner that nobody may take over from     | foreign
//   all name an owner that may be taken over from        | external-dns', and may be taken over
//
// NS and SOA of the hosted zone itself are Route 53's own, whatever a TXT record says.
import { compareRecordSets } from '../dns/plan-changes.ts';
import { type RecordSet, type RecordSetKey, recordSetId } from '../dns/record-set.ts';
import { type Decrypt, readStatement, type Statement } from './ownership-text.ts';
import { isTextFor, ownershipNames, type Subject, subjectOfText, type TxtAffixes } from './txt-names.ts';

/** An external-dns installation: its owner id, and how it names and writes its TXT records. */
export type ExternalDnsRegistry = TxtAffixes & {
  readonly ownerId: string;
  /** null: it does not encrypt. */
  readonly decrypt: Decrypt | null;
  /** Whether the record sets that it owns and no object wants are deleted. */
  readonly deleteUnwanted: boolean;
};

/** Who owns a record set. `texts`: the TXT record sets that say so. */
export type Ownership =
  | { readonly kind: 'external-dns'; readonly registry: ExternalDnsRegistry; readonly texts: readonly RecordSet[] }
  /** external-dns owns or may own it, and it may not be taken over; `message` says why. */
  | { readonly kind: 'other'; readonly message: string; readonly owner: string | null }
  | { readonly kind: 'none' };

export type SetsById = ReadonlyMap<string, RecordSet>;

/** All names at which one of these registries may keep the TXT record of a record set. */
export function txtNamesOf(registries: readonly TxtAffixes[], recordSet: RecordSet): readonly string[] {
  const subject = subjectOf(recordSet);
  return [...new Set(registries.flatMap((registry) => ownershipNames(registry, subject)))];
}

/** Other names of which these TXT records may speak: for a wildcard the name that replaces it, and vice versa. */
export function wildcardCounterparts(registries: readonly TxtAffixes[], name: string): readonly string[] {
  const [first = '', ...rest] = name.split('.');
  return registries.flatMap(({ wildcardReplacement }) => {
    if (wildcardReplacement === '') return [];
    const replaced = wildcardReplacement.toLowerCase();
    if (first === '*') return [[replaced, ...rest].join('.')];
    return first === replaced ? [['*', ...rest].join('.')] : [];
  });
}

/** Names of the record sets that a TXT record set at this name may speak for. */
export function namesSpokenFor(registries: readonly TxtAffixes[], txtName: string): readonly string[] {
  return registries.flatMap((registry) => {
    const found = subjectOfText(registry, txtName);
    return found === null ? [] : [found.name, ...wildcardCounterparts([registry], found.name)];
  });
}

/** Who owns a record set. `existing` must have the TXT record sets at the names of `txtNamesOf`, and its own name. */
export function ownershipOf(
  registries: readonly ExternalDnsRegistry[],
  recordSet: RecordSet,
  existing: SetsById,
): Ownership {
  if (isOfRoute53(recordSet, existing)) return { kind: 'none' };
  const found = txtNamesOf(registries, recordSet).flatMap((name) => {
    const set = existing.get(recordSetId({ name, type: 'TXT', setIdentifier: recordSet.setIdentifier }));
    if (set === undefined || recordSetId(set) === recordSetId(recordSet)) return [];
    const statement = readStatement(set.content, decryptsOf(registries));
    return statement.kind === 'none' ? [] : [{ set, statement }];
  });
  const [first, ...others] = found;
  if (first === undefined) return { kind: 'none' };
  const unreadable = found.find(({ statement }) => statement.kind === 'unreadable');
  if (unreadable !== undefined) return other(unreadable.set, unreadable.statement);
  const different = others.find(({ statement }) => ownerOf(statement) !== ownerOf(first.statement));
  if (different !== undefined) {
    const owners = `"${ownerOf(first.statement)}" (TXT ${first.set.name}) and "${ownerOf(different.statement)}" (TXT ${different.set.name})`;
    return { kind: 'other', owner: null, message: `Two owners of external-dns claim it: ${owners}.` };
  }
  const owner = ownerOf(first.statement);
  const subject = subjectOf(recordSet);
  const registry = registries.find(
    (one) => one.ownerId === owner && found.some(({ set }) => isTextFor(one, set.name, subject)),
  );
  if (registry === undefined) return other(first.set, first.statement);
  return { kind: 'external-dns', registry, texts: found.map(({ set }) => set).toSorted(compareRecordSets) };
}

/** True for the NS and SOA of the hosted zone itself. Route 53 has a SOA at no other name. */
function isOfRoute53({ name, type }: RecordSet, existing: SetsById): boolean {
  return type === 'SOA' || (type === 'NS' && existing.has(recordSetId({ name, type: 'SOA', setIdentifier: null })));
}

/**
 * What a record set says if it is a TXT record set in which external-dns notes an owner: the owner, and whether that is
 * one of these. Null for any other record set.
 */
export function registryTextOf(
  registries: readonly ExternalDnsRegistry[],
  { name, type, content }: RecordSet,
): { readonly owner: string; readonly isConfigured: boolean } | null {
  const statement: Statement = type === 'TXT' ? readStatement(content, decryptsOf(registries)) : { kind: 'none' };
  if (statement.kind !== 'owner') return null;
  const { owner } = statement;
  return { owner, isConfigured: registries.some((one) => one.ownerId === owner && subjectOfText(one, name) !== null) };
}

/** True if external-dns would not know without this TXT record set that it owns the record set. */
export function needsText(
  registries: readonly ExternalDnsRegistry[],
  text: RecordSet,
  recordSet: RecordSet,
  existing: SetsById,
): boolean {
  if (text.setIdentifier !== recordSet.setIdentifier || recordSetId(text) === recordSetId(recordSet)) return false;
  const names = isOfRoute53(recordSet, existing) ? [] : txtNamesOf(registries, recordSet);
  const says = (set: RecordSet | undefined) => (set === undefined ? null : registryTextOf(registries, set)?.owner);
  const textAt = (name: string) => existing.get(recordSetId({ ...text, name }));
  return names.includes(text.name) && !names.some((name) => name !== text.name && says(textAt(name)) === says(text));
}

/**
 * False for an A or CNAME for which only an old-format TXT record speaks, while a new-format one says that its name has
 * the other of the two: then somebody else wrote it since. `existing` must have the whole hosted zone.
 */
export function isSurelyWritten(
  { registry, texts }: Extract<Ownership, { readonly kind: 'external-dns' }>,
  recordSet: RecordSet,
  existing: SetsById,
): boolean {
  const isOld = (name: string) => subjectOfText(registry, name)?.type === null;
  if (texts.some(({ name }) => !isOld(name))) return true;
  const other = { name: recordSet.name, type: recordSet.type === 'A' ? 'CNAME' : 'A', isAlias: false };
  return !ownershipNames(registry, other).some((name) => {
    const text = existing.get(recordSetId({ name, type: 'TXT', setIdentifier: recordSet.setIdentifier }));
    return !isOld(name) && text !== undefined && isOwnershipText([registry], text);
  });
}

/** True for a TXT record set in which an external-dns, whatever its owner id, notes an owner. */
export function isOwnershipText(registries: readonly ExternalDnsRegistry[], recordSet: RecordSet): boolean {
  return registryTextOf(registries, recordSet) !== null;
}

/**
 * The TXT record sets to delete when these record sets are taken over from external-dns: those that belong to none of
 * `staying`, the other record sets of external-dns.
 */
export function textsToDelete(
  taken: readonly { readonly recordSet: RecordSetKey; readonly texts: readonly RecordSet[] }[],
  staying: readonly { readonly texts: readonly RecordSet[] }[],
): ReadonlyMap<string, readonly RecordSet[]> {
  const needed = new Set(staying.flatMap(({ texts }) => texts.map(recordSetId)));
  const claimed = new Set<string>();
  const going = new Map<string, readonly RecordSet[]>();
  // A TXT record set that belongs to several record sets is deleted with the last of them.
  for (const { recordSet, texts } of [...taken].sort((a, b) => compareRecordSets(b.recordSet, a.recordSet))) {
    const own = texts.filter((set) => !needed.has(recordSetId(set)) && !claimed.has(recordSetId(set)));
    for (const set of own) claimed.add(recordSetId(set));
    going.set(recordSetId(recordSet), own);
  }
  return going;
}

function subjectOf({ name, type, content }: RecordSet): Subject {
  return { name, type, isAlias: content.kind === 'alias' };
}

function decryptsOf(registries: readonly ExternalDnsRegistry[]): readonly Decrypt[] {
  return registries.flatMap(({ decrypt }) => decrypt ?? []);
}

function ownerOf(statement: Statement): string | null {
  return statement.kind === 'owner' ? statement.owner : null;
}

function other({ name }: RecordSet, statement: Statement): Ownership {
  if (statement.kind === 'unreadable')
    return {
      kind: 'other',
      owner: null,
      message: `TXT ${name} speaks for it and cannot be read: ${statement.problem}.`,
    };
  const owner = ownerOf(statement);
  return { kind: 'other', owner, message: `It belongs to external-dns with the owner "${owner}" (TXT ${name}).` };
}
