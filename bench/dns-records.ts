// A thousand DNSRecords of twenty accounts are created at once: how long does it take until the last one has succeeded,
// and how many calls does it cost each account? The service, the SDK and twenty strict Route 53 endpoints, each with a
// bucket of five requests that refills at five a second, are real; the API server is in memory. The figure is compared
// with the time that provider-aws, Gardener's own controller, needs at the limit that it sets itself: 5 calls at once,
// then one a second.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { route53Accounts } from '../lib/adapters/route53/account-hosted-zones.ts';
import { timerOf } from '../lib/adapters/system/system-time.ts';
import type { DnsRecordDeps } from '../lib/gardener/deps.ts';
import { dnsRecordService } from '../lib/gardener/service.ts';
import { DEFAULT_DNS_RECORDS } from '../lib/ports/config.ts';
import { NAMESPACE, seedWorld } from '../test/fakes/seed-world.ts';
import { type AwsAccount, startAccounts } from '../test/support/gardener/accounts.ts';
import { atMost, type BenchResult } from './result.ts';

const ACCOUNTS = 20;
const RECORDS = 1_000;
const QUICK_RECORDS = 200;
/** Calls that provider-aws may begin together. After them it makes one call a second. */
const BURST = 5;
/** Less than Route 53's own limit, which is 10 a second and 50 at once: provider-aws was made for 5. */
const REQUESTS_PER_SECOND = 5;
const WAIT_MS_MAX = 180_000;

/** Limits: each account is listed once, has no more changes than DNSRecords, and is never throttled. */
export async function benchDnsRecords({ quick }: { readonly quick: boolean }): Promise<BenchResult> {
  const count = quick ? QUICK_RECORDS : RECORDS;
  const aws = await startAccounts('strict', REQUESTS_PER_SECOND);
  try {
    const opened = await Promise.all(Array.from({ length: ACCOUNTS }, () => aws.open()));
    for (const [index, account] of opened.entries()) await account.createZone(`a${index}.example.`);
    const seconds = await publishAll(aws.url, opened, count);
    return describeRun(opened, count, seconds);
  } finally {
    await aws.close();
  }
}

/** Seconds until the last of them has succeeded. */
async function publishAll(endpoint: string, opened: readonly AwsAccount[], count: number): Promise<number> {
  const world = seedWorld();
  const { requestsPerSecond } = DEFAULT_DNS_RECORDS;
  const clock = { nowMs: Date.now };
  const accounts = route53Accounts({ clock, sleep, requestsPerSecond, endpoint });
  const timers: NodeJS.Timeout[] = [];
  const hint: DnsRecordDeps['queues']['hint'] = async (hints, afterSeconds = 0) =>
    void timers.push(setTimeout(() => void service.hint(hints), afterSeconds * 1_000));
  const deps = {
    ...world.deps,
    accounts,
    clock: timerOf(clock),
    newHolder: randomUUID,
    queues: { ...world.deps.queues, hint },
  };
  const service = dnsRecordService(deps);
  for (const [index, { accessKeyId, secretAccessKey }] of opened.entries())
    world.secrets.set(`${NAMESPACE}/account-${index}`, { accessKeyID: accessKeyId, secretAccessKey });
  const refs = Array.from({ length: count }, (_, index) => {
    const of = index % opened.length;
    const name = `r${index}.a${of}.example`;
    const secretRef = { name: `account-${of}` };
    return world.create(`record-${index}`, { name, secretRef, recordType: 'A', values: ['192.0.2.1'] });
  });
  const begunMs = performance.now();
  // One hint for each, as a watch gives them.
  for (const ref of refs) void service.hint([ref]);
  const isOpen = (ref: (typeof refs)[number]) => {
    const last = world.read(ref)?.status?.lastOperation as { readonly state?: string } | undefined;
    return last?.state !== 'Succeeded';
  };
  let open = refs;
  while (open.length > 0) {
    if (performance.now() - begunMs > WAIT_MS_MAX) throw new Error(`${open.length} DNSRecords are not published`);
    await sleep(20);
    open = open.filter(isOpen);
  }
  const seconds = (performance.now() - begunMs) / 1_000;
  for (const timer of timers) clearTimeout(timer);
  accounts.destroy();
  return seconds;
}

function describeRun(opened: readonly AwsAccount[], count: number, seconds: number): BenchResult {
  const most = (operation: string) =>
    Math.max(...opened.map(({ calls }) => calls.filter((call) => call.operation === operation).length));
  const each = count / opened.length;
  const throttled = opened.reduce((sum, account) => sum + account.throttled(), 0);
  const row = {
    DNSRecords: count,
    accounts: opened.length,
    'last Succeeded s': Math.round(seconds * 10) / 10,
    'controller at its own limit s': Math.max(0, each - BURST),
    'listings an account': most('listHostedZones'),
    'changes an account': most('change'),
    'calls an account': Math.max(...opened.map(({ calls }) => calls.length)),
    throttled,
  };
  return {
    name: `dnsrecords: ${count} DNSRecords of ${opened.length} accounts created at once, one call a second and account`,
    rows: [row],
    notes: ['The API server is in memory. With a real one, each DNSRecord takes about five more requests.'],
    limits: [
      atMost('seconds to the last Succeeded', seconds, Math.max(1, row['controller at its own limit s'])),
      atMost('listings of hosted zones, an account', row['listings an account'], 1),
      atMost('changes, an account', row['changes an account'], each),
      atMost('calls that Route 53 throttled', throttled, 0),
    ],
  };
}
