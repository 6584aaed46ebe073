// Headless Services with ten endpoints each: what the first sync of 1,000 of them takes, and what one endpoint's change
// costs with 100, 1,000 and 10,000 endpoints in the zone, from the EndpointSlice to Route 53. Calls of the ledger are
// counted, not timed.
import { parseConfig } from '../lib/adapters/config/config-file.ts';
import { parseRef } from '../lib/objects/object-ref.ts';
import type { Ledger } from '../lib/ports/ledger.ts';
import { sourcesOn } from '../lib/sources/source.ts';
import { publishWhole } from '../test/fakes/publish-whole.ts';
import {
  deliverHints,
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  saveAll,
  through,
} from '../test/fakes/reconcile-world.ts';

const PODS_EACH = 10;
const IDS = ['Z1', 'Z2'];

export type GrowthRow = {
  readonly endpoints: number;
  readonly 'first sync s': number;
  readonly 'its calls': number;
  readonly 'ledger calls of one change': number;
  readonly 'Route 53 calls of one change': number;
};

/** First sync and one endpoint's change, with as many endpoints in the zone. */
export async function growthOf(endpoints: number): Promise<GrowthRow> {
  const { sources } = parseConfig('sources: { serviceDiscovery: { zone: k } }', 'zone53.yaml');
  const hostedZones = [
    { id: 'Z1', name: 'k.' },
    { id: 'Z2', name: '10.in-addr.arpa.' },
  ];
  const world = reconcileWorld({ hostedZones, config: { sources }, sources: sourcesOn(sources) });
  const { cluster } = world;
  cluster.put(parseRef('Zone p/k'), { domainName: 'k.', delegations: [] });
  const delegations = [{ records: [{ pattern: '*' }] }];
  cluster.put(parseRef('Zone p/r'), { domainName: '10.in-addr.arpa.', delegations });
  for (let index = 0; index < endpoints / PODS_EACH; index += 1) {
    cluster.put(parseRef(`Service shop/s${index}`), { clusterIP: 'None' });
    putSlice(world, index, PODS_EACH);
  }
  const begun = performance.now();
  await saveAll(world);
  const synced = await publishAll(world);
  const seconds = (performance.now() - begun) / 1_000;
  world.clock.ms += 60_000;
  putSlice(world, 0, PODS_EACH + 1);
  let calls = 0;
  const counting = through(world, { ledger: counted(world.ledger, () => (calls += 1)) });
  await reconcile(counting.context, [hintFor(parseRef('EndpointSlice shop/s0-x'))]);
  await deliverHints(counting);
  const published = await publishAll(counting);
  return {
    endpoints,
    'first sync s': Math.round(seconds * 10) / 10,
    'its calls': synced,
    'ledger calls of one change': calls,
    'Route 53 calls of one change': published,
  };
}

function putSlice({ cluster }: ReconcileWorld, service: number, pods: number): void {
  const endpoints = Array.from({ length: pods }, (_, pod) => ({
    addresses: [`10.${service >> 8}.${service & 255}.${pod}`],
  }));
  const spec = { addressType: 'IPv4', endpoints, ports: [{ name: 'http', port: 80 }] };
  const labels = { 'kubernetes.io/service-name': `s${service}` };
  cluster.put(parseRef(`EndpointSlice shop/s${service}-x`), spec, {}, 0, labels);
}

/** Calls of Route 53 until all is published. */
async function publishAll({ deps, route53 }: ReconcileWorld): Promise<number> {
  const before = route53.calls.filter(({ method }) => method === 'change').length;
  for (const id of IDS) await publishWhole(deps, id);
  return route53.calls.filter(({ method }) => method === 'change').length - before;
}

function counted(ledger: Ledger, count: () => void): Ledger {
  const of =
    <Call extends readonly unknown[], Result>(call: (...of: Call) => Result) =>
    (...of: Call): Result => {
      count();
      return call(...of);
    };
  return { ...ledger, get: of(ledger.get), put: of(ledger.put), query: of(ledger.query), remove: of(ledger.remove) };
}
