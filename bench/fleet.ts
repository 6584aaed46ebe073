// Names that move from one cluster to another while resolvers ask for them, 50 times a second: with zone53, whose two
// clusters share a ledger, and with two external-dns, which know one another by their owner ids. Both write to our own
// Route 53, whose DNS server is asked. Each question is for a name that is to move, and each answer other than the
// address of one of the clusters counts as unanswered.
import { execFile } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { succeed } from '../test/engines/kubernetes/apply.ts';
import { findKubernetes } from '../test/engines/kubernetes/binaries.ts';
import { freePort } from '../test/engines/kubernetes/guard.ts';
import { startKubernetes } from '../test/engines/kubernetes/start.ts';
import { measurePolls } from './fleet-polls.ts';
import { total } from './peers/cases.ts';
import { type Account, openAccount } from './peers/double.ts';
import { findExternalDns, NOT_MEASURED } from './peers/external-dns.ts';
import { startGuarded } from './peers/guarded.ts';
import { AWS_ENV, EVENTS_FLAGS, EXTERNAL_DNS_FLAGS } from './peers/peer.ts';
import { atMost, type BenchResult } from './result.ts';
import { rounded } from './statistics.ts';

const NAMES = 10_000;
const QUICK_NAMES = 1_000;
/** Of external-dns fewer names: with more, the API server takes minutes for the objects. */
const RIVAL_NAMES = 1_000;
const QUICK_RIVAL_NAMES = 100;
const QUERIES_PER_SECOND = 50;
/** Elements of a batch, and elements of a record set that is replaced: a DELETE and a CREATE. */
const ELEMENTS_MAX = 1_000;
const ELEMENTS_A_NAME = 2;
const MOVE_MS_MAX = 600_000;
const DEAD_RATIO_MAX = 1.1;
const ZONE = 'example.org.';
const ADDRESS = { eu: '192.0.2.1', us: '198.51.100.1' } as const;
const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const ENDPOINT_CRD = fileURLToPath(new URL('./peers/dnsendpoint-crd.yaml', import.meta.url));

type ClusterId = keyof typeof ADDRESS;
type Moved = {
  readonly peer: string;
  readonly names: number;
  readonly seconds: number;
  readonly calls: Readonly<Record<string, number>>;
  readonly asked: number;
  readonly unanswered: number;
  /** Names that did not move. */
  readonly left: number;
};

/**
 * Limits: every question is answered, every name moves, the batches of Route 53 are full, and a cluster that does not
 * answer makes the changes of others 1.1 times as late at most.
 */
export async function benchFleet({ quick }: { readonly quick: boolean }): Promise<BenchResult> {
  const notes: string[] = [];
  const ours = await moveOurs(quick ? QUICK_NAMES : NAMES);
  const rival = await moveTheirs(quick ? QUICK_RIVAL_NAMES : RIVAL_NAMES).catch((error: unknown) => {
    notes.push(`external-dns was not measured: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  });
  const { cpuMs, foundMs, foundBesideDeadMs } = await measurePolls();
  const batches = Math.ceil((ours.names * ELEMENTS_A_NAME) / ELEMENTS_MAX);
  return {
    name: `fleet: names that move to another cluster, asked ${QUERIES_PER_SECOND} times a second`,
    rows: [ours, ...(rival === null ? [] : [rival])].map(({ calls, seconds, left, ...row }) => ({
      peer: row.peer,
      names: row.names,
      seconds: rounded(seconds, 1),
      calls: total(calls),
      batches: calls.ChangeResourceRecordSets ?? 0,
      asked: row.asked,
      unanswered: row.unanswered,
      'names left': left,
    })),
    tables: [
      {
        title: 'a poll of 50 clusters, 100 records each, in memory; a request takes 200 ms',
        rows: [
          {
            'CPU ms, nothing changed': cpuMs,
            'ms until 49 changes are found': foundMs,
            'one is dead': foundBesideDeadMs,
          },
        ],
      },
    ],
    limits: [
      atMost('questions that nobody answered', ours.unanswered, 0),
      atMost('names that did not move', ours.left, 0),
      atMost(`batches for ${ours.names} names`, ours.calls.ChangeResourceRecordSets ?? Number.NaN, batches),
      atMost('times as late beside a dead cluster', foundBesideDeadMs / foundMs, DEAD_RATIO_MAX),
    ],
    notes: [
      'zone53: `zone53 clusters standby eu --yes`, from its start until it ends. Its ledger is a state folder.',
      'external-dns: `--events --policy=sync --interval=1m`, one instance for each namespace with its own owner id. The objects of the first are deleted; the time ends when every name has the address of the second.',
      ...notes,
    ],
  };
}

function nameAt(index: number): string {
  return `r${index}.${ZONE}`;
}

async function moveOurs(names: number): Promise<Moved> {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-bench-fleet-'));
  const account = await openAccount([ZONE], names, { double: 'local' });
  try {
    const config = path.join(folder, 'zone53.yaml');
    writeFileSync(config, JSON.stringify({ clusters: { eu: {}, us: {} } }));
    const run = (...args: readonly string[]) =>
      zone53(account, [...args, '--config', config, '--state', path.join(folder, 'state')]);
    for (const id of ['eu', 'us'] as const) {
      const file = path.join(folder, `${id}.json`);
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objectsOf(id, names) }));
      // Names that another cluster has are refused, which is no error of the command.
      await run('apply', '--yes', '--cluster', id, '-f', file);
    }
    const calls = account.proxy.calls.length;
    const questions = askAlways(account.dnsPort, names);
    const begunMs = performance.now();
    await run('clusters', 'standby', 'eu', '--yes');
    const seconds = (performance.now() - begunMs) / 1_000;
    return { peer: 'zone53', names, seconds, ...(await questions.end()), ...resultOf(account, calls, names) };
  } finally {
    await account.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function objectsOf(id: ClusterId, names: number): readonly object[] {
  const apiVersion = 'kubi.zone/v1alpha1';
  const metadata = (name: string) => ({ name, namespace: 'shop' });
  const delegations = [{ namespaces: ['shop'], records: [{ pattern: '*' }] }];
  const records = Array.from({ length: names }, (_, index) => ({
    ...{ apiVersion, kind: 'Record', metadata: metadata(`r${index}`) },
    spec: { domainName: nameAt(index), type: 'A', ttl: 60, rdata: ADDRESS[id] },
  }));
  return [
    { apiVersion, kind: 'Zone', metadata: metadata('example'), spec: { domainName: ZONE, delegations } },
    ...records,
  ];
}

/** Runs the command. Throws if it ends with an error, other than that of names that another cluster has. */
function zone53(account: Account, args: readonly string[]): Promise<void> {
  const env = { ...process.env, ...AWS_ENV, AWS_ENDPOINT_URL_ROUTE_53: account.proxy.url };
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [MAIN, ...args],
      { env, maxBuffer: 1 << 30, timeout: MOVE_MS_MAX },
      (error, out, err) => {
        if (error === null || (args.includes('us') && out.includes('Cluster eu owns'))) resolve();
        else reject(new Error(`zone53 ${args[0]} ended with ${error.code}: ${err.slice(-400)}`));
      },
    );
  });
}

/** Two external-dns over two namespaces of one API server, with the same names in each. */
async function moveTheirs(names: number): Promise<Moved> {
  const kubernetes = findKubernetes();
  if (!kubernetes.found) throw new Error(kubernetes.message);
  const externalDns = findExternalDns();
  if (externalDns === null) throw new Error(NOT_MEASURED);
  const engine = await startKubernetes();
  const ends: (() => Promise<void>)[] = [() => engine.stop()];
  try {
    await succeed(engine, ['apply', '-f', ENDPOINT_CRD]);
    await succeed(engine, ['wait', '--for=condition=Established', '--timeout=60s', '-f', ENDPOINT_CRD]);
    const account = await openAccount([ZONE], names, { double: 'local' });
    ends.push(account.close);
    const env = { ...AWS_ENV, AWS_ENDPOINT_URL: account.proxy.url, KUBECONFIG: engine.kubeconfig };
    for (const id of ['eu', 'us'] as const) {
      await succeed(engine, ['create', 'namespace', id]);
      await succeed(engine, ['create', '-f', '-'], JSON.stringify(endpointsOf(id, names)));
      const own = [`--namespace=${id}`, `--txt-owner-id=${id}`, `--metrics-address=127.0.0.1:${await freePort()}`];
      const flags = [...EXTERNAL_DNS_FLAGS, '--source=crd', ...EVENTS_FLAGS, `--kubeconfig=${engine.kubeconfig}`];
      const instance = startGuarded(`external-dns-${id}`, externalDns, [...flags, ...own], { env });
      ends.push(instance.end);
      if (!(await allHave(account, names, ADDRESS.eu))) throw new Error('the names were not published');
    }
    // The second instance has seen by then that the names are not its own.
    await sleep(5_000);
    const calls = account.proxy.calls.length;
    const questions = askAlways(account.dnsPort, names);
    const begunMs = performance.now();
    await succeed(engine, ['delete', 'dnsendpoints', '--all', '-n', 'eu', '--wait=false']);
    await allHave(account, names, ADDRESS.us);
    const seconds = (performance.now() - begunMs) / 1_000;
    const peer = 'two external-dns';
    return { peer, names, seconds, ...(await questions.end()), ...resultOf(account, calls, names) };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

function endpointsOf(id: ClusterId, names: number): object {
  const items = Array.from({ length: names }, (_, index) => ({
    ...{ apiVersion: 'externaldns.k8s.io/v1alpha1', kind: 'DNSEndpoint' },
    metadata: { name: `r${index}`, namespace: id },
    spec: {
      endpoints: [{ dnsName: nameAt(index).slice(0, -1), recordType: 'A', recordTTL: 60, targets: [ADDRESS[id]] }],
    },
  }));
  return { apiVersion: 'v1', kind: 'List', items };
}

async function allHave({ proxy }: Account, names: number, address: string): Promise<boolean> {
  const isSo = () => leftAt(proxy.standing, names, address) === 0;
  return (await proxy.until(isSo, MOVE_MS_MAX)) !== null;
}

function leftAt(standing: ReadonlyMap<string, string>, names: number, address: string): number {
  return Array.from({ length: names }, (_, index) => standing.get(nameAt(index))).filter((at) => at !== address).length;
}

function resultOf({ proxy }: Account, before: number, names: number): Pick<Moved, 'calls' | 'left'> {
  const calls: Record<string, number> = {};
  for (const { action } of proxy.calls.slice(before)) calls[action] = (calls[action] ?? 0) + 1;
  return { calls, left: leftAt(proxy.standing, names, ADDRESS.us) };
}

/** Asks for one name after the other, 50 a second, until `end`. */
function askAlways(port: number | null, names: number) {
  if (port === null) throw new Error('the double of Route 53 has no DNS server');
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const known = new Set<string>(Object.values(ADDRESS));
  const pending = new Set<Promise<void>>();
  const counted = { asked: 0, unanswered: 0 };
  const timer = setInterval(() => {
    // A step that has no divisor in common with the number of names, so that all of them are asked in the end.
    const name = nameAt((counted.asked * 7_919) % names);
    counted.asked += 1;
    const question: Promise<void> = resolver
      .resolve4(name)
      .then(
        ([address, ...more]) => more.length === 0 && known.has(address ?? ''),
        () => false,
      )
      .then((isAnswered) => {
        if (!isAnswered) counted.unanswered += 1;
        pending.delete(question);
      });
    pending.add(question);
  }, 1_000 / QUERIES_PER_SECOND);
  return {
    end: async () => {
      clearInterval(timer);
      await Promise.all(pending);
      return counted;
    },
  };
}
