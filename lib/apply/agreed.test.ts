// Between a plan and its apply, somebody changes Route 53. The plan is another one then, and where the change comes too
// late for that, apply destroys nothing that the plan did not show.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import type { ReconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { apply, stand, TAKEOVER, takeoverWorld, text, values, want, ZONE } from '../../test/fakes/takeover-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { applyCluster } from './apply-cluster.ts';

const WANTED = '192.0.2.1';
const THEIRS = values('203.0.113.9');
const NEWS = values('203.0.113.66');

/** A world with takeover by the annotation, in which `www.e. A` is wanted. */
function annotated(): ReconcileWorld {
  const world = takeoverWorld([]);
  world.cluster.put(parseRef('Zone p/e'), ZONE, TAKEOVER);
  want(world, 'www', WANTED);
  return world;
}

/** The same, where `www.e. A` was published and edited by hand since. */
async function edited(): Promise<ReconcileWorld> {
  const world = annotated();
  await apply(world);
  stand(world, 'www.e.', 'A', THEIRS);
  return world;
}

type Row = {
  readonly says: string;
  readonly world: () => ReconcileWorld | Promise<ReconcileWorld>;
  /** What somebody does after the plan. */
  readonly since: (world: ReconcileWorld) => void;
  readonly planned: string;
  readonly outcome: string;
  readonly refresh?: true;
};

const ROWS: readonly Row[] = [
  {
    says: 'an adopt, changed',
    world: () => {
      const world = annotated();
      stand(world, 'www.e.', 'A', values(WANTED));
      return world;
    },
    since: (world) => stand(world, 'www.e.', 'A', NEWS),
    planned: 'adopt www.e. A',
    outcome: 'foreign',
  },
  {
    says: 'a create, where an A has come',
    world: annotated,
    since: (world) => stand(world, 'www.e.', 'A', NEWS),
    planned: 'create www.e. A',
    outcome: 'foreign',
  },
  {
    says: 'a create, where a CNAME has come',
    world: annotated,
    since: (world) => stand(world, 'www.e.', 'CNAME', values('elsewhere.example.')),
    planned: 'create www.e. A',
    outcome: 'foreign',
  },
  {
    says: 'a CNAME, where an MX has come',
    world: () => {
      const world = annotated();
      world.cluster.remove(parseRef('Record p/a-www'));
      want(world, 'mail', 'mx.example.', 'CNAME');
      return world;
    },
    since: (world) => stand(world, 'mail.e.', 'MX', values('10 mx.example.')),
    planned: 'create mail.e. CNAME',
    outcome: 'foreign',
  },
  {
    says: 'an update of a foreign record set, changed again',
    world: () => {
      const world = annotated();
      stand(world, 'www.e.', 'A', THEIRS);
      return world;
    },
    since: (world) => stand(world, 'www.e.', 'A', NEWS),
    planned: 'update www.e. A',
    outcome: 'foreign',
  },
  {
    says: 'an update of our own record set that was edited by hand, edited again',
    world: edited,
    since: (world) => stand(world, 'www.e.', 'A', NEWS),
    planned: 'update www.e. A',
    outcome: 'foreign',
    refresh: true,
  },
  {
    says: 'a weighted record set, where a plain one has come',
    world: () => {
      const world = annotated();
      const routing = { setIdentifier: 'blue', weight: 1 };
      world.cluster.put(parseRef('Record p/a-www'), { domainName: 'www.e.', type: 'A', rdata: WANTED, routing });
      return world;
    },
    since: (world) => stand(world, 'www.e.', 'A', NEWS),
    planned: 'create www.e. A',
    outcome: 'foreign',
  },
  {
    says: 'a delete of our own record set that was edited by hand, edited again',
    world: async () => {
      const world = await edited();
      world.cluster.remove(parseRef('Record p/a-www'));
      return world;
    },
    since: (world) => stand(world, 'www.e.', 'A', NEWS),
    planned: 'delete www.e. A',
    outcome: 'drifted',
    refresh: true,
  },
  {
    says: 'an adopt from external-dns, whose TXT record names another owner now',
    world: () => {
      const world = takeoverWorld();
      want(world, 'www', WANTED);
      stand(world, 'www.e.', 'A', values(WANTED));
      text(world, 'a-www.e.', 'prod');
      return world;
    },
    since: (world) => {
      text(world, 'a-www.e.', 'other');
      stand(world, 'www.e.', 'A', NEWS);
    },
    planned: 'adopt www.e. A',
    outcome: 'foreign',
  },
  {
    says: 'an adopt from external-dns, for which a second TXT record has come',
    world: () => {
      const world = takeoverWorld();
      want(world, 'www', WANTED);
      stand(world, 'www.e.', 'A', THEIRS);
      text(world, 'a-www.e.', 'prod');
      return world;
    },
    since: (world) => text(world, 'www.e.', 'prod'),
    planned: 'update www.e. A',
    outcome: 'foreign',
  },
];

const options = (refresh: boolean) => ({ reads: true, ...(refresh && { refresh: () => {} }) });
const linesOf = ({ hostedZones }: Awaited<ReturnType<typeof planCluster>>) =>
  hostedZones.flatMap(({ plan }) => plan.changes.map(({ action, name, type }) => `${action} ${name} ${type}`));
const digestOf = ({ hostedZones }: Awaited<ReturnType<typeof planCluster>>) => hostedZones[0]?.plan.digest;

describe.each(ROWS)('$says', ({ world: made, since, planned, outcome, refresh = false }) => {
  test('is another plan', async () => {
    const world = await made();
    const before = await planCluster(world.context, options(refresh));
    expect(linesOf(before)).toEqual([planned]);
    // Unchanged, it is the same plan, whether or not its readings are kept.
    for (const isFresh of [false, true])
      expect(digestOf(await planCluster(world.context, { ...options(refresh), isFresh }))).toBe(digestOf(before));
    since(world);
    const after = await planCluster(world.context, { ...options(refresh), isFresh: true });
    expect(digestOf(after)).not.toBe(digestOf(before));
  });

  test('is refused if apply had begun, and nothing is written', async () => {
    const world = await made();
    const plan = await planCluster(world.context, options(refresh));
    since(world);
    const stood = world.route53.recordSets('Z1');
    const how = { acknowledged: [], only: () => true, progress: () => {}, ...options(refresh) };
    const { hostedZones } = await applyCluster(world.context, world.deps, plan, how);
    expect(hostedZones[0]?.outcomes.map((one) => one.outcome)).toEqual([outcome]);
    expect(world.route53.recordSets('Z1')).toEqual(stood);
    // The next plan shows what stands, and its apply replaces that: there is a permission.
    const { refresh: again = undefined } = options(refresh);
    expect(await apply(world, [], again === undefined ? {} : { refresh: again })).toEqual([
      expect.stringMatching(/published|foreign/),
    ]);
  });
});

test('a record set that has come at the name of a create makes another plan, whatever its type', async () => {
  const world = annotated();
  const before = await planCluster(world.context, { reads: true });
  stand(world, 'www.e.', 'MX', values('10 mx.example.'));
  stand(world, 'other.e.', 'A', THEIRS);
  const beside = await planCluster(world.context, { reads: true, isFresh: true });
  expect(digestOf(beside)).not.toBe(digestOf(before));
  stand(world, 'other.e.', 'A', NEWS);
  expect(digestOf(await planCluster(world.context, { reads: true, isFresh: true }))).toBe(digestOf(beside));
});

test('the other names of the plan are published', async () => {
  const world = annotated();
  want(world, 'b', WANTED);
  const plan = await planCluster(world.context, { reads: true });
  stand(world, 'www.e.', 'A', NEWS);
  const how = { acknowledged: [], only: () => true, progress: () => {}, reads: true };
  const { hostedZones } = await applyCluster(world.context, world.deps, plan, how);
  const outcomes = hostedZones[0]?.outcomes.map(({ change, outcome, message }) => [change.name, outcome, message]);
  expect(outcomes).toEqual([
    ['b.e.', 'published', 'Published.'],
    ['www.e.', 'foreign', expect.stringContaining('203.0.113.66 (TTL 300), which the plan did not show')],
  ]);
});

test('a plan that read nothing shows in its result what was destroyed', async () => {
  const world = annotated();
  stand(world, 'www.e.', 'A', THEIRS);
  const plan = await planCluster(world.context, {});
  const how = { acknowledged: [], only: () => true, progress: () => {} };
  const { hostedZones } = await applyCluster(world.context, world.deps, plan, how);
  expect(hostedZones[0]?.outcomes).toMatchObject([
    { change: { action: 'update', before: THEIRS }, outcome: 'published' },
  ]);
});
