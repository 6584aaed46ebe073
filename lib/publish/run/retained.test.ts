// A Zone with deletion-policy "retain": what nothing asks for any more stays in Route 53 and is forgotten, by events
// and by apply alike. What a withdrawn delegation takes away, and what the same object replaces, is deleted.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../../test/fakes/plan-cluster.ts';
import {
  deliverAll,
  deliverHints,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  standingInRoute53,
} from '../../../test/fakes/reconcile-world.ts';
import { applyCluster } from '../../apply/apply-cluster.ts';
import { DELETION_POLICY_ANNOTATION } from '../../objects/annotations.ts';
import { parseRef } from '../../objects/object-ref.ts';
import { readName } from '../../record-sets/store.ts';

const OPEN = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
const RETAIN = { [DELETION_POLICY_ANNOTATION]: 'retain' };

type World = { readonly world: ReconcileWorld; readonly settle: (...refs: readonly string[]) => Promise<void> };
type Kind = 'events' | 'apply';

function worldOf(how: Kind): World {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'created' } });
  const settle = async (...refs: readonly string[]) => {
    if (how === 'apply') {
      const options = { acknowledged: [], only: () => true, progress: () => {} };
      await applyCluster(world.context, world.deps, await planCluster(world.context), options);
      return;
    }
    world.queued.hints.push(...refs.map((ref) => hintFor(parseRef(ref))));
    await deliverHints(world);
    await deliverAll(world);
  };
  return { world, settle };
}

const record = (world: ReconcileWorld, name: string, domainName: string, type: string, rdata: string) =>
  world.cluster.put(parseRef(`Record p/${name}`), { domainName, type, ttl: 60, rdata });

async function filled(how: Kind, annotations: Readonly<Record<string, string>> = RETAIN): Promise<World> {
  const one = worldOf(how);
  one.world.cluster.put(parseRef('Zone p/e'), OPEN, annotations);
  record(one.world, 'a', 'a.e.', 'A', '192.0.2.1');
  record(one.world, 'b', 'b.e.', 'A', '192.0.2.2');
  await one.settle('Zone p/e', 'Record p/a', 'Record p/b');
  expect(names(one.world)).toEqual(['a.e. A', 'b.e. A']);
  return one;
}

const names = (world: ReconcileWorld) => standingInRoute53(world).map((line) => line.split(' ').slice(1, 3).join(' '));

async function owned(world: ReconcileWorld): Promise<readonly string[]> {
  const items = await Promise.all(['a.e.', 'b.e.', 'c.e.', 'sub.e.'].map((name) => readName(world.ledger, 'Z1', name)));
  return items.flat().flatMap(({ item }) => (item.published === null ? [] : [`${item.name} ${item.type}`]));
}

describe.each<Kind>(['events', 'apply'])('deletion-policy "retain", by %s', (how) => {
  test('the record set of a deleted object stays, and is not ours any more', async () => {
    const { world, settle } = await filled(how);
    world.cluster.remove(parseRef('Record p/a'));
    await settle('Record p/a');
    expect(names(world)).toEqual(['a.e. A', 'b.e. A']);
    expect(await owned(world)).toEqual(['b.e. A']);
  });

  test('who asks for the name again is refused as for all that is foreign', async () => {
    const { world, settle } = await filled(how);
    world.cluster.remove(parseRef('Record p/a'));
    await settle('Record p/a');
    record(world, 'again', 'a.e.', 'A', '192.0.2.9');
    await settle('Record p/again');
    expect(standingInRoute53(world).join()).toContain('192.0.2.1');
    expect(standingInRoute53(world).join()).not.toContain('192.0.2.9');
  });

  test('a renamed object leaves its former name', async () => {
    const { world, settle } = await filled(how);
    record(world, 'a', 'c.e.', 'A', '192.0.2.1');
    await settle('Record p/a');
    expect(names(world)).toEqual(['a.e. A', 'b.e. A', 'c.e. A']);
    expect(await owned(world)).toEqual(['b.e. A', 'c.e. A']);
  });

  test('an object that has another type now replaces its record set', async () => {
    const { world, settle } = await filled(how);
    record(world, 'a', 'a.e.', 'CNAME', 'x.example.');
    await settle('Record p/a');
    expect(names(world)).toEqual(['a.e. CNAME', 'b.e. A']);
  });

  test('another object does not replace it', async () => {
    const { world, settle } = await filled(how);
    world.cluster.remove(parseRef('Record p/a'));
    record(world, 'c', 'a.e.', 'CNAME', 'x.example.');
    await settle('Record p/a', 'Record p/c');
    expect(names(world)).toEqual(['a.e. A', 'b.e. A']);
    expect(await owned(world)).toEqual(['b.e. A']);
  });

  test('a withdrawn delegation takes the record set away', async () => {
    const { world, settle } = await filled(how);
    const some = { domainName: 'e.', delegations: [{ records: [{ pattern: 'b' }] }] };
    world.cluster.put(parseRef('Zone p/e'), some, RETAIN);
    await settle('Zone p/e');
    expect(names(world)).toEqual(['b.e. A']);
  });

  test('all stays when the Zone is deleted', async () => {
    const { world, settle } = await filled(how);
    world.cluster.remove(parseRef('Zone p/e'));
    await settle('Zone p/e');
    expect(names(world)).toEqual(['a.e. A', 'b.e. A']);
  });

  test('the delegation to a deleted Zone stays, a withdrawn one goes', async () => {
    const { world, settle } = await filled(how);
    const delegating = { ...OPEN, delegations: [{ records: [{ pattern: '*' }], zones: ['sub'] }] };
    world.cluster.put(parseRef('Zone p/e'), delegating, RETAIN);
    world.cluster.put(parseRef('Zone p/sub'), { domainName: 'sub.e.', delegations: [{ records: [{ pattern: '@' }] }] });
    record(world, 'ns', 'sub.e.', 'NS', 'ns.example.');
    await settle('Zone p/e', 'Zone p/sub', 'Record p/ns');
    expect(names(world)).toEqual(['a.e. A', 'b.e. A', 'sub.e. NS']);
    const others = { domainName: 'e.', delegations: [{ records: [{ pattern: 'a' }, { pattern: 'b' }] }] };
    world.cluster.put(parseRef('Zone p/e'), others, RETAIN);
    await settle('Zone p/e');
    expect(names(world)).toEqual(['a.e. A', 'b.e. A']);
    world.cluster.put(parseRef('Zone p/e'), delegating, RETAIN);
    await settle('Zone p/e');
    expect(names(world)).toEqual(['a.e. A', 'b.e. A', 'sub.e. NS']);
    world.cluster.remove(parseRef('Zone p/sub'));
    world.cluster.remove(parseRef('Record p/ns'));
    await settle('Zone p/sub', 'Record p/ns');
    expect(names(world)).toEqual(['a.e. A', 'b.e. A', 'sub.e. NS']);
  });

  test('without the annotation, the record set is deleted', async () => {
    const { world, settle } = await filled(how, { [DELETION_POLICY_ANNOTATION]: 'delete' });
    world.cluster.remove(parseRef('Record p/a'));
    await settle('Record p/a');
    expect(names(world)).toEqual(['b.e. A']);
  });

  test('a wrong value leaves the last valid policy in force; a new Zone with one publishes nothing', async () => {
    const { world, settle } = await filled(how);
    world.cluster.put(parseRef('Zone p/e'), OPEN, { [DELETION_POLICY_ANNOTATION]: 'retian' });
    world.cluster.remove(parseRef('Record p/a'));
    await settle('Zone p/e', 'Record p/a');
    expect(names(world)).toEqual(['a.e. A', 'b.e. A']);
    const fresh = worldOf(how);
    fresh.world.cluster.put(parseRef('Zone p/e'), OPEN, { [DELETION_POLICY_ANNOTATION]: 'retian' });
    record(fresh.world, 'a', 'a.e.', 'A', '192.0.2.1');
    await fresh.settle('Zone p/e', 'Record p/a');
    expect(names(fresh.world)).toEqual([]);
  });

  test('what goes is no delete for the guard', async () => {
    const { world, settle } = await filled(how);
    const many = Array.from({ length: 40 }, (_, index) => `m${index}`);
    for (const name of many) record(world, name, `${name}.e.`, 'A', '192.0.2.1');
    await settle(...many.map((name) => `Record p/${name}`));
    for (const name of many) world.cluster.remove(parseRef(`Record p/${name}`));
    await settle(...many.map((name) => `Record p/${name}`));
    expect(names(world)).toHaveLength(42);
    expect(await owned(world)).toEqual(['a.e. A', 'b.e. A']);
    const plan = await planCluster(world.context);
    expect(plan.hostedZones.flatMap((one) => one.plan.guard.held)).toEqual([]);
  });
});
