// The advice for a name that several objects ask for, one of which cannot be published.
import { expect, test } from 'vitest';
import { deliverAll, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
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
    'Route 53 has A www.e. 192.0.2.9 (TTL 300), which is not what zone53 published: somebody changed it. To manage it, annotate Zone p/e with zone53.dev/takeover: "true"; else delete it in Route 53.',
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
  for (const [name, type] of [['x.e.', 'AAAA'], ['a.e.'], ['b.a.e.'], ['b.s.e.']] as const) {
    expect(await advice(name, type)).toContain('create a Record with domainName: ');
  }
  cluster.put(parseRef('Record p/alias'), { domainName: '*.c.e.', type: 'CNAME', rdata: 'www.net.' });
  expect(await advice('x.c.e.', 'AAAA')).toContain('*.c.e. answers for it');
});
