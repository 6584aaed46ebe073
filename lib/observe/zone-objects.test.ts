// A Zone whose ledger item this version cannot read stays unchanged, and delays no other Zone.
import { describe, expect, test } from 'vitest';
import {
  deliverHints,
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
} from '../../test/fakes/reconcile-world.ts';
import { directoryCodec, directoryPartition } from '../directory/directory-item.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { sweepPiece } from '../sweep/sweep-cluster.ts';
import { objectKey } from './object-item.ts';

const ALL = [{ zones: ['*'], records: [{ pattern: '*' }] }];
const a = (domainName: string) => ({ domainName, type: 'A', rdata: '192.0.2.1' });

async function apply(world: ReconcileWorld, objects: Readonly<Record<string, unknown>>): Promise<void> {
  const refs = Object.keys(objects).map(parseRef);
  for (const ref of refs) world.cluster.put(ref, objects[`${ref.kind} ${ref.namespace}/${ref.name}`]);
  await reconcile(world.context, refs.map(hintFor));
}

/** A world of three Zones with a Record each. Then the item of `broken` gets another version. */
async function worldWith(broken: string): Promise<{ world: ReconcileWorld; mend: () => Promise<void> }> {
  const world = reconcileWorld({
    hostedZones: [
      { id: 'Z1', name: 'e.' },
      { id: 'Z2', name: 'f.' },
    ],
  });
  await apply(world, {
    'Zone a/root': { domainName: 'e.', delegations: ALL },
    'Zone a/sub': { domainName: 's.e.', delegations: ALL },
    'Zone a/rival': { domainName: 's.e.', delegations: ALL },
    'Record a/www': a('www.e.'),
    'Record a/deep': a('deep.s.e.'),
  });
  const key = objectKey('default', parseRef(broken));
  const stored = (await world.ledger.get(key)) as LedgerItem;
  const revision = await world.ledger.put(key, { v: 99, colour: 'red' }, stored.revision);
  return {
    world,
    mend: async () => {
      await world.ledger.put(key, stored.body, revision);
    },
  };
}

async function liveZones({ ledger }: ReconcileWorld): Promise<string[]> {
  const { items } = await ledger.query(directoryPartition('default'));
  return items.map((item) => directoryCodec.decode(item)).map(({ key, fqdn }) => `${key} ${fqdn}`);
}

const NAMES = ['deep.s.e.', 'www.e.'];

async function names(world: ReconcileWorld): Promise<string[]> {
  await deliverHints(world);
  const lines = await desiredInLedger(world);
  return lines.flatMap((line) => /(\S+\.) A /.exec(line)?.[1] ?? []).toSorted();
}

describe('zoneObjects() with a Zone of another version', () => {
  test.each(['Zone a/root', 'Zone a/sub'])('keeps %s live, and adds a new Zone', async (broken) => {
    const { world, mend } = await worldWith(broken);
    expect(await names(world)).toEqual(NAMES);
    await apply(world, { 'Zone a/other': { domainName: 'f.', delegations: ALL }, 'Record a/f': a('www.f.') });
    expect(await liveZones(world)).toEqual(['a/root e.', 'a/sub s.e.', 'a/other f.']);
    expect(await names(world)).toEqual([...NAMES, 'www.f.'].toSorted());
    await mend();
    await sweepPiece(world.context, Number.POSITIVE_INFINITY);
    expect(await liveZones(world)).toEqual(['a/root e.', 'a/sub s.e.', 'a/other f.']);
    expect(await names(world)).toEqual([...NAMES, 'www.f.'].toSorted());
  });

  test('is not delayed by a Zone of another version that was not live', async () => {
    const { world } = await worldWith('Zone a/rival');
    await apply(world, { 'Zone a/other': { domainName: 'f.', delegations: ALL } });
    expect(await liveZones(world)).toEqual(['a/root e.', 'a/sub s.e.', 'a/other f.']);
  });

  test('does not give its name to another Zone when the one above no longer delegates it', async () => {
    const { world } = await worldWith('Zone a/sub');
    await apply(world, { 'Zone a/root': { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] } });
    expect(await liveZones(world)).toEqual(['a/root e.', 'a/sub s.e.']);
  });
});
