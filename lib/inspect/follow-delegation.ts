// Follows the delegations of a name through the hosted zones of the account, as a resolver does: from the highest one
// that covers the name, by the NS record sets, down to the one that answers, or to name servers that are elsewhere.
import { ancestorsOf, isAtOrBelow, isBelow } from '../dns/names/name.ts';
import { compareRecordSets } from '../dns/plan-changes.ts';
import type { RecordSet } from '../dns/record-set.ts';
import { errorMessage } from '../objects/plain.ts';
import type { HostedZone, HostedZones } from '../ports/hosted-zones.ts';

type Covering = Pick<HostedZone, 'id' | 'name'>;

/** An NS record set that a resolver follows. */
type Cut = { readonly name: string; readonly nameServers: readonly string[] };

/** The way of a resolver. `unread`: why it could not be followed to its end. */
export type Delegation = {
  /** The hosted zones that it asks, the highest first. */
  readonly path: readonly Covering[];
  /** Where the last of them sends it, out of the account; null: the last one answers. */
  readonly cut: Cut | null;
  /** What the last one has at the name; null if it does not answer. */
  readonly answer: readonly RecordSet[] | null;
  readonly unread: string | null;
};

type Reader = Pick<HostedZones, 'list' | 'get' | 'readName'>;

/**
 * Follows a canonical name; null if no public hosted zone covers it. `known`: hosted zones that are known without
 * listing. Of several with one name, the first of `known` counts where nothing delegates to another.
 */
export async function followDelegation(
  hostedZones: Reader,
  name: string,
  known: readonly Covering[],
): Promise<Delegation | null> {
  const listed = await hostedZones.list().catch(errorMessage);
  const unlisted = typeof listed === 'string' ? listed : null;
  const others = typeof listed === 'string' ? [] : listed.filter(({ isPrivate }) => isPrivate !== true);
  const covering = [...known, ...others]
    .filter((zone, at, all) => isAtOrBelow(name, zone.name) && all.findIndex(({ id }) => id === zone.id) === at)
    .toSorted((a, b) => a.name.length - b.name.length);
  const [top] = covering;
  if (top === undefined) return null;
  const path = [top];
  try {
    for (;;) {
      const at = path.at(-1) ?? top;
      const cut = await cutBelow(hostedZones, at, name);
      if (cut === null) {
        const answer = await hostedZones.readName(at.id, name);
        return { path, cut: null, answer: (answer ?? []).toSorted(compareRecordSets), unread: unlisted };
      }
      const next = await servedBy(hostedZones, covering, cut);
      if (next === null) return { path, cut, answer: null, unread: unlisted };
      path.push(next);
    }
  } catch (error) {
    return { path, cut: null, answer: null, unread: errorMessage(error) };
  }
}

/** The highest NS record set between the hosted zone's apex and the name, at which a resolver is sent on. */
async function cutBelow(hostedZones: Reader, { id, name: apex }: Covering, name: string): Promise<Cut | null> {
  const below = [name, ...ancestorsOf(name)].filter((one) => isBelow(one, apex)).reverse();
  for (const one of below) {
    const ns = (await hostedZones.readName(id, one))?.find(({ type }) => type === 'NS');
    if (ns?.content.kind === 'values') return { name: one, nameServers: ns.content.values };
  }
  return null;
}

/** The hosted zone of the account to whose name servers the NS record set leads; null: none. */
async function servedBy(hostedZones: Reader, covering: readonly Covering[], cut: Cut): Promise<Covering | null> {
  for (const zone of covering.filter((one) => one.name === cut.name)) {
    const read = await hostedZones.get(zone.id);
    if (read === null || 'unreadable' in read) continue;
    if (read.nameServers.some((server) => cut.nameServers.includes(server))) return zone;
  }
  return null;
}
