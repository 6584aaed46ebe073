// The state of a record set, derived from its item and never stored: docs/adr/0011-the-state-is-derived.md.
//
//   under way | refused                        | desired, published | state    | publish
//   yes       | -                              | -                  | sending  | finds out the outcome
//   no        | what is desired                | -                  | refused  | leaves it, or takes over if it may
//   no        | something else                 | -                  | reopened | decides again
//   no        | what is desired, by the guard  | differ             | held     | asks the guard again
//   no        | nothing (or once by the guard) | neither            | free     | -
//   no        | nothing (or once by the guard) | equal              | live     | -
//   no        | the same, with texts to go     | equal              | adopting | deletes external-dns' TXT records
//   no        | nothing (or once by the guard) | only desired       | wanted   | creates
//   no        | nothing (or once by the guard) | only published     | leaving  | deletes
//   no        | nothing (or once by the guard) | differ             | changing | deletes and creates in one batch

import type { RecordSetContent } from '../dns/record-set.ts';
import type { Protection } from '../ports/hosted-zones.ts';
import { OUTSIDER } from './flip-breaker.ts';
import { isDelegation } from './guarded.ts';
import type { HostedZoneItem } from './hosted-zone-item.ts';
import type { RecordSetItem, Refusal } from './record-set-item.ts';
import { samePublishing } from './same-content.ts';

export type State =
  | 'sending'
  | 'refused'
  | 'reopened'
  | 'held'
  | 'free'
  | 'live'
  | 'adopting'
  | 'wanted'
  | 'leaving'
  | 'changing';

/** The state of an item, as in the table. */
export function stateOf({
  type,
  desired,
  published,
  intent,
  refusal,
  texts,
}: Pick<RecordSetItem, 'type' | 'desired' | 'published' | 'intent' | 'refusal' | 'texts'>): State {
  if (intent !== null) return 'sending';
  const isDone = samePublishing(type, desired, published);
  const isSameRefusal = refusal !== null && samePublishing(type, refusal.content, desired);
  if (refusal !== null && refusal.reason !== 'HeldByGuard') return isSameRefusal ? 'refused' : 'reopened';
  if (isDone) return desired === null ? 'free' : texts.length > 0 ? 'adopting' : 'live';
  if (isSameRefusal) return 'held';
  if (published === null) return 'wanted';
  return desired === null ? 'leaving' : 'changing';
}

/** True for a refusal of which only another try can tell whether it holds: nothing is in the way that can be seen. */
export function isByTrialOnly(refusal: Pick<Refusal, 'reason'> | null): boolean {
  return refusal?.reason === 'Rejected' || refusal?.reason === 'Protected';
}

/** True for a refusal because of a protection that is not among these any more. */
export function isUnprotected({ refusal }: Pick<RecordSetItem, 'refusal'>, listed: readonly Protection[]): boolean {
  if (refusal?.reason !== 'Protected') return false;
  const { shield } = refusal;
  return !listed.some(({ name, type }) => name === shield?.name && type === shield.type);
}

/** True if publish has something to do or to decide about the item. */
export function needsPublishing(item: RecordSetItem): boolean {
  const state = stateOf(item);
  switch (state) {
    case 'free':
    case 'live':
      return false;
    case 'refused':
      return (
        item.takeover &&
        !isDelegation(item) &&
        !isByTrialOnly(item.refusal) &&
        item.refusal?.reason !== 'OwnedByAnotherCluster'
      );
    case 'sending':
    case 'reopened':
    case 'held':
    case 'adopting':
    case 'wanted':
    case 'leaving':
    case 'changing':
      return true;
    default:
      return state satisfies never;
  }
}

/** True if the Zone of the record set lets it replace a record set that is not ours. */
export function takesOver(item: RecordSetItem, hostedZone: Pick<HostedZoneItem, 'takeover' | 'zone'>): boolean {
  if (isDelegation(item)) return false;
  return item.takeover || (hostedZone.takeover && item.zone === hostedZone.zone);
}

/** True if a takeover has begun and wrote nothing: what is saved as published is still somebody else's. */
export function isBegun({ published, publishedObjects }: RecordSetItem): boolean {
  return published !== null && publishedObjects.includes(OUTSIDER);
}

/**
 * True if a takeover that has begun may not go on: the Zone has no takeover any more; or nothing is desired any more,
 * and it was not ours before somebody changed it.
 */
export function hasLapsed(item: RecordSetItem, hostedZone: Pick<HostedZoneItem, 'takeover' | 'zone'>): boolean {
  if (item.intent !== null || !isBegun(item)) return false;
  if (item.desired === null && item.publishedObjects.length === 1) return true;
  return !takesOver(item, hostedZone) && item.texts.length + item.sharedTexts.length === 0;
}

/** True if the TXT record sets of external-dns that are to go with the item must be read before it is planned. */
export function mustReadTexts(item: RecordSetItem): boolean {
  // An earlier run found TXT record sets that have to go with it, or one that stayed for another record set. By now,
  // that may have changed.
  if (item.texts.length > 0 && stateOf(item) !== 'refused') return true;
  return item.desired === null && item.published !== null && item.sharedTexts.length > 0;
}

/** True for a record set that publish may plan: not the SOA, which is planned apart, nor Route 53's apex NS set. */
export function isPublishable(item: Pick<RecordSetItem, 'name' | 'type'>, apex: string): boolean {
  return item.type !== 'SOA' && !(item.type === 'NS' && item.name === apex);
}

/** What a cluster has in Route 53 there, or may have; null: nothing. */
export function ownedOf(item: RecordSetItem): RecordSetContent | null {
  return (isBegun(item) ? null : item.published) ?? item.intent?.content ?? null;
}

/** True if only another try can tell more: nothing of ours is in Route 53 there, and nothing of ours may land. */
export function isForWordsOnly(item: RecordSetItem): boolean {
  const isRejected = stateOf(item) === 'refused' && isByTrialOnly(item.refusal);
  return isRejected && item.published === null && item.late.length === 0;
}

/** True if a record set of somebody else was seen in its place. */
export function isInTheWay(item: RecordSetItem): boolean {
  return stateOf(item) === 'refused' && !isByTrialOnly(item.refusal);
}
