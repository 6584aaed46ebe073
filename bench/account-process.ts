// Measures one row of account.ts in a process of its own, so that its CPU and memory hold nothing else. Route 53 is a
// double in the same process, and the figures include it.
//
//   node bench/account-process.ts import | plan | plan-reading
//
// Prints a line of JSON: CPU seconds, peak memory in MiB, Route 53 calls, and what the work came to.

import { printManifests } from '../cli/account/print-manifests.ts';
import { importHostedZone } from '../lib/import/import-hosted-zone.ts';
import type { HostedZones } from '../lib/ports/hosted-zones.ts';
import { compareRoute53Names } from '../lib/route53/listing-order.ts';
import type { MemoryHostedZones } from '../test/fakes/memory-hosted-zones.ts';
import { memoryHostedZones } from '../test/fakes/memory-hosted-zones.ts';
import { planCluster } from '../test/fakes/plan-cluster.ts';
import { reconcileWorld } from '../test/fakes/reconcile-world.ts';

export type AccountCost = {
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly calls: number;
  /** Objects imported, or changes planned. */
  readonly count: number;
};

const SETS = 10_000;
const PAGE_SETS = 300;
const APEX = 'example.org.';
const ADDRESS = '192.0.2.1';
const TTL_SECONDS = 300;

function fill(route53: MemoryHostedZones): void {
  for (let index = 0; index < SETS; index += 1) {
    const key = { name: `r${index}.${APEX}`, type: 'A', setIdentifier: null };
    route53.edit('Z1', key, { kind: 'values', ttlSeconds: TTL_SECONDS, values: [ADDRESS] });
  }
}

/**
 * The port over a hosted zone that is sorted once, beforehand. The double sorts the hosted zone for every page, and
 * that cost must stay out of the figures.
 */
function paged({ port, recordSets, calls }: MemoryHostedZones): HostedZones {
  const all = recordSets('Z1').sort((a, b) => compareRoute53Names(a.name, b.name) || (a.type < b.type ? -1 : 1));
  const indexes = new Map(all.map((set, index) => [`${set.name} ${set.type}`, index]));
  return {
    ...port,
    readPage: async (id, from) => {
      const begin = from === null ? 0 : indexes.get(`${from.name} ${from.type}`);
      if (begin === undefined) return port.readPage(id, from);
      calls.push({ method: 'readPage', elements: 0, accepted: true });
      return { recordSets: all.slice(begin, begin + PAGE_SETS), next: all[begin + PAGE_SETS] ?? null };
    },
  };
}

/** Measures `work`, which returns the count. */
async function costOf(route53: MemoryHostedZones, work: () => Promise<number>): Promise<AccountCost> {
  const before = process.cpuUsage();
  route53.calls.length = 0;
  const count = await work();
  const { user, system } = process.cpuUsage(before);
  const peakMiB = Math.round(process.resourceUsage().maxRSS / 1_024);
  return { cpuSeconds: (user + system) / 1_000_000, peakMiB, calls: route53.calls.length, count };
}

async function importAll(): Promise<AccountCost> {
  const route53 = memoryHostedZones([{ id: 'Z1', name: APEX }]);
  fill(route53);
  const hostedZones = paged(route53);
  return costOf(route53, async () => {
    const imported = await importHostedZone(hostedZones, 'Z1', { namespace: 'a', zoneName: null, progress: () => {} });
    if (imported === 'gone') throw new Error('The hosted zone is gone');
    return printManifests(imported.manifests).split('\n---').length;
  });
}

async function planAll(reads: boolean): Promise<AccountCost> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: APEX }] });
  const zone = { domainName: APEX, delegations: [{ records: [{ pattern: '*' }] }] };
  world.cluster.put({ kind: 'Zone', namespace: 'a', name: 'z' }, zone);
  for (let index = 0; index < SETS; index += 1) {
    const spec = { domainName: `r${index}.${APEX}`, type: 'A', rdata: ADDRESS, ttl: TTL_SECONDS };
    world.cluster.put({ kind: 'Record', namespace: 'a', name: `r${index}` }, spec);
  }
  fill(world.route53);
  const context = { ...world.context, account: { hostedZones: paged(world.route53) } };
  return costOf(world.route53, async () => {
    const { hostedZones } = await planCluster(context, { reads });
    return hostedZones.reduce((sum, { plan }) => sum + plan.changes.length, 0);
  });
}

const [what] = process.argv.slice(2);
const cost = what === 'import' ? await importAll() : await planAll(what === 'plan-reading');
process.stdout.write(`${JSON.stringify(cost)}\n`);
