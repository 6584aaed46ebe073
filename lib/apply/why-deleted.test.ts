import { expect, test } from 'vitest';
import { deliverAll, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { readCluster } from '../observe/read-cluster.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { planReading } from './plan-cluster.ts';
import { whyDeleted, whysOf } from './why-deleted.ts';

const HOSTED_ZONES = [
  { id: 'Z1', name: 'e.' },
  { id: 'Z2', name: 's.e.' },
];
const DELEGATIONS = [{ namespaces: ['p'], records: [{ pattern: '*' }], zones: ['s'] }];
const A = { type: 'A', rdata: '192.0.2.1' };

/** A world in which these Records are published; returns how to edit it and why each delete of the plan is one. */
async function published(records: Readonly<Record<string, object>>) {
  const world = reconcileWorld({ hostedZones: HOSTED_ZONES, config: { soa: 'never' } });
  const { cluster, context } = world;
  const put = (ref: string, spec: object) => cluster.put(parseRef(ref), spec);
  put('Zone p/e', { domainName: 'e.', ttl: 300, delegations: DELEGATIONS });
  put('Zone p/s', { domainName: 's.e.', ttl: 300, delegations: DELEGATIONS });
  for (const [name, spec] of Object.entries(records)) put(`Record p/${name}`, spec);
  const refs = ['Zone p/e', 'Zone p/s', ...Object.keys(records).map((name) => `Record p/${name}`)];
  await reconcile(context, refs.map(parseRef));
  await deliverAll(world);
  const whys = async () => {
    const plan = await planReading(context, await readCluster(context), {});
    const kept = whysOf(plan);
    return plan.hostedZones.flatMap((planned) =>
      planned.plan.changes.flatMap((change) => {
        const why = whyDeleted(plan, planned, change);
        expect(kept(planned.hostedZone.id, change)).toBe(why);
        return why === null ? [] : [`${change.name} ${change.type}: ${why}`];
      }),
    );
  };
  return { cluster, put, whys };
}

test('whyDeleted() says that the object is gone, or refused', async () => {
  const { cluster, put, whys } = await published({ a: { domainName: 'a.e.', ...A }, b: { domainName: 'b.e.', ...A } });
  expect(await whys()).toEqual([]);
  cluster.remove(parseRef('Record p/a'));
  cluster.remove(parseRef('Record p/b'));
  put('Record q/b', { domainName: 'b.e.', ...A });
  expect(await whys()).toEqual([
    'a.e. A: Record p/a is gone',
    'b.e. A: Record p/b is gone; Record q/b asks for it and is not accepted (DelegationDenied)',
  ]);
  put('Record p/b', { domainName: 'b.e.', ...A });
  put('Zone p/e', {
    domainName: 'e.',
    ttl: 300,
    delegations: [{ namespaces: ['p'], records: [{ pattern: 'a' }], zones: ['s'] }],
  });
  expect(await whys()).toEqual([
    'a.e. A: Record p/a is gone',
    'b.e. A: Record p/b is not accepted (DelegationDenied); Record q/b asks for it and is not accepted (DelegationDenied)',
  ]);
});

test('whyDeleted() says what the object asks for now, and what takes the place', async () => {
  const { cluster, put, whys } = await published({
    name: { domainName: 'old.e.', ...A },
    type: { domainName: 'type.e.', ...A },
    gone: { domainName: 'next.e.', ...A },
    routed: { domainName: 'r.e.', ...A, routing: { setIdentifier: 'blue', weight: 1 } },
  });
  put('Record p/name', { domainName: 'new.e.', ...A });
  put('Record p/type', { domainName: 'type.e.', type: 'CNAME', rdata: 'x.net.' });
  put('Record p/routed', { domainName: 'r.e.', ...A, routing: { setIdentifier: 'green', weight: 1 } });
  cluster.remove(parseRef('Record p/gone'));
  put('Record p/next', { domainName: 'next.e.', type: 'CNAME', rdata: 'x.net.' });
  expect(await whys()).toEqual([
    'next.e. A: Record p/gone is gone; Record p/next asks for CNAME there',
    'old.e. A: Record p/name asks for new.e. A now',
    'r.e. A: Record p/routed asks for it as [green] now',
    'type.e. A: Record p/type asks for type.e. CNAME now',
  ]);
});

test('whyDeleted() says of the NS of a sub-zone what became of the Zone, and where its names went', async () => {
  const { put, whys, cluster } = await published({ w: { domainName: 'w.s.e.', ...A } });
  const without = [{ namespaces: ['p'], records: [{ pattern: '*' }] }];
  put('Zone p/e', { domainName: 'e.', ttl: 300, delegations: without });
  expect(await whys()).toEqual(['s.e. NS: no Zone above delegates Zone p/s any more']);
  put('Zone p/e', { domainName: 'e.', ttl: 300, delegations: DELEGATIONS });
  put('Zone p/s', { domainName: 't.e.', ttl: 300, delegations: DELEGATIONS });
  expect(await whys()).toContain('s.e. NS: Zone p/s is named t.e. now');
  cluster.remove(parseRef('Zone p/s'));
  expect(await whys()).toEqual(['s.e. NS: Zone p/s is gone', 'w.s.e. A: moved to hosted zone Z1']);
  put('Zone q/s', { domainName: 's.e.', delegations: DELEGATIONS });
  expect(await whys()).toContain(
    's.e. NS: Zone p/s is gone; Zone q/s asks for it and is not accepted (DelegationDenied)',
  );
});
