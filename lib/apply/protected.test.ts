// What somebody protects in Route 53, as plan, apply, explain and the Zone show it.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { deliverAll, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { recordSetId } from '../dns/record-set.ts';
import { explainName } from '../inspect/explain-name.ts';
import { parseRef } from '../objects/object-ref.ts';
import { readCluster } from '../observe/read-cluster.ts';
import { applyCluster } from './apply-cluster.ts';

const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
const COMMENT = 'frozen until March';
const SAID = /protects A a\.e\., .*frozen until March\. Ask whoever protects it/;

function put({ cluster }: ReconcileWorld, name: string, rdata: string | null): void {
  const ref = parseRef(`Record p/${name}`);
  if (rdata === null) cluster.remove(ref);
  else cluster.put(ref, { domainName: `${name}.e.`, type: 'A', rdata });
}

/** A world in which a.e. is published and protected, and another content is wanted; null: none. */
async function protectedWorld(rdata: string | null, isDenied = () => false): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], protectionsDenied: isDenied });
  world.cluster.put(parseRef('Zone p/e'), ZONE);
  put(world, 'a', '192.0.2.1');
  put(world, 'b', '192.0.2.1');
  await apply(world);
  world.route53.protect('Z1', 'a.e.', 'A', COMMENT);
  put(world, 'a', rdata);
  return world;
}

async function apply(world: ReconcileWorld, how: Parameters<typeof planCluster>[1] = {}): Promise<readonly string[]> {
  const options = { acknowledged: [], only: () => true, progress: () => {}, ...how };
  const { hostedZones } = await applyCluster(world.context, world.deps, await planCluster(world.context, how), options);
  await deliverAll(world);
  return hostedZones.flatMap(({ outcomes }) =>
    outcomes.map(({ change, outcome }) => `${change.action} ${change.name} ${outcome}`),
  );
}

async function plannedIn(world: ReconcileWorld, how: Parameters<typeof planCluster>[1] = {}) {
  const [hostedZone] = (await planCluster(world.context, how)).hostedZones;
  const refused = new Map(hostedZone?.plan.refused.map(({ change, refusal }) => [recordSetId(change), refusal]));
  const changes = hostedZone?.plan.changes.map((change) => {
    const refusal = refused.get(recordSetId(change));
    return `${change.action} ${change.name} ${refusal?.reason ?? ''} ${refusal?.message ?? ''}`.trim();
  });
  return { changes, drifts: hostedZone?.drifts };
}

const sentIn = ({ route53 }: ReconcileWorld) => route53.calls.filter(({ method }) => method === 'change').length;
const programmedOf = ({ cluster }: ReconcileWorld, id: string) =>
  cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Programmed');
const REFRESH = { refresh: () => {} };

describe('a protected record set', () => {
  test('is shown by plan --refresh before it is refused, and by plan afterwards', async () => {
    const world = await protectedWorld('192.0.2.2');
    expect((await plannedIn(world)).changes).toEqual(['update a.e.']);
    expect((await plannedIn(world, REFRESH)).changes).toEqual([expect.stringMatching(SAID)]);
    expect(await apply(world)).toEqual(['update a.e. protected']);
    expect((await plannedIn(world)).changes).toEqual([expect.stringMatching(/^update a\.e\. Protected /)]);
    expect(programmedOf(world, 'Record p/a')).toMatchObject({ status: 'False', reason: 'Protected' });
    expect(programmedOf(world, 'Record p/a')?.message).toContain(COMMENT);
    expect(programmedOf(world, 'Zone p/e')).toMatchObject({ reason: 'Published' });
  });

  test('is tried again by apply --refresh once the protection is gone, and by no apply before', async () => {
    const world = await protectedWorld('192.0.2.2');
    await apply(world);
    const sent = sentIn(world);
    for (const how of [{}, REFRESH, { reads: true }])
      expect(await apply(world, how)).toEqual(['update a.e. protected']);
    expect(sentIn(world)).toBe(sent);
    world.route53.unprotect('Z1', 'a.e.', 'A');
    expect(await apply(world)).toEqual(['update a.e. protected']);
    const { drifts } = await plannedIn(world, REFRESH);
    expect(drifts).toEqual(['a.e. A is no longer protected: the change is tried again.']);
    expect(await apply(world, REFRESH)).toEqual(['update a.e. published']);
    expect(programmedOf(world, 'Record p/a')?.reason).toBe('Published');
  });

  test('that is to be deleted stays planned, and its Zone says name, type and comment', async () => {
    const world = await protectedWorld(null);
    expect(await apply(world)).toEqual(['delete a.e. protected']);
    expect((await plannedIn(world)).changes).toEqual([expect.stringMatching(/^delete a\.e\. Protected /)]);
    const zone = programmedOf(world, 'Zone p/e');
    expect(zone).toMatchObject({ status: 'False', reason: 'Protected' });
    for (const part of ['a.e. A', COMMENT]) expect(zone?.message).toContain(part);
    world.route53.unprotect('Z1', 'a.e.', 'A');
    expect(await apply(world, REFRESH)).toEqual(['delete a.e. published']);
    expect(programmedOf(world, 'Zone p/e')?.reason).toBe('Published');
  });

  test('is in the explanation of its name, also before anything is sent', async () => {
    const world = await protectedWorld('192.0.2.2');
    const explain = async (name: string) => explainName(world.context, await readCluster(world.context), name, null);
    const explained = await explain('a.e.');
    expect(explained.protections).toEqual([{ type: 'A', comment: COMMENT }]);
    expect(explained.pending.map(({ message }) => message)).toEqual([expect.stringMatching(SAID)]);
    expect(explained.advice).toMatch(SAID);
    expect(await explain('b.e.')).toMatchObject({ protections: [] });
  });

  test('where protections may not be listed: plan and explain say so, and go on', async () => {
    const world = await protectedWorld('192.0.2.2', () => true);
    expect((await plannedIn(world, REFRESH)).changes).toEqual(['update a.e.']);
    const explained = await explainName(world.context, await readCluster(world.context), 'a.e.', null);
    expect(explained).toMatchObject({ protections: [], protectionsUnread: 'AccessDenied: not authorized' });
    expect(explained.route53).toHaveLength(1);
  });
});
