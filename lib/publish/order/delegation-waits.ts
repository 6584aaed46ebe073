// The delegations that must be made or deleted before a name may be deleted from a hosted zone that it leaves.
import type { DirectoryItem } from '../../directory/directory-item.ts';
import { isBelow } from '../../dns/names/name.ts';
import type { RecordSetKey } from '../../dns/record-set.ts';
import { readItem } from '../../ledger/item-codec.ts';
import { heldCodec, heldItemKey } from '../../record-sets/held-name.ts';
import { samePublishing } from '../../record-sets/same-content.ts';
import { hostedZoneOf, isRefused, type View } from './view.ts';
import { buildWait, type Wait } from './waits.ts';

/** What to wait for until queries for the name reach its new hosted zone, and no longer this one; null: nothing. */
export async function waitOfDelegation(
  view: View,
  above: readonly DirectoryItem[],
  at: DirectoryItem | undefined,
  key: RecordSetKey,
  delegated: string | null,
): Promise<Wait | null> {
  const { asker, changes } = view;
  const own = asker.hostedZone.id;
  const byKey = new Map(above.map((zone) => [zone.key, zone]));
  let zone = at;
  while (zone !== undefined && hostedZoneOf(zone) !== own) {
    // The Zone whose hosted zone this is, and its parent, which delegates to it. No Zone delegates to a root.
    const cut: DirectoryItem | undefined = byKey.get(zone.target.zone);
    if (cut === undefined || cut.parent === null) break;
    if (cut.ownedBelow !== undefined)
      return buildWait(`nothing delegates to ${cut.fqdn} while cluster ${cut.ownedBelow} owns names below it`, true);
    zone = byKey.get(cut.parent);
    // The directory was read while it was written. The next run reads it whole.
    if (zone !== undefined && !isBelow(cut.fqdn, zone.fqdn)) return buildWait(`the Zones above ${cut.fqdn} are moving`);
    const from = hostedZoneOf(zone);
    // The deletes and the new delegation of the same name go in one batch.
    const isMade = changes.some(({ name, type, after }) => name === cut.fqdn && type === 'NS' && after !== null);
    const together = from === own && (cut.fqdn === delegated || (cut.fqdn === key.name && isMade));
    // A delegation further down that Route 53 refused for good must not block this one: only names below it are lost.
    const orRefused = delegated !== null && from !== own;
    const missing = from === null || together ? null : await undelegated(view, from, cut.fqdn, orRefused);
    if (missing !== null) return { why: `hosted zone ${from} does not delegate ${cut.fqdn} yet`, ...missing };
  }
  return above.some((one) => hostedZoneOf(one) === own) ? null : waitOfWayBack(view, above);
}

/** The delegation to this hosted zone, which no Zone uses any more, if there still is one in a hosted zone above. */
async function waitOfWayBack(view: View, above: readonly DirectoryItem[]): Promise<Wait | null> {
  const left = view.asker.hostedZone.name;
  const known = (await view.hostedZones()).flatMap(({ id, name }) => (isBelow(left, name) ? [id] : []));
  // Hosted zones of live Zones count even if their own item cannot be read.
  const used = above.flatMap(({ target }) =>
    target.kind === 'hosted' && isBelow(left, target.fqdn) ? [target.hostedZoneId] : [],
  );
  for (const id of new Set([...used, ...known])) {
    const astray = await delegatedOtherwise(view, id, left);
    if (astray !== null) return { why: `hosted zone ${id} may still delegate ${left} to this one`, ...astray };
  }
  return null;
}

function delegationOf(name: string): RecordSetKey {
  return { name, type: 'NS', setIdentifier: null };
}

const BEGUN = { stuck: false, begun: true } as const;

/**
 * How long a desired delegation may be missing; null: it is published, or none is desired and waiting is in vain. None
 * is desired to a private hosted zone, whatever delegation elsewhere is published and is to go.
 */
async function undelegated(
  { itemAt }: View,
  from: string,
  name: string,
  orRefused: boolean,
): Promise<Omit<Wait, 'why'> | null> {
  const item = await itemAt(from, delegationOf(name));
  if (item === null || item.desired === null) return null;
  if (item.intent !== null) return BEGUN;
  const said = samePublishing('NS', item.desired, item.published) || (orRefused && isRefused(item));
  return said ? null : { stuck: item.refusal !== null };
}

/** How long an undesired delegation may stay; null: there is none. */
async function delegatedOtherwise(
  { asker, itemAt }: View,
  from: string,
  name: string,
): Promise<Omit<Wait, 'why'> | null> {
  const item = await itemAt(from, delegationOf(name));
  if (item === null || (item.published === null && item.intent === null)) return null;
  if (item.intent !== null) return BEGUN;
  if (samePublishing('NS', item.desired, item.published)) return null;
  if (item.refusal !== null) return { stuck: true };
  const held = await readItem(asker.ledger, heldItemKey(from, name), heldCodec);
  return { stuck: held !== null && !held.item.released };
}
