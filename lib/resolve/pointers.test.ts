// PTR records of addresses, event by event: they come and go with the addresses, the Zones and the delegations.
import { describe, expect, test } from 'vitest';
import { apply } from '../../test/fakes/reconcile-steps.ts';
import {
  deliverAll,
  desiredFromScratch,
  desiredInLedger,
  reconcileWorld,
  saveAll,
} from '../../test/fakes/reconcile-world.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';

const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }], ptr: true };
const { ptr: _, ...PLAIN } = ZONE;
const REVERSE = {
  domainName: '192.in-addr.arpa.',
  delegations: [{ namespaces: ['a', 'b'], records: [{ pattern: '*.2.0', types: ['PTR'] }] }],
};
const SIX = {
  domainName: '8.b.d.0.1.0.0.2.ip6.arpa.',
  delegations: [{ records: [{ pattern: '*' }, { pattern: '*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*' }] }],
};
const WWW = { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' };

type Objects = Readonly<Record<string, unknown>>;
const START: Objects = { 'Zone a/e': ZONE, 'Zone a/r': REVERSE };

function pointingWorld() {
  return reconcileWorld({
    hostedZones: [
      { id: 'Z1', name: 'e.' },
      { id: 'Z2', name: '192.in-addr.arpa.' },
      { id: 'Z6', name: '8.b.d.0.1.0.0.2.ip6.arpa.' },
    ],
  });
}

/** The PTRs in Route 53 after the objects were written one step after the other. Each step equals from scratch. */
async function ptrsAfter(...steps: readonly Objects[]): Promise<readonly string[]> {
  const world = pointingWorld();
  for (const step of steps) {
    await apply(world, step);
    await deliverAll(world);
    expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  }
  const ptrs = ['Z2', 'Z6'].flatMap((id) =>
    world.route53
      .recordSets(id)
      .flatMap(({ name, type, content }) =>
        type === 'PTR' && content.kind === 'values' ? [`${name} ${content.values.join(' ')}`] : [],
      ),
  );
  const shown = ['Zone a/r', 'Zone a/r6'].flatMap((zone) =>
    (world.cluster.statuses.get(zone)?.zone?.entries ?? []).filter(({ type }) => type === 'PTR'),
  );
  expect(new Set(shown.map(({ fqdn }) => fqdn)).size).toBe(ptrs.length);
  return ptrs;
}

const PTR = ['1.2.0.192.in-addr.arpa. www.e.'];

describe('an address has a PTR', () => {
  test('that comes, moves and goes with it', async () => {
    expect(await ptrsAfter(START, { 'Record a/www': WWW })).toEqual(PTR);
    const moved = { 'Record a/www': { ...WWW, rdata: '192.0.2.2' } };
    expect(await ptrsAfter(START, { 'Record a/www': WWW }, moved)).toEqual(['2.2.0.192.in-addr.arpa. www.e.']);
    expect(await ptrsAfter(START, { 'Record a/www': WWW }, { 'Record a/www': undefined })).toEqual([]);
    const named = { 'Record a/www': { ...WWW, domainName: 'api.e.' } };
    expect(await ptrsAfter(START, { 'Record a/www': WWW }, named)).toEqual(['1.2.0.192.in-addr.arpa. api.e.']);
  });

  test('with all of its hosts', async () => {
    const api = { 'Record a/api': { ...WWW, domainName: 'api.e.' } };
    const both = ['1.2.0.192.in-addr.arpa. api.e. www.e.'];
    expect(await ptrsAfter(START, { 'Record a/www': WWW }, api)).toEqual(both);
    expect(await ptrsAfter(START, { 'Record a/www': WWW }, api, { 'Record a/www': undefined })).toEqual([
      '1.2.0.192.in-addr.arpa. api.e.',
    ]);
  });

  test('of IPv6, below ip6.arpa.', async () => {
    const six = { 'Record a/www': { ...WWW, type: 'AAAA', rdata: '2001:db8::1' } };
    expect(await ptrsAfter({ ...START, 'Zone a/r6': SIX }, six)).toEqual([
      `1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa. www.e.`,
    ]);
  });

  test('only where a Zone delegates it to its namespace', async () => {
    expect(await ptrsAfter(START, { 'Record c/www': WWW })).toEqual([]);
    expect(await ptrsAfter(START, { 'Record a/www': { ...WWW, rdata: '192.0.3.1' } })).toEqual([]);
    expect(await ptrsAfter({ 'Zone a/e': ZONE }, { 'Record a/www': WWW })).toEqual([]);
    expect(await ptrsAfter({ 'Zone a/e': ZONE }, { 'Record a/www': WWW }, { 'Zone a/r': REVERSE })).toEqual(PTR);
    const none = { 'Zone a/r': { ...REVERSE, delegations: [] } };
    expect(await ptrsAfter(START, { 'Record a/www': WWW }, none)).toEqual([]);
  });

  test('while its Zone says so', async () => {
    const www = { 'Record a/www': WWW };
    expect(await ptrsAfter({ ...START, 'Zone a/e': PLAIN }, www)).toEqual([]);
    expect(await ptrsAfter({ ...START, 'Zone a/e': PLAIN }, www, START)).toEqual(PTR);
    expect(await ptrsAfter(START, www, { 'Zone a/e': PLAIN })).toEqual([]);
    expect(await ptrsAfter(START, www, { 'Zone a/e': undefined })).toEqual([]);
    // What was deleted while the Zone said nothing has none afterwards.
    const gone = { 'Record a/www': undefined };
    expect(await ptrsAfter(START, www, { 'Zone a/e': PLAIN }, gone, START)).toEqual([]);
  });

  test('not where a PTR is asked for, whoever comes first', async () => {
    const own = { 'Record a/own': { domainName: '1.2.0.192.in-addr.arpa.', type: 'PTR', rdata: 'own.e.' } };
    const expected = ['1.2.0.192.in-addr.arpa. own.e.'];
    expect(await ptrsAfter(START, own, { 'Record a/www': WWW })).toEqual(expected);
    expect(await ptrsAfter(START, { 'Record a/www': WWW }, own)).toEqual(expected);
    expect(await ptrsAfter(START, { 'Record a/www': WWW }, own, { 'Record a/own': undefined })).toEqual(PTR);
  });

  test('of one namespace, the oldest’s, unless its delegation is shared', async () => {
    const b = { 'Record b/api': { ...WWW, domainName: 'api.e.' } };
    expect(await ptrsAfter(START, { 'Record a/www': WWW }, b)).toEqual(PTR);
    const shared = { ...REVERSE, delegations: REVERSE.delegations.map((rule) => ({ ...rule, shared: true })) };
    expect(await ptrsAfter({ ...START, 'Zone a/r': shared }, { 'Record a/www': WWW }, b)).toEqual([
      '1.2.0.192.in-addr.arpa. api.e. www.e.',
    ]);
  });

  test('not for a wildcard, an alias or a CNAME', async () => {
    const wildcard = { 'Record a/any': { ...WWW, domainName: '*.e.' } };
    const alias = { 'Record a/alias': { domainName: 'x.e.', type: 'A', alias: { target: 'www.e.' } } };
    const cname = { 'Record a/cname': { domainName: 'y.e.', type: 'CNAME', rdata: 'www.e.' } };
    expect(await ptrsAfter(START, { 'Record a/www': WWW }, { ...wildcard, ...alias, ...cname })).toEqual(PTR);
  });
});

test('a whole reading saves pointers, so that an event afterwards finds them', async () => {
  const world = pointingWorld();
  await apply(world, { 'Zone a/e': PLAIN });
  for (const [id, spec] of Object.entries({ ...START, 'Record a/www': WWW })) {
    const [kind = '', key = ''] = id.split(' ');
    const [namespace = '', name = ''] = key.split('/');
    world.cluster.put({ kind: kind as 'Zone', namespace, name }, spec);
  }
  await saveAll(world);
  await deliverAll(world);
  await apply(world, { 'Record a/www': undefined });
  await deliverAll(world);
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  expect(world.route53.recordSets('Z2').filter(({ type }) => type === 'PTR')).toEqual([]);
});

test('it waits for an address that the guard holds, and is published by the run that the address wakes', async () => {
  const world = pointingWorld();
  const guard = { deletesMax: 0, deletesShareMax: 1 };
  const deps = { ...world.deps, config: { ...world.deps.config, guard } };
  const ptrs = () => world.route53.recordSets('Z2').filter(({ type }) => type === 'PTR');
  const cname = { domainName: 'www.e.', type: 'CNAME', rdata: 'www.example.net.' };
  await apply(world, { ...START, 'Record a/www': cname });
  await deliverAll(world);
  await apply(world, { 'Record a/www': WWW });
  // Nobody asks again for a name that has waited for so long.
  world.clock.ms += 3_600_000;
  const held = await publish(deps, 'Z1');
  expect(await publish(deps, 'Z2')).toMatchObject({
    waiting: new Map([['1.2.0.192.in-addr.arpa.', 'www.e. A is not published yet in hosted zone Z1']]),
    retryAfterSeconds: null,
  });
  expect(ptrs()).toEqual([]);
  world.queued.publish.clear();
  const digest = held.kind === 'done' ? (held.held?.digest ?? '') : '';
  await publish(deps, 'Z1', { acknowledged: [digest] });
  expect([...world.queued.publish]).toContain('Z2');
  await publish(deps, 'Z2');
  expect(ptrs()).toHaveLength(1);
});

test('there is none for an address of a Zone that is hosted elsewhere', async () => {
  const elsewhere = {
    'Zone a/s': { ...ZONE, domainName: 's.e.', delegations: [{ records: [{ pattern: '*' }, { pattern: '@' }] }] },
    'Record a/ns': { domainName: 's.e.', type: 'NS', rdata: 'ns.example.net.' },
    'Zone a/e': { ...ZONE, delegations: [{ zones: ['*'], records: [{ pattern: '*' }] }] },
    'Record a/www': { ...WWW, domainName: 'www.s.e.' },
  };
  expect(await ptrsAfter({ ...START, ...elsewhere })).toEqual([]);
});
