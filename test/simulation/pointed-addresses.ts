// In some of the seeds with a cluster's own DNS, the root has PTRs of its addresses, and a Zone of its own adopts them.
import { parseRootPattern } from '../../lib/dns/names/pattern.ts';
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import type { RootRule } from '../../lib/objects/root-rule.ts';
import type { World } from './world.ts';

const POINTED_ZONE = '2.0.192.in-addr.arpa.';
export const POINTED_HOSTED = { id: 'ZP', name: POINTED_ZONE };
const POINTED: ObjectRef = { kind: 'Zone', namespace: 'a', name: 'pointed' };
/** Of so many seeds these, so that those that find certain sabotages stay as they are. */
const POINTED_EVERY = 11;
const POINTED_AT = [0, 2, 4];

export function hasPointers({ seed, discovery }: Pick<World, 'seed'> & { readonly discovery: unknown }): boolean {
  return discovery !== null && POINTED_AT.includes(seed % POINTED_EVERY);
}

export function pointedRoot(): RootRule {
  const parsed = parseRootPattern(POINTED_ZONE);
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return { pattern: parsed.pattern, namespaces: ['a'] };
}

/** Adds the Zone of the reverse names. */
export function populatePointed(world: World): void {
  if (!hasPointers(world)) return;
  const delegations = [{ zones: [], records: [{ pattern: '*', types: ['PTR'] }] }];
  world.cluster.put(POINTED, { spec: { domainName: POINTED_ZONE, delegations } });
  world.queues.send({ kind: 'hint', hint: POINTED }, world.time.ms, null);
}
