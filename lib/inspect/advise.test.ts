// The advice for a name that several objects ask for, one of which cannot be published.
import { expect, test } from 'vitest';
import { deliverAll, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { REGISTRY } from '../../test/fakes/takeover-world.ts';
import { memoryLedger } from '../adapters/ledger/memory-ledger.ts';
import { parseRef } from '../objects/object-ref.ts';
import { readCluster } from '../observe/read-cluster.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { explainName } from './explain-name.ts';

/** A Zone with a sub-zone that is hosted elsewhere. */
function delegatingWorld() {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
  const delegations = [{ records: [{ pattern: '*' }, { pattern: '@' }], zones: ['*'] }];
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', ttl: 300, delegations });
  world.cluster.put(parseRef('Zone p/s'), { domainName: 's.e.', ttl: 300, delegations });
  world.cluster.put(parseRef('Record p/ns'), { domainName: 's.e.', type: 'NS', rdata: 'ns.net.' });
  const advice = async (name: string, type: string | null = null) =>
    (await explainName(world.context, await readCluster(world.context), name, type)).advice;
  return { ...world, advice };
}

test('adviseOn() says what is in the way of a delegation, though the Zone itself is hosted elsewhere', async () => {
  const { advice, route53 } = delegatingWorld();
  expect(await advice('s.e.')).toBe(
    'NS s.e. is to be created: run zone53 apply, or wait for the pipeline to publish it.',
  );
  const content = { kind: 'values', ttlSeconds: 300, values: ['ns.other.'] } as const;
  route53.edit('Z1', { name: 's.e.', type: 'NS', setIdentifier: null }, content);
  expect(await advice('s.e.')).toContain('Route 53 already has NS s.e. ns.other. (TTL 300), not created by zone53');
});

test('adviseOn() says why a record is not published when that is why its record set is deleted', async () => {
  const { advice, cluster } = delegatingWorld();
  cluster.put(parseRef('Record p/w'), { domainName: 'w.s.e.', type: 'A', rdata: '192.0.2.1' });
  expect(await advice('w.s.e.')).toMatch(/^Record p\/w is not published \(HostedElsewhere\): /);
});

test('adviseOn() says what somebody changed or deleted by hand, also before a sweep has found it', async () => {
  const world = delegatingWorld();
  const { advice, route53 } = world;
  world.cluster.put(parseRef('Record p/www'), { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' });
  await reconcile(world.context, ['Zone p/e', 'Record p/www'].map(parseRef));
  await deliverAll(world);
  const key = { name: 'www.e.', type: 'A', setIdentifier: null };
  expect(await advice('www.e.')).toBe('Nothing to do: Route 53 has what is desired.');
  route53.edit('Z1', key, { kind: 'values', ttlSeconds: 300, values: ['192.0.2.9'] });
  expect(await advice('www.e.')).toBe(
    'Route 53 has A www.e. 192.0.2.9 (TTL 300), which is not what zone53 published: somebody changed it. To manage it, annotate Zone p/e with zone53.dev/takeover: "true"; else restore it, or delete it in Route 53.',
  );
  const delegations = [{ records: [{ pattern: '*' }] }];
  world.cluster.put(
    parseRef('Zone p/e'),
    { domainName: 'e.', ttl: 300, delegations },
    { 'zone53.dev/takeover': 'true' },
  );
  expect(await advice('www.e.')).toBe(
    'Route 53 has A www.e. 192.0.2.9 (TTL 300), which is not what zone53 published: run zone53 apply --refresh, or wait for the next sweep, which replaces it, by zone53.dev/takeover.',
  );
  route53.edit('Z1', key, null);
  expect(await advice('www.e.')).toBe(
    'Route 53 no longer has A www.e., which zone53 published: run zone53 apply --refresh, or wait for the next sweep, which publishes it again.',
  );
});

test('adviseOn() names a wildcard only where it answers (RFC 4592 §2.2.2)', async () => {
  const { advice, cluster } = delegatingWorld();
  cluster.put(parseRef('Record p/wild'), { domainName: '*.e.', type: 'A', rdata: '192.0.2.1' });
  cluster.put(parseRef('Record p/deep'), { domainName: 'www.a.e.', type: 'A', rdata: '192.0.2.2' });
  expect(await advice('x.e.')).toContain('*.e. answers for it');
  expect(await advice('x.y.e.', 'A')).toContain('*.e. answers for it');
  // The wildcard has another type; a.e. exists, because www.a.e. does, and so no name below it is covered.
  for (const [name, type] of [['x.e.', 'AAAA'], ['a.e.'], ['b.a.e.']] as const) {
    expect(await advice(name, type)).toContain('create a Record with domainName: ');
  }
  expect(await advice('b.s.e.')).toContain('Zone p/s declares the name servers ns.net., and zone53 publishes nothing');
  cluster.put(parseRef('Record p/alias'), { domainName: '*.c.e.', type: 'CNAME', rdata: 'www.net.' });
  expect(await advice('x.c.e.', 'AAAA')).toContain('*.c.e. answers for it');
});

test('adviseOn() says first why an object is refused whose record set is about to be deleted', async () => {
  const world = delegatingWorld();
  const { advice, cluster } = world;
  const delegations = [{ namespaces: ['p'], records: [{ pattern: '*' }] }];
  cluster.put(parseRef('Zone p/e'), { domainName: 'e.', ttl: 300, delegations });
  cluster.put(parseRef('Record p/www'), { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' });
  await reconcile(world.context, ['Zone p/e', 'Record p/www'].map(parseRef));
  await deliverAll(world);
  cluster.remove(parseRef('Record p/www'));
  cluster.put(parseRef('Record q/www'), { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' });
  const said = await advice('www.e.');
  expect(said).toMatch(/^Record q\/www is not accepted \(DelegationDenied\): .*add to its delegations/);
  expect(said).toContain('until then, zone53 apply and the pipeline delete A www.e., published for Record p/www.');
  // An accepted object of another type changes nothing of that.
  cluster.put(parseRef('Record p/six'), { domainName: 'www.e.', type: 'AAAA', rdata: '2001:db8::1' });
  expect(await advice('www.e.')).toBe(said);
});

test('adviseOn() says what somebody changed by hand before what the plan would do, which apply refuses', async () => {
  const world = delegatingWorld();
  const { cluster, context, route53 } = world;
  const put = (rdata: string) =>
    cluster.put(parseRef('Record p/www'), { domainName: 'www.e.', type: 'A', ttl: 60, rdata });
  put('192.0.2.1');
  await reconcile(context, ['Zone p/e', 'Record p/www'].map(parseRef));
  await deliverAll(world);
  const key = { name: 'www.e.', type: 'A', setIdentifier: null };
  route53.edit('Z1', key, { kind: 'values', ttlSeconds: 60, values: ['192.0.2.9'] });
  const explain = async () => explainName(context, await readCluster(context), 'www.e.', null);
  const drifted = 'Route 53 has A www.e. 192.0.2.9 (TTL 60), which is not what zone53 published: somebody changed it.';
  const before = await explain();
  expect(before.route53).toMatchObject([{ owner: 'drifted' }]);
  expect(before.objects).toMatchObject([
    { programmed: { reason: 'Drifted', message: expect.stringContaining(drifted) } },
  ]);
  put('192.0.2.3');
  expect((await explain()).advice).toContain(drifted);
  cluster.remove(parseRef('Record p/www'));
  const deleted = await explain();
  expect(deleted.pending).toMatchObject([{ action: 'delete' }]);
  expect(deleted.advice).toContain(drifted);
  // The content that is wanted is no drift, whoever wrote it.
  put('192.0.2.9');
  expect((await explain()).advice).not.toContain('somebody changed it');
});

test('adviseOn() leaves the NS and SOA that Route 53 made to Route 53', async () => {
  const { context } = delegatingWorld();
  const said = await explainName(context, await readCluster(context), 'e.', 'NS');
  expect(said.route53).toMatchObject([{ type: 'NS', owner: 'route53' }]);
  expect(said.advice).toBe('Nothing to do: Route 53 has what is desired.');
});

test('explainName() says of every record set of a name what was published last', async () => {
  const world = delegatingWorld();
  const { cluster, context } = world;
  const routed = (id: string) => ({ routing: { setIdentifier: id, weight: 1 } });
  const A = { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' };
  cluster.put(parseRef('Record p/b'), { ...A, ...routed('blue') });
  cluster.put(parseRef('Record p/g'), { ...A, ...routed('green') });
  cluster.put(parseRef('Record p/t'), { domainName: 'www.e.', type: 'TXT', rdata: '"x"' });
  await reconcile(context, ['Zone p/e', 'Record p/b', 'Record p/g', 'Record p/t'].map(parseRef));
  await deliverAll(world);
  const { published } = await explainName(context, await readCluster(context), 'www.e.', null);
  expect(published.map(({ type, setIdentifier }) => [type, setIdentifier])).toEqual([
    ['A', 'blue'],
    ['A', 'green'],
    ['TXT', null],
  ]);
});

test('explainName() believes the status of an object where the ledger is elsewhere', async () => {
  const world = delegatingWorld();
  const { cluster, context } = world;
  cluster.put(parseRef('Record p/www'), { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' });
  await reconcile(context, ['Zone p/e', 'Record p/www'].map(parseRef));
  await deliverAll(world);
  const conditions = (observedGeneration: number | null) => [
    { type: 'Programmed', status: 'True', reason: 'Published', message: 'in hosted zone Z1', observedGeneration },
  ];
  const elsewhere = async (status: (generation: number | null) => unknown) => {
    const reader = { ...context, ledger: memoryLedger() };
    const reading = await readCluster(reader);
    const objects = reading.listing.objects.map((object) => ({ ...object, status: status(object.generation) }));
    return explainName(reader, { ...reading, listing: { ...reading.listing, objects } }, 'www.e.', null);
  };
  const said = await elsewhere((generation) => ({ conditions: conditions(generation) }));
  expect(said.advice).toBe('Nothing to do: Route 53 has what is desired, as the objects themselves say.');
  expect(said.objects).toMatchObject([{ programmed: { reason: 'Published' } }]);
  expect(said.route53).toMatchObject([{ owner: 'zone53' }]);
  expect(said.pending).toEqual([]);
  const old = await elsewhere(() => ({ conditions: conditions(99) }));
  expect(old.objects).toMatchObject([
    { programmed: { reason: 'Pending', message: expect.stringContaining('earlier') } },
  ]);
  const unknown = await elsewhere(() => undefined);
  expect(unknown.advice).toContain('this ledger is empty, so it is not known who published it');
  expect(unknown.advice).not.toContain('delete');
});

test('adviseOn() names external-dns as the owner of what stands as wanted, also where the ledger is empty', async () => {
  const { context, cluster, route53 } = delegatingWorld();
  cluster.put(parseRef('Record p/www'), { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' });
  const www = { kind: 'values', ttlSeconds: 300, values: ['192.0.2.1'] } as const;
  route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: null }, www);
  const owner = '"heritage=external-dns,external-dns/owner=prod,external-dns/resource=ingress/p/www"';
  const text = { kind: 'values', ttlSeconds: 300, values: [owner] } as const;
  route53.edit('Z1', { name: 'a-www.e.', type: 'TXT', setIdentifier: null }, text);
  const knowing = { ...context, account: { ...context.account, externalDns: [{ ...REGISTRY, ownerId: 'other' }] } };
  const { advice: said } = await explainName(knowing, await readCluster(knowing), 'www.e.', null);
  expect(said).toContain('It belongs to external-dns with the owner "prod"');
  expect(said).not.toContain('it is not known who published it');
});
