// Measures what one changed Record costs, from its hint to Route 53, in a zone of `records` records and a cluster of
// `zones` Zones. The test and the benchmark of the hot path both use it.
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import { report } from '../../lib/report/report-object.ts';
import { reconcile } from '../../lib/resolve/reconcile-hints.ts';
import { countingLedger, type LedgerCounts } from './counting-ledger.ts';
import { publishWhole } from './publish-whole.ts';
import { hintFor, type ReconcileWorld, reconcileWorld, saveAll, through } from './reconcile-world.ts';

export const HOT_PATH_STEPS = ['create', 'edit', 'delete', 'move a weight'] as const;
type HotPathStep = (typeof HOT_PATH_STEPS)[number];

export type HotPathCost = {
  readonly records: number;
  readonly zones: number;
  readonly step: HotPathStep;
  readonly reconcile: LedgerCounts;
  readonly publish: LedgerCounts;
  readonly route53Calls: number;
  readonly clusterLists: number;
  readonly clusterGets: number;
};

const EVERYTHING = [{ zones: ['*'], records: [{ pattern: '*' }, { pattern: '@' }] }];

function recordRef(name: string): ObjectRef {
  return { kind: 'Record', namespace: 'a', name };
}

function recordSpec(label: string, address: string) {
  return { domainName: `${label}.example.org.`, type: 'A', rdata: address };
}

function weightedSpec(setIdentifier: string, weight: number) {
  return { ...recordSpec('weighted', '192.0.2.1'), routing: { setIdentifier, weight } };
}

/** A world with these Records, all of them published. */
async function publishedWorld(records: number, zones: number): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'example.org.' }] });
  const { cluster } = world;
  cluster.put(
    { kind: 'Zone', namespace: 'a', name: 'example-org' },
    { domainName: 'example.org.', delegations: EVERYTHING },
  );
  for (let index = 1; index < zones; index += 1) {
    const spec = { domainName: `zone-${index}.example.net.`, delegations: EVERYTHING };
    cluster.put({ kind: 'Zone', namespace: 'b', name: `zone-${index}` }, spec);
  }
  for (let index = 0; index < records; index += 1)
    cluster.put(recordRef(`r${index}`), recordSpec(`r${index}`, '192.0.2.1'));
  await saveAll(world);
  await publishWhole(world.deps, 'Z1');
  return world;
}

/**
 * The CPU of an edit, from its hint to the status of its object, in microseconds, with the history and without: of each
 * round the mean of `edits` edits. With and without take turns, so that whatever slows the machine down slows both.
 */
export async function measureHistory(
  records: number,
  { rounds, edits }: { readonly rounds: number; readonly edits: number },
): Promise<Readonly<Record<'kept' | 'off', readonly number[]>>> {
  const { cluster, context, deps, queued } = await publishedWorld(records, 1);
  const off = { ...deps, config: { ...deps.config, history: { days: 0 } } };
  const means = { kept: [] as number[], off: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const spent = { kept: 0, off: 0 };
    for (let edit = 0; edit < 2 * edits; edit += 1) {
      const name = `r${Math.floor(edit / 2) % records}`;
      cluster.put(recordRef(name), recordSpec(name, `192.0.2.${2 + ((2 * round + edit) % 250)}`));
      const before = process.cpuUsage();
      await reconcile(context, [hintFor(recordRef(name))]);
      await publish(edit % 2 === 0 ? deps : off, 'Z1');
      await report(context, [recordRef(name)]);
      const { user, system } = process.cpuUsage(before);
      spent[edit % 2 === 0 ? 'kept' : 'off'] += user + system;
      queued.reports.clear();
    }
    means.kept.push(spent.kept / edits);
    means.off.push(spent.off / edits);
  }
  return means;
}

/** Measures a created, an edited and a deleted Record, and a weighted record set that changes next to another. */
export async function measureHotPath(records: number, zones: number): Promise<HotPathCost[]> {
  const plain = await publishedWorld(records, zones);
  const { cluster, route53 } = plain;
  const counting = countingLedger(plain.ledger);
  const world = through(plain, { ledger: counting.port });
  const costs: HotPathCost[] = [];
  const measure = async (step: HotPathStep, name = 'changed') => {
    const lists = cluster.calls.list;
    const gets = cluster.calls.get;
    const calls = route53.calls.length;
    counting.take();
    await reconcile(world.context, [hintFor(recordRef(name))]);
    const reconciled = counting.take();
    await publish(world.deps, 'Z1');
    costs.push({
      records,
      zones,
      step,
      reconcile: reconciled,
      publish: counting.take(),
      route53Calls: route53.calls.length - calls,
      clusterLists: cluster.calls.list - lists,
      clusterGets: cluster.calls.get - gets,
    });
  };
  cluster.put(recordRef('changed'), recordSpec('changed', '192.0.2.1'));
  await measure('create');
  cluster.put(recordRef('changed'), recordSpec('changed', '192.0.2.2'));
  await measure('edit');
  cluster.remove(recordRef('changed'));
  await measure('delete');
  cluster.put(recordRef('x'), weightedSpec('x', 1));
  cluster.put(recordRef('y'), weightedSpec('y', 1));
  await reconcile(
    plain.context,
    ['x', 'y'].map((name) => hintFor(recordRef(name))),
  );
  await publish(plain.deps, 'Z1');
  cluster.put(recordRef('x'), weightedSpec('x', 2));
  await measure('move a weight', 'x');
  return costs;
}

/** Ledger items read and written, reconcile and publish together. */
export function ledgerItems({ reconcile: first, publish: second }: HotPathCost): number {
  return first.itemsRead + first.itemsWritten + second.itemsRead + second.itemsWritten;
}
