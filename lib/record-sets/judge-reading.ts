// What a reading of Route 53 means for the item of a record set. Every reading is judged here: before a plan, after a
// crash, after a call without an answer, after a refusal, by the sweep.
//
//   intent | published | what Route 53 has                           | it is       | then
//   open   | any       | what the intent writes                      | landed      | published
//   open   | any       | nothing, or what a late write of ours says  | unconfirmed | published; the intent is late
//   open   | any       | anything else                               | unconfirmed | the intent is late
//   not    | no        | nothing                                     | free        | create
//   not    | no        | what a late write of ours says              | ours        | published
//   not    | no        | anything else, even what is desired         | foreign     | ForeignRecord, or taken over (*)
//   not    | yes       | nothing                                     | gone        | create, or nothing to delete
//   not    | yes       | what is published, desired or a late write  | ours        | published
//   not    | yes       | anything else                               | drifted     | Drifted, or taken over
//
// (*) What is desired is taken over if its objects may take equal content (`takesEqual`) and nobody is known to own it.
// An intent is open until its outcome is known, or Route 53 refused its batch. What the other side of zone53 (Zones or
// DNSRecords) has published is theirs, even if a write of ours says the same. What a takeover that has written nothing
// and may not go on saved as published is foreign.
import {
  type RecordSet,
  type RecordSetContent,
  type RecordSetKey,
  recordSetId,
  sameContent,
  showRecordSet,
} from '../dns/record-set.ts';
import { routingFields } from '../dns/routing-policy.ts';
import { sameJson } from '../objects/same-json.ts';
import { OUTSIDER } from './flip-breaker.ts';
import type { HostedZoneItem } from './hosted-zone-item.ts';
import { isSameText, type RecordSetItem, storedContent, storedTexts } from './record-set-item.ts';
import { hasOldLate, recentLate } from './retention.ts';
import { samePublishing } from './same-content.ts';
import { hasLapsed, isBegun, stateOf, takesOver } from './state.ts';
import {
  isOurs,
  isTakenOver,
  type Moment,
  objectsOf,
  withoutClaim,
  withoutIntent,
  withPublished,
  withRefusal,
} from './transitions.ts';

export type Finding = 'landed' | 'unconfirmed' | 'free' | 'ours' | 'foreign' | 'gone' | 'drifted';

type Known = Pick<RecordSetItem, 'type' | 'published' | 'desired' | 'late' | 'intent'>;

export type ReadingContext = Moment & {
  /** The hosted zone's fields that say whether foreign content is taken over. */
  readonly owner: Pick<HostedZoneItem, 'takeover' | 'zone'>;
  /** When the reading began: a write that could no longer land then has not landed. */
  readonly sinceMs: number;
  /** Route 53 refused the batch of the intent. */
  readonly refused?: boolean;
  /** What external-dns has to do with the record set; absent: nothing. */
  readonly taking?: Taking | undefined;
};

/** May be taken over with these TXT record sets. `texts` null: it may not, and `note` says who owns it. */
export type Taking = {
  readonly texts: readonly RecordSet[] | null;
  readonly note: string | null;
  /** TXT record sets that note its owner, and that stay because they note the owner of other record sets, too. */
  readonly sharedTexts?: readonly RecordSet[];
  /** The other side, Zones or DNSRecords, published it first, so it is never taken over. */
  readonly isKept?: true;
  /** The other side has published exactly what Route 53 has: no write of ours did that, even if it said the same. */
  readonly isTheirs?: true;
  /** The other side is this cluster: claims decide which of both has it. */
  readonly cluster?: string;
};

/**
 * An item whose TXT record sets of external-dns were read again. Nothing changes if Route 53 has not what is published.
 * Of a desired record set that is gone, those of an earlier reading are kept that `taking` still has. If somebody else
 * claims it now, it stays ours if it was taken over before. If not, its TXT record sets stay in the item, so that
 * publish sees it (retry-refused.ts).
 */
export function withTextsRead(item: RecordSetItem, actual: RecordSetContent | null, taking: Taking | undefined) {
  if (item.texts.length + item.sharedTexts.length === 0) return item;
  if (!sameContent(item.published, actual) || (actual === null && item.desired === null)) return item;
  const kept = actual === null || isTakenOver(item) ? [] : item.texts;
  const texts = taking?.texts == null ? kept : storedTexts(taking.texts);
  const stayed = item.sharedTexts.filter((text) => texts.some((one) => isSameText(one, text)));
  const sharedTexts = [...stayed, ...storedTexts(taking?.sharedTexts ?? [])];
  const isSame = sameJson(texts, item.texts) && sameJson(sharedTexts, item.sharedTexts);
  return isSame ? item : { ...item, texts, sharedTexts };
}

export type Judgement = {
  readonly finding: Finding;
  /** The item to save; null if nothing changes, or if the caller must word a refusal. */
  readonly item: RecordSetItem | null;
};

/** The fourth column of the table. `refused`: Route 53 refused the batch of the intent. */
export function findingOf(item: Known, actual: RecordSetContent | null, refused = false): Finding {
  const same = (content: RecordSetContent | null) => samePublishing(item.type, actual, content);
  if (item.intent !== null && !refused) return same(item.intent.content) ? 'landed' : 'unconfirmed';
  const isLate = actual !== null && isOurs(item, actual);
  if (item.published === null) return actual === null ? 'free' : isLate ? 'ours' : 'foreign';
  if (actual === null) return 'gone';
  return isLate || same(item.published) || same(wantedOf(item)) ? 'ours' : 'drifted';
}

/** Judges a reading. `at` says when, under which lease, and for which Zone it was made. */
export function judgeReading(item: RecordSetItem, actual: RecordSetContent | null, at: ReadingContext): Judgement {
  const isTheirs = at.taking?.isTheirs === true && !sameContent(item.published, actual);
  const theirs = item.published === null ? 'foreign' : 'drifted';
  const finding = isTheirs ? theirs : findingOf(item, actual, at.refused);
  const left = isTheirs && at.refused !== true ? withoutIntent(at, item) : item;
  const next = at.refused === true ? afterRefusal(item, actual, finding, at) : afterLook(left, actual, finding, at);
  const changed = next ?? (left === item ? null : left);
  const noted = changed ?? item;
  return {
    finding,
    item: hasOldLate(noted, at.sinceMs) ? { ...noted, late: recentLate(noted, at.sinceMs) } : changed,
  };
}

/** The content that is meant to be published: of the intent, else the desired one. */
function wantedOf({ intent, desired }: Pick<RecordSetItem, 'intent' | 'desired'>): RecordSetContent | null {
  return intent === null ? desired : intent.content;
}

function afterLook(
  item: RecordSetItem,
  actual: RecordSetContent | null,
  finding: Finding,
  at: ReadingContext,
): RecordSetItem | null {
  if (isLapsed(item, actual, at)) {
    const left = withoutClaim(item);
    return afterLook(left, actual, 'foreign', at) ?? left;
  }
  const objects = objectsOf(item);
  // Nothing that can be seen prevents the change any more, so the refusal is removed. A protection is not seen.
  const isProtected = item.refusal?.reason === 'Protected' && stateOf(item) === 'refused';
  const clear = item.refusal === null || isProtected ? null : { ...item, refusal: null };
  switch (finding) {
    case 'landed':
      return withPublished(at, item, actual, { objects, deleted: actual === null });
    case 'unconfirmed': {
      const left = withoutIntent(at, item);
      if (actual === null) return withPublished(at, left, null, { objects: [] });
      if (isOurs(item, actual)) return withPublished(at, left, actual, { objects });
      return isBegun(left) ? (afterLook(left, actual, findingOf(left, actual), at) ?? left) : left;
    }
    case 'free':
      return clear;
    case 'gone':
      return withPublished(at, item, null, { objects });
    case 'ours': {
      const isSame = sameContent(item.published, actual);
      const isWanted = sameContent(actual, item.desired);
      // A takeover that has written nothing ends if what is there is wanted by now. Else it stays one.
      if (isSame && isProtected && !isWanted) return null;
      if (isSame && item.refusal === null && !(isBegun(item) && isWanted)) return null;
      // What is published and waits for another content is still what those asked for who asked for it: the guard
      // compares their number with that of the objects that ask now.
      const { publishedObjects } = item;
      const isKept = isSame && !isWanted && publishedObjects.length > 0;
      return withPublished(at, item, actual, { objects: isKept ? publishedObjects : objects });
    }
    case 'foreign':
    case 'drifted':
      // If nothing is desired, a foreign record set prevents nothing.
      if (finding === 'foreign' && item.desired === null) return clear;
      return mayTake(item, actual, at) ? takenOver(item, actual, at) : inTheWay(item, actual, finding, at);
  }
}

/** True if a takeover wrote nothing and may not go on, so what Route 53 has is still somebody else's. */
function isLapsed(item: RecordSetItem, actual: RecordSetContent | null, at: ReadingContext): boolean {
  if (item.intent !== null || actual === null || !isBegun(item) || isOurs(item, actual)) return false;
  return hasLapsed(item, at.owner) || !mayTake(item, actual, at);
}

/**
 * True if a record set that is not ours may become ours: by the Zone's annotation, because external-dns owns it, or
 * because it already is what objects want that may take that.
 */
export function mayTake(
  item: RecordSetItem,
  actual: RecordSetContent | null,
  { owner, taking }: Pick<ReadingContext, 'owner' | 'taking'>,
): boolean {
  if (taking?.isKept === true) return false;
  return takesOver(item, owner) || (taking?.texts ?? null) !== null || takesAsItIs(item, actual, taking);
}

/** True if Route 53 has what is desired, of which no owner is known, and the objects may take that without a write. */
function takesAsItIs(
  { type, desired, takesEqual }: RecordSetItem,
  actual: RecordSetContent | null,
  taking: Taking | undefined,
): boolean {
  if (takesEqual !== true || actual === null) return false;
  return samePublishing(type, actual, desired) && (taking?.note ?? null) === null;
}

/** The first step of a takeover: the content is saved as published, and the plan then changes it to the desired one. */
function takenOver(item: RecordSetItem, actual: RecordSetContent | null, at: ReadingContext): RecordSetItem {
  // If an outsider wrote exactly the desired content, nothing is left to publish, and it now belongs to its objects. If
  // it was ours before somebody changed it, its objects stay noted: the guard compares their number with that of now.
  const before = item.published === null ? [] : item.publishedObjects.filter((one) => one !== OUTSIDER);
  const authors = [OUTSIDER, ...(item.desired === null ? objectsOf(item) : before)];
  const { texts, sharedTexts = [] } = at.taking ?? { texts: null };
  const objects = sameContent(actual, item.desired) ? objectsOf(item) : authors;
  return withPublished(at, item, actual, { objects, tookOver: true, texts: texts ?? [], sharedTexts });
}

function inTheWay(
  item: RecordSetItem,
  actual: RecordSetContent | null,
  finding: 'foreign' | 'drifted',
  { nowMs, taking }: ReadingContext,
): RecordSetItem | null {
  const reason = finding === 'foreign' ? ('ForeignRecord' as const) : ('Drifted' as const);
  if (item.refusal?.reason === reason && sameContent(item.refusal.content, item.desired)) return null;
  const message = showObstacle(item, finding, { actual, wanted: item.desired }, taking);
  return withRefusal(item, { reason, message, content: item.desired, atMs: nowMs });
}

/** After a refusal: the intent continues from what Route 53 has, if that is ours. It is done if that is its content. */
function afterRefusal(
  item: RecordSetItem,
  actual: RecordSetContent | null,
  finding: Finding,
  at: ReadingContext,
): RecordSetItem | null {
  const isNews = finding === 'gone' || (finding === 'ours' && !sameContent(actual, item.published));
  if (!isNews) return null;
  const { intent } = item;
  const wanted = wantedOf(item);
  const next = withPublished(at, item, actual, {
    objects: objectsOf(item),
    deleted: actual === null && wanted === null,
  });
  if (intent === null || sameContent(actual, wanted)) return next;
  return { ...next, intent: { ...intent, before: storedContent(actual) } };
}

/** What Route 53 has where we may not write, and what to do. `note`: the owner; nobody may take over `isKept`. */
export function showObstacle(
  { zone, ...key }: RecordSetKey & Pick<RecordSetItem, 'zone'>,
  finding: 'foreign' | 'drifted',
  { actual, wanted }: { readonly actual: RecordSetContent | null; readonly wanted: RecordSetContent | null },
  taking: Pick<Taking, 'note' | 'isKept'> = { note: null },
): string {
  const there = showStanding(key, actual);
  const isEqual = sameContent(actual, wanted);
  const isLost = isEqual && taking.isKept !== true;
  const said = {
    foreign: [
      `Route 53 already has ${there}, ${isLost ? 'which this ledger of zone53 does not know' : 'not created by zone53'}.`,
    ],
    drifted: [`Route 53 has ${there}, which is not what zone53 published: somebody changed it.`],
  }[finding];
  if (finding === 'foreign' && isEqual) said.push('The content is identical.');
  if (taking.note !== null) said.push(taking.note);
  if (taking.isKept !== true && zone !== '') said.push(howToTakeOver(zone, finding === 'foreign'));
  return said.join(' ');
}

/** A sentence that says how to manage a record set that is not ours. Nobody is told to delete what was never ours. */
export function howToTakeOver(zone: string, isForeign: boolean): string {
  const other = isForeign ? 'else zone53 leaves it as it is' : 'else restore it, or delete it in Route 53';
  return `To manage it, annotate Zone ${zone} with zone53.dev/takeover: "true"; ${other}.`;
}

/** A record set with what Route 53 has there, as part of a sentence. */
export function showStanding(key: RecordSetKey, content: RecordSetContent | null): string {
  return `${showRecordSet(key)} ${showContent(content)}`;
}

/** A content as part of a sentence. */
export function showContent(content: RecordSetContent | null): string {
  if (content === null) return 'nothing';
  const routed = content.routing === undefined ? '' : ` with ${JSON.stringify(routingFields(content.routing.policy))}`;
  if (content.kind === 'alias') return `an alias to ${content.alias.dnsName}${routed}`;
  return `${content.values.join(', ')} (TTL ${content.ttlSeconds})${routed}`;
}

/**
 * What a full comparison does about a record set. `fine`: nothing. `lost`: publish it again, because it is gone, or
 * because somebody changed the SOA. `drifted`: report it, because somebody changed it. `retried`: try again, because
 * its obstacle is gone.
 */
export type ComparisonVerdict = 'fine' | 'lost' | 'drifted' | 'retried';

/** True if the neighbour that caused the refusal has the same content as then. `contentAt`: by record set id. */
export function isBesideUnchanged(
  { name, refusal }: Pick<RecordSetItem, 'name' | 'refusal'>,
  contentAt: (id: string) => RecordSetContent | null,
): boolean {
  if (refusal?.beside === undefined) return false;
  const { type, setIdentifier, content } = refusal.beside;
  return sameContent(contentAt(recordSetId({ name, type, setIdentifier })), content);
}

/**
 * Compares an item with Route 53: for the sweep, which corrects differences, and for `plan --refresh`, which shows
 * them. Writes under way are left to publish. `contentAt`: what Route 53 has, by record set id.
 */
export function compareWithRoute53(
  item: RecordSetItem,
  contentAt: (id: string) => RecordSetContent | null,
): ComparisonVerdict {
  const actual = contentAt(recordSetId(item));
  const refused = item.refusal?.reason;
  const finding = findingOf(item, actual);
  switch (finding) {
    case 'landed':
    case 'unconfirmed':
      return 'fine';
    case 'foreign':
      return refused === 'ForeignRecord' && takesAsItIs(item, actual, undefined) ? 'retried' : 'fine';
    case 'free':
      return refused === 'ForeignRecord' && !isBesideUnchanged(item, contentAt) ? 'retried' : 'fine';
    case 'gone':
      return refused === 'Drifted' ? 'retried' : 'lost';
    case 'ours':
      return refused !== 'Drifted' && samePublishing(item.type, actual, item.published) ? 'fine' : 'retried';
    case 'drifted':
      if (item.type === 'SOA') return 'lost';
      return refused === 'Drifted' ? 'fine' : 'drifted';
    default:
      return finding satisfies never;
  }
}
