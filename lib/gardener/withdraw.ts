// Takes away what a DNSRecord published: all of it when it is deleted, what it left behind when it moved. Each place is
// asked for with the Secret that published there. If that Secret opens the account no longer, the object's own Secret
// is tried. If neither can, what stands there stays, and the status says why.
import type { Account } from '../ports/seed/accounts.ts';
import type { SecretRef } from '../sources/gardener/spec.ts';
import { readCredentials, type Secrets } from './credentials.ts';
import type { DnsRecordDeps, Outcome, Ready } from './deps.ts';
import type { DnsRecordItem, Place } from './dns-record-item.ts';
import { type Asked, attempted, failureOf, type WishOutcome } from './judge-wish.ts';
import { forgetItems } from './own-record-sets.ts';
import { publishWishes } from './publish-wishes.ts';
import { sendsUntilMs } from './turn.ts';
import type { Gather } from './turns.ts';

/** What all parts of one batch are given. */
export type Serving = { readonly deps: DnsRecordDeps; readonly gather: Gather; readonly secrets: Secrets };

/** Takes away what was published at these places, and forgets it. */
export async function withdraw(
  serving: Serving,
  account: Account,
  ready: Ready,
  places: readonly Place[],
): Promise<Outcome> {
  const { owner } = ready.work;
  const left: string[] = [];
  for (const place of places) {
    const outcome = await withdrawPlace(serving, account, ready, place);
    if (outcome.kind !== 'done') return outcome;
    if (outcome.left !== null) left.push(outcome.left);
    await forgetItems(serving.deps.ledger, place.hostedZoneId, { owner, name: place.name, types: place.types });
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
  if (first !== null && (isAnswered(first) || isForLater(first))) return first;
  const second = await ask(own);
  if (isAnswered(second) || second.kind === 'later') return second;
  if (first !== null) return first;
  const why = former.kind === 'lost' ? former.why : rotatedAway(place, own, ready.secretRef);
  if (why === null) return second;
  const reach = second.kind === 'done' ? 'not there' : await reachOf(serving, own, place, second);
  return reach === 'not there' ? { kind: 'done', left: leftBehind(place, why) } : reach;
}

/** Another account's hosted zone is denied, as our own may be: only our listing proves that it is not ours. */
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
  /** Its Secret opens it no longer. */
  | { readonly kind: 'lost'; readonly why: string };

export async function formerAccount({ deps, secrets }: Serving, { secretRef }: Ready, place: Place): Promise<Former> {
  const former = place.secretRef;
  const isOwn = former === null || (former.namespace === secretRef.namespace && former.name === secretRef.name);
  if (isOwn) return { kind: 'own' };
  const read = await readCredentials(deps.server, secrets, former, null);
  if (read.kind === 'failed') return { kind: 'lost', why: read.message };
  return { kind: 'account', account: deps.accounts.open(read.credentials) };
}

/** True where nobody else need be asked: it is gone, left with a word, or to be tried again. */
function isAnswered(outcome: WishOutcome): boolean {
  if (outcome.kind === 'later') return true;
  return outcome.kind === 'done' && outcome.isGone !== true;
}

/** Nothing is known but that it did not answer, or not now: another account's word would be none. */
export function isForLater(outcome: WishOutcome): boolean {
  return outcome.kind === 'failed' && outcome.codes.includes('ERR_INFRA_RATE_LIMITS_EXCEEDED');
}

/** AWS said no to the credentials, or to what they ask for. */
export function isRefused(outcome: WishOutcome): boolean {
  const codes: readonly string[] = outcome.kind === 'failed' ? outcome.codes : [];
  return codes.includes('ERR_INFRA_UNAUTHORIZED') || codes.includes('ERR_INFRA_UNAUTHENTICATED');
}

/** Of a Secret that holds another key than the one that published: it may be another account's. */
export function rotatedAway(place: Place, own: Account, { namespace, name }: SecretRef): string | null {
  if (place.account === null || place.account === own.id) return null;
  return `the Secret ${namespace}/${name} holds another key since, whose account has no such hosted zone`;
}

function leftBehind({ hostedZoneId, name, types }: Place, why: string): string {
  return (
    `${types.join(', ')} ${name.replace(/\.$/, '')} is left in hosted zone ${hostedZoneId}, if it is still there: ${why}. ` +
    'Delete it with the credentials of that account.'
  );
}

/** What is taken away at a place: with takeover also what has become of the type that the spec names. */
export function removalOf(
  place: Pick<Place, 'name' | 'types'> | undefined,
  { identity }: DnsRecordItem,
  takeover: boolean,
): Pick<Asked, 'name' | 'types' | 'recordSets' | 'does'> {
  const { name = '', types = [] } = place ?? {};
  const more = takeover && identity !== null && identity.name === name ? [identity.recordType] : [];
  return { name, types: [...new Set([...types, ...more])], recordSets: [], does: takeover ? 'adopt all' : 'write' };
}
