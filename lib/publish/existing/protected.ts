// Which changes of a refused batch Route 53 refuses because somebody protects their record sets. Amazon publishes no
// words of that refusal, only that it has the protection's comment. So a message counts if it says "protect" and names
// one record set of the batch alone; else the protections are listed. Pure.
// Source: API model of CreateResourceRecordSetProtections, SDK 3.1169. Last verified 2026-11-29.
import type { Change } from '../../dns/plan-changes.ts';
import { showRecordSet } from '../../dns/record-set.ts';
import type { Protection } from '../../ports/hosted-zones.ts';
import { type RecordSetItem, textsOf } from '../../record-sets/record-set-item.ts';
import { parseRoute53Name } from '../../route53/escapes.ts';
import { fullMessage, isUnclear, textsIn } from '../../route53/refusal-messages.ts';
import { unitsAccused } from './blame.ts';

/** The record sets of a name and type are protected; the message for their objects says by whom. */
export type Shield = { readonly name: string; readonly type: string; readonly message: string };

const WORDS = /protect(?:s|ed|ion|ions)?\b/i;
const NAME_IN_TEXT = /[\w*\\/-]+(?:\.[\w*\\/-]+)*/g;

/** True if a protection may be the reason: a message says so, or gives no reason that is known here. */
export function mayBeProtected(messages: readonly string[]): boolean {
  return messages.some((one) => WORDS.test(one) || (isUnclear([one]) && fullMessage([one], []) === null));
}

/** The record sets that a batch with these changes touches. */
function keysTouched(changes: readonly Change[]): readonly { readonly name: string; readonly type: string }[] {
  const texts = changes.flatMap(({ also = [] }) => also.map(({ name }) => ({ name, type: 'TXT' })));
  return [...changes.map(({ name, type }) => ({ name, type })), ...texts];
}

/**
 * The protections that the messages tell of; null if one of them may tell of a protection and does not say which. What
 * anybody chose, a name or a value, must not look like such a message.
 */
export function shieldsTold(messages: readonly string[], changes: readonly Change[]): readonly Shield[] | null {
  const keys = keysTouched(changes);
  if ([...textsIn(changes), ...keys.map(({ name }) => name)].some((text) => WORDS.test(text))) return null;
  const byName = Map.groupBy(keys, ({ name }) => name);
  const shields: Shield[] = [];
  const open = messages.filter((one) => mayBeProtected([one]));
  if (open.length === 0) return null;
  for (const message of open) {
    const names = new Set((message.match(NAME_IN_TEXT) ?? []).map((text) => parseRoute53Name(text.toLowerCase())));
    const named = [...names].flatMap((name) => byName.get(name) ?? []);
    const found = new Map(named.map((key) => [shieldKey(key), key]));
    const [only] = found.values();
    if (!WORDS.test(message) || only === undefined || found.size > 1) return null;
    shields.push({ ...only, message: shieldedMessage(only, `Route 53: ${message.trim()}`) });
  }
  return shields;
}

/** The same of protections as Route 53 lists them. */
export function shieldOf({ comment, ...key }: Protection): Shield {
  return { ...key, message: protectedMessage({ ...key, comment }) };
}

/** The protection of a record set, or of a TXT record set of external-dns that goes with it; null: there is none. */
export function protectionOf(
  listed: readonly Protection[],
  item: Pick<RecordSetItem, 'name' | 'type' | 'texts'>,
): Protection | null {
  const keys = new Set([item, ...textsOf(item)].map(shieldKey));
  return listed.find((one) => keys.has(shieldKey(one))) ?? null;
}

/** What the objects of a protected record set are told: whose comment it is, and what to do. */
export function protectedMessage({ name, type, comment }: Protection): string {
  const said = comment === null ? 'The protection has no comment.' : `The comment of the protection: ${comment}`;
  return shieldedMessage({ name, type }, said);
}

function shieldedMessage({ name, type }: Omit<Protection, 'comment'>, said: string): string {
  const what = `Route 53 protects ${showRecordSet({ name, type, setIdentifier: null })}, so it stays unchanged.`;
  return `${what} ${said.replace(/[^.!?]$/, '$&.')} Ask whoever protects it to delete the protection; then the next sweep tries again, or zone53 apply --refresh.`;
}

/** Changes that are only applied together, one of which somebody protects: the first. */
export type ProtectedUnit<C extends Change> = { readonly steps: readonly C[]; readonly shield: Shield };

/** The units of a batch that are protected, and all other changes. */
export function unitsProtected<C extends Change>(
  groups: readonly (readonly C[])[],
  shields: readonly Shield[],
): { readonly units: readonly ProtectedUnit<C>[]; readonly others: readonly C[] } {
  const byKey = new Map(shields.map((shield) => [shieldKey(shield), shield]));
  if (byKey.size === 0) return { units: [], others: groups.flat() };
  const wordsAbout = (change: C) =>
    keysTouched([change])
      .map(shieldKey)
      .filter((key) => byKey.has(key));
  const { named, others } = unitsAccused(groups, wordsAbout);
  const units = named.flatMap(({ steps, words: [key = ''] }) => {
    const shield = byKey.get(key);
    return shield === undefined ? [] : [{ steps, shield }];
  });
  return { units, others };
}

function shieldKey({ name, type }: { readonly name: string; readonly type: string }): string {
  return `${name} ${type}`;
}
