import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { a, write, zone } from '../../test/fakes/reconcile-steps.ts';
import { reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { notesIn } from '../zones/notes.ts';
import { describePlanned } from './describe-applied.ts';

const NS = { kind: 'values', ttlSeconds: 300, values: ['ns.example.net.'] } as const;

/** The notes of a plan on Record a/x, where somebody else has NS at these names. */
async function notes(name: string, standing: readonly string[], isPrivate = false): Promise<string | null> {
  const hosted = { id: 'Z1', name: 'e.', ...(isPrivate && { isPrivate: true as const }) };
  const world = reconcileWorld({
    hostedZones: [hosted],
    config: { soa: 'never', hostedZones: [{ zone: 'e.', id: 'Z1' }] },
  });
  for (const at of standing) world.route53.edit('Z1', { name: at, type: 'NS', setIdentifier: null }, NS);
  write(world, { 'Zone a/e': zone('e.'), 'Record a/x': a(name) });
  const { records } = describePlanned(await planCluster(world.context, { reads: true }));
  return notesIn(records[0]?.conditions[0]?.message ?? '');
}

test('planCluster() reads the names above a create, and notes the highest NS there', async () => {
  const note = 'it is below the delegation s.e. (NS in Route 53, not created by zone53)';
  expect(await notes('x.s.e.', ['s.e.'])).toContain(note);
  expect(await notes('x.y.z.s.e.', ['y.z.s.e.', 's.e.'])).toContain(note);
  expect(await notes('s.e.', ['s.e.'])).toContain('it is at the delegation s.e.');
  expect(await notes('x.s.e.', ['e.', 't.e.', 'y.s.e.'])).toBeNull();
});

test('planCluster() notes nothing in a private hosted zone, where resolvers follow no NS', async () => {
  expect(await notes('x.s.e.', ['s.e.'], true)).toBeNull();
});
