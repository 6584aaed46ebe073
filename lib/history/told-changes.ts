// What a change of a record set's item tells the history. Pure: it compares the item before and after a write.
//
//   the intent is over                         create, update, delete; takeover of somebody else's; restore of ours;
//                                              handover of what another cluster gave
//   ... and its batch deleted texts            delete of each text
//   a late write of ours is seen               the same, for what it wrote
//   somebody else's content becomes ours       adopt: both sides are equal
//   ours is seen to be gone or changed         drift
//   the first of two batches is accepted       delete
//   forgotten                                  forget: both sides are equal
//   refused                                    refused: what stands, and what is wanted
//   ours is refused, as somebody changed it    drift
//   one of these two ends without a change     cleared
//
// A takeover that has begun tells nothing: its content is still somebody else's. What is told of a refusal or of drift
// stands in the item until it ends: another try that ends in the same tells nothing.
import { type RecordSet, type RecordSetContent, type RecordSetKey, sameContent } from '../dns/record-set.ts';
import { OUTSIDER } from '../record-sets/flip-breaker.ts';
import { type RecordSetItem, storedContent } from '../record-sets/record-set-item.ts';
import { samePublishing } from '../record-sets/same-content.ts';
import { isBegun } from '../record-sets/state.ts';
import { isOurs } from '../record-sets/transitions.ts';
import type { HistoryAction } from './history-item.ts';

/** One entry to be. `stamp`: that of the write intent, one just before that, or one of its own. */
export type Told = RecordSetKey & {
  readonly action: HistoryAction;
  readonly before: RecordSetContent | null;
  readonly after: RecordSetContent | null;
  readonly objects: readonly string[];
  readonly stamp: 'of intent' | 'before intent' | 'own';
  readonly message?: string;
};

/** What is known of a write besides the item. Absent: the item was compared with a reading of Route 53. */
export type Telling = {
  /** The batch was accepted with this id (null: no call was needed); a step that forgets, with its texts. */
  readonly accepted?: {
    readonly changeId: string | null;
    readonly before: RecordSetContent | null;
    readonly forgets: readonly RecordSet[] | null;
  };
  /** Nothing was sent, or Route 53 refused it: an intent that ends has not landed. */
  readonly isRefused?: true;
  /** What Route 53 has, if it was read. */
  readonly standing?: RecordSetContent | null;
};

type Tale = { readonly item: RecordSetItem; readonly told: readonly Told[] };

/** The entries of a write, and the item with what it has to remember for later ones. */
export function tellChange(before: RecordSetItem, after: RecordSetItem, telling: Telling): Tale {
  const { item, told } = tellMove(before, after, telling);
  if (item.seen === undefined && item.refusal === null) return { item, told };
  return tellTrouble({ item, told: told.flatMap((one) => unlessKnown(item, one)) }, telling);
}

/** Drift that was told before is not told again. If it is wanted by now, it is adopted. */
function unlessKnown({ seen, ...item }: RecordSetItem, one: Told): readonly Told[] {
  if (one.action !== 'drift' || seen?.action !== 'drift' || !sameContent(seen.content, one.after)) return [one];
  const isAdopted = one.after !== null && !isBegun(item) && sameContent(item.published, one.after);
  return isAdopted ? [{ ...one, action: 'adopt', before: one.after }] : [];
}

/** Adds a refusal or drift that begins or ends. */
function tellTrouble({ item, told }: Tale, { standing }: Telling): Tale {
  const { seen, ...rest } = item;
  const { refusal, published, objects } = item;
  const one = { key: item, objects: objects.length > 0 ? objects : objectsIn(item, item), stamp: 'own' as const };
  if (refusal !== null && refusal.reason !== 'HeldByGuard') {
    // What waits for another record set that drifted is only refused: nobody read it.
    const isDrift = refusal.reason === 'Drifted' && (standing !== undefined || seen?.action === 'drift');
    const action = isDrift ? ('drift' as const) : ('refused' as const);
    const content = isDrift ? standing : refusal.content;
    if (content === undefined || (seen?.action === action && sameContent(seen.content, content))) return { item, told };
    const sides = isDrift ? [published, content] : [standing === undefined ? published : standing, content];
    const [before = null, after = null] = sides;
    const begun = { ...entry(one, action, { before, after }), message: refusal.message };
    const left = { ...rest, seen: { action, content: storedContent(content) } };
    return { item: left, told: told.length > 0 ? told : [begun] };
  }
  const isOver = item.intent === null && samePublishing(item.type, item.desired, published);
  if (seen === undefined || !isOver) return { item, told };
  const sides = { before: published, after: published };
  return { item: rest, told: told.length > 0 ? told : [entry(one, 'cleared', sides)] };
}

function tellMove(before: RecordSetItem, after: RecordSetItem, telling: Telling): Tale {
  if (after.type === 'SOA') return { item: after, told: toldOfSoa(before, after, telling) };
  const forgets = telling.accepted?.forgets ?? null;
  if (forgets !== null) return { item: withoutHad(after), told: toldOfForgetting(before, forgets) };
  if (telling.accepted !== undefined && after.intent !== null) return { item: after, told: toldOfFirst(before, after) };
  if (hasIntentLanded(before, after, telling)) return { item: withoutHad(after), told: toldOfLanding(before, after) };
  if (sameContent(before.published, after.published) && isBegun(before) === isBegun(after))
    return { item: after, told: [] };
  return toldOfReading(before, after);
}

function hasIntentLanded(before: RecordSetItem, after: RecordSetItem, { isRefused }: Telling): boolean {
  if (before.intent === null || after.intent !== null || isRefused === true || after.refusal !== null) return false;
  return sameContent(after.published, before.intent.content);
}

function toldOfLanding(before: RecordSetItem, after: RecordSetItem): readonly Told[] {
  const { intent } = before;
  if (intent === null) return [];
  const one = { key: after, objects: objectsIn(before, after), stamp: 'of intent' as const };
  const texts = toldOfTexts(before, one.objects);
  const ours = isBegun(before) ? null : before.published;
  if (sameContent(intent.before, intent.content))
    return ours === null && intent.content !== null
      ? [entry(one, 'adopt', { before: intent.before, after: intent.content }), ...texts]
      : texts;
  // A change that Route 53 refused has shown what somebody else put there.
  const isDrift = ours !== null && !sameContent(ours, intent.before);
  const seen = isDrift
    ? [entry({ ...one, stamp: 'before intent' }, 'drift', { before: ours, after: intent.before })]
    : [];
  const action = actionOf(before, { before: intent.before, after: intent.content }, isDrift || isBegun(before));
  return [...seen, entry(one, action, { before: intent.before, after: intent.content }), ...texts];
}

/** A part of a change is through, and its intent goes on. */
function toldOfFirst(before: RecordSetItem, after: RecordSetItem): readonly Told[] {
  const one = { key: after, objects: objectsIn(before, after), stamp: 'of intent' as const };
  const texts = toldOfTexts(before, one.objects);
  if (sameContent(before.published, after.published)) return texts;
  return [entry(one, 'delete', { before: before.intent?.before ?? before.published, after: null }), ...texts];
}

/** Of what the batch deleted beside the record set. */
function toldOfTexts({ intent }: RecordSetItem, objects: readonly string[]): readonly Told[] {
  return (intent?.also ?? []).map((text) =>
    entry({ key: text, objects, stamp: 'of intent' }, 'delete', { before: text.content, after: null }),
  );
}

/** `isTheirs`: what is replaced is somebody else's. */
function actionOf({ had, published, ...item }: RecordSetItem, { before, after }: Sides, isTheirs: boolean) {
  if (after === null) return 'delete';
  const ours = had ?? (isBegun({ ...item, published }) ? null : isTheirs ? published : null);
  if (ours !== null && sameContent(ours, after)) return 'restore';
  if (before === null) return 'create';
  if (isTheirs || published === null) return 'takeover';
  // Another cluster gave it, and nothing was published for objects of this one yet.
  return item.takenFrom !== undefined && item.publishedObjects.length === 0 ? 'handover' : 'update';
}

function toldOfReading(before: RecordSetItem, after: RecordSetItem): Tale {
  const [was, is] = [before.published, after.published];
  const ours = isBegun(before) ? null : was;
  const one = { key: after, objects: objectsIn(before, after), stamp: 'own' as const };
  const nothing = { item: after, told: [] };
  // Another claim on it was found: what it is in Route 53 has not changed.
  if (is === null && after.publishedObjects.length === 0 && before.publishedObjects.length > 0) return nothing;
  if (!sameContent(was, is) && isOurs(before, is)) {
    const sides = { before: was, after: is };
    return { item: withoutHad(after), told: [entry(one, actionOf(before, sides, isBegun(before)), sides)] };
  }
  if (isBegun(after)) {
    if (ours === null) return nothing;
    return { item: { ...after, had: storedHad(ours) }, told: [entry(one, 'drift', { before: ours, after: is })] };
  }
  if (ours === null)
    return is === null ? nothing : { item: withoutHad(after), told: [entry(one, 'adopt', { before: is, after: is })] };
  const left = is === null ? { ...after, had: storedHad(ours) } : withoutHad(after);
  return { item: left, told: [entry(one, 'drift', { before: ours, after: is })] };
}

function toldOfForgetting(before: RecordSetItem, texts: readonly RecordSet[]): readonly Told[] {
  const { published } = before;
  const one = { key: before, objects: withoutOutsider(before.publishedObjects), stamp: 'of intent' as const };
  return [
    entry(one, 'forget', { before: published, after: published }),
    ...texts.map((text) => entry({ ...one, key: text }, 'create', { before: null, after: text.content })),
  ];
}

/** It cannot be deleted, and its serial alone is no change. Without a call it was only read. */
function toldOfSoa(before: RecordSetItem, after: RecordSetItem, { accepted }: Telling): readonly Told[] {
  const was = accepted?.before ?? before.published;
  if (was === null || after.published === null || samePublishing('SOA', was, after.published)) return [];
  const one = { key: after, objects: after.publishedObjects, stamp: 'own' as const };
  return [entry(one, 'update', { before: was, after: after.published })];
}

type Sides = Pick<Told, 'before' | 'after'>;

function entry(
  { key, ...one }: { readonly key: RecordSetKey } & Pick<Told, 'objects' | 'stamp'>,
  action: HistoryAction,
  sides: Sides,
): Told {
  const { name, type, setIdentifier } = key;
  return { name, type, setIdentifier, action, ...sides, ...one };
}

/** Those that it is published for; of a delete, those that it was. */
function objectsIn(before: RecordSetItem, after: RecordSetItem): readonly string[] {
  const published = withoutOutsider(after.published === null ? before.publishedObjects : after.publishedObjects);
  return published.length > 0 ? published : after.objects;
}

function withoutOutsider(objects: readonly string[]): readonly string[] {
  return objects.filter((one) => one !== OUTSIDER);
}

function withoutHad(item: RecordSetItem): RecordSetItem {
  if (item.had === undefined) return item;
  const { had: _, ...rest } = item;
  return rest;
}

function storedHad(content: RecordSetContent): NonNullable<RecordSetItem['had']> {
  return storedContent(content) as NonNullable<RecordSetItem['had']>;
}
