// What somebody changed by hand, and a run, a sweep or a comparison has found, stays known: every later plan shows it,
// whatever its object asks for by then.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import type { ReconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { apply, stand, TAKEOVER, takeoverWorld, values, want, writes, ZONE } from '../../test/fakes/takeover-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { PlanOptions } from './plan-cluster.ts';

const THEIRS = values('203.0.113.9');
const REFRESH = { refresh: () => {} };

async function published(): Promise<ReconcileWorld> {
  const world = takeoverWorld([]);
  want(world, 'www', '192.0.2.1');
  want(world, 'b', '192.0.2.2');
  await apply(world);
  stand(world, 'www.e.', 'A', THEIRS);
  return world;
}

/** What the plan shows of `www.e.`: its change, why that is not sent, and the drift. */
async function shown({ context }: ReconcileWorld, options: PlanOptions = { reads: true }) {
  const [hostedZone] = (await planCluster(context, options)).hostedZones;
  return {
    changes: hostedZone?.plan.changes.map(({ action, name }) => `${action} ${name}`),
    withheld: hostedZone?.plan.refused.map(({ refusal }) => refusal.reason),
    drifts: hostedZone?.differences.map(({ name, standing, isRefused }) => [name, standing, isRefused]),
  };
}

const UNEDITED = { changes: [], withheld: [], drifts: [['www.e.', THEIRS, true]] };
const EDITED = { changes: ['update www.e.'], withheld: ['Drifted'], drifts: [['www.e.', THEIRS, true]] };

test('what apply has found is shown by every later plan, also of an edited object', async () => {
  const world = await published();
  expect(await shown(world)).toEqual({ changes: [], withheld: [], drifts: [] });
  want(world, 'www', '192.0.2.3');
  expect(await apply(world)).toEqual(['update www.e. drifted']);
  expect(await shown(world)).toEqual(EDITED);
  want(world, 'www', '192.0.2.4');
  expect(await shown(world)).toEqual(EDITED);
  expect(await apply(world)).toEqual(['update www.e. drifted']);
  // Back to what was published: there is no change, and still a difference.
  want(world, 'www', '192.0.2.1');
  expect(await shown(world)).toEqual(UNEDITED);
  // A plan that reads nothing knows it from the ledger.
  want(world, 'www', '192.0.2.5');
  const unread = { ...EDITED, drifts: [['www.e.', undefined, true]] };
  expect(await shown(world, { reads: false })).toEqual(unread);
});

test('a delete of it is not shown as one that will go', async () => {
  const world = await published();
  want(world, 'www', '192.0.2.3');
  await apply(world);
  world.cluster.remove(parseRef('Record p/a-www'));
  expect(await shown(world)).toEqual({ ...EDITED, changes: ['delete www.e.'] });
});

test('what plan --refresh has found is shown by later plans without it, and apply reports it', async () => {
  const world = await published();
  expect(await shown(world, { reads: true, ...REFRESH })).toEqual(UNEDITED);
  expect(await shown(world)).toEqual(UNEDITED);
  want(world, 'www', '192.0.2.3');
  expect(await shown(world)).toEqual(EDITED);
  expect(await apply(world)).toEqual(['update www.e. drifted']);
  expect(writes(world)).toBe(0);
});

test('a plan that may only read the ledger shows what it finds, and remembers nothing', async () => {
  const world = await published();
  const denied = async () => Promise.reject(new Error('AccessDeniedException'));
  const readOnly = {
    ...world,
    context: { ...world.context, ledger: { ...world.ledger, put: denied, remove: denied } },
  };
  expect(await shown(readOnly, { reads: true, ...REFRESH })).toEqual(UNEDITED);
  expect(await shown(world)).toEqual({ changes: [], withheld: [], drifts: [] });
});

test('so is a record set that was deleted by hand', async () => {
  const world = await published();
  world.route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: null }, null);
  const gone = { changes: ['create www.e.'], withheld: [], drifts: [['www.e.', null, false]] };
  expect(await shown(world, { reads: true, ...REFRESH })).toEqual(gone);
  expect(await shown(world)).toEqual(gone);
  expect(await apply(world)).toEqual(['create www.e. published']);
  expect(await shown(world)).toEqual({ changes: [], withheld: [], drifts: [] });
});

test('it is forgotten when somebody puts it right, without a comparison of everything', async () => {
  const world = await published();
  await shown(world, { reads: true, ...REFRESH });
  want(world, 'www', '192.0.2.3');
  await apply(world);
  stand(world, 'www.e.', 'A', values('192.0.2.1'));
  expect(await shown(world)).toMatchObject({ changes: ['update www.e.'], withheld: [] });
  expect(await apply(world)).toEqual(['update www.e. published']);
  expect(await shown(world)).toEqual({ changes: [], withheld: [], drifts: [] });
});

test('with takeover, the plan shows what is replaced, also of an object that was edited since', async () => {
  const world = await published();
  want(world, 'www', '192.0.2.3');
  await apply(world);
  want(world, 'www', '192.0.2.4');
  world.cluster.put(parseRef('Zone p/e'), ZONE, TAKEOVER);
  const [hostedZone] = (await planCluster(world.context, { reads: true })).hostedZones;
  expect(hostedZone?.plan).toMatchObject({ changes: [{ action: 'update', before: THEIRS }], refused: [] });
  expect(await apply(world)).toEqual(['update www.e. published']);
});
