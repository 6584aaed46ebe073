// publish() of record sets with settings of their own: the role that writes them, and the size of a batch.
import { expect, test } from 'vitest';
import { APEX, publishWorld, run, standing, want, wanted } from '../../../test/fakes/publish-world.ts';
import type { HostedZones, Writer } from '../../ports/hosted-zones.ts';

const ROLE = 'arn:aws:iam::123456789012:role/dns';

/** A world in which these objects have these writers. `sent`: the role and the names of each call. */
async function ordered(orders: Readonly<Record<string, Writer>>) {
  const world = await publishWorld();
  const sent: string[] = [];
  const change: HostedZones['change'] = (id, changes, comment, waitMsMax, role = null) => {
    sent.push(`${role ?? 'own'}: ${changes.map(({ action, recordSet }) => `${action} ${recordSet.name}`).join(', ')}`);
    return world.route53.port.change(id, changes, comment, waitMsMax, role);
  };
  const hostedZones = { ...world.route53.port, change };
  const deps = { ...world.deps, hostedZones, writers: async (object: string) => orders[object] ?? null };
  const asks = (label: string, object: string, address = '192.0.2.1') => {
    const name = `${label}.${APEX}`;
    return want(world, name, { ...wanted(name, 'A', [address]), objects: [object] });
  };
  return { world: { ...world, deps }, sent, asks };
}

test("publish() sends each writer's changes in batches of their own, and deletes with the role that created", async () => {
  const { world, sent, asks } = await ordered({ 'DNSEndpoint shop/a': { role: ROLE, changesMax: null } });
  await asks('a', 'DNSEndpoint shop/a');
  await asks('b', 'DNSEndpoint shop/b');
  await asks('c', 'Record shop/c');
  await run(world);
  expect(sent.toSorted()).toEqual([`${ROLE}: CREATE a.${APEX}`, `own: CREATE b.${APEX}, CREATE c.${APEX}`]);
  await want(world, `a.${APEX}`);
  sent.splice(0);
  await run(world);
  expect(sent).toEqual([`${ROLE}: DELETE a.${APEX}`]);
});

test('publish() puts no more changes into a batch than the writer allows, except those of one name', async () => {
  const { world, sent, asks } = await ordered({ 'DNSEndpoint shop/x': { role: null, changesMax: 1 } });
  for (const label of ['a', 'b', 'c']) await asks(label, 'DNSEndpoint shop/x');
  await asks('d', 'Record shop/d');
  await asks('e', 'Record shop/e');
  await run(world);
  expect(sent).toHaveLength(4);
  expect(standing(world)).toHaveLength(5);
  sent.splice(0);
  await asks('a', 'DNSEndpoint shop/x', '192.0.2.9');
  await run(world);
  // The delete and the create are in one batch, so that the name is never absent.
  expect(sent).toEqual([`own: DELETE a.${APEX}, CREATE a.${APEX}`]);
});
