// Record sets that zone53 forgets, and gives to an external-dns: in one batch a name, whoever dies meanwhile.
import { describe, expect, test } from 'vitest';
import { failing } from '../../test/fakes/failing-world.ts';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { deliverAll, type ReconcileWorld, reconcileWorld, saveAll } from '../../test/fakes/reconcile-world.ts';
import { say, settle, twoWorlds } from '../../test/fakes/two-clusters.ts';
import type { RecordSetChange } from '../dns/record-set.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { HostedZones } from '../ports/hosted-zones.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import { readName } from '../record-sets/store.ts';
import { applyCluster } from './apply-cluster.ts';
import { applyForgetting } from './apply-forgetting.ts';
import { type NextOwner, planForgetting } from './plan-forgetting.ts';

const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }, { pattern: '@' }] }] };
const OWNER: NextOwner = { ownerId: 'prod', txtPrefix: '', txtSuffix: '', wildcardReplacement: '' };
const TEXT = '"heritage=external-dns,external-dns/owner=prod"';
const OPTIONS = { acknowledged: [], only: () => true, progress: () => {} };

/** Publishes Records: `name type rdata`, or a spec. */
async function published(
  records: readonly (string | object)[],
  annotations: Readonly<Record<string, string>> = {},
): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'created' } });
  world.cluster.put(parseRef('Zone p/e'), ZONE, annotations);
  for (const [index, record] of records.entries()) {
    const [domainName, type, ...rdata] = typeof record === 'string' ? record.split(' ') : [];
    const spec = typeof record === 'string' ? { domainName, type, ttl: 60, rdata: rdata.join(' ') } : record;
    world.cluster.put(parseRef(`Record p/r${index}`), spec);
  }
  await applyCluster(world.context, world.deps, await planCluster(world.context), OPTIONS);
  return world;
}

const plan = (world: ReconcileWorld, owner: NextOwner | null = OWNER) =>
  planForgetting(world.context, { isChosen: () => true, owner });

async function forget(world: ReconcileWorld, owner: NextOwner | null = OWNER) {
  const applied = await applyForgetting(world.context, world.deps, await plan(world, owner), OPTIONS);
  return applied.flatMap(({ outcomes }) =>
    outcomes.map(({ change: { name, type }, outcome }) => `${name} ${type} ${outcome}`),
  );
}

async function staying(world: ReconcileWorld, owner: NextOwner | null = OWNER): Promise<readonly string[]> {
  const all = await plan(world, owner);
  return all.flatMap(({ stays }) => stays.map(({ name, type, message }) => `${name} ${type}: ${message}`));
}

/** `name type value` of what Route 53 has below its own NS and SOA. */
const standing = ({ route53 }: ReconcileWorld) =>
  route53.recordSets('Z1').flatMap(({ name, type, content }) => {
    if (name === 'e.' && (type === 'NS' || type === 'SOA')) return [];
    return content.kind === 'values'
      ? content.values.map((value) => `${name} ${type} ${value}`)
      : [`${name} ${type} alias`];
  });

async function owned(world: ReconcileWorld, ...names: readonly string[]): Promise<readonly string[]> {
  const items = await Promise.all(names.map((name) => readName(world.ledger, 'Z1', name)));
  return items.flat().flatMap(({ item }) => (item.published === null ? [] : [`${item.name} ${item.type}`]));
}

/** The world with another `change`, and the batches that it was called with. */
function watching(world: ReconcileWorld, change: (real: HostedZones['change']) => HostedZones['change']) {
  const batches: (readonly RecordSetChange[])[] = [];
  const real = world.deps.hostedZones;
  const watched: HostedZones['change'] = async (id, changes, ...rest) => {
    batches.push(changes);
    return change(real.change)(id, changes, ...rest);
  };
  return { world: { ...world, deps: { ...world.deps, hostedZones: { ...real, change: watched } } }, batches };
}

describe('applyForgetting() to an external-dns', () => {
  test('writes its TXT records and forgets, in one call, and the objects are told', async () => {
    const world = await published(['a.e. A 192.0.2.1', 'a.e. AAAA 2001:db8::1', '*.b.e. CNAME x.example.']);
    const { world: watched, batches } = watching(world, (real) => real);
    expect(await forget(watched)).toEqual(['a.e. A published', 'a.e. AAAA published', '*.b.e. CNAME published']);
    expect(batches).toHaveLength(1);
    expect(batches[0]?.every(({ action, recordSet }) => action === 'CREATE' && recordSet.type === 'TXT')).toBe(true);
    expect(standing(world).toSorted()).toEqual(
      [
        ...['*.b.e. CNAME x.example.', 'a-a.e. TXT', 'a.e. A 192.0.2.1', 'a.e. AAAA 2001:db8::1', 'aaaa-a.e. TXT'],
        'cname-*.b.e. TXT',
      ]
        .map((line) => (line.endsWith('TXT') ? `${line} ${TEXT}` : line))
        .toSorted(),
    );
    expect(await owned(world, 'a.e.', '*.b.e.')).toEqual([]);
    const [{ item } = { item: null }] = await readName(world.ledger, 'Z1', 'a.e.');
    expect(item?.refusal).toMatchObject({
      reason: 'ForeignRecord',
      message: expect.stringMatching(
        /^zone53 migrate gave it to external-dns with the owner "prod"\. To manage it, annotate Zone p\/e/,
      ),
    });
    expect(await plan(world)).toEqual([]);
  });

  test('leaves what it forgot as it is from then on, also when its object changes or goes', async () => {
    const world = await published(['a.e. A 192.0.2.1', 'b.e. A 192.0.2.1']);
    await forget(world);
    const before = standing(world);
    world.cluster.put(parseRef('Record p/r0'), { domainName: 'a.e.', type: 'A', ttl: 60, rdata: '192.0.2.9' });
    world.cluster.remove(parseRef('Record p/r1'));
    await applyCluster(world.context, world.deps, await planCluster(world.context), OPTIONS);
    await markDirty(world.ledger, 'Z1', 'a.e.', world.clock.ms, { retry: true });
    world.queued.publish.add('Z1');
    await deliverAll(world);
    expect(standing(world)).toEqual(before);
  });

  test('publishes nothing else at these names, and nothing of a name that changed since the plan', async () => {
    const world = await published(['a.e. A 192.0.2.1', 'b.e. A 192.0.2.1']);
    const planned = await plan(world);
    world.cluster.put(parseRef('Record p/new'), { domainName: 'a.e.', type: 'MX', ttl: 60, rdata: '1 x.example.' });
    world.cluster.put(parseRef('Record p/r1'), { domainName: 'b.e.', type: 'A', ttl: 60, rdata: '192.0.2.9' });
    await saveAll(world);
    const [applied] = await applyForgetting(world.context, world.deps, planned, OPTIONS);
    expect(applied?.outcomes.map(({ change: { name }, outcome }) => `${name} ${outcome}`)).toEqual([
      'a.e. published',
      'b.e. failed',
    ]);
    expect(standing(world)).toEqual([`a-a.e. TXT ${TEXT}`, 'a.e. A 192.0.2.1', 'b.e. A 192.0.2.1']);
    expect(await owned(world, 'a.e.', 'b.e.')).toEqual(['b.e. A']);
  });

  test('gives the TXT record of a routed record set its set identifier and routing, and an alias the type cname', async () => {
    const routing = { setIdentifier: 'eu', weight: 10 };
    const world = await published([
      { domainName: 'w.e.', type: 'A', ttl: 60, rdata: '192.0.2.1', routing },
      { domainName: 'l.e.', type: 'A', alias: { target: 'web-1.eu-west-1.elb.amazonaws.com.' } },
    ]);
    await forget(world);
    expect(world.route53.recordSets('Z1').filter(({ type }) => type === 'TXT')).toMatchObject(
      [
        { name: 'cname-l.e.', setIdentifier: null, content: { ttlSeconds: 300 } },
        {
          name: 'a-w.e.',
          setIdentifier: 'eu',
          content: { routing: { policy: { kind: 'weight', weight: 10 }, healthCheckId: null } },
        },
      ].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
  });

  test.each<[string, readonly string[], Partial<NextOwner>, readonly RegExp[]]>([
    [
      'another type',
      ['a.e. TXT "x"', 'b.e. CAA 0 issue "x"'],
      {},
      [/^a\.e\. TXT: external-dns does not manage TXT/, /^b\.e\. CAA: /],
    ],
    ['the apex without a prefix', ['e. A 192.0.2.1'], {}, [/^e\. A: Its TXT record a-e\. would be outside/]],
    ['a name that is too long', [`${'x'.repeat(62)}.e. A 192.0.2.1`], {}, [/^x+\.e\. A: external-dns could not find/]],
    [
      'a TXT record for two',
      ['*.a.e. A 192.0.2.1', 'any.a.e. A 192.0.2.1'],
      { wildcardReplacement: 'any' },
      [/^any\.a\.e\. A: .*speak for A \*\.a\.e\., too/, /^\*\.a\.e\. A: .*speak for A any/],
    ],
    [
      'a TXT that an object asks for',
      ['a.e. A 192.0.2.1', 'a-a.e. TXT "x"'],
      {},
      [/^a\.e\. A: An object asks for TXT a-a\.e\./, /^a-a\.e\. TXT: /],
    ],
  ])('leaves %s with zone53', async (_, records, affixes, why) => {
    const world = await published(records);
    const before = standing(world);
    const owner = { ...OWNER, ...affixes };
    const told = await staying(world, owner);
    expect(told).toHaveLength(why.length);
    for (const one of why) expect(told).toContainEqual(expect.stringMatching(one));
    await forget(world, owner);
    expect(standing(world)).toEqual(before);
  });

  test('gives the apex with a prefix that ends in a dot', async () => {
    const world = await published(['e. A 192.0.2.1']);
    expect(await forget(world, { ...OWNER, txtPrefix: '%{record_type}.' })).toEqual(['e. A published']);
    expect(standing(world).toSorted()).toEqual([`a.e. TXT ${TEXT}`, 'e. A 192.0.2.1']);
  });

  test('leaves what is drifted, refused, of a Zone with takeover, or has another TXT in its place', async () => {
    const world = await published(['a.e. A 192.0.2.1', 'b.e. A 192.0.2.1']);
    const values = (value: string) => ({ kind: 'values' as const, ttlSeconds: 60, values: [value] });
    world.route53.edit('Z1', { name: 'a.e.', type: 'A', setIdentifier: null }, values('192.0.2.7'));
    world.route53.edit('Z1', { name: 'a-b.e.', type: 'TXT', setIdentifier: null }, values('"theirs"'));
    expect(await staying(world)).toEqual([
      expect.stringMatching(/^a\.e\. A: Route 53 has A a\.e\. 192\.0\.2\.7 .*: somebody changed it\.$/),
      expect.stringMatching(
        /^b\.e\. A: Route 53 has TXT a-b\.e\. "theirs".*, where external-dns needs its TXT record\.$/,
      ),
    ]);
    const taking = await published(['a.e. A 192.0.2.1'], { 'zone53.dev/takeover': 'true' });
    expect(await staying(taking)).toEqual([expect.stringMatching(/^a\.e\. A: Zone p\/e has zone53\.dev\/takeover/)]);
    expect(await staying(taking, null)).toHaveLength(1);
  });

  test('stays with zone53 if Route 53 refuses, all of the name, and other names go', async () => {
    const world = await published(['a.e. A 192.0.2.1', 'a.e. AAAA 2001:db8::1', 'b.e. A 192.0.2.1']);
    const planned = await plan(world);
    const values = { kind: 'values' as const, ttlSeconds: 60, values: ['"theirs"'] };
    world.route53.edit('Z1', { name: 'aaaa-a.e.', type: 'TXT', setIdentifier: null }, values);
    const [applied] = await applyForgetting(world.context, world.deps, planned, OPTIONS);
    expect(applied?.outcomes.map(({ change, outcome }) => `${change.name} ${change.type} ${outcome}`)).toEqual([
      'a.e. A rejected',
      'a.e. AAAA rejected',
      'b.e. A published',
    ]);
    expect(await owned(world, 'a.e.', 'b.e.')).toEqual(['a.e. A', 'a.e. AAAA']);
    expect(standing(world)).not.toContain(`a-a.e. TXT ${TEXT}`);
    expect((await planCluster(world.context)).hostedZones.flatMap((one) => one.plan.changes)).toEqual([
      expect.objectContaining({ action: 'create', name: 'b.e.' }),
    ]);
  });

  test.each([true, false])('asks Route 53 after a call without an answer (landed: %s)', async (landed) => {
    const world = await published(['a.e. A 192.0.2.1']);
    let calls = 0;
    const { world: watched } = watching(world, (real) => async (...asked) => {
      calls += 1;
      if (calls > 1) return real(...asked);
      if (landed) await real(...asked);
      return { kind: 'unknown', message: 'no answer' };
    });
    expect(await forget(watched)).toEqual(['a.e. A published']);
    expect(await owned(world, 'a.e.')).toEqual([]);
    expect(standing(world)).toContain(`a-a.e. TXT ${TEXT}`);
  });

  test('ends the same wherever a run dies: what is forgotten has its TXT record', async () => {
    let finished = 0;
    for (let k = 1; finished < 2; k += 1) {
      for (const after of [false, true]) {
        const world = await published(['a.e. A 192.0.2.1', 'a.e. AAAA 2001:db8::1']);
        const planned = await plan(world);
        const run = failing(world, k, after);
        const died = await applyForgetting(run.context, run.deps, planned, OPTIONS).then(
          ([applied]) => applied?.outcomes.some(({ outcome }) => outcome !== 'published') ?? true,
          () => true,
        );
        const left = await owned(world, 'a.e.');
        if (left.length < 2)
          expect(
            standing(world).filter((line) => line.includes('TXT')),
            `${k}`,
          ).toHaveLength(2);
        world.clock.ms += 600_000;
        world.queued.publish.add('Z1');
        await deliverAll(world);
        expect(standing(world)).toContain('a.e. A 192.0.2.1');
        await forget(world);
        expect(await owned(world, 'a.e.'), `${k} ${after}`).toEqual([]);
        expect(standing(world).filter((line) => line.includes('TXT'))).toHaveLength(2);
        if (!died) finished += 1;
      }
    }
  });
});

test('applyForgetting() without an owner calls Route 53 for nothing, and can be taken over again', async () => {
  const world = await published(['a.e. A 192.0.2.1', 'b.e. TXT "x"']);
  const { world: watched, batches } = watching(world, (real) => real);
  const calls = world.route53.calls.length;
  expect(await forget(watched, null)).toEqual(['a.e. A published', 'b.e. TXT published']);
  expect(batches).toEqual([]);
  expect(world.route53.calls).toHaveLength(calls);
  expect(await owned(world, 'a.e.', 'b.e.')).toEqual([]);
  world.cluster.put(parseRef('Zone p/e'), ZONE, { 'zone53.dev/takeover': 'true' });
  await applyCluster(world.context, world.deps, await planCluster(world.context), OPTIONS);
  expect(await owned(world, 'a.e.', 'b.e.')).toEqual(['a.e. A', 'b.e. TXT']);
});

test('what another cluster has, too, is forgotten for both or not at all: it would come back at once', async () => {
  const { eu, us } = twoWorlds();
  await say(eu, '192.0.2.1');
  await say(us, '192.0.2.1');
  await settle(eu, us);
  const [one, ...none] = await staying(eu, null);
  expect([one, none]).toEqual([expect.stringContaining('www.e. A: Cluster us has it, too'), []]);
  expect(await forget(eu, null)).toEqual([]);
  const all = await planForgetting(eu.context, { isChosen: () => true, owner: null, isOfAll: true });
  expect(all.map(({ hostedZone, changes, stays }) => [hostedZone.cluster, changes.length, stays])).toEqual([
    ['eu', 1, []],
    ['us', 1, []],
  ]);
});
