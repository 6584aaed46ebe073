// Deletes what a DNSRecord published: everything when it is deleted, and what it left behind when it moved. At each
// place the Secret that published there is used, then the object's own Secret if that one has no access. If neither
// has, the record sets stay, and the status says why.
import type { Account } from '../ports/seed/accounts.ts';
import type { SecretRef } from '../sources/gardener/spec.ts';
import { readCredentials, type Secrets } from './credentials.ts';
import { type DnsRecordDeps, isForLater, type Outcome, type Ready } from './deps.ts';
import type { DnsRecordItem, Place } from './items/dns-record-item.ts';
import { forgetItems } from './items/forget-items.ts';
import { type Asked, attempted, failureOf, shownName, type WishOutcome } from './judge-wish.ts';
import { publishWishes } from './publish-wishes.ts';
import { isOurTurn, sendsUntilMs } from './turn.ts';
import type { Gather } from './turns.ts';

/** The values that all steps of one batch share. */
export type Serving = {
  readonly deps: DnsRecordDeps;
  readonly gather: Gather;
  readonly secrets: Secrets;
  /** Does the work of one object. Its error is thrown when the whole batch has ended. */
  readonly caught: (work: () => Promise<void>) => Promise<void>;
};

/** Deletes what was published at these places, and removes the items. */
export async function withdraw(
  serving: Serving,
  account: Account,
  ready: Ready,
  places: readonly Place[],
): Promise<Outcome> {
  const { owner, record } = ready.work;
  const left: string[] = [];
  for (const place of places) {
    const outcome = await withdrawPlace(serving, account, ready, place);
    if (outcome.kind !== 'done') return outcome;
    if (outcome.left !== null) left.push(outcome.left);
    const { hostedZoneId, name, types } = place;
    await forgetItems(serving.deps.ledger, hostedZoneId, { owner, name, types }, () => isOurTurn(serving.deps, record));
  }
  return { kind: 'done', zone: null, left: left.length === 0 ? null : left.join(' ') };
}

async function withdrawPlace(serving: Serving, own: Account, ready: Ready, place: Place): Promise<WishOutcome> {
  const { deps, gather } = serving;
  const { owner, item } = ready.work;
  const { takeover } = deps.server.settings;
  const wish = { owner, takeover, doubts: false, untilMs: sendsUntilMs(item) };
  const asked = { ...wish, ...removalOf(place, item, takeover) };
  const ask = async (account: Account): Promise<WishOutcome> => {
    const outcomes = await publishWishes(deps, gather, account, place.hostedZoneId, [asked]);
    return outcomes.get(owner) ?? { kind: 'later' };
  };
  const former = await formerAccount(serving, ready, place);
  const first = former.kind === 'account' ? await ask(former.account) : null;
  if (first !== null && (isAnswered(first) || hasNoAnswer(first))) return first;
  const second = await ask(own);
  if (isAnswered(second) || second.kind === 'later') return second;
  if (first !== null) return first;
  const why = former.kind === 'lost' ? former.why : rotatedSecretMessage(place, own, ready.secretRef);
  if (why === null) return second;
  const reach = second.kind === 'done' ? 'not there' : await reachOf(serving, own, place, second);
  return reach === 'not there' ? { kind: 'done', left: leftBehind(place, why) } : reach;
}

/**
 * Whether an account has the hosted zone, after it refused access. Access to another account's hosted zone is denied,
 * and so may be access to our own. Only the account's list shows which.
 */
export async function reachOf(
  { gather }: Serving,
  { id, hostedZones }: Account,
  { hostedZoneId }: Place,
  refused: Extract<WishOutcome, { kind: 'failed' }>,
): Promise<'not there' | Exclude<WishOutcome, { kind: 'done' }>> {
  if (!refused.codes.includes('ERR_INFRA_UNAUTHORIZED')) return refused;
  const listed = await gather(hostedZones, `listing ${id}`, [], () => attempted(hostedZones.list()));
  if (!listed.ok) return listed.error.kind === 'refused' ? refused : failureOf(listed.error);
  return listed.value.some((one) => one.id === hostedZoneId) ? refused : 'not there';
}

type Former =
  /** The object's own Secret published there. */
  | { readonly kind: 'own' }
  | { readonly kind: 'account'; readonly account: Account }
  /** The Secret that published there no longer gives access. `why`: the reason. */
  | { readonly kind: 'lost'; readonly why: string };

export async function formerAccount({ deps, secrets }: Serving, { secretRef }: Ready, place: Place): Promise<Former> {
  const former = place.secretRef;
  const isOwn = former === null || (former.namespace === secretRef.namespace && former.name === secretRef.name);
  if (isOwn) return { kind: 'own' };
  const read = await readCredentials(deps.server, secrets, former, null);
  if (read.kind === 'failed') return { kind: 'lost', why: read.message };
  return { kind: 'account', account: deps.accounts.open(read.credentials) };
}

/** True if no other account need be asked: it is deleted, left with a message, or tried again later. */
function isAnswered(outcome: WishOutcome): boolean {
  if (outcome.kind === 'later') return true;
  return outcome.kind === 'done' && outcome.isGone !== true;
}

/** True if the account did not answer, or not now. Then the answer of another account would prove nothing. */
export function hasNoAnswer(outcome: WishOutcome): boolean {
  return outcome.kind === 'failed' && isForLater(outcome);
}

/** True if AWS refused the credentials, or what they ask for. */
export function isRefused(outcome: WishOutcome): boolean {
  const codes: readonly string[] = outcome.kind === 'failed' ? outcome.codes : [];
  return codes.includes('ERR_INFRA_UNAUTHORIZED') || codes.includes('ERR_INFRA_UNAUTHENTICATED');
}

/** The message if the Secret has another key than the one that published, perhaps of another account; else null. */
export function rotatedSecretMessage(place: Place, own: Account, { namespace, name }: SecretRef): string | null {
  if (place.account === null || place.account === own.id) return null;
  return `the Secret ${namespace}/${name} now has another key, whose account does not have that hosted zone`;
}

function leftBehind({ hostedZoneId, name, types }: Place, why: string): string {
  return (
    `${types.join(', ')} ${shownName(name)} is left in hosted zone ${hostedZoneId}, if it is still there: ${why}. ` +
    'Delete it with the credentials of that account.'
  );
}

/** The part of a wish that deletes a place. With takeover, also the type that the record had first. */
export function removalOf(
  place: Pick<Place, 'name' | 'types'> | undefined,
  { identity }: DnsRecordItem,
  takeover: boolean,
): Pick<Asked, 'name' | 'types' | 'recordSets' | 'does'> {
  const { name = '', types = [] } = place ?? {};
  const more = takeover && identity !== null && identity.name === name ? [identity.recordType] : [];
  return { name, types: [...new Set([...types, ...more])], recordSets: [], does: takeover ? 'adopt all' : 'write' };
}
