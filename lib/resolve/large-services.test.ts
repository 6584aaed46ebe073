// Services with many endpoints: a change of one costs the same whatever the others are, and what is read once for all
// names is never the last word.
import { describe, expect, test } from 'vitest';
import {
  deliverAll,
  deliverHints,
  desiredFromScratch,
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  through,
} from '../../test/fakes/reconcile-world.ts';
import { parseConfig } from '../adapters/config/config-file.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Ledger } from '../ports/ledger.ts';
import { sourcesOn } from '../sources/source.ts';

const SERVICE = parseRef('Service shop/web');
const SLICE = parseRef('EndpointSlice shop/web-x');

/** A headless Service with this many endpoints, published with its PTRs. */
async function worldOf(count: number): Promise<ReconcileWorld> {
  const { sources } = parseConfig('sources: { serviceDiscovery: { zone: k } }', 'zone53.yaml');
  const hostedZones = [
    { id: 'Z1', name: 'k.' },
    { id: 'Z2', name: '10.in-addr.arpa.' },
  ];
  const world = reconcileWorld({ hostedZones, config: { sources }, sources: sourcesOn(sources) });
  const { cluster } = world;
  const refs = [parseRef('Zone p/k'), parseRef('Zone p/r'), SERVICE];
  cluster.put(parseRef('Zone p/k'), { domainName: 'k.', delegations: [] });
  cluster.put(parseRef('Zone p/r'), {
    domainName: '10.in-addr.arpa.',
    delegations: [{ records: [{ pattern: '*' }] }],
  });
  cluster.put(SERVICE, { clusterIP: 'None' });
  putSlice(world, endpoints(count));
  await reconcile(world.context, refs.map(hintFor));
  await deliverHints(world);
  await deliverAll(world);
  return world;
}

function endpoints(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => `10.0.${(from + index) >> 8}.${(from + index) & 255}`);
}

function putSlice({ cluster }: ReconcileWorld, addresses: readonly string[]): void {
  const spec = {
    addressType: 'IPv4',
    endpoints: addresses.map((address) => ({ addresses: [address] })),
    ports: [{ name: 'http', port: 80 }],
  };
  cluster.put(SLICE, spec, {}, 0, { 'kubernetes.io/service-name': 'web' });
}

/** The same world; `before` runs before each write to its ledger. */
function withWrites(world: ReconcileWorld, before: (...call: Parameters<Ledger['put']>) => Promise<void>) {
  const { ledger } = world;
  return through(world, {
    ledger: {
      ...ledger,
      put: async (...call) => {
        await before(...call);
        return ledger.put(...call);
      },
    },
  });
}

describe('a Service with many endpoints', () => {
  test('costs the ledger the same for one more endpoint, however many others there are', async () => {
    const calls = await Promise.all(
      [20, 60].map(async (count) => {
        const world = await worldOf(count);
        world.clock.ms += 60_000;
        putSlice(world, endpoints(count + 1));
        let count_ = 0;
        const { ledger } = world;
        const counted = <Call extends readonly unknown[], Result>(call: (...of: Call) => Result) => {
          return (...of: Call): Result => {
            count_ += 1;
            return call(...of);
          };
        };
        const counting: Ledger = {
          ...ledger,
          get: counted(ledger.get),
          put: counted(ledger.put),
          query: counted(ledger.query),
          remove: counted(ledger.remove),
        };
        await reconcile(through(world, { ledger: counting }).context, [hintFor(SERVICE)]);
        await deliverAll(world);
        expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
        return count_;
      }),
    );
    expect(calls[0]).toBeGreaterThan(10);
    expect(calls[1]).toBe(calls[0]);
  });

  test('has its current endpoints after a run that was overtaken while it settled the names', async () => {
    const world = await worldOf(20);
    const told = async () => {
      world.clock.ms += 60_000;
      await reconcile(world.context, [hintFor(SERVICE)]);
    };
    let isOvertaken = false;
    const slow = withWrites(world, async ({ partition }) => {
      if (isOvertaken || !partition.startsWith('recordsets#')) return;
      isOvertaken = true;
      putSlice(world, endpoints(5, 100));
      await told();
    });
    putSlice(world, endpoints(20, 40));
    world.clock.ms += 60_000;
    await reconcile(slow.context, [hintFor(SERVICE)]);
    expect(isOvertaken).toBe(true);
    await deliverHints(world);
    expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  });

  test('has its current endpoints when a run with an older object meets what a dead run left', async () => {
    const world = await worldOf(20);
    const [late, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const settles = Promise.withResolvers<void>();
    let isDead = false;
    const { ledger } = world;
    // This run dies after it has written the names that the object asks for.
    const dying: Ledger = {
      ...ledger,
      put: async (key, ...rest) => {
        if (key.partition.startsWith('names#')) await late.promise;
        return ledger.put(key, ...rest);
      },
      query: (...call) => (isDead ? Promise.reject(new Error('the process died')) : ledger.query(...call)),
    };
    const slowly = withWrites(world, async ({ partition }) => {
      if (!partition.startsWith('recordsets#')) return;
      settles.resolve();
      await slow.promise;
    });
    const tell = async ({ context }: ReconcileWorld) => reconcile(context, [hintFor(SERVICE)]);
    putSlice(world, endpoints(20, 40));
    world.clock.ms += 60_000;
    const died = expect(tell(through(world, { ledger: dying }))).rejects.toThrow('the process died');
    const kept = tell(slowly);
    await settles.promise;
    putSlice(world, endpoints(5, 100));
    world.clock.ms += 60_000;
    await tell(world);
    isDead = true;
    late.resolve();
    await died;
    slow.resolve();
    await kept;
    expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  });

  test.each([1, 5, 20, 60, 120])('is settled by its hint after a run that died at write %i', async (dies) => {
    const world = await worldOf(20);
    let writes = 0;
    const dying = withWrites(world, async () => {
      writes += 1;
      if (writes >= dies) throw new Error('the process died');
    });
    putSlice(world, [...endpoints(10), ...endpoints(10, 40)]);
    world.clock.ms += 60_000;
    await reconcile(dying.context, [hintFor(SERVICE)]).catch(() => {});
    await reconcile(world.context, [hintFor(SERVICE)]);
    await deliverHints(world);
    expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  });
});
