// `takeover.equal` of the configuration, from the plan to Route 53: what already is as wanted becomes ours without a
// write and without an annotation, if the objects are in the namespaces of the configuration. Nothing else does.
import { expect, test } from 'vitest';
import { describePlan } from '../../cli/print/describe-plan.ts';
import { jsonPlan } from '../../cli/print/print-plan.ts';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { deliverAll, hintFor, type ReconcileWorld } from '../../test/fakes/reconcile-world.ts';
import {
  apply,
  plan,
  REGISTRY,
  stand,
  standing,
  takeoverWorld,
  text,
  values,
  want,
  writes,
} from '../../test/fakes/takeover-world.ts';
import type { ExternalDnsRegistry } from '../external-dns/ownership.ts';
import { parseRef } from '../objects/object-ref.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { sweepHostedZone } from '../sweep/sweep-hosted-zone.ts';

const NAMESPACES = ['p'] as const;

function equalWorld(
  namespaces: readonly string[] | null = NAMESPACES,
  registries: readonly ExternalDnsRegistry[] = [],
): ReconcileWorld {
  return takeoverWorld(registries, { takeover: { namespaces, equal: true, externalDns: [] } });
}

/** Puts a Record of namespace q into the cluster. */
function wantInQ({ cluster }: ReconcileWorld, name: string, rdata: string): void {
  cluster.put(parseRef(`Record q/${name}`), { domainName: `${name}.e.`, type: 'A', rdata });
}

/** All objects are read because of hints, and everything that follows is done. */
async function serve(world: ReconcileWorld): Promise<void> {
  await reconcile(
    world.context,
    world.cluster.objects().map(({ ref }) => hintFor(ref)),
  );
  await deliverAll(world);
}

const reasonOf = ({ cluster }: ReconcileWorld, object: string) =>
  cluster.statuses.get(object)?.conditions?.find(({ type }) => type === 'Programmed')?.reason;

test('what already is as wanted is adopted without a write, and what differs stays', async () => {
  const world = equalWorld();
  stand(world, 'same.e.', 'A', values('192.0.2.1'));
  stand(world, 'ttl.e.', 'A', { ...values('192.0.2.1'), ttlSeconds: 60 });
  stand(world, 'www.e.', 'A', values('192.0.2.9'));
  stand(world, 'beside.e.', 'CNAME', values('theirs.example.'));
  for (const name of ['same', 'ttl', 'www', 'beside']) want(world, name, '192.0.2.1');
  expect(await plan(world)).toEqual([
    'create beside.e. A foreign',
    'adopt same.e. A equal',
    'create ttl.e. A foreign',
    'create www.e. A foreign',
  ]);
  const outcomes = [
    'create beside.e. foreign',
    'adopt same.e. published',
    'create ttl.e. foreign',
    'create www.e. foreign',
  ];
  expect(await apply(world)).toEqual(outcomes);
  expect(world.route53.calls.filter(({ method, accepted }) => method === 'change' && accepted)).toEqual([]);
  expect(standing(world)).toEqual(['beside.e. CNAME', 'same.e. A', 'ttl.e. A', 'www.e. A']);
  // From now on it is ours.
  world.cluster.remove(parseRef('Record p/a-same'));
  expect(await plan(world)).toContain('delete same.e. A -');
});

test('a plan says how many names it would adopt, in the text and in the JSON', async () => {
  const world = equalWorld();
  for (const name of ['a', 'b', 'c']) stand(world, `${name}.e.`, 'A', values('192.0.2.1'));
  for (const name of ['a', 'b']) want(world, name, '192.0.2.1');
  stand(world, 'a.e.', 'TXT', values('"x"'));
  want(world, 'a', 'x', 'TXT');
  const described = describePlan(await planCluster(world.context, { reads: true }));
  const said = 'takeover.equal: 2 names are in Route 53 as wanted already; apply adopts them without a change.';
  expect(described.hostedZones[0]?.notes).toEqual([said]);
  expect(jsonPlan(described)).toMatchObject({ hostedZones: [{ adopts: 2, reasons: [said] }] });
  expect(described.hostedZones[0]?.changes[0]?.message).toContain('By takeover.equal of the configuration it becomes');
});

test.each([
  ['every namespace, where the configuration names none', null, 'adopt x.e. A equal'],
  ['a namespace of the configuration', ['q'], 'adopt x.e. A equal'],
  ['another namespace', ['p'], 'create x.e. A equal'],
  ['a namespace, where the list is empty', [], 'create x.e. A equal'],
] as const)('a Record in %s', async (_, namespaces, planned) => {
  const world = equalWorld(namespaces);
  stand(world, 'x.e.', 'A', values('192.0.2.1'));
  wantInQ(world, 'x', '192.0.2.1');
  expect(await plan(world)).toEqual([planned]);
});

test('all objects of a record set must be in the namespaces of the configuration', async () => {
  const world = equalWorld(['p']);
  stand(world, 'x.e.', 'A', values('192.0.2.1'));
  want(world, 'x', '192.0.2.1');
  wantInQ(world, 'x', '192.0.2.1');
  expect(await plan(world)).toEqual(['create x.e. A equal']);
  world.cluster.remove(parseRef('Record q/x'));
  expect(await plan(world)).toEqual(['adopt x.e. A equal']);
});

test('what an external-dns owns by its TXT record that the configuration does not name stays', async () => {
  const world = equalWorld(NAMESPACES, [REGISTRY]);
  stand(world, 'x.e.', 'A', values('192.0.2.1'));
  text(world, 'a-x.e.', 'other');
  want(world, 'x', '192.0.2.1');
  expect(await apply(world)).toEqual(['create x.e. foreign']);
  expect(await plan(world)).toEqual(['create x.e. A equal']);
});

test('by events, too, it is adopted without a write; what differs is reported, and adopted when it is mended', async () => {
  const world = equalWorld();
  stand(world, 'same.e.', 'A', values('192.0.2.1'));
  stand(world, 'www.e.', 'A', values('192.0.2.9'));
  for (const name of ['same', 'www']) want(world, name, '192.0.2.1');
  await serve(world);
  expect([reasonOf(world, 'Record p/a-same'), reasonOf(world, 'Record p/a-www')]).toEqual([
    'Published',
    'ForeignRecord',
  ]);
  stand(world, 'www.e.', 'A', values('192.0.2.1'));
  await sweepHostedZone(world.context, 'Z1');
  await deliverAll(world);
  expect(reasonOf(world, 'Record p/a-www')).toBe('Published');
  expect(writes(world)).toBe(0);
});

test('what was foreign before the key was set is adopted after the next sweep', async () => {
  const before = takeoverWorld([]);
  stand(before, 'x.e.', 'A', values('192.0.2.1'));
  want(before, 'x', '192.0.2.1');
  await serve(before);
  expect(reasonOf(before, 'Record p/a-x')).toBe('ForeignRecord');
  const takeover = { namespaces: NAMESPACES, equal: true, externalDns: [] };
  const context = { ...before.context, config: { ...before.context.config, takeover } };
  const world = { ...before, context };
  await serve(world);
  expect(reasonOf(world, 'Record p/a-x')).toBe('Published');
});
