// The requests to DynamoDB of many changes at once. Each change reads and writes some twenty items. What many of them
// ask for shares requests, so a change costs less than one, in whatever order the API server answers.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dynamodbLedger } from '../../lib/adapters/ledger/dynamodb-ledger.ts';
import { reconcile } from '../../lib/resolve/reconcile-hints.ts';
import { describeWithEngine } from '../engines/engines.ts';
import {
  deliverAll,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  saveAll,
  statusesFromScratch,
  statusesReported,
  through,
} from '../fakes/reconcile-world.ts';
import { type LocalTable, openLocalTable } from '../support/local-table.ts';

const TABLE = 'zone53-ledger';
const RECORDS = 400;
const ref = (index: number) => ({ kind: 'Record' as const, namespace: 'default', name: `r${index}` });

let local: LocalTable;
let world: ReconcileWorld;
let requests = 0;

function putRecords(address: string): void {
  for (let index = 0; index < RECORDS; index += 1)
    world.cluster.put(ref(index), { domainName: `r${index}.example.org.`, type: 'A', rdata: address });
}

/** How many requests the work takes. */
async function counted(work: () => Promise<void>): Promise<number> {
  const before = requests;
  await work();
  return requests - before;
}

describeWithEngine('dynamodb-local', `${RECORDS} changes at once`, () => {
  beforeAll(async () => {
    local = await openLocalTable(TABLE);
    local.client.middlewareStack.add(
      (next) => async (args) => {
        requests += 1;
        return next(args);
      },
      { step: 'initialize', name: 'counted', priority: 'low' },
    );
    const made = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'example.org.' }] });
    const ledger = made.cluster.noting(dynamodbLedger(local.documentClient, TABLE));
    // The API server answers in any order, some time later.
    const port: typeof made.context.cluster = {
      ...made.context.cluster,
      get: async (...asked) => {
        await late();
        return made.context.cluster.get(...asked);
      },
      report: async (...asked) => {
        await late();
        return made.context.cluster.report(...asked);
      },
    };
    world = through(made, { ledger, cluster: port });
  });
  afterAll(() => local?.close());

  it('take less than a request each: to reconcile, and to publish and report', async () => {
    const delegations = [{ records: [{ pattern: '*' }] }];
    world.cluster.put({ kind: 'Zone', namespace: 'default', name: 'z' }, { domainName: 'example.org.', delegations });
    putRecords('192.0.2.1');
    await saveAll(world);
    await deliverAll(world);
    putRecords('192.0.2.2');
    const hints = Array.from({ length: RECORDS }, (_, index) => hintFor(ref(index)));
    const reconciled = await counted(() => reconcile(world.context, hints));
    const told = await counted(() => deliverAll(world));
    expect(statusesReported(world)).toEqual(await statusesFromScratch(world));
    // Measured: 167 to 186, and 225 to 400.
    expect(reconciled).toBeLessThan(0.75 * RECORDS);
    expect(told).toBeLessThan(1.5 * RECORDS);
  });
});

let answers = 0;

/** Resolves after up to 10 ms. */
function late(): Promise<void> {
  answers += 1;
  const ms = (answers * 7) % 11;
  return new Promise((resolve) => setTimeout(resolve, ms));
}
