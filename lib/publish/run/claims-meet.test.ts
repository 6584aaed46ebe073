// Claims of two clusters at one name that once ended wrong, or never: found by the simulation. `us` is on the ledger as
// a share of the hosted zone.
import { beforeEach, expect, test } from 'vitest';
import type { ReconcileWorld } from '../../../test/fakes/reconcile-world.ts';
import { deliverHints, hintFor } from '../../../test/fakes/reconcile-world.ts';
import { twoWorlds } from '../../../test/fakes/two-clusters.ts';
import { parseRef } from '../../objects/object-ref.ts';
import { shareIdOf } from '../../objects/share-id.ts';
import { recordSetItemKey } from '../../record-sets/record-set-item.ts';
import { reconcile } from '../../resolve/reconcile-hints.ts';
import { publish } from './publish-hosted-zone.ts';

const NAMES = { A: 'v4', AAAA: 'v6', CNAME: 'alias', TXT: 'text' } as const;
type Type = keyof typeof NAMES;
const STANDBY = { 'zone53.dev/standby': 'true' };

let eu: ReconcileWorld;
let us: ReconcileWorld;
beforeEach(async () => {
  ({ eu, us } = twoWorlds());
  await say(eu, 'TXT', null);
  await say(us, 'TXT', null);
});

/** Has a cluster ask for www.e. with this type and value, or no longer; `ttl` in seconds. */
async function say(
  world: ReconcileWorld,
  type: Type,
  rdata: string | null,
  {
    annotations = {},
    ...more
  }: { readonly ttl?: number; readonly annotations?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const ref = parseRef(`Record a/${NAMES[type]}`);
  if (rdata === null) world.cluster.remove(ref);
  else world.cluster.put(ref, { domainName: 'www.e.', type, rdata, ...more }, annotations);
  await reconcile(world.context, [hintFor(parseRef('Zone a/z')), hintFor(ref)]);
  await deliverHints(world);
}

/** Publishes what is queued, as long as anything is. Returns how often it published. */
async function deliver(): Promise<number> {
  for (let runs = 0; ; ) {
    const waiting = [eu, us].flatMap(({ queued }) => [...queued.publish]);
    if (waiting.length === 0) return runs;
    for (const { queued } of [eu, us]) queued.publish.clear();
    for (const id of new Set(waiting)) {
      for (const { clock } of [eu, us]) clock.ms += 1_000;
      await publish(id === 'Z1' ? eu.deps : us.deps, id);
      runs += 1;
    }
    if (runs > 40) throw new Error('the clusters wake each other for ever');
  }
}

/** "TYPE values TTL" of what Route 53 has at www.e. */
function standing(): readonly string[] {
  return eu.route53
    .recordSets('Z1')
    .flatMap(({ name, type, content }) =>
      name === 'www.e.' && content.kind === 'values' ? [`${type} ${content.values.join()} ${content.ttlSeconds}`] : [],
    );
}

function minutesPass(minutes: number): void {
  for (const { clock } of [eu, us]) clock.ms += minutes * 60_000;
}

test('the addresses of a cluster stay when another one, which asked for the name earlier, publishes a TXT there', async () => {
  await say(us, 'TXT', '"us"');
  minutesPass(1);
  await say(eu, 'AAAA', '2001:db8::1');
  await publish(eu.deps, 'Z1');
  await say(us, 'A', '192.0.2.2');
  await deliver();
  await say(eu, 'AAAA', '2001:db8::1', { ttl: 60 });
  await deliver();
  expect(standing()).toEqual(['AAAA 2001:db8::1 60', 'TXT "us" 360']);
});

test('a cluster replaces itself what it asks for no longer, also if another one waits for the same in its place', async () => {
  await say(eu, 'CNAME', 'x.example.');
  await deliver();
  await say(us, 'A', '192.0.2.9', { ttl: 60, annotations: STANDBY });
  await deliver();
  await say(eu, 'CNAME', null);
  await say(eu, 'A', '192.0.2.9');
  await say(eu, 'AAAA', '2001:db8::9');
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.9 360', 'AAAA 2001:db8::9 360']);
});

test('two owners that go on standby and ask for something else settle it once', async () => {
  await say(us, 'TXT', '"9"');
  await deliver();
  await say(eu, 'TXT', '"9"');
  await deliver();
  await say(eu, 'TXT', '"1"', { annotations: STANDBY });
  await say(us, 'TXT', '"2"', { annotations: STANDBY });
  expect(await deliver()).toBeLessThan(10);
  expect(standing()).toHaveLength(1);
});

test('what is left of a claim that went is not passed to and fro by two clusters on standby', async () => {
  await say(eu, 'AAAA', '2001:db8::1');
  await deliver();
  await say(us, 'A', '192.0.2.2', { annotations: STANDBY });
  await say(eu, 'AAAA', null);
  await publish(eu.deps, 'Z1');
  await say(eu, 'A', '192.0.2.1', { annotations: STANDBY });
  expect(await deliver()).toBeLessThan(10);
  expect(standing()).toEqual(['A 192.0.2.1 360']);
});

test('a cluster that may have a name now is told by the run that sees it', async () => {
  await say(us, 'TXT', '"us"');
  minutesPass(1);
  await say(eu, 'TXT', '"eu"');
  await say(eu, 'A', '192.0.2.1');
  await say(us, 'AAAA', '2001:db8::2', { annotations: STANDBY });
  await publish(eu.deps, 'Z1');
  eu.queued.publish.add(shareIdOf('Z1', 'us'));
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.1 360', 'TXT "eu" 360']);
});

test('an owner learns that another one has changed the TTL of both', async () => {
  await say(eu, 'TXT', '"9"', { ttl: 60 });
  await deliver();
  await say(us, 'TXT', '"9"', { ttl: 60 });
  await deliver();
  await say(eu, 'TXT', '"9"', { ttl: 120 });
  await deliver();
  await say(eu, 'TXT', '"1"');
  await deliver();
  expect(standing()).toEqual(['TXT "9" 60']);
});

test('what another owner has published in place of what both had is its own', async () => {
  await say(us, 'AAAA', '2001:db8::9', { annotations: STANDBY });
  await deliver();
  await say(eu, 'AAAA', '2001:db8::9');
  await deliver();
  await say(eu, 'AAAA', '2001:db8::1');
  await deliver();
  await say(eu, 'A', '192.0.2.1');
  expect(await deliver()).toBeLessThan(10);
  expect(standing()).toEqual(['A 192.0.2.1 360', 'AAAA 2001:db8::1 360']);
});

test('an active cluster with one family has the other one removed that a cluster on standby had beside it', async () => {
  await say(us, 'A', '192.0.2.2');
  await say(us, 'AAAA', '2001:db8::9');
  await deliver();
  await say(eu, 'AAAA', '2001:db8::9');
  await deliver();
  await say(us, 'A', '192.0.2.2', { annotations: STANDBY });
  await say(us, 'AAAA', '2001:db8::9', { annotations: STANDBY });
  await deliver();
  expect(standing()).toEqual(['AAAA 2001:db8::9 360']);
});

test('an address changes together with the one that another cluster has yet to give', async () => {
  await say(us, 'A', '192.0.2.2');
  await say(us, 'AAAA', '2001:db8::9');
  await deliver();
  await say(eu, 'AAAA', '2001:db8::9');
  await deliver();
  for (const type of ['A', 'AAAA'] as const)
    await say(us, type, type === 'A' ? '192.0.2.2' : '2001:db8::9', { annotations: STANDBY });
  await say(eu, 'AAAA', '2001:db8::1');
  await say(eu, 'A', '192.0.2.1');
  await publish(eu.deps, 'Z1');
  expect(standing()).toEqual(['A 192.0.2.2 360', 'AAAA 2001:db8::9 360']);
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.1 360', 'AAAA 2001:db8::1 360']);
});

test('a cluster learns that what was in its way is gone, also if the run that deleted it died', async () => {
  await say(eu, 'A', '192.0.2.1');
  await deliver();
  await say(eu, 'A', null);
  const dying: typeof eu.deps.hostedZones = {
    ...eu.deps.hostedZones,
    change: async (...asked) => {
      await eu.deps.hostedZones.change(...asked);
      throw new Error('died');
    },
  };
  await expect(publish({ ...eu.deps, hostedZones: dying }, 'Z1')).rejects.toThrow('died');
  await say(us, 'CNAME', 'x.example.');
  us.queued.publish.clear();
  await publish(us.deps, shareIdOf('Z1', 'us'));
  for (const { clock } of [eu, us]) clock.ms += 600_000;
  await deliver();
  expect(standing()).toEqual(['CNAME x.example. 360']);
});

test('a TTL that two agreed on ends when one of them asks for more than the other has', async () => {
  await say(us, 'A', '192.0.2.9', { ttl: 60 });
  minutesPass(1);
  await say(eu, 'A', '192.0.2.9');
  await say(us, 'AAAA', '2001:db8::2');
  await publish(eu.deps, 'Z1');
  eu.queued.publish.add(shareIdOf('Z1', 'us'));
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.9 360']);
});

test('an owner that asks for another type leaves what the other owner, on standby, still has', async () => {
  await say(eu, 'AAAA', '2001:db8::9');
  await deliver();
  await say(us, 'AAAA', '2001:db8::9', { annotations: STANDBY });
  await deliver();
  await say(eu, 'A', '192.0.2.1');
  await say(eu, 'AAAA', null);
  await publish(eu.deps, 'Z1');
  expect(standing()).toEqual(['AAAA 2001:db8::9 360']);
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.1 360']);
});

const MERGES = { 'zone53.dev/sharing': 'merge' };
const WEIGHTED = { 'zone53.dev/sharing': 'weighted' };

test('an active cluster that merges takes over from one on standby, which merges too', async () => {
  await say(us, 'A', '192.0.2.2', { annotations: { ...MERGES, ...STANDBY } });
  await deliver();
  await say(eu, 'A', '192.0.2.1', { annotations: MERGES });
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.1 360']);
});

test('a cluster on standby that shares learns that the active one is on standby now', async () => {
  await say(eu, 'A', '192.0.2.1', { annotations: WEIGHTED });
  await deliver();
  await say(us, 'A', '192.0.2.2', { annotations: { ...WEIGHTED, ...STANDBY } });
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.1 360']);
  await say(eu, 'A', '192.0.2.1', { annotations: { ...WEIGHTED, ...STANDBY } });
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.1 360', 'A 192.0.2.2 360']);
});

test('what becomes ours, too, was published when the other cluster did so: what that one does meanwhile is later', async () => {
  await say(us, 'TXT', '"1"');
  await deliver();
  minutesPass(1);
  await say(eu, 'TXT', '"1"');
  await deliver();
  const ids = ['Z1', shareIdOf('Z1', 'us')];
  const keys = ids.map((id) => recordSetItemKey(id, { name: 'www.e.', type: 'TXT', setIdentifier: null }));
  const [ours, theirs] = await Promise.all(keys.map((key) => eu.deps.ledger.get(key)));
  expect(ours?.body.published).toEqual(theirs?.body.published);
  expect(ours?.body.publishedAtMs).toBe(theirs?.body.publishedAtMs);
});

test('a name that is shared is answered while one cluster asks for another family, and the next one begins', async () => {
  await say(us, 'A', '192.0.2.2', { annotations: WEIGHTED });
  await deliver();
  await say(eu, 'A', '192.0.2.1', { annotations: WEIGHTED });
  await say(us, 'A', null);
  await say(us, 'AAAA', '2001:db8::2', { annotations: { ...WEIGHTED, ...STANDBY } });
  await publish(us.deps, shareIdOf('Z1', 'us'));
  expect(standing()).toEqual(['A 192.0.2.2 360']);
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.1 360']);
});

test('two clusters that share a name both change what they have there, in two families', async () => {
  await say(eu, 'A', '192.0.2.1', { annotations: WEIGHTED });
  await say(eu, 'AAAA', '2001:db8::1', { annotations: WEIGHTED });
  await deliver();
  await say(us, 'A', '192.0.2.2', { annotations: WEIGHTED });
  await deliver();
  await say(eu, 'AAAA', '2001:db8::3', { annotations: WEIGHTED });
  await say(us, 'A', '192.0.2.4', { annotations: WEIGHTED });
  expect(await deliver()).toBeLessThan(10);
  expect(standing()).toEqual(['A 192.0.2.1 360', 'A 192.0.2.4 360', 'AAAA 2001:db8::3 360']);
});

test('a cluster on standby learns that an active one shares the name now', async () => {
  await say(eu, 'A', '192.0.2.1', { annotations: { ...WEIGHTED, ...STANDBY } });
  await deliver();
  await say(us, 'A', '192.0.2.2', { annotations: WEIGHTED });
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.2 360']);
});

test('a cluster that shares a name, and is refused a family there, is refused all: what it had goes', async () => {
  await say(us, 'A', '192.0.2.2', { annotations: WEIGHTED, ttl: 120 });
  await deliver();
  minutesPass(1);
  await say(eu, 'A', '192.0.2.1', { annotations: WEIGHTED });
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.1 120', 'A 192.0.2.2 120']);
  await say(eu, 'AAAA', '2001:db8::1', { annotations: WEIGHTED });
  await say(us, 'A', '192.0.2.2', { annotations: WEIGHTED });
  await deliver();
  await deliver();
  expect(standing()).toEqual(['A 192.0.2.2 360']);
});
