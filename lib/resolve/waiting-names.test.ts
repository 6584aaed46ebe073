// What stood stays while there is nothing new to say, and goes when the object asks for the name no more.
import { expect, test } from 'vitest';
import {
  deliverAll,
  deliverHints,
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  standingInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { type ObjectRef, parseRef } from '../objects/object-ref.ts';
import { INGRESS } from '../sources/external-dns/ingress.ts';
import { SERVICE } from '../sources/external-dns/service.ts';
import { RECORD } from '../sources/kubizone/parse-record.ts';

const ZONE: ObjectRef = parseRef('Zone p/e');
const WEB: ObjectRef = parseRef('Service shop/web');
const SPEC = { type: 'LoadBalancer' };
const EMPTY = { loadBalancer: {} };

function balanced(ip: string) {
  return { loadBalancer: { ingress: [{ ip }] } };
}

async function put(
  world: ReconcileWorld,
  annotations: Readonly<Record<string, string>>,
  status: unknown,
): Promise<void> {
  const keys = Object.entries(annotations).map(([key, value]) => [`external-dns.kubernetes.io/${key}`, value]);
  world.cluster.put(WEB, SPEC, Object.fromEntries(keys), 0, {}, status);
  await settle(world, WEB);
}

async function settle(world: ReconcileWorld, ref: ObjectRef): Promise<void> {
  await reconcile(world.context, [hintFor(ref)]);
  await deliverHints(world);
  await deliverAll(world);
}

/** `name values` of the published addresses. */
function standing(world: ReconcileWorld): string[] {
  return standingInRoute53(world)
    .filter((line) => / A /.test(line))
    .map((line) => `${line.split(' ')[1]} ${JSON.parse(line.slice(line.indexOf('{'))).values.join(',')}`);
}

async function worldWithWeb(): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], sources: [RECORD, SERVICE, INGRESS] });
  world.cluster.put(ZONE, { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  await settle(world, ZONE);
  await put(world, { hostname: 'w.e' }, balanced('192.0.2.1'));
  expect(standing(world)).toEqual(['w.e. 192.0.2.1']);
  return world;
}

test('a Service that loses its load balancer keeps its name and address until it has another', async () => {
  const world = await worldWithWeb();
  await put(world, { hostname: 'w.e' }, EMPTY);
  expect(standing(world)).toEqual(['w.e. 192.0.2.1']);
  await put(world, { hostname: 'w.e' }, balanced('192.0.2.2'));
  expect(standing(world)).toEqual(['w.e. 192.0.2.2']);
});

test('a Service without a load balancer loses a name with its annotation, and a new name waits', async () => {
  const world = await worldWithWeb();
  await put(world, { hostname: 'w.e,v.e' }, EMPTY);
  expect(standing(world)).toEqual(['w.e. 192.0.2.1']);
  await put(world, { hostname: 'v.e' }, EMPTY);
  expect(standing(world)).toEqual([]);
  await put(world, { hostname: 'v.e' }, balanced('192.0.2.2'));
  expect(standing(world)).toEqual(['v.e. 192.0.2.2']);
});

test('a Service without a load balancer loses its name with the object, and when another controller is named', async () => {
  const world = await worldWithWeb();
  await put(world, { hostname: 'w.e', controller: 'other' }, EMPTY);
  expect(standing(world)).toEqual([]);
  await put(world, { hostname: 'w.e' }, balanced('192.0.2.1'));
  world.cluster.remove(WEB);
  await settle(world, WEB);
  expect(standing(world)).toEqual([]);
});

test('a Service with an annotation that cannot be read keeps its name and address', async () => {
  const world = await worldWithWeb();
  for (const wrong of [{ 'aws-weight': 'x' }, { alias: 'maybe' }, { target: 'a..b' }]) {
    await put(world, { hostname: 'w.e', ...wrong }, balanced('192.0.2.2'));
    expect(standing(world), JSON.stringify(wrong)).toEqual(['w.e. 192.0.2.1']);
  }
  await put(world, { hostname: 'w..e' }, balanced('192.0.2.2'));
  expect(standing(world)).toEqual(['w.e. 192.0.2.1']);
  await put(world, { hostname: 'w.e', ttl: 'x' }, balanced('192.0.2.2'));
  expect(standing(world)).toEqual(['w.e. 192.0.2.2']);
});
