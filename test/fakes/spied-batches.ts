// A world that records its batches, and one-line steps for the tests of aliases and routed record sets.

import type { RecordSetChange } from '../../lib/dns/record-set.ts';
import { type ObjectRef, parseRef } from '../../lib/objects/object-ref.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import { recordSetCodec, recordSetItemKey } from '../../lib/record-sets/record-set-item.ts';
import { reconcile } from '../../lib/resolve/reconcile-hints.ts';
import { hintFor, type ReconcileWorld, reconcileWorld } from './reconcile-world.ts';

export const ZONE = parseRef('Zone a/z');
export const SPEC = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }, { pattern: '@' }] }] };

export type Spy = { readonly world: ReconcileWorld; readonly batches: string[][] };

/** A world that records its batches, one line for each change. */
function spied(hostedZones: Parameters<typeof reconcileWorld>[0] = {}): Spy {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' }, ...hostedZones });
  const batches: string[][] = [];
  const { change } = world.deps.hostedZones;
  const spying = async (id: string, changes: readonly RecordSetChange[], ...rest: [string, number?]) => {
    batches.push(
      changes.map(({ action, recordSet: { name, setIdentifier } }) => `${action} ${name} ${setIdentifier ?? '-'}`),
    );
    return change(id, changes, ...rest);
  };
  const deps = { ...world.deps, hostedZones: { ...world.deps.hostedZones, change: spying } };
  return { world: { ...world, deps }, batches };
}

export function put(world: ReconcileWorld, name: string, spec: object): ObjectRef {
  const ref = parseRef(`Record a/${name}`);
  world.cluster.put(ref, { domainName: 'www.e.', type: 'A', ...spec });
  return ref;
}

/** Reconciles these objects and publishes. Returns the batches that were sent. */
export async function through({ world, batches }: Spy, refs: readonly ObjectRef[]): Promise<string[][]> {
  batches.length = 0;
  await reconcile(world.context, refs.map(hintFor));
  for (let turn = 0; turn < 3; turn += 1) await publish(world.deps, 'Z1');
  return [...batches];
}

export async function begun(options: Parameters<typeof reconcileWorld>[0] = {}): Promise<Spy> {
  const spy = spied(options);
  spy.world.cluster.put(ZONE, SPEC);
  await through(spy, [ZONE]);
  return spy;
}

export async function refusalOf(
  { world }: Spy,
  name: string,
  setIdentifier: string | null = null,
): Promise<string | null> {
  const stored = await world.ledger.get(recordSetItemKey('Z1', { name, type: 'A', setIdentifier }));
  return stored === null ? null : (recordSetCodec.decode(stored).refusal?.reason ?? null);
}
