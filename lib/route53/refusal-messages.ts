// Parses the messages of refusals by Route 53: which record set, and which of four facts about it. The texts are from
// issue threads, not from a specification. A text that is not recognised counts as `other`, and the caller splits the
// batch. Messages quote values, and a value may be any text. So if a value of the batch looks like such a message, the
// message is not used. Last verified 2026-07-01 (reference: Route 53 developer guide, external-dns, Gardener).
import { parseHealthCheckKey } from '../dns/health-check.ts';
import type { RecordSetContent, RecordSetKey } from '../dns/record-set.ts';
import { formatRoute53Rdata, parseRoute53Name } from './escapes.ts';

export type RefusalFact = {
  /**
   * exists: the record set to create exists already. absent: the record set to delete does not exist. differs: it has
   * another content. neighbour: another record set at the name excludes it, by the CNAME rule or by its routing.
   */
  readonly kind: 'exists' | 'absent' | 'differs' | 'neighbour' | 'other';
  readonly name: string;
  /** null if the message does not say. */
  readonly type: string | null;
  readonly setIdentifier: string | null;
  readonly message: string;
};

const TRIED =
  /Tried to (?:create|delete) resource record set \[name='([^']*)', type='([^']*)'(?:, set-?identifier='([^']*)')?\],? but (it already exists|it was not found|the values provided do not match the current values)/gi;
const NOT_PERMITTED = /RRSet (?:of type (\S+) )?with DNS name (\S+) is not permitted[^[\],]*/gi;
/** Why the CNAME rule does not permit it: of a CNAME beside others, and of another beside a CNAME. */
const BESIDE_CNAME =
  /conflicts with other records|because a conflicting RRSet of type\s+\S+ with the same DNS name already exists/gi;

const NOT_CREATED =
  /RRSet with DNS name (\S+?),? (?:and )?type ([A-Z]+)(?:, SetIdentifier (.+?))?(?:, and .*?)? cannot be created (?:as|because) .*?(?:same name,? (?:and )?type|same TTL|$)/gis;
/** How InvalidInput names a change. */
const IN_CHANGE = /\bin Change with \[Action=[A-Z]+, Name=([^,\]]+), Type=([A-Z]+), SetIdentifier=(.*?)\]/gis;
/** A name and type have too many record sets: no other one excludes the one that is refused. */
const OF_NUMBER = /cannot be created (?:as|because) it exceeds the limit/i;
/** What a message says of the target of an alias: its words would be mistaken for those about a record set. */
const NO_TARGET =
  /Tried to create an alias that targets \S+ type \S+ in zone \S+ but (?:that target was not found|the alias target name does not lie within the target zone)/gi;

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
    const kind = text.search(BESIDE_CNAME) < 0 ? 'other' : 'neighbour';
    facts.push({ kind, name: parseRoute53Name(name), type: type ?? null, setIdentifier: null, message: text.trim() });
  }
  for (const [text, name = '', type = '', setIdentifier] of message.matchAll(NOT_CREATED)) {
    const isBeside = /same (?:name,? (?:and )?type|TTL)$/i.test(text) && !OF_NUMBER.test(text);
    const kind = isBeside ? 'neighbour' : 'other';
    const key = { name: parseRoute53Name(name), type, setIdentifier: setIdentifier ?? null };
    facts.push({ kind, ...key, message: text.trim() });
  }
  for (const [, name = '', type = '', setIdentifier = ''] of message.matchAll(IN_CHANGE)) {
    const key = { name: parseRoute53Name(name), type, setIdentifier: setIdentifier === 'null' ? null : setIdentifier };
    facts.push({ kind: 'other', ...key, message: message.trim() });
  }
  return facts;
}

/** The facts that the messages state about named record sets: possibly none, and possibly not all. */
export function parseRefusal(messages: readonly string[]): RefusalFact[] {
  return messages.flatMap(factsOf);
}

/** An alias whose target Route 53 refuses. The message names the target, not the alias. */
const BAD_TARGET = /Tried to create an alias that targets (\S+?),? type ([A-Z]+) in zone ([^\s,]+),? but /gi;
/** The value that a message quotes as invalid: it is invalid in every record set that has it. */
const INVALID_VALUE = /encountered with '([\s\S]*)'$/;
/** A value that any other message quotes. */
const QUOTED_VALUE = /'([\s\S]*)'/;
const OF_HEALTH_CHECK = /health ?check/i;
const HEALTH_CHECK_ID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi;
/** Text of values that could be mistaken for a message of Route 53. */
const LIKE_A_MESSAGE = /tried to |rrset|encountered with|exceed|not permitted|in change with/i;

type Sent = RecordSetKey & { readonly before: RecordSetContent | null; readonly after: RecordSetContent | null };

/** True when no value, set identifier or health check of the batch could be mistaken for a message of Route 53. */
function isUnmistakable(sent: readonly Sent[]): boolean {
  const checks = sent.flatMap(({ after }) => after?.routing?.healthCheckId ?? []);
  return ![...textsIn(sent), ...checks].some((text) => LIKE_A_MESSAGE.test(text));
}

/** The texts of a batch that anybody may have chosen, and that a message may quote. */
export function textsIn(sent: readonly Sent[]): readonly string[] {
  return sent.flatMap(({ setIdentifier, before, after }) => [
    setIdentifier ?? '',
    ...[before, after].flatMap((content) => (content?.kind === 'values' ? content.values : [])),
  ]);
}

/** Facts about a batch: about record sets that are named, or whose alias target, value or health check is. */
export function accusedIn(messages: readonly string[], sent: readonly Sent[]): RefusalFact[] {
  if (sent.length > 1 && !isUnmistakable(sent)) return [];
  return messages.flatMap((message) => {
    const named = [...factsOf(message), ...aliasesIn(message, sent)];
    return named.length > 0 ? named : quotedIn(message, sent);
  });
}

/**
 * The aliases to a target that a message refuses. None if the batch changes the target too: the target may be missing
 * only because its own change was refused, and the alias may be valid with the target that exists now.
 */
function aliasesIn(message: string, sent: readonly Sent[]): RefusalFact[] {
  return [...message.matchAll(BAD_TARGET)].flatMap(([, target = '', ofType, hostedZoneId]) => {
    const dnsName = parseRoute53Name(target);
    if (sent.some(({ name, type }) => name === dnsName && type === ofType)) return [];
    const having = sent.filter(({ type, after }) => {
      if (after?.kind !== 'alias' || type !== ofType) return false;
      return after.alias.hostedZoneId === hostedZoneId && after.alias.dnsName === dnsName;
    });
    return having.map((one) => accused(one, message));
  });
}

function quotedIn(message: string, sent: readonly Sent[]): RefusalFact[] {
  const text = message.trim();
  const checked = OF_HEALTH_CHECK.test(text) ? healthChecksIn(text, sent) : [];
  if (checked.length > 0) return checked.map((one) => accused(one, message));
  const invalid = INVALID_VALUE.exec(text)?.[1];
  const quoted = invalid ?? QUOTED_VALUE.exec(text)?.[1];
  if (quoted === undefined) return [];
  const having = sent.filter(
    ({ type, after }) =>
      after?.kind === 'values' && after.values.some((value) => formatRoute53Rdata(type, value) === quoted),
  );
  const isSure = invalid === undefined ? having.length === 1 : new Set(having.map(({ type }) => type)).size === 1;
  return isSure ? having.map((one) => accused(one, message)) : [];
}

/** Those with a health check whose id or key the text has. Route 53's words about a missing one are not documented. */
function healthChecksIn(text: string, sent: readonly Sent[]): readonly Sent[] {
  const quoted = new Set(text.match(HEALTH_CHECK_ID));
  const all = sent.flatMap(({ after }) => after?.routing?.healthCheckId ?? []);
  const isNamed = (id: string) => quoted.has(id) || (parseHealthCheckKey(id) !== null && text.includes(id));
  const ids = new Set(all.filter(isNamed));
  // The text may quote a value.
  for (const id of ids) if (textsIn(sent).some((one) => one.includes(id))) ids.delete(id);
  return sent.filter(({ after }) => ids.has(after?.routing?.healthCheckId ?? ''));
}

function accused({ name, type, setIdentifier }: RecordSetKey, message: string): RefusalFact {
  return { kind: 'other', name, type, setIdentifier, message };
}

/**
 * How Route 53 may say that a hosted zone has as many record sets as its quota allows. Amazon documents the quota but
 * not the message: the API's model has `LimitsExceeded`, but not among the errors of ChangeResourceRecordSets. So a
 * message counts if it mentions a limit, record sets, and a zone or a number that is large enough for a zone.
 */
const FULL_CODE = /^LimitsExceeded\b|\bMAX_RRSETS_BY_ZONE\b/;
const OF_LIMIT = /quota|limit|maximum|exceed|too many|cannot have more than/i;
const OF_RECORD_SETS = /\brrsets?\b|\brecord ?sets?\b|\brecords\b/i;
const OF_ZONE = /\b(?:hosted ?)?zone\b|\b\d{2,},?\d{3}\b/i;
/** Limits of a name, a record set or a request; and messages that quote a name or a value. */
const NOT_OF_ZONE =
  /health ?check|weighted|latency|geolocation|geoproximity|multivalue|failover|encountered with|DNS name|Tried to |in a RRSet|characters?\b/i;

/** The message that the hosted zone is full; null if there is none. */
export function fullMessage(messages: readonly string[], sent: readonly Sent[]): string | null {
  return isUnmistakable(sent) ? (messages.find(isOfFullZone) ?? null) : null;
}

function isOfFullZone(message: string): boolean {
  if (FULL_CODE.test(message)) return true;
  return !NOT_OF_ZONE.test(message) && [OF_LIMIT, OF_RECORD_SETS, OF_ZONE].every((words) => words.test(message));
}

/** The facts in the refusal of a batch with one record set, where messages need not name it. */
export function factKinds(
  facts: readonly RefusalFact[],
  messages: readonly string[],
): ReadonlySet<RefusalFact['kind']> {
  const kinds = new Set(facts.map((fact) => fact.kind));
  const text = messages.join(' ').replace(NO_TARGET, '');
  if (/already exists/i.test(text.replace(BESIDE_CNAME, ''))) kinds.add('exists');
  if (/was not found/i.test(text)) kinds.add('absent');
  if (/do(?:es)? not match the current values/i.test(text)) kinds.add('differs');
  const isBeside = text.search(BESIDE_CNAME) >= 0 || /cannot be created .* same name,? (?:and )?type/is.test(text);
  if (isBeside && !OF_NUMBER.test(text)) kinds.add('neighbour');
  if (kinds.size === 0) kinds.add('other');
  return kinds;
}

/** Words about the content of a record set, which is the same whatever else stands at its name. */
const OF_CONTENT =
  /invalid (?:resource record|request|xml|input)|encountered with|duplicate resource record|health ?check|alias that targets|exceeds? (?:the )?limit|exceeded limit|not permitted (?:at apex )?in zone|cannot have more than|exactly one/i;

/** True for words that give no reason that is known here: reading what stands at the name may give one. */
export function isUnclear(messages: readonly string[]): boolean {
  const kinds = factKinds(parseRefusal(messages), messages);
  return [...kinds].every((kind) => kind === 'other') && !OF_CONTENT.test(messages.join(' '));
}
