// Two clusters with one ledger and one hosted zone, for tests of their claims; and a ledger that dies.
import { hostedZonesByAccount } from '../../lib/adapters/route53/hosted-zones-of-accounts.ts';
import { parseRef } from '../../lib/objects/object-ref.ts';
import { shareIdOf } from '../../lib/objects/share-id.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import { reconcile } from '../../lib/resolve/reconcile-hints.ts';
import { deliverHints, hintFor, type ReconcileWorld, reconcileWorld } from './reconcile-world.ts';

const WWW = parseRef('Record a/www');

/** The worlds of two clusters with one ledger and one Route 53. */
export function twoWorlds(
  standby: readonly string[] = [],
  annotations: Readonly<Record<string, string>> = {},
): {
  readonly eu: ReconcileWorld;
  readonly us: ReconcileWorld;
} {
  const worldOf = (clusterId: string) => {
    const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { clusterId, standby } });
    const spec = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
    world.cluster.put(parseRef('Zone a/z'), spec, annotations);
    return world;
  };
  const eu = worldOf('eu');
  const us = worldOf('us');
  const over = (world: ReconcileWorld): ReconcileWorld => {
    const hostedZones = hostedZonesByAccount(eu.route53.port, new Map(), { config: world.context.config });
    const { ledger } = eu;
    return {
      ...world,
      ledger,
      route53: eu.route53,
      context: { ...world.context, ledger, account: { hostedZones } },
      deps: { ...world.deps, ledger, hostedZones },
    };
  };
  return { eu: over(eu), us: over(us) };
}

/** A ledger that dies at the write after so many. */
export function dyingAfter(ledger: Ledger, writes: number): Ledger {
  let left = writes;
  const spend = () => {
    left -= 1;
    if (left < 0) throw new Error('the process died');
  };
  return {
    ...ledger,
    put: async (...asked) => {
      spend();
      return ledger.put(...asked);
    },
    remove: async (...asked) => {
      spend();
      return ledger.remove(...asked);
    },
  };
}

/** Has a cluster ask for www.e. with this address, or for nothing. `more`: of the spec of the Record. */
export async function say(world: ReconcileWorld, rdata: string | null, more: object = {}): Promise<void> {
  if (rdata === null) world.cluster.remove(WWW);
  else world.cluster.put(WWW, { domainName: 'www.e.', type: 'A', rdata, ...more });
  await reconcile(world.context, [hintFor(parseRef('Zone a/z')), hintFor(WWW)]);
  await deliverHints(world);
}

/** What Route 53 has at www.e. */
export const answer = ({ route53 }: ReconcileWorld) =>
  route53
    .recordSets('Z1')
    .flatMap(({ name, content }) => (name === 'www.e.' && content.kind === 'values' ? content.values : []));

/** Publishes both until nothing changes any more. */
export async function settle(first: ReconcileWorld, second: ReconcileWorld): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    first.clock.ms += 60_000;
    second.clock.ms = first.clock.ms;
    await publish(first.deps, 'Z1');
    await publish(second.deps, shareIdOf('Z1', second.context.config.clusterId));
  }
}
