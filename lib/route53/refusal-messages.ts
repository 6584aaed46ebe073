// What Route 53's refusals say, as far as they can be understood: which record set, and which of four facts about it. The
// texts are from issue threads, not from a specification: whatever is not recognised counts as `other`, and the caller
// falls back to halving the batch. Last verified 2026-07-01 (reference: Route 53 developer guide, external-dns, Gardener).
import { parseRoute53Name } from './escapes.ts';

export type RefusalFact = {
  /** exists: a CREATE met something. absent: a DELETE met nothing. differs: a DELETE met something else. neighbour: CNAME rule. */
  readonly kind: 'exists' | 'absent' | 'differs' | 'neighbour' | 'other';
  readonly name: string;
  /** null where the message does not say. */
  readonly type: string | null;
  readonly setIdentifier: string | null;
  readonly message: string;
};

const TRIED =
  /Tried to (?:create|delete) resource record set \[name='([^']*)', type='([^']*)'(?:, set-?identifier='([^']*)')?\],? but (it already exists|it was not found|the values provided do not match the current values)/gi;
const NOT_PERMITTED =
  /RRSet (?:of type (\S+) )?with DNS name (\S+) is not permitted(?: as it conflicts with other records)?[^[\],]*/gi;

const KINDS: Readonly<Record<string, RefusalFact['kind']>> = {
  'it already exists': 'exists',
  'it was not found': 'absent',
  'the values provided do not match the current values': 'differs',
};

function factsOf(message: string): RefusalFact[] {
  const facts: RefusalFact[] = [];
  for (const [text, name = '', type = '', setIdentifier, but = ''] of message.matchAll(TRIED)) {
    facts.push({
      kind: KINDS[but.toLowerCase()] ?? 'other',
      name: parseRoute53Name(name),
      type,
      setIdentifier: setIdentifier ?? null,
      message: text,
    });
  }
  for (const [text, type, name = ''] of message.matchAll(NOT_PERMITTED)) {
    const kind = text.includes('conflicts with other records') ? 'neighbour' : 'other';
    facts.push({ kind, name: parseRoute53Name(name), type: type ?? null, setIdentifier: null, message: text.trim() });
  }
  return facts;
}

/** The facts that the messages state about named record sets; may be none, and never are sure to be all. */
export function parseRefusal(messages: readonly string[]): RefusalFact[] {
  return messages.flatMap(factsOf);
}

/** The facts of a refusal of one record set alone: also those that name none. */
export function factKinds(
  facts: readonly RefusalFact[],
  messages: readonly string[],
): ReadonlySet<RefusalFact['kind']> {
  const kinds = new Set(facts.map((fact) => fact.kind));
  const text = messages.join(' ');
  if (/already exists/i.test(text)) kinds.add('exists');
  if (/was not found/i.test(text)) kinds.add('absent');
  if (/do(?:es)? not match the current values/i.test(text)) kinds.add('differs');
  if (/conflicts with other records/i.test(text)) kinds.add('neighbour');
  if (kinds.size === 0) kinds.add('other');
  return kinds;
}
