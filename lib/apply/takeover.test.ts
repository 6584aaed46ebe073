// Takeovers, from the plan to Route 53: record sets that are already as wanted are adopted without a write, those of
// external-dns are taken over with their TXT records, and nothing else is touched.
import { describe, expect, test } from 'vitest';
import { memoryHostedZones } from '../../test/fakes/memory-hosted-zones.ts';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import type { ReconcileWorld } from '../../test/fakes/reconcile-world.ts';
import {
  apply,
  plan,
  REGISTRY,
  stand,
  standing,
  TAKEOVER,
  takeoverWorld,
  text,
  values,
  want,
  writes,
  ZONE,
} from '../../test/fakes/takeover-world.ts';
import type { RecordSet } from '../dns/record-set.ts';
import { parseRef } from '../objects/object-ref.ts';

const WWW = { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' };

describe('by the annotation', () => {
  test('a record set that is already as wanted is adopted without a write, and belongs to us from then on', async () => {
    const world = takeoverWorld([]);
    world.cluster.put(parseRef('Zone p/e'), ZONE, TAKEOVER);
    stand(world, 'www.e.', 'A', values('192.0.2.1'));
    want(world, 'www', '192.0.2.1');
    expect(await plan(world)).toEqual(['adopt www.e. A equal']);
    expect(await apply(world)).toEqual(['adopt www.e. published']);
    expect(writes(world)).toBe(0);
    expect(await plan(world)).toEqual([]);
    world.cluster.remove(parseRef('Record p/a-www'));
    expect(await plan(world)).toEqual(['delete www.e. A -']);
  });

  test('a record set with other content is updated, and one that we do not declare stays', async () => {
    const world = takeoverWorld([]);
    world.cluster.put(parseRef('Zone p/e'), ZONE, TAKEOVER);
    stand(world, 'www.e.', 'A', values('192.0.2.9'));
    stand(world, 'www.e.', 'TXT', values('"theirs"'));
    want(world, 'www', '192.0.2.1');
    expect(await plan(world)).toEqual(['update www.e. A foreign']);
    expect(await apply(world)).toEqual(['update www.e. published']);
    expect(standing(world)).toEqual(['www.e. A', 'www.e. TXT']);
  });

  test('what replaces a record set goes in one batch, without one that Route 53 names as wrong', async () => {
    const base = takeoverWorld([]);
    const reject = ({ setIdentifier }: RecordSet) =>
      setIdentifier === 'bad'
        ? 'RRSet with DNS name www.e., type A, SetIdentifier bad cannot be created as it has no health check'
        : null;
    const route53 = memoryHostedZones([{ id: 'Z1', name: 'e.' }], { reject });
    const account = { ...base.context.account, hostedZones: route53.port };
    const deps = { ...base.deps, hostedZones: route53.port };
    const world = { ...base, route53, context: { ...base.context, account }, deps };
    world.cluster.put(parseRef('Zone p/e'), ZONE, TAKEOVER);
    stand(world, 'www.e.', 'A', values('192.0.2.9'));
    for (const setIdentifier of ['a', 'bad', 'c']) {
      const routing = { setIdentifier, weight: 1 };
      world.cluster.put(parseRef(`Record p/${setIdentifier}`), { ...WWW, routing });
    }
    const outcomes = ['create www.e. published', 'create www.e. rejected', 'create www.e. published'];
    expect(await apply(world)).toEqual(outcomes);
    const elements = route53.calls.filter(({ accepted }) => accepted).map((call) => call.elements);
    expect([standing(world), elements.filter((count) => count > 0)]).toEqual([['www.e. A', 'www.e. A'], [3]]);
  });

  test('without the annotation, a foreign record set stays, equal or not', async () => {
    const world = takeoverWorld([]);
    stand(world, 'same.e.', 'A', values('192.0.2.1'));
    stand(world, 'www.e.', 'A', values('192.0.2.9'));
    stand(world, 'alias.e.', 'A', values('192.0.2.9'));
    want(world, 'same', '192.0.2.1');
    want(world, 'www', '192.0.2.1');
    want(world, 'alias', 'x.example.', 'CNAME');
    expect(await plan(world)).toEqual([
      'create alias.e. CNAME foreign',
      'create same.e. A equal',
      'create www.e. A foreign',
    ]);
    expect(await apply(world)).toEqual(['create alias.e. foreign', 'create same.e. foreign', 'create www.e. foreign']);
    expect(standing(world)).toEqual(['alias.e. A', 'same.e. A', 'www.e. A']);
  });
});

describe('from external-dns', () => {
  test('equal content is adopted with its TXT records, and other content is replaced together with them, in one batch each', async () => {
    const world = takeoverWorld();
    for (const name of ['same', 'www', 'old']) {
      stand(world, `${name}.e.`, 'A', values('192.0.2.1'));
      text(world, name === 'old' ? 'old.e.' : `a-${name}.e.`, 'prod');
    }
    stand(world, 'theirs.e.', 'TXT', values('"v=spf1 -all"'));
    want(world, 'same', '192.0.2.1');
    want(world, 'www', '192.0.2.2');
    want(world, 'old', '192.0.2.1');
    expect(await plan(world)).toEqual([
      'adopt old.e. A external-dns old.e.',
      'adopt same.e. A external-dns a-same.e.',
      'update www.e. A external-dns a-www.e.',
    ]);
    expect(await apply(world)).toEqual([
      'adopt old.e. published',
      'adopt same.e. published',
      'update www.e. published',
    ]);
    expect(writes(world)).toBe(1);
    expect(standing(world)).toEqual(['old.e. A', 'same.e. A', 'theirs.e. TXT', 'www.e. A']);
    expect(await plan(world)).toEqual([]);
  });

  test.each([
    ['a prefix that leaves an empty label in the old format', { txtPrefix: '%{record_type}.' }, 'www', 'a.www.e.'],
    ['a name with no room for the type in front', {}, 'x'.repeat(62), `${'x'.repeat(62)}.e.`],
  ])('%s prevents no takeover, and no other change', async (_, affixes, name, textName) => {
    const world = takeoverWorld([{ ...REGISTRY, ...affixes }]);
    stand(world, `${name}.e.`, 'A', values('192.0.2.1'));
    text(world, textName, 'prod');
    want(world, name, '192.0.2.1');
    want(world, 'other', '192.0.2.2');
    expect(await plan(world)).toEqual([`create other.e. A none`, `adopt ${name}.e. A external-dns ${textName}`]);
    expect(await apply(world)).toEqual(['create other.e. published', `adopt ${name}.e. published`]);
    expect(standing(world)).toEqual(['other.e. A', `${name}.e. A`]);
  });

  test.each([
    ['another owner', 'other', 'a-www.e.'],
    ['another owner in the old format', 'other', 'www.e.'],
  ])('%s keeps its record set', async (_, owner, name) => {
    const world = takeoverWorld();
    stand(world, 'www.e.', 'A', values('192.0.2.1'));
    text(world, name, owner);
    want(world, 'www', '192.0.2.2');
    expect(await plan(world)).toEqual(['create www.e. A foreign']);
    expect(await apply(world)).toEqual(['create www.e. foreign']);
    expect(world.cluster.statuses.get('Record p/a-www')?.conditions[1]?.message).toContain('the owner "other"');
    expect(standing(world)).toHaveLength(2);
  });

  test('an old-format TXT record speaks for A alone: MX, SPF, CAA and NS of its name stay, and it goes with the A', async () => {
    const world = takeoverWorld([{ ...REGISTRY, txtPrefix: 'txt.', deleteUnwanted: true }]);
    stand(world, 'www.e.', 'A', values('192.0.2.1'));
    stand(world, 'www.e.', 'MX', values('10 mail.e.'));
    stand(world, 'www.e.', 'TXT', values('"v=spf1 -all"'));
    stand(world, 'www.e.', 'CAA', values('0 issue "ca.example.net"'));
    stand(world, 'sub.e.', 'NS', values('ns1.example.net.'));
    stand(world, 'e.', 'MX', values('10 mail.e.'));
    stand(world, 'gone.e.', 'SRV', values('0 0 443 x.example.net.'));
    stand(world, 'gone.e.', 'A', values('192.0.2.3'));
    for (const name of ['txt.www.e.', 'txt.sub.e.', 'txt.e.', 'txt.gone.e.']) text(world, name, 'prod');
    want(world, 'www', '192.0.2.1');
    expect(await plan(world)).toEqual([
      'delete gone.e. A external-dns txt.gone.e.',
      'adopt www.e. A external-dns txt.www.e.',
    ]);
    await apply(world);
    expect(standing(world)).toEqual([
      'e. MX',
      'gone.e. SRV',
      'sub.e. NS',
      'txt.e. TXT',
      'txt.sub.e. TXT',
      'www.e. A',
      'www.e. CAA',
      'www.e. MX',
      'www.e. TXT',
    ]);
    expect(await plan(world)).toEqual([]);
  });

  test('deleteUnwanted leaves what somebody wrote in place of the A or CNAME that a new-format TXT record names', async () => {
    const world = takeoverWorld([{ ...REGISTRY, txtPrefix: 'txt.', deleteUnwanted: true }]);
    stand(world, 'cname.e.', 'CNAME', values('x.example.'));
    stand(world, 'a.e.', 'A', values('192.0.2.1'));
    stand(world, 'old.e.', 'CNAME', values('x.example.'));
    for (const name of ['txt.cname.e.', 'txt.a-cname.e.', 'txt.a.e.', 'txt.cname-a.e.', 'txt.old.e.'])
      text(world, name, 'prod');
    want(world, 'www', '192.0.2.1');
    expect(await plan(world)).toEqual(['delete old.e. CNAME external-dns txt.old.e.', 'create www.e. A none']);
  });

  test.each([true, false])(
    'a TXT record goes with a record set that somebody deleted after its takeover began, unless another needs it: %s',
    async (isNeeded) => {
      const world = takeoverWorld([{ ...REGISTRY, txtPrefix: 'txt.', wildcardReplacement: 'any' }]);
      stand(world, 'any.e.', 'A', values('192.0.2.9'));
      text(world, 'txt.any.e.', 'prod');
      want(world, 'any', '192.0.2.1');
      const change = () => Promise.reject(new Error('the call failed'));
      const failing = { ...world, deps: { ...world.deps, hostedZones: { ...world.deps.hostedZones, change } } };
      expect(await apply(failing)).toEqual(['update any.e. failed']);
      world.route53.edit('Z1', { name: 'any.e.', type: 'A', setIdentifier: null }, null);
      if (isNeeded) stand(world, '*.e.', 'A', values('192.0.2.8'));
      world.clock.ms += 2 * 3_600_000;
      expect(await plan(world)).toEqual([isNeeded ? 'create any.e. A none' : 'create any.e. A none txt.any.e.']);
      await apply(world);
      expect(standing(world)).toEqual(isNeeded ? ['*.e. A', 'any.e. A', 'txt.any.e. TXT'] : ['any.e. A']);
    },
  );

  describe('a TXT that is wanted where external-dns has its own', () => {
    const SPF = 'v=spf1 -all';
    const textAt = (world: ReconcileWorld, name: string) =>
      world.route53.recordSets('Z1').find((set) => set.name === name && set.type === 'TXT')?.content;

    test.each(['e.', 'www.e.'])('replaces it when its record set is taken over: %s', async (name) => {
      const world = takeoverWorld();
      world.cluster.put(parseRef('Zone p/e'), {
        ...ZONE,
        delegations: [{ records: [{ pattern: '*' }, { pattern: '@' }] }],
      });
      stand(world, name, 'A', values('192.0.2.1'));
      text(world, name, 'prod');
      for (const [type, rdata] of [
        ['A', '192.0.2.1'],
        ['TXT', SPF],
      ] as const)
        world.cluster.put(parseRef(`Record p/${type.toLowerCase()}`), { domainName: name, type, rdata });
      expect(await plan(world)).toEqual([`update ${name} TXT external-dns`, `adopt ${name} A external-dns`]);
      expect(await apply(world)).toEqual([`update ${name} published`, `adopt ${name} published`]);
      expect(textAt(world, name)).toEqual(values('"v=spf1 -all"'));
      expect(await plan(world, { refresh: () => {} })).toEqual([]);
    });

    test('replaces it when its record set is ours already', async () => {
      const world = takeoverWorld([]);
      stand(world, 'www.e.', 'TXT', values('"heritage=external-dns,external-dns/owner=prod"'));
      want(world, 'www', '192.0.2.1');
      want(world, 'www', SPF, 'TXT');
      expect(await apply(world)).toEqual(['create www.e. published', 'create www.e. foreign']);
      const { context, deps } = takeoverWorld();
      const later = {
        ...world,
        context: {
          ...world.context,
          account: { ...world.context.account, externalDns: context.account.externalDns ?? [] },
        },
        deps: { ...world.deps, config: { ...world.deps.config, externalDns: deps.config.externalDns } },
      };
      expect(await plan(later)).toEqual(['update www.e. TXT external-dns']);
      expect(await apply(later)).toEqual(['update www.e. published']);
      expect(textAt(world, 'www.e.')).toEqual(values('"v=spf1 -all"'));
    });

    test('replaces it with what else is unwanted, and the last note of a new format goes with that', async () => {
      const world = takeoverWorld([{ ...REGISTRY, deleteUnwanted: true }]);
      stand(world, 'www.e.', 'A', values('192.0.2.1'));
      for (const name of ['www.e.', 'a-www.e.']) text(world, name, 'prod');
      want(world, 'www', SPF, 'TXT');
      expect(await plan(world)).toEqual(['delete www.e. A external-dns a-www.e.', 'update www.e. TXT external-dns']);
      await apply(world);
      expect(standing(world)).toEqual(['www.e. TXT']);
      expect(textAt(world, 'www.e.')).toEqual(values('"v=spf1 -all"'));
    });

    test.each([
      ['no prefix', {}, 'www.e.'],
      ['a prefix', { txtPrefix: 'txt.' }, 'txt.www.e.'],
    ])('leaves it while external-dns needs it for a record set that stays: %s', async (_, affixes, name) => {
      const world = takeoverWorld([{ ...REGISTRY, ...affixes }]);
      stand(world, 'www.e.', 'A', values('192.0.2.1'));
      text(world, name, 'prod');
      world.cluster.put(parseRef('Record p/spf'), { domainName: name, type: 'TXT', rdata: SPF });
      expect(await plan(world)).toEqual([`create ${name} TXT foreign`]);
      expect(await apply(world)).toEqual([`create ${name} foreign`]);
      expect(world.cluster.statuses.get('Record p/spf')?.conditions[1]?.message).toContain(
        'external-dns notes that it owns A www.e.: if zone53 is to take that over, declare it, too.',
      );
      want(world, 'www', '192.0.2.1');
      await apply(world);
      await apply(world);
      expect(textAt(world, name)).toEqual(values('"v=spf1 -all"'));
      expect(await plan(world)).toEqual([]);
    });

    test('leaves that of another owner, and one with further values', async () => {
      const world = takeoverWorld();
      stand(world, 'www.e.', 'A', values('192.0.2.1'));
      text(world, 'www.e.', 'other');
      stand(world, 'two.e.', 'TXT', values('"heritage=external-dns,external-dns/owner=prod"', '"theirs"'));
      for (const name of ['www', 'two']) want(world, name, SPF, 'TXT');
      const before = standing(world);
      expect(await apply(world)).toEqual(['create two.e. foreign', 'create www.e. foreign']);
      expect(world.cluster.statuses.get('Record p/txt-www')?.conditions[1]?.message).toContain('the owner "other"');
      expect(standing(world)).toEqual(before);
    });
  });

  test('a TXT record whose record set somebody deleted stays: a create takes nothing over', async () => {
    const world = takeoverWorld();
    text(world, 'a-www.e.', 'prod');
    want(world, 'www', '192.0.2.1');
    expect(await plan(world)).toEqual(['create www.e. A none']);
    expect(await apply(world)).toEqual(['create www.e. published']);
    expect(standing(world)).toEqual(['a-www.e. TXT', 'www.e. A']);
    expect(await plan(world)).toEqual([]);
  });

  test('a TXT record that nothing else needs any more goes with a delete, and is part of what is acknowledged', async () => {
    const world = takeoverWorld([{ ...REGISTRY, wildcardReplacement: 'any' }]);
    stand(world, '*.e.', 'A', values('192.0.2.1'));
    stand(world, 'any.e.', 'A', values('192.0.2.2'));
    text(world, 'a-any.e.', 'prod');
    want(world, '*', '192.0.2.1');
    await apply(world);
    expect(standing(world)).toEqual(['*.e. A', 'a-any.e. TXT', 'any.e. A']);
    world.route53.edit('Z1', { name: 'any.e.', type: 'A', setIdentifier: null }, null);
    world.cluster.remove(parseRef('Record p/a-*'));
    world.clock.ms += 3_600_001;
    expect(await plan(world)).toEqual(['delete *.e. A - a-any.e.']);
    const guard = { deletesMax: 0, deletesShareMax: 1 };
    const context = { ...world.context, config: { ...world.context.config, guard } };
    const guarded = { ...world, context, deps: { ...world.deps, config: { ...world.deps.config, guard } } };
    const { hostedZones } = await planCluster(context, { reads: true });
    const digests = hostedZones.flatMap((one) => one.plan.guard.digest ?? []);
    expect(digests).toHaveLength(1);
    expect(await apply(guarded, digests)).toEqual(['delete *.e. published']);
    expect(standing(world)).toEqual([]);
  });

  test('a record set of ours that external-dns wrote over is taken over as the plan says', async () => {
    const world = takeoverWorld();
    want(world, 'www', '192.0.2.1');
    await apply(world);
    stand(world, 'www.e.', 'A', values('192.0.2.9'));
    text(world, 'a-www.e.', 'prod');
    const refresh = { refresh: () => {} };
    const [found] = (await planCluster(world.context, { reads: true, ...refresh })).hostedZones;
    expect(found?.drifts[0]).toMatch(/changed by hand to 192\.0\.2\.9 .* If external-dns owns it, it is taken over\.$/);
    expect(await plan(world, refresh)).toEqual(['update www.e. A external-dns a-www.e.']);
    expect(await apply(world, [], refresh)).toEqual(['update www.e. published']);
    expect(standing(world)).toEqual(['www.e. A']);
    expect(await plan(world, refresh)).toEqual([]);
  });

  test('the TXT records do not count for the guard', async () => {
    const world = takeoverWorld();
    for (let index = 0; index < 20; index += 1) {
      stand(world, `n${index}.e.`, 'A', values('192.0.2.1'));
      text(world, `a-n${index}.e.`, 'prod');
      want(world, `n${index}`, '192.0.2.1');
    }
    const deps = { ...world.deps, config: { ...world.deps.config, guard: { deletesMax: 0, deletesShareMax: 0 } } };
    const outcomes = await apply({ ...world, deps });
    expect(new Set(outcomes.map((one) => one.split(' ')[2]))).toEqual(new Set(['published']));
    expect(standing(world)).toHaveLength(20);
  });

  test('what nobody wants stays, or is deleted if the configuration says so, and the guard counts it', async () => {
    const stay = takeoverWorld();
    const go = takeoverWorld([{ ...REGISTRY, deleteUnwanted: true }]);
    for (const world of [stay, go]) {
      stand(world, 'left.e.', 'A', values('192.0.2.1'));
      text(world, 'a-left.e.', 'prod');
      stand(world, 'byhand.e.', 'A', values('192.0.2.1'));
      want(world, 'www', '192.0.2.1');
    }
    expect(await plan(stay)).toEqual(['create www.e. A none']);
    expect(await plan(go)).toEqual(['delete left.e. A external-dns a-left.e.', 'create www.e. A none']);
    expect(await apply(go)).toEqual(['delete left.e. published', 'create www.e. published']);
    expect(standing(go)).toEqual(['byhand.e. A', 'www.e. A']);
    for (let index = 0; index < 3; index += 1) {
      stand(go, `n${index}.e.`, 'A', values('192.0.2.1'));
      text(go, `a-n${index}.e.`, 'prod');
    }
    const guard = { deletesMax: 1, deletesShareMax: 1 };
    const context = { ...go.context, config: { ...go.context.config, guard } };
    const guarded = { ...go, context, deps: { ...go.deps, config: { ...go.deps.config, guard } } };
    expect(await apply(guarded)).toEqual(['delete n0.e. held', 'delete n1.e. held', 'delete n2.e. held']);
    expect(standing(go)).toHaveLength(8);
  });

  test('what nobody wants any more is deleted also if an earlier apply could not publish it', async () => {
    const world = takeoverWorld([{ ...REGISTRY, deleteUnwanted: true }]);
    want(world, 'www', '192.0.2.1');
    const change: typeof world.route53.port.change = async () => ({ kind: 'denied', message: 'AccessDenied' });
    const denied = { ...world.deps, hostedZones: { ...world.route53.port, change } };
    expect(await apply({ ...world, deps: denied })).toEqual(['create www.e. failed']);
    world.cluster.remove(parseRef('Record p/a-www'));
    stand(world, 'www.e.', 'A', values('192.0.2.1'));
    text(world, 'a-www.e.', 'prod');
    expect(await apply(world)).toEqual(['delete www.e. published']);
    expect(standing(world)).toEqual([]);
  });

  test('a TXT record that is gone or changed since the plan is read again', async () => {
    const world = takeoverWorld();
    for (const name of ['gone', 'claimed']) {
      stand(world, `${name}.e.`, 'A', values('192.0.2.1'));
      text(world, `a-${name}.e.`, 'prod');
      want(world, name, '192.0.2.1');
    }
    const { port } = world.route53;
    let calls = 0;
    const change: typeof port.change = async (...asked) => {
      calls += 1;
      if (calls === 1) {
        world.route53.edit('Z1', { name: 'a-gone.e.', type: 'TXT', setIdentifier: null }, null);
        text(world, 'a-claimed.e.', 'other');
      }
      return port.change(...asked);
    };
    const outcomes = await apply({ ...world, deps: { ...world.deps, hostedZones: { ...port, change } } });
    expect(outcomes).toEqual(['adopt claimed.e. foreign', 'adopt gone.e. published']);
    expect(standing(world)).toEqual(['a-claimed.e. TXT', 'claimed.e. A', 'gone.e. A']);
  });
});

test('plan remembers what it read for an hour, or until an apply changes the name', async () => {
  const world = takeoverWorld();
  want(world, 'a', '192.0.2.1');
  want(world, 'b', '192.0.2.1');
  const readsOf = async () => {
    world.route53.calls.length = 0;
    await plan(world);
    return world.route53.calls.filter(({ method }) => method.startsWith('read')).length;
  };
  expect(await readsOf()).toBe(2);
  expect(await readsOf()).toBe(0);
  world.clock.ms += 3_600_001;
  expect(await readsOf()).toBe(2);
  stand(world, 'a.e.', 'A', values('192.0.2.9'));
  await apply(world);
  // Two names: that of the record set, and that of the TXT record that may name its owner.
  expect(await readsOf()).toBe(2);
});
