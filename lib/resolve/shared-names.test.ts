// A record set that objects of several namespaces share counts at the guard for the namespace that has asked longest.
import { expect, test } from 'vitest';
import { deliverAll, hintFor, reconcile, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { countedNamespace } from '../record-sets/guarded.ts';
import { readName } from '../record-sets/store.ts';

const ZONE = parseRef('Zone platform/e');
const OLDER = parseRef('Record z/www');
const YOUNGER = parseRef('Record a/www');
const SHARED = { domainName: 'e.', delegations: [{ shared: true, records: [{ pattern: '*' }] }] };
const www = (rdata: string) => ({ domainName: 'www.e.', type: 'A', rdata });

test.each([
  ['another value', '192.0.2.2'],
  ['an equal value', '192.0.2.1'],
])('a shared record set counts for its oldest namespace, with %s of another one', async (_, rdata) => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, SHARED);
  for (const [ref, value] of [
    [OLDER, '192.0.2.1'],
    [YOUNGER, rdata],
  ] as const) {
    world.cluster.put(ref, www(value), {}, world.clock.ms);
    await reconcile(world.context, [hintFor(ZONE), hintFor(ref)]);
    await deliverAll(world);
    world.clock.ms += 3_600_000;
  }
  const [stored] = await readName(world.context.ledger, 'Z1', 'www.e.');
  expect(stored?.item).toMatchObject({ objects: ['Record z/www', 'Record a/www'] });
  expect(stored === undefined ? null : countedNamespace(stored.item)).toBe('z');
});
