// 10,000 services are instantiated over 100 DNS Update Records, half of them for external-dns. Each service is one
// request, which returns when the objects in the central cluster are written. The bench compares what a request costs
// when few services exist and when all do. Ledger and cluster are in memory; their items and calls are counted.
import { memoryLedger } from '../lib/adapters/ledger/memory-ledger.ts';
import { answerIntents } from '../lib/intents/http/answer.ts';
import { openIntents } from '../lib/intents/serve/open-intents.ts';
import { countingLedger } from '../test/fakes/counting-ledger.ts';
import { memoryCentralCluster } from '../test/fakes/memory-central-cluster.ts';
import { listBody, recordBody } from '../test/support/intent-client.ts';
import { atMost, type BenchResult } from './result.ts';
import { median } from './statistics.ts';

const RECORDS = 100;
const SERVICES = 10_000;
const QUICK_SERVICES = 2_000;
/** A row is the mean of so many requests. */
const WINDOW = 100;
const RATIO_MAX = 1.3;

type Row = {
  readonly services: number;
  readonly 'requests/s': number;
  readonly 'CPU ms': number;
  readonly 'items read': number;
  readonly 'items written': number;
  readonly 'cluster calls': number;
  readonly 'memory MiB': number;
};

/** Limit: the last services cost at most 1.3 times what the first cost. */
export async function benchIntents({ quick }: { readonly quick: boolean }): Promise<BenchResult> {
  const ledger = countingLedger(memoryLedger());
  const central = memoryCentralCluster();
  const intents = openIntents(
    {
      ledger: ledger.port,
      clusterId: 'bench',
      clock: { nowMs: () => 1_000_000 },
      log: () => {},
      limits: { assumeRoles: [] },
      central: central.port,
      account: { tagsOf: async () => null, roleTrouble: async () => null },
      hint: async () => {},
    },
    { waits: true },
  );
  const ask = async (method: string, target: string, body: object) => {
    const octets = Buffer.from(JSON.stringify(body));
    const answer = await answerIntents(intents.deps, { method, target, headers: {}, body: octets });
    if (answer.status >= 300) throw new Error(`Cannot ${method} ${target}: ${answer.status} ${answer.body}`);
  };
  for (let record = 0; record < RECORDS; record += 1) {
    await ask(
      'POST',
      '/v2/projects/shop/dns-update-records',
      recordBody(`r${record}`, record % 2 === 0 ? 'aws' : 'coredns'),
    );
    await ask('POST', `/v2/projects/shop/logical-clouds/c${record}/kv-pairs`, listBody(`r${record}`));
  }
  const instantiate = (index: number) => ask('POST', `/v2/projects/shop/apps/a${index}/instantiate`, appBody(index));
  const all = quick ? QUICK_SERVICES : SERVICES;
  const measured: Row[] = [];
  // V8 compiles hot code during the first hundreds of requests. Without this warm-up they would seem slower.
  for (let index = 0; index < WINDOW * 5; index += 1) await instantiate(all + index);
  const beganMs = performance.now();
  for (let index = 0; index < all; index += WINDOW) {
    ledger.take();
    central.take();
    const [cpu, startMs] = [process.cpuUsage(), performance.now()];
    for (let one = index; one < index + WINDOW; one += 1) await instantiate(one);
    const used = process.cpuUsage(cpu);
    const { itemsRead, itemsWritten } = ledger.take();
    measured.push({
      services: index + WINDOW,
      'requests/s': Math.round((WINDOW / (performance.now() - startMs)) * 1_000),
      'CPU ms': (used.user + used.system) / 1_000 / WINDOW,
      'items read': itemsRead / WINDOW,
      'items written': itemsWritten / WINDOW,
      'cluster calls': central.take() / WINDOW,
      'memory MiB': Math.round(process.memoryUsage().rss / 2 ** 20),
    });
  }
  const seconds = (performance.now() - beganMs) / 1_000;
  const [few, many] = [measured.slice(0, 10), measured.slice(-10)];
  const grown = (of: 'CPU ms' | 'items read' | 'items written' | 'cluster calls') =>
    median(many.map((row) => row[of])) / median(few.map((row) => row[of]));
  return {
    name: `intents: ${all} services over ${RECORDS} records, one request each, ${Math.round(all / seconds)} requests/s`,
    rows: measured
      .filter((_, index) => index === 0 || (index + 1) % (measured.length / 5) === 0)
      .map((row) => ({ ...row, 'CPU ms': Math.round(row['CPU ms'] * 100) / 100 })),
    limits: [
      atMost('ledger items read by the last over the first', grown('items read'), RATIO_MAX),
      atMost('ledger items written by the last over the first', grown('items written'), RATIO_MAX),
      atMost('calls of the cluster by the last over the first', grown('cluster calls'), RATIO_MAX),
      atMost('CPU of the last over the first', grown('CPU ms'), RATIO_MAX),
    ],
  };
}

function appBody(index: number): object {
  const clusters = [{ provider: 'edge', cluster: 'one', publicAddresses: ['192.0.2.1'] }];
  const services = [{ name: `s${index}`, dnsName: `s${index}.shop.example.org`, ttl: 60, clusters }];
  return { version: 'v1', profile: 'prod', logicalCloud: `c${index % RECORDS}`, services };
}
