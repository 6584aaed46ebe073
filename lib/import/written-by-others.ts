// Record sets that other programs write and delete as they need: the TXT records in which external-dns notes what it
// owns, and the tokens of ACME challenges, which cert-manager and the like write. Pure.
import { type RecordSet, recordSetId } from '../dns/record-set.ts';
import { txtNamesOf } from '../external-dns/ownership.ts';
import { readStatement } from '../external-dns/ownership-text.ts';
import type { TxtAffixes } from '../external-dns/txt-names.ts';
import { once } from '../ports/once.ts';

/** `registry`: external-dns. `acme`: whoever asks for certificates. */
export const WRITERS = ['registry', 'acme'] as const;
export type Writer = (typeof WRITERS)[number];

export type WrittenByOthers = {
  /** The writer of each record set that has one, by id. */
  readonly writers: ReadonlyMap<string, Writer>;
  /** The owners that external-dns notes, sorted. */
  readonly owners: readonly string[];
  /** Names of TXT record sets with values of external-dns and of others: these have no single writer. */
  readonly mixed: readonly string[];
};

const DEFAULT_AFFIXES: TxtAffixes = { txtPrefix: '', txtSuffix: '', wildcardReplacement: '' };
const CHALLENGE = '_acme-challenge';
/** SHA-256 in base64url, which is the whole of a token (RFC 8555 §8.4). */
const TOKEN = /^"[A-Za-z0-9_-]{43}"$/;

/** `affixes`: of each external-dns that is known. */
export function writtenByOthers(recordSets: readonly RecordSet[], affixes: readonly TxtAffixes[]): WrittenByOthers {
  const texts = recordSets.filter(({ type }) => type === 'TXT');
  const owners = new Set<string>();
  const namesOfEncrypted = once(() => namesOfTexts(recordSets, [DEFAULT_AFFIXES, ...affixes]));
  const targets = challengeTargets(recordSets);
  const writers = new Map<string, Writer>();
  for (const text of texts) {
    const said = statementsOf(text);
    for (const statement of said) if (statement.kind === 'owner') owners.add(statement.owner);
    if (isRegistry(text, said, namesOfEncrypted)) writers.set(recordSetId(text), 'registry');
    else if (isChallenge(text.name) || (targets.has(text.name) && valuesOf(text).every((one) => TOKEN.test(one))))
      writers.set(recordSetId(text), 'acme');
  }
  const isMixed = (text: RecordSet) =>
    statementsOf(text).some(({ kind }) => kind === 'owner') && !writers.has(recordSetId(text));
  return { writers, owners: [...owners].sort(), mixed: texts.filter(isMixed).map(({ name }) => name) };
}

function valuesOf({ content }: RecordSet): readonly string[] {
  return content.kind === 'values' ? content.values : [];
}

/** What each value of a TXT record set says. */
function statementsOf(text: RecordSet) {
  const { content } = text;
  if (content.kind !== 'values') return [];
  return content.values.map((value) => readStatement({ ...content, values: [value] }, []));
}

/**
 * True if external-dns wrote all of it. A text that seems to be encrypted may be anybody's: it counts only at the name
 * that external-dns gives it for another record set.
 */
function isRegistry(
  text: RecordSet,
  said: ReturnType<typeof statementsOf>,
  namesOfEncrypted: () => ReadonlySet<string>,
): boolean {
  if (said.length === 0 || said.some(({ kind }) => kind === 'none')) return false;
  return valuesOf(text).every((value) => value.includes('heritage=')) || namesOfEncrypted().has(text.name);
}

/** The names at which the TXT records of these record sets may be, save for their own names. */
function namesOfTexts(recordSets: readonly RecordSet[], affixes: readonly TxtAffixes[]): ReadonlySet<string> {
  return new Set(recordSets.flatMap((set) => txtNamesOf(affixes, set).filter((name) => name !== set.name)));
}

/** `_acme-challenge.www.example.org.`, and with the label of an account before it (dns-account-01). */
function isChallenge(name: string): boolean {
  return name.split('.').slice(0, 2).includes(CHALLENGE);
}

/** The names to which CNAMEs lead from the names of challenges, over any number of CNAMEs. */
function challengeTargets(recordSets: readonly RecordSet[]): ReadonlySet<string> {
  const cnames = recordSets.filter(({ type }) => type === 'CNAME');
  const targets = new Set<string>();
  for (let found = -1; found !== targets.size; ) {
    found = targets.size;
    for (const cname of cnames)
      if (isChallenge(cname.name) || targets.has(cname.name)) for (const target of valuesOf(cname)) targets.add(target);
  }
  return targets;
}
