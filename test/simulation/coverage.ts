// What a run of the simulation must have reached at least once, for its silence to mean anything: every kind of fault, every
// kind of actor, every outcome of the publisher, and the situations that the protocol is made for.
import { FATES } from './swarm.ts';

const SITUATIONS: readonly string[] = [
  'a compare-and-swap of the ledger failed',
  'a lease was taken from a run that had not given it back',
  'a run saw that its lease was lost',
  'a function was frozen',
  'a batch of a stale epoch landed',
  'a run found its hosted zone busy',
  'an intent was noted',
  'an intent was found after a crash, and the write had landed',
  'an intent was found after a crash, and the write had not landed',
  'Route 53 refused a batch',
  'a record set was taken over',
  'a late batch landed: accepted',
  'a late batch landed: refused',
  'the guard held deletes',
  'a hosted zone was made',
  'a hosted zone was deleted by hand',
  'a hosted zone was made anew by hand',
  'a hint was lost',
  'a stranger wrote',
  'a stranger deleted',
  'checked without a sweep',
  'checked after sweeps',
  'cluster.get stale',
  'cluster.listPage empty',
  'cluster.listPage short',
  'cluster.listPage stale',
  'a sweep carried on where another was left',
  'another run had gone on with the sweep',
  'a sweep came to its end',
  'ledger.query short',
  'hostedZones.readPage short',
  'hostedZones.change throttled',
  'hostedZones.change denied',
  'hostedZones.change late',
  'publish: done',
  'publish: busy',
  'publish: gone',
  'publish: create published',
  'publish: update published',
  'publish: delete published',
  'publish: create foreign',
  'publish: update drifted',
  'publish: delete drifted',
  'publish: create rejected',
  'publish: delete held',
  'publish: create failed',
  'a tenant: created',
  'a tenant: edited',
  'a tenant: edited, invalid',
  'a tenant: deleted',
  'a tenant: deleted all of a namespace',
  'a tenant: acknowledged',
  'held deletes were let go as a tenant had acknowledged them',
  'a tenant: deleted and created anew',
  'a tenant: labels forged',
  'a tenant: status forged',
  'a tenant: swapped',
  'a tenant: takeover true',
  'a tenant: acknowledged something else',
];

/** Everything that must be reached. */
export const WANTED: readonly string[] = [...SITUATIONS, ...FATES.map((fate) => `fate: ${fate}`)];

/** What was never reached. */
export function neverReached(seen: ReadonlyMap<string, number>): string[] {
  return WANTED.filter((what) => !seen.has(what));
}
