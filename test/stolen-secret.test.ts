// Counts what somebody with the stolen secret of a sender can make zone53 do. docs/security.md gives these figures.
import { describe, expect, test } from 'vitest';
import { EVENTS_MAX } from '../events/object-hints.ts';
import type { Cluster } from '../lib/ports/cluster.ts';
import type { Hint } from '../lib/ports/queues.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { countingLedger } from './fakes/counting-ledger.ts';
import { deliverAll, reconcileWorld, saveAll } from './fakes/reconcile-world.ts';

const RECORDS = 1_200;

/**
 * A settled cluster of one Zone and many Records, made once for all tests. Returns a function that gives the cost of
 * hints.
 */
function settledWorld() {
  settled ??= newSettledWorld();
  return settled;
}

let settled: ReturnType<typeof newSettledWorld> | null = null;

async function newSettledWorld() {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const delegations = [{ zones: ['*'], records: [{ pattern: '*' }] }];
  world.cluster.put({ kind: 'Zone', namespace: 'a', name: 'root' }, { domainName: 'e.', delegations });
  for (let index = 0; index < RECORDS; index += 1) {
    const spec = { domainName: `r${index}.e.`, type: 'A', rdata: '192.0.2.1' };
    world.cluster.put({ kind: 'Record', namespace: 'a', name: `r${index}` }, spec);
  }
  await saveAll(world);
  world.queued.publish.add('Z1');
  await deliverAll(world);
  const ledger = countingLedger(world.ledger);
  let asked = 0;
  const counted = <K extends keyof Cluster>(method: K) =>
    ((...args: unknown[]) => {
      asked += 1;
      return (world.cluster.port[method] as (...args: unknown[]) => unknown)(...args);
    }) as Cluster[K];
  const cluster = { ...world.cluster.port, get: counted('get'), listPage: counted('listPage') };
  return async (hints: readonly Hint[]) => {
    asked = 0;
    ledger.take();
    const before = world.route53.calls.length;
    await reconcile({ ...world.context, ledger: ledger.port, cluster }, hints);
    const { itemsRead, itemsWritten } = ledger.take();
    const calls = world.route53.calls.length - before;
    return { asked, itemsRead, itemsWritten, calls, hints: world.queued.hints.splice(0).length };
  };
}

describe("a stolen sender's secret", () => {
  test('1,000 events about objects that do not exist cost one read of the API server and two items of the ledger each', async () => {
    const cost = await settledWorld();
    const hints = Array.from(
      { length: EVENTS_MAX },
      (_, index): Hint => ({ kind: 'Record', namespace: 'x', name: `n${index}` }),
    );
    const { asked, itemsRead, itemsWritten, calls } = await cost(hints);
    expect(asked).toBe(EVENTS_MAX);
    expect(itemsRead).toBeLessThanOrEqual(2 * EVENTS_MAX);
    expect({ itemsWritten, calls }).toEqual({ itemsWritten: 0, calls: 0 });
  });

  test('an event that names only a namespace costs one page of its objects, and a message for the next page', async () => {
    const cost = await settledWorld();
    const { asked, itemsRead, itemsWritten, hints } = await cost([{ kind: 'Record', namespace: 'a', name: null }]);
    expect(asked).toBeLessThanOrEqual(2);
    expect(itemsRead).toBeLessThanOrEqual(2_000);
    expect({ itemsWritten, hints }).toEqual({ itemsWritten: 0, hints: 1 });
  });

  test('1,000 events about objects that exist cost some reads each, and write nothing', async () => {
    const cost = await settledWorld();
    const hints = Array.from(
      { length: EVENTS_MAX },
      (_, index): Hint => ({ kind: 'Record', namespace: 'a', name: `r${index}` }),
    );
    // The first time notes the versions of the statuses that were just written.
    await cost(hints);
    const { asked, itemsRead, itemsWritten, calls } = await cost(hints);
    expect(asked).toBe(EVENTS_MAX);
    expect(itemsRead).toBeLessThanOrEqual(10 * EVENTS_MAX + 10);
    expect({ itemsWritten, calls }).toEqual({ itemsWritten: 0, calls: 0 });
  });
});
