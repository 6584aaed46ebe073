// explain follows the delegations of a name from the hosted zone above, and says what no resolver sees.
import { expect, test } from 'vitest';
import { deliverAll, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { readCluster } from '../observe/read-cluster.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { explainName } from './explain-name.ts';

const HOSTED_ZONES = [
  { id: 'Z1', name: 'e.' },
  { id: 'Z2', name: 's.e.' },
];
const ZONES = { records: [{ pattern: '*' }, { pattern: '@' }] };

/** A Zone that delegates s.e. to another one with a hosted zone of its own, and Records in both. */
async function delegated(hostedZones = HOSTED_ZONES) {
  const world = reconcileWorld({ hostedZones, config: { soa: 'never' } });
  const { cluster, context } = world;
  const put = (ref: string, spec: object) => cluster.put(parseRef(ref), spec);
  put('Zone p/e', { domainName: 'e.', ttl: 300, delegations: [ZONES, { namespace: 'p', zones: ['s'] }] });
  put('Zone p/s', { domainName: 's.e.', ttl: 300, delegations: [ZONES] });
  put('Record p/w', { domainName: 'w.s.e.', type: 'A', rdata: '192.0.2.1' });
  put('Record p/cut', { domainName: 'cut.e.', type: 'NS', values: ['ns.net.', 'ns.in.cut.e.'] });
  put('Record p/below', { domainName: 'x.cut.e.', type: 'A', rdata: '192.0.2.1' });
  put('Record p/glue', { domainName: 'ns.in.cut.e.', type: 'A', rdata: '192.0.2.1' });
  const refs = ['Zone p/e', 'Zone p/s', 'Record p/w', 'Record p/cut', 'Record p/below', 'Record p/glue'];
  await reconcile(context, refs.map(parseRef));
  await deliverAll(world);
  const explain = async (name: string) => explainName(context, await readCluster(context), name, null);
  return { ...world, put, explain };
}

test('explainName() follows the NS from hosted zone to hosted zone', async () => {
  const { explain } = await delegated();
  const { delegation, advice } = await explain('w.s.e.');
  expect(delegation).toMatchObject({ path: HOSTED_ZONES, cut: null, answer: [{ type: 'A' }], problem: null });
  expect(advice).toBe('Nothing to do: Route 53 has what is desired.');
  expect((await explain('w.example.')).delegation).toBeNull();
});

test('explainName() says that nothing delegates to a hosted zone, and which rule would', async () => {
  const { put, explain, route53 } = await delegated();
  put('Zone p/e', { domainName: 'e.', ttl: 300, delegations: [ZONES] });
  const soon = await explain('w.s.e.');
  expect(soon.delegation?.problem).toContain('The NS record set s.e. is to be deleted in hosted zone Z1 (e.)');
  route53.edit('Z1', { name: 's.e.', type: 'NS', setIdentifier: null }, null);
  const dark = await explain('w.s.e.');
  expect(dark.delegation).toMatchObject({ path: [{ id: 'Z1' }], cut: null, answer: [] });
  expect(dark.advice).toContain(
    'Resolvers that come through hosted zone Z1 (e.) do not see what hosted zone Z2 (s.e.) has: there is no NS record set s.e.',
  );
  expect(dark.advice).toContain('add to its delegations { namespaces: [p], zones: ["s"] }');
});

test('explainName() says that NS lead past the hosted zone that is published', async () => {
  const { explain, route53 } = await delegated();
  const content = { kind: 'values', ttlSeconds: 300, values: ['ns.others.'] } as const;
  route53.edit('Z1', { name: 's.e.', type: 'NS', setIdentifier: null }, content);
  const { delegation, advice } = await explain('w.s.e.');
  expect(delegation).toMatchObject({ path: [{ id: 'Z1' }], cut: { name: 's.e.', nameServers: ['ns.others.'] } });
  expect(advice).toContain('hosted zone Z1 (e.) delegates s.e. to ns.others.');
  expect(advice).toContain('it needs the NS record set s.e. with ns-1.awsdns-01.org.');
});

test('explainName() says of a record set below a delegation that nobody sees it, but not of glue and the NS', async () => {
  const { explain, put, route53 } = await delegated();
  const { delegation, advice } = await explain('x.cut.e.');
  expect(delegation).toMatchObject({ path: [{ id: 'Z1' }], cut: { name: 'cut.e.' }, answer: null });
  expect(advice).toContain('x.cut.e. is below the delegation cut.e. in hosted zone Z1 (e.), by Record p/cut');
  for (const name of ['ns.in.cut.e.', 'cut.e.']) expect((await explain(name)).delegation?.problem).toBeNull();
  expect((await explain('y.cut.e.')).advice).toContain(
    'delegates cut.e. to ns.in.cut.e., ns.net.. Create y.cut.e. there',
  );
  // Delegated by hand.
  const content = { kind: 'values', ttlSeconds: 300, values: ['ns.hand.'] } as const;
  route53.edit('Z1', { name: 'h.e.', type: 'NS', setIdentifier: null }, content);
  put('Record p/hand', { domainName: 'h.e.', type: 'A', rdata: '192.0.2.1' });
  const hand = await explain('h.e.');
  expect(hand.delegation?.cut).toEqual({ name: 'h.e.', nameServers: ['ns.hand.'] });
  expect(hand.advice).toContain('h.e. is at the delegation h.e. in hosted zone Z1 (e.): resolvers ask ns.hand.');
});

test('explainName() says where a hosted zone of the account answers in place of the one that is published', async () => {
  const { explain, put, context, route53 } = await delegated([...HOSTED_ZONES, { id: 'Z3', name: 'own.e.' }]);
  const content = { kind: 'values', ttlSeconds: 300, values: ['ns-1.awsdns-01.org.'] } as const;
  route53.edit('Z1', { name: 'own.e.', type: 'NS', setIdentifier: null }, content);
  put('Record p/own', { domainName: 'x.own.e.', type: 'A', rdata: '192.0.2.1' });
  await reconcile(context, [parseRef('Record p/own')]);
  const { delegation, advice } = await explain('x.own.e.');
  expect(delegation?.path).toMatchObject([{ id: 'Z1' }, { id: 'Z3' }]);
  expect(advice).toContain('resolvers ask hosted zone Z3, and never see what is published here. Declare a Zone own.e.');
});

test('explainName() says what it could follow where hosted zones may not be listed or read', async () => {
  const { context } = await delegated();
  const refuse = () => Promise.reject(new Error('AccessDenied'));
  const hostedZones = { ...context.account.hostedZones, list: refuse };
  const unlisted = await explainName(
    { ...context, account: { hostedZones } },
    await readCluster(context),
    'w.s.e.',
    null,
  );
  expect(unlisted.delegation).toMatchObject({ path: HOSTED_ZONES, unread: 'AccessDenied', problem: null });
});
