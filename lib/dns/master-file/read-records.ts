// Reads the records of a master file one by one (RFC 1035 §5.1, RFC 2308 §4): owner, TTL and class from the entries
// before where an entry has none of its own. What cannot be read is a problem of its own record. If it is something
// that later records depend on, such as an owner or $ORIGIN, each of these has a problem, too: none of them may end at
// a wrong name.
import { quote } from '../names/quote.ts';
import { CLASSES, isRoute53Type, ROUTE53_TYPES, typeMeant, typeNumber } from '../record-type.ts';
import { completeName, type Origin } from './complete-name.ts';
import { shownText } from './octets.ts';
import { parseFileRdata } from './parse-file-rdata.ts';
import { type FileEntry, splitEntries, type Word } from './split-entries.ts';
import { parseSeconds } from './ttl.ts';

/** A problem of one line. */
export type FileProblem = { readonly line: number; readonly message: string };

/** A record with its canonical name and rdata. `ttl` null: neither it nor anything before it has a TTL. */
export type FileRecord = {
  readonly line: number;
  readonly name: string;
  readonly type: string;
  readonly ttl: number | null;
  readonly rdata: string;
};

export type FileRecords = {
  readonly records: readonly FileRecord[];
  readonly problems: readonly FileProblem[];
  /** The owner of the first SOA, also of one with bad rdata; null: there is none. */
  readonly soaName: string | null;
};

/** The most seconds of a TTL (RFC 2181 §8). */
const TTL_MAX = 2 ** 31 - 1;

/** Types that signing a zone makes. DS is not one of them: it is part of a delegation. */
const OF_DNSSEC: ReadonlySet<string> = new Set(
  'RRSIG NSEC NSEC3 NSEC3PARAM DNSKEY CDNSKEY CDS SIG KEY NXT TA DLV'.split(' '),
);
const BY_NUMBER: ReadonlyMap<number | null, string> = new Map(
  [...ROUTE53_TYPES, ...OF_DNSSEC].map((type) => [typeNumber(type), type]),
);

/** A value that later entries use, or the line on which it could not be read; null: none yet. */
type Kept<T> = { readonly value: T } | { readonly brokenAt: number } | null;

/** What has been read so far. */
type Reading = {
  origin: Kept<Origin>;
  owner: Kept<string>;
  /** Of `$TTL`. */
  defaultTtl: Kept<number>;
  /** The last TTL that a record has of its own. */
  lastTtl: number | null;
  soaName: string | null;
  readonly records: FileRecord[];
  readonly problems: FileProblem[];
  readonly dnssec: { count: number; line: number; readonly types: Set<string> };
};

/** Reads the text of a file, whose characters are octets. `origin`: until the file has `$ORIGIN`. */
export function readRecords(text: string, origin: Origin): FileRecords {
  const dnssec = { count: 0, line: 0, types: new Set<string>() };
  const reading: Reading = {
    ...{ origin: { value: origin }, owner: null, defaultTtl: null, lastTtl: null, soaName: null },
    ...{ records: [], problems: [], dnssec },
  };
  for (const entry of splitEntries(text)) {
    const isDirective = !entry.indented && entry.words[0]?.quoted === false && entry.words[0].text.startsWith('$');
    const problem = isDirective ? readDirective(entry, reading) : readRecordEntry(entry, reading);
    if (problem === null) continue;
    reading.problems.push({ line: entry.fault?.line ?? entry.line, message: problem });
  }
  const { records, problems, soaName } = reading;
  return { records, problems: [...problems, ...problemOfDnssec(dnssec)].sort((a, b) => a.line - b.line), soaName };
}

function problemOfDnssec({ count, line, types }: Reading['dnssec']): readonly FileProblem[] {
  if (count === 0) return [];
  const which = [...types].sort().join(', ');
  const message = `Route 53 does not have the types of DNSSEC (${which}), it signs a hosted zone itself: ${count} ${count === 1 ? 'record is' : 'records are'} left out`;
  return [{ line, message }];
}

/** What is wrong with a directive; null if it took effect. */
function readDirective({ line, words: [first, value, ...more], fault }: FileEntry, reading: Reading): string | null {
  const name = (first?.text ?? '').toUpperCase();
  if (name !== '$ORIGIN' && name !== '$TTL')
    return `${quote(first?.text ?? '')} is not supported: ${directiveAdvice(name)}`;
  const problem = fault?.message ?? setDefault(name, value, more.length, reading);
  if (problem !== null && name === '$ORIGIN') reading.origin = { brokenAt: line };
  if (problem !== null && name === '$TTL') reading.defaultTtl = { brokenAt: line };
  return problem;
}

function directiveAdvice(name: string): string {
  if (name === '$INCLUDE') return 'put the content of the other file here';
  if (name === '$GENERATE') return 'write the records that it stands for; named-compilezone of BIND prints them';
  return 'the directives are $ORIGIN and $TTL';
}

function setDefault(name: '$ORIGIN' | '$TTL', value: Word | undefined, more: number, reading: Reading): string | null {
  if (value === undefined || more > 0) return `expected "${name} <${name === '$TTL' ? 'seconds' : 'name'}>"`;
  if (name === '$TTL') {
    const ttl = parseTtl(value.text);
    if (ttl === null) return wrongTtl(value.text);
    reading.defaultTtl = { value: ttl };
    return null;
  }
  const before = reading.origin !== null && 'value' in reading.origin ? reading.origin.value : null;
  const origin = completeName(value.text, before);
  if (!origin.ok) return origin.problem;
  reading.origin = { value: origin.name };
  return null;
}

function parseTtl(text: string): number | null {
  const seconds = parseSeconds(text);
  return seconds !== null && seconds <= TTL_MAX ? seconds : null;
}

function wrongTtl(text: string): string {
  return `${quote(shownText(text))} is not a TTL: write seconds, or a number with units such as 1h30m, up to ${TTL_MAX} seconds (RFC 2181 §8)`;
}

/** What is wrong with a record; null if it was read. */
function readRecordEntry(entry: FileEntry, reading: Reading): string | null {
  const { line, indented, words, fault } = entry;
  const [first, ...others] = words;
  const origin = reading.origin !== null && 'value' in reading.origin ? reading.origin.value : null;
  if (!indented && first !== undefined) {
    const name = completeName(first.text, origin);
    reading.owner = name.ok ? { value: name.name } : { brokenAt: line };
    if (!name.ok && fault === null) return `${name.problem}${sinceOrigin(reading)}`;
  }
  if (fault !== null) return fault.message;
  const { owner } = reading;
  if (owner === null) return 'it has no owner: the line begins with a blank, and no record is before it';
  if ('brokenAt' in owner) return `it has no owner of its own, and the one of line ${owner.brokenAt} cannot be read`;
  const head = readHead(indented ? words : others, reading);
  if (typeof head === 'string') return head;
  const { type, rdata: rest, ttl } = head;
  if (OF_DNSSEC.has(type)) {
    const { dnssec } = reading;
    dnssec.line = dnssec.count === 0 ? line : dnssec.line;
    dnssec.count += 1;
    dnssec.types.add(type);
    return null;
  }
  if (type === 'SOA') reading.soaName ??= owner.value;
  const read = parseFileRdata(type, rest, origin);
  if (!read.ok) return `${read.problem}${sinceOrigin(reading)}`;
  if (ttl !== null && typeof ttl !== 'number') return `it has no TTL, and the $TTL of line ${ttl.brokenAt} is not one`;
  reading.records.push({ line, name: owner.value, type, ttl, rdata: read.rdata });
  return null;
}

/** Why the origin is not known, behind the message about a name that needs it. */
function sinceOrigin({ origin }: Reading): string {
  return origin !== null && 'brokenAt' in origin ? ` ($ORIGIN on line ${origin.brokenAt} cannot be read)` : '';
}

type Head = {
  readonly type: string;
  readonly ttl: number | { readonly brokenAt: number } | null;
  readonly rdata: readonly Word[];
};

/** TTL and class in either order, then the type (RFC 1035 §5.1); or what is wrong. */
function readHead(words: readonly Word[], reading: Reading): Head | string {
  let [ttl, recordClass]: [number | null, string | null] = [null, null];
  let wrong: string | null = null;
  let at = 0;
  for (; at < words.length && words[at]?.quoted === false; at += 1) {
    const word = (words[at] as Word).text.toUpperCase();
    if (ttl === null && wrong === null && /^[0-9]/.test(word)) {
      ttl = parseTtl(word);
      if (ttl === null) wrong = wrongTtl(word);
    } else if (recordClass === null && isClass(word)) recordClass = word;
    else break;
  }
  if (wrong !== null) return wrong;
  if (ttl !== null) reading.lastTtl = ttl;
  if (words[at]?.quoted === true)
    return `${quote(shownText(words[at]?.text ?? ''))} is in quotes, where a type is needed`;
  const type = parseType(words[at]?.text ?? '');
  if (!type.ok) return type.problem;
  if (recordClass !== null && recordClass !== 'IN' && recordClass !== 'CLASS1')
    return `Route 53 does not have class ${recordClass}, only IN`;
  return { type: type.type, ttl: ttl ?? ttlBefore(reading), rdata: words.slice(at + 1) };
}

/** The TTL of a record without one: that of `$TTL`, else the last one of a record before. */
function ttlBefore({ defaultTtl, lastTtl }: Reading): Head['ttl'] {
  if (defaultTtl === null) return lastTtl;
  return 'value' in defaultTtl ? defaultTtl.value : defaultTtl;
}

function isClass(word: string): boolean {
  return CLASSES.some((one) => one === word) || /^CLASS[0-9]{1,5}$/.test(word);
}

function parseType(
  word: string,
): { readonly ok: true; readonly type: string } | { readonly ok: false; readonly problem: string } {
  if (word === '') return { ok: false, problem: 'it has no type' };
  const upper = word.toUpperCase();
  const number = typeNumber(upper);
  if (number === null)
    return { ok: false, problem: `${quote(shownText(word))} is not a record type; ${typeMeant(word)}` };
  const type = BY_NUMBER.get(number) ?? upper;
  if (isRoute53Type(type) || OF_DNSSEC.has(type)) return { ok: true, type };
  return { ok: false, problem: `Route 53 does not have type ${type}` };
}
