// The advice for a name that several objects ask for, one of which cannot be published.
import { expect, test } from 'vitest';
import { reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { readCluster } from '../observe/read-cluster.ts';
import { explainName } from './explain-name.ts';

/** A Zone with a sub-zone that is hosted elsewhere. */
function delegatingWorld() {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
  const delegations = [{ records: [{ pattern: '*' }, { pattern: '@' }], zones: ['*'] }];
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', ttl: 300, delegations });
  world.cluster.put(parseRef('Zone p/s'), { domainName: 's.e.', ttl: 300, delegations });
  world.cluster.put(parseRef('Record p/ns'), { domainName: 's.e.', type: 'NS', rdata: 'ns.net.' });
  const advice = async (name: string) =>
    (await explainName(world.context, await readCluster(world.context), name, null)).advice;
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
