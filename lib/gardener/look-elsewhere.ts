// Checks a DNSRecord in a hosted zone that its own Secret cannot open. The Secret may have credentials of another
// account by now, and since nothing changed, no call showed that. Then the Secret that published it is used.
//
//   own Secret                      | Secret that published it | in the status
//   sees the hosted zone            | -                        | what it sees
//   does not answer                 | -                        | nothing: logged
//   knows of none, or denies it     | sees the hosted zone     | what that sees
//   knows of none, or denies it     | does not answer          | nothing: logged
//   knows of none                   | gone, or refused         | that nobody can look
//   denies it, and lists it         | gone, or refused         | nothing: logged
//   denies it, and does not list it | gone, or refused         | that nobody can look
import type { Account } from '../ports/seed/accounts.ts';
import { misconfigured, type Ready } from './deps.ts';
import type { Asked, WishOutcome } from './judge-wish.ts';
import { publishWishes } from './publish-wishes.ts';
import { formerAccount, hasNoAnswer, isRefused, reachOf, rotatedSecretMessage, type Serving } from './withdraw.ts';

/** The final outcome of a check. `first`: the outcome with the object's own Secret, whose account is `own`. */
export async function lookElsewhere(
  serving: Serving,
  own: Account,
  ready: Ready,
  { hostedZoneId, wish, first }: { hostedZoneId: string; wish: Asked; first: WishOutcome },
): Promise<WishOutcome> {
  if (wish.does !== 'check' || first.kind !== 'failed' || !(first.isGone === true || isRefused(first))) return first;
  const { deps, gather } = serving;
  const place = ready.work.item.places.find((one) => one.hostedZoneId === hostedZoneId && one.name === wish.name);
  if (place === undefined) return first;
  const former = await formerAccount(serving, ready, place);
  let why = former.kind === 'lost' ? former.why : rotatedSecretMessage(place, own, ready.secretRef);
  if (former.kind === 'account') {
    const outcomes = await publishWishes(deps, gather, former.account, hostedZoneId, [wish]);
    const second = outcomes.get(wish.owner) ?? { kind: 'later' };
    if (second.kind !== 'failed' || hasNoAnswer(second)) return second;
    if (second.isGone !== true && !isRefused(second)) return second;
    why = second.message;
  }
  if (why === null) return first;
  const reach = first.isGone === true ? 'not there' : await reachOf(serving, own, place, first);
  if (reach !== 'not there') return reach;
  const { namespace, name } = ready.secretRef;
  return misconfigured(
    `the account of Secret ${namespace}/${name} has no hosted zone ${hostedZoneId}, and with what published there nobody can look: ${why}. ` +
      'Name a hosted zone of that account in spec.zone, or its Secret in spec.secretRef.',
  );
}
