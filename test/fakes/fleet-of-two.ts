// Two clusters, `eu` and `us`, with one ledger and one Route 53. Each has a Zone for the hosted zone Z1, and a Record
// that asks for www.e.: eu comes first.
import { hostedZonesByAccount } from '../../lib/adapters/route53/hosted-zones-of-accounts.ts';
import { parseRef } from '../../lib/objects/object-ref.ts';
import { type ReconcileWorld, reconcileWorld } from './reconcile-world.ts';

export const WWW = parseRef('Record a/www');

export function fleetOfTwo(): { readonly eu: ReconcileWorld; readonly us: ReconcileWorld } {
  const worldOf = (clusterId: string, rdata: string) => {
    const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { clusterId } });
    world.cluster.put(parseRef('Zone a/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
    world.cluster.put(WWW, { domainName: 'www.e.', type: 'A', rdata });
    return world;
  };
  const eu = worldOf('eu', '192.0.2.1');
  const us = worldOf('us', '192.0.2.2');
  const { ledger, route53 } = eu;
  const over = (world: ReconcileWorld): ReconcileWorld => {
    const hostedZones = hostedZonesByAccount(route53.port, new Map(), { config: world.context.config });
    const context = { ...world.context, ledger, account: { hostedZones } };
    return { ...world, ledger, route53, context, deps: { ...world.deps, ledger, hostedZones } };
  };
  return { eu: over(eu), us: over(us) };
}
