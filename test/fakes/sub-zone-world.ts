// A world in which names move between hosted zones: the Zone s.e. below e. comes and goes, and each has a hosted zone.

import type { RecordSet } from '../../lib/dns/record-set.ts';
import { parseRef } from '../../lib/objects/object-ref.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';
import type { PublishResult } from '../../lib/publish/plan/publish-result.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import { type RecordSetItem, recordSetCodec, recordSetItemKey } from '../../lib/record-sets/record-set-item.ts';
import { reconcile } from '../../lib/resolve/reconcile-hints.ts';
import { type ReconcileWorld, type ReconcileWorldOptions, reconcileWorld } from './reconcile-world.ts';

export const ROOT = 'Z1';
export const SUB = 'Z2';
export const OTHER = 'Z3';
export const X = { name: 'x.s.e.', type: 'A', setIdentifier: null };
export const NS = { name: 's.e.', type: 'NS', setIdentifier: null };
export const ALL = [{ records: [{ pattern: '*' }, { pattern: '@' }], zones: ['*'] }];

type Published = Extract<PublishResult, { kind: 'done' }>;

/** e. and s.e. have hosted zones. There is no Zone s.e. yet, so x.s.e. is published in the hosted zone of e. */
export async function rootWorld(options: ReconcileWorldOptions = {}): Promise<ReconcileWorld> {
  const hostedZones = [
    { id: ROOT, name: 'e.' },
    { id: SUB, name: 's.e.', nameServers: ['ns-2.example.net.'] },
  ];
  const world = reconcileWorld({ hostedZones, ...options });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: ALL });
  world.cluster.put(parseRef('Record p/x'), { domainName: X.name, type: 'A', rdata: '192.0.2.1' });
  await say(world, 'Zone p/e', 'Record p/x');
  await done(world, ROOT);
  if (foundIn(world) !== ROOT) throw new Error('x.s.e. is not in the hosted zone of e.');
  return world;
}

/** The same with a Zone s.e., and everything is published. */
export async function subWorld(options: ReconcileWorldOptions = {}): Promise<ReconcileWorld> {
  const world = await rootWorld(options);
  await gain(world);
  await done(world, SUB);
  await done(world, ROOT);
  if (foundIn(world) !== SUB) throw new Error('x.s.e. is not in the hosted zone of s.e.');
  return world;
}

export async function say({ context }: ReconcileWorld, ...refs: string[]): Promise<void> {
  await reconcile(context, refs.map(parseRef));
}

export async function gain(world: ReconcileWorld): Promise<void> {
  world.cluster.put(parseRef('Zone p/s'), { domainName: 's.e.', delegations: ALL });
  await say(world, 'Zone p/s');
}

export async function lose(world: ReconcileWorld): Promise<void> {
  world.cluster.remove(parseRef('Zone p/s'));
  await say(world, 'Zone p/s');
}

export async function done(world: ReconcileWorld, id: string): Promise<Published> {
  const result = await publish(world.deps, id);
  if (result.kind !== 'done') throw new Error(`expected a run that is done, got ${result.kind}`);
  return result;
}

export function standing({ route53 }: ReconcileWorld, id: string, { name, type }: Pick<RecordSet, 'name' | 'type'>) {
  return route53.recordSets(id).find((set) => set.name === name && set.type === type)?.content ?? null;
}

/** The hosted zone in which a resolver that begins at the root finds x.s.e.; null: in none. */
export function foundIn(world: ReconcileWorld): string | null {
  const delegation = JSON.stringify(standing(world, ROOT, NS));
  const servers = (id: string) => {
    const content = standing(world, id, NS);
    return content?.kind === 'values' ? JSON.stringify(content.values) : '';
  };
  const [led = delegation === 'null' ? ROOT : null] = [SUB, OTHER].filter(
    (id) => servers(id) !== '' && delegation.includes(servers(id)),
  );
  return led !== null && standing(world, led, X) !== null ? led : null;
}

/** The world with a Route 53 that denies every write to this hosted zone while `isDenied` returns true. */
export function denying(world: ReconcileWorld, id: string, isDenied: () => boolean): ReconcileWorld {
  const { port } = world.route53;
  const change: HostedZones['change'] = async (asked, ...rest) =>
    asked === id && isDenied() ? { kind: 'denied', message: 'AccessDenied' } : port.change(asked, ...rest);
  return { ...world, deps: { ...world.deps, hostedZones: { ...port, change } } };
}

/** Changes the ledger's item of x.s.e. in a hosted zone. */
export async function changeItem(
  { ledger }: ReconcileWorld,
  id: string,
  change: (item: RecordSetItem) => RecordSetItem,
) {
  const key = recordSetItemKey(id, X);
  const stored = await ledger.get(key);
  if (stored === null) throw new Error(`no item of ${X.name} in ${id}`);
  const { v: _, ...body } = stored.body;
  await ledger.put(key, recordSetCodec.encode(change(body as unknown as RecordSetItem)), stored.revision);
}
