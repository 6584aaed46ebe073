// Two clusters with one ledger: eu has `e.`, and us has `us.e.`. The law is that of incremental.test.ts:
// whatever the order of edits, hints and runs, the result is that from scratch, in both clusters.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { hintFor, newsFromScratch, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { hostedZonesByAccount } from '../adapters/route53/hosted-zones-of-accounts.ts';
import { directoryKey } from '../directory/directory-item.ts';
import { parseRef } from '../objects/object-ref.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { hostedZoneItemKey } from '../record-sets/hosted-zone-item.ts';
import { readHostedZone } from '../record-sets/lease.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import { report } from '../report/report-object.ts';
import { sweepHostedZone } from '../sweep/sweep-hosted-zone.ts';
import { reconcile } from './reconcile-hints.ts';

type Clusters = { readonly eu: ReconcileWorld; readonly us: ReconcileWorld };

const HOSTED_ZONES = [
  { id: 'Z1', name: 'e.' },
  { id: 'Z2', name: 'us.e.' },
];

function clusters(standby: readonly string[] = []): Clusters {
  const worldOf = (clusterId: string) => reconcileWorld({ hostedZones: HOSTED_ZONES, config: { clusterId, standby } });
  const [eu, us] = [worldOf('eu'), worldOf('us')] as [ReconcileWorld, ReconcileWorld];
  const over = (world: ReconcileWorld): ReconcileWorld => {
    const { ledger, route53, clock } = eu;
    const hostedZones = hostedZonesByAccount(route53.port, new Map(), { config: world.context.config });
    const ports = { ledger, clock: { nowMs: () => clock.ms } };
    const deps = { ...world.deps, ...ports, hostedZones, clock: { ...world.deps.clock, ...ports.clock } };
    return {
      ...world,
      ledger,
      route53,
      clock,
      context: { ...world.context, ...ports, account: { hostedZones } },
      deps,
    };
  };
  return { eu: over(eu), us: over(us) };
}

/** Handles every message of both clusters, as their functions do. */
async function settle({ eu, us }: Clusters): Promise<void> {
  for (let round = 0; round < 60; round += 1) {
    eu.clock.ms += 60_000;
    const ids = new Set([eu, us].flatMap(({ queued }) => [...queued.publish]));
    for (const { queued } of [eu, us]) queued.publish.clear();
    for (const id of ids) {
      const cluster = (await readHostedZone(eu.ledger, id))?.item.cluster;
      await publish(cluster === 'us' ? us.deps : eu.deps, id);
    }
    let isQuiet = ids.size === 0;
    for (const { context, queued } of [us, eu]) {
      const hints = queued.hints.splice(0);
      if (hints.length > 0) await reconcile(context, hints);
      const refs = [...queued.reports.values()];
      queued.reports.clear();
      await report(context, refs);
      isQuiet &&= hints.length === 0 && queued.publish.size === 0 && queued.reports.size === 0;
    }
    if (isQuiet) return;
  }
  throw new Error('the queues do not run dry');
}

/** Sweeps the hosted zones: a name that a delegation of the other cluster hid is tried again. Places no Zone anew. */
async function retryRefused(worlds: Clusters): Promise<void> {
  const { eu, us } = worlds;
  eu.clock.ms += 86_400_000;
  for (const { id, cluster } of await readableHostedZones(eu.ledger, () => {}))
    await sweepHostedZone((cluster === 'us' ? us : eu).context, id, { retryRefused: true });
  await settle(worlds);
}

/** Writes an object; null deletes it. */
async function say(world: ReconcileWorld, ref: string, spec: object | null): Promise<void> {
  const object = parseRef(ref);
  if (spec === null) world.cluster.remove(object);
  else world.cluster.put(object, spec);
  await reconcile(world.context, [hintFor(object)]);
}

const RECORDS = { records: [{ pattern: '*' }] };
const E = { domainName: 'e.', delegations: [RECORDS] };
const E_WITH_US = { domainName: 'e.', delegations: [RECORDS, { clusters: ['us'], zones: ['us'] }] };
const US = { domainName: 'us.e.', delegations: [RECORDS, { records: [{ pattern: '@' }] }] };
const a = (domainName: string, rdata = '192.0.2.1') => ({ domainName, type: 'A', rdata });

/** The record sets in a hosted zone, without its own NS and SOA. */
const standing = ({ eu }: Clusters, id: string) =>
  eu.route53
    .recordSets(id)
    .filter(({ type, name }) => type !== 'SOA' && (type !== 'NS' || (id === 'Z1' && name !== 'e.')))
    .map(({ name, type, content }) => `${name} ${type} ${content.kind === 'values' ? content.values.join(',') : ''}`)
    .toSorted();
const saidOf = (world: ReconcileWorld, ref: string) =>
  world.cluster.statuses.get(ref)?.conditions.find(({ type }) => type === 'Programmed');

async function expectAsFromScratch(worlds: Clusters): Promise<void> {
  for (const world of [worlds.eu, worlds.us]) {
    const { hostedZones } = await planCluster(world.context);
    // What the cluster of the hosted zone has above it waits, too, until something delegates to that.
    const waits = [...world.cluster.statuses.keys()].some((ref) => saidOf(world, ref)?.message.startsWith('Cluster'));
    const changes = hostedZones.flatMap(({ plan }) => plan.go).filter(({ action }) => !waits || action !== 'delete');
    expect(changes.map((one) => `${one.action} ${one.name} ${one.type}`)).toEqual([]);
    expect(await newsFromScratch(world)).toEqual([]);
  }
}

test('the parent follows the Zone of the other cluster that it delegates to: it comes, changes its servers, goes', async () => {
  const worlds = clusters();
  const { eu, us } = worlds;
  await say(eu, 'Zone a/e', E_WITH_US);
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual([]);
  await say(us, 'Zone b/us', US);
  await settle(worlds);
  const own = standing(worlds, 'Z1');
  expect(own).toEqual([expect.stringMatching(/^us\.e\. NS ns-/)]);
  expect(saidOf(eu, 'Zone a/e')?.reason).toBe('Published');
  expect(saidOf(us, 'Zone b/us')?.reason).toBe('Published');
  await expectAsFromScratch(worlds);
  // Name servers of its own, with an address that the parent publishes as glue.
  await say(us, 'Record b/ns', { domainName: 'us.e.', type: 'NS', rdata: 'ns.us.e.' });
  await say(us, 'Record b/a', a('ns.us.e.', '192.0.2.53'));
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual(['ns.us.e. A 192.0.2.53', 'us.e. NS ns.us.e.']);
  await expectAsFromScratch(worlds);
  await say(us, 'Record b/a', a('ns.us.e.', '192.0.2.54'));
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual(['ns.us.e. A 192.0.2.54', 'us.e. NS ns.us.e.']);
  await say(us, 'Record b/ns', null);
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual(own);
  await say(us, 'Zone b/us', null);
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual([]);
  await expectAsFromScratch(worlds);
});

test('names of an active cluster below a hosted zone of another one stay, until it lets go the last of them', async () => {
  const worlds = clusters();
  const { eu, us } = worlds;
  await say(eu, 'Zone a/e', E_WITH_US);
  await say(eu, 'Record a/one', a('one.us.e.'));
  await say(eu, 'Record a/two', a('two.us.e.'));
  await settle(worlds);
  await say(us, 'Zone b/us', US);
  await say(us, 'Record b/w', a('w.us.e.', '192.0.2.2'));
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual(['one.us.e. A 192.0.2.1', 'two.us.e. A 192.0.2.1']);
  expect(standing(worlds, 'Z2')).toEqual(['w.us.e. A 192.0.2.2']);
  expect(saidOf(us, 'Zone b/us')).toMatchObject({
    reason: 'OwnedByAnotherCluster',
    message: expect.stringMatching(/^Cluster eu owns names at or below us\.e\. in a hosted zone above\./),
  });
  expect(saidOf(us, 'Record b/w')?.reason).toBe('Published');
  expect(saidOf(eu, 'Record a/one')?.reason).toBe('Published');
  await expectAsFromScratch(worlds);
  await say(eu, 'Record a/one', null);
  await settle(worlds);
  expect(saidOf(us, 'Zone b/us')?.reason).toBe('OwnedByAnotherCluster');
  await say(eu, 'Record a/two', null);
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual([expect.stringMatching(/^us\.e\. NS ns-/)]);
  expect(saidOf(us, 'Zone b/us')?.reason).toBe('Published');
  await say(eu, 'Record a/two', a('two.us.e.'));
  await settle(worlds);
  expect(saidOf(eu, 'Record a/two')).toMatchObject({
    reason: 'Occluded',
    message: 'two.us.e. is at or below hosted zone Z2 (us.e.) of cluster us: declare it in that cluster',
  });
  await expectAsFromScratch(worlds);
});

test('what the cluster of the hosted zone has above it stays there, until something delegates to that', async () => {
  const worlds = clusters();
  const { eu, us } = worlds;
  await say(eu, 'Zone a/e', E);
  await say(eu, 'Record a/one', a('one.us.e.'));
  await say(us, 'Zone b/e', { domainName: 'e.', delegations: [RECORDS, { zones: ['us'] }] });
  await say(us, 'Record b/own', a('own.us.e.', '192.0.2.2'));
  await settle(worlds);
  await say(us, 'Zone b/us', US);
  await settle(worlds);
  expect(standing(worlds, 'Z2')).toEqual(['own.us.e. A 192.0.2.2']);
  expect(standing(worlds, 'Z1')).toEqual(['one.us.e. A 192.0.2.1', 'own.us.e. A 192.0.2.2']);
  await say(eu, 'Record a/one', null);
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual([expect.stringMatching(/^us\.e\. NS ns-/)]);
  await expectAsFromScratch(worlds);
});

test('a hosted zone makes a cut, too, when the Zone above is gone with its names', async () => {
  const worlds = clusters();
  const { eu, us } = worlds;
  await say(eu, 'Zone a/e', E);
  await say(eu, 'Record a/one', a('one.us.e.'));
  await settle(worlds);
  await say(us, 'Zone b/us', US);
  await settle(worlds);
  expect(saidOf(us, 'Zone b/us')?.reason).toBe('OwnedByAnotherCluster');
  await say(eu, 'Zone a/e', null);
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual([]);
  expect(saidOf(us, 'Zone b/us')?.reason).toBe('Published');
});

test('what a cluster on standby has below the hosted zone of another one is withdrawn', async () => {
  const worlds = clusters(['eu']);
  const { eu, us } = worlds;
  await say(eu, 'Zone a/e', E);
  await say(eu, 'Record a/one', a('one.us.e.'));
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual(['one.us.e. A 192.0.2.1']);
  await say(us, 'Zone b/us', US);
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual([]);
  expect(saidOf(eu, 'Record a/one')?.reason).toBe('Occluded');
  await expectAsFromScratch(worlds);
});

test('a delegation that the parent declares itself stays, and is no name below the hosted zone', async () => {
  const worlds = clusters();
  const { eu, us } = worlds;
  await say(eu, 'Zone a/e', E);
  await say(eu, 'Record a/ns', { domainName: 'us.e.', type: 'NS', rdata: 'ns.other.' });
  await settle(worlds);
  await say(us, 'Zone b/us', US);
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual(['us.e. NS ns.other.']);
  expect(saidOf(us, 'Zone b/us')?.reason).toBe('Published');
  await say(eu, 'Zone a/e', E_WITH_US);
  await settle(worlds);
  expect(standing(worlds, 'Z1')).toEqual([expect.stringMatching(/^us\.e\. NS ns-/)]);
  expect(saidOf(eu, 'Record a/ns')?.reason).toBe('Occluded');
  await expectAsFromScratch(worlds);
});

test('what cannot be read of the other cluster leaves the delegation to it, and its cut', async () => {
  const worlds = clusters();
  const { eu, us } = worlds;
  await say(eu, 'Zone a/e', E_WITH_US);
  await say(us, 'Zone b/us', US);
  await settle(worlds);
  const before = standing(worlds, 'Z1');
  expect(before).toHaveLength(1);
  for (const key of [directoryKey('us', 'us.e.'), hostedZoneItemKey('Z2')]) {
    const stored = await eu.ledger.get(key);
    await eu.ledger.put(key, { v: 99 }, stored?.revision ?? null);
    await say(eu, 'Zone a/e', { ...E_WITH_US, ttl: 60 });
    await say(eu, 'Record a/one', a('one.us.e.'));
    await settle(worlds);
    expect(standing(worlds, 'Z1')).toEqual(before);
    expect(saidOf(eu, 'Record a/one')?.reason).toBe('Occluded');
    const plan = await planCluster(eu.context);
    expect(plan.hostedZones.flatMap((one) => one.plan.go)).toEqual([]);
    await eu.ledger.put(key, stored?.body ?? {}, (await eu.ledger.get(key))?.revision ?? null);
  }
});

type Step = { readonly cluster: 'eu' | 'us'; readonly ref: string; readonly spec: object | null };

const STEPS: readonly (readonly ['eu' | 'us', string, readonly (object | null)[]])[] = [
  ['eu', 'Zone a/e', [E, E_WITH_US, null]],
  ['eu', 'Zone a/us', [US, { domainName: 'x.us.e.', delegations: [RECORDS] }, null]],
  ['eu', 'Record a/one', [a('one.us.e.'), a('us.e.'), a('x.us.e.'), a('ns.us.e.'), null]],
  ['eu', 'Record a/www', [a('www.e.'), a('two.us.e.'), null]],
  ['us', 'Zone b/us', [US, US, null]],
  ['us', 'Zone b/e', [E, { ...E_WITH_US, delegations: [RECORDS, { zones: ['us'] }] }, null]],
  ['us', 'Record b/one', [a('one.us.e.', '192.0.2.2'), a('w.us.e.', '192.0.2.2'), null]],
  ['us', 'Record b/ns', [{ domainName: 'us.e.', type: 'NS', rdata: 'ns.us.e.' }, null]],
  ['us', 'Record b/a', [a('ns.us.e.', '192.0.2.53'), a('ns.us.e.', '192.0.2.54'), null]],
];

const anyStep: fc.Arbitrary<Step> = fc
  .tuple(fc.nat({ max: STEPS.length - 1 }), fc.nat({ max: 60 }))
  .map(([which, choice]) => {
    const [cluster, ref, specs] = STEPS[which] as (typeof STEPS)[number];
    return { cluster, ref, spec: specs[choice % specs.length] ?? null };
  });

test('in whatever order two clusters change, what follows is that from scratch', { timeout: 120_000 }, async () => {
  const runs = 40 * Number(process.env.ZONE53_LAW_RUNS ?? 1);
  const history = fc.array(fc.tuple(anyStep, fc.boolean()), { minLength: 2, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(history, fc.constantFrom<readonly string[]>([], [], ['eu'], ['us']), async (steps, standby) => {
      const worlds = clusters(standby);
      for (const [{ cluster, ref, spec }, isSettled] of steps) {
        worlds.eu.clock.ms += 1_000;
        await say(worlds[cluster], ref, spec);
        if (isSettled) await settle(worlds);
      }
      await settle(worlds);
      await retryRefused(worlds);
      await expectAsFromScratch(worlds);
    }),
    { numRuns: runs },
  );
});
