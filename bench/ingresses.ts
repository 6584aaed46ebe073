// The time until Route 53 has one changed Ingress: zone53 compared with external-dns with `--events`. Both read the
// same Ingresses of one kube-apiserver at the same time, and each publishes to an account of its own. One write starts
// both times. Every external-dns flag that is not set here has its default.
import { setTimeout as sleep } from 'node:timers/promises';
import { kubeconfigTransport } from '../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import type { KubernetesTransport } from '../lib/adapters/kubernetes/http/transport.ts';
import { DEFAULT_SETTINGS } from '../lib/objects/source-settings.ts';
import { inParallel } from '../lib/ports/in-parallel.ts';
import { rbacRules } from '../lib/sources/cluster-needs.ts';
import { kindsRead, sourcesOn } from '../lib/sources/source.ts';
import type { RunningEngine } from '../test/engines/engines.ts';
import { applyCrds, succeed } from '../test/engines/kubernetes/apply.ts';
import { findKubernetes } from '../test/engines/kubernetes/binaries.ts';
import { startKubernetes } from '../test/engines/kubernetes/start.ts';
import { total, ZONE } from './peers/cases.ts';
import { openAccount } from './peers/double.ts';
import { findExternalDns, NOT_MEASURED } from './peers/external-dns.ts';
import { openObjects, type Wanted } from './peers/objects.ts';
import { startLedger } from './peers/places.ts';
import { markNow, openSession, type Session, standing, untilCalm, usedSince } from './peers/session.ts';
import { atLeast, type BenchResult } from './result.ts';
import { median, percentile, rounded } from './statistics.ts';

const SIZES = [1_000, 10_000];
const QUICK_SIZES = [100];
const SAMPLES = 5;
const TIMES_SOONER = 50;
const FLAGS = ['--source=ingress', '--events'];
const WRITES_AT_ONCE = 24;
const FIRST_PUBLISH_MS_MAX = 900_000;
const CHANGE_MS_MAX = 300_000;
/** The peers by their name in peers/peer.ts, and the name that this table shows. */
const PEERS = { zone53: 'zone53', 'external-dns, events': 'external-dns --events' } as const;

/**
 * Measures both at every size. Limit: at the largest size, zone53 is 50 times sooner. Throws where the API server or
 * external-dns is missing.
 */
export async function benchIngresses({ quick }: { readonly quick: boolean }): Promise<BenchResult> {
  const kubernetes = findKubernetes();
  if (!kubernetes.found)
    throw new Error(`ingresses needs an API server: ${kubernetes.message}; npm run engines gets it`);
  const externalDns = findExternalDns();
  if (externalDns === null) throw new Error(NOT_MEASURED);
  const notes: string[] = [];
  const ledger = await startLedger(notes);
  const measured: Measured[] = [];
  const sizes = quick ? QUICK_SIZES : SIZES;
  for (const size of sizes) measured.push(await measureSize({ size, ledger, externalDns }));
  await ledger?.close();
  return {
    name: `ingresses: one changed Ingress, zone53 beside external-dns${quick ? ' (quick: one small size)' : ''}`,
    rows: measured.flatMap(({ rows }) => rows),
    notes: [
      'Both read the same Ingresses at the same time. Each change is one write of an Ingress’s status, and both times begin at the API server’s answer.',
      `External-dns: ${FLAGS.join(' ')} --provider=aws --registry=txt --policy=sync. Every other flag has its default, for example --min-event-sync-interval=5s and --interval=1m.`,
      'Each change is of another Ingress, and begins when both are done with the one before. The limit holds at the largest size; smaller sizes show how the time grows.',
      ...notes,
    ],
    limits: measured
      .slice(-1)
      .map(({ size, sooner }) =>
        atLeast(`times sooner than external-dns --events, medians, at ${size} Ingresses`, sooner, TIMES_SOONER),
      ),
  };
}

type Measured = { readonly size: number; readonly sooner: number; readonly rows: BenchResult['rows'] };

async function measureSize(options: {
  readonly size: number;
  readonly ledger: RunningEngine | null;
  readonly externalDns: string;
}): Promise<Measured> {
  const { size, ledger, externalDns } = options;
  const engine = await startKubernetes();
  const ends: (() => Promise<void> | void)[] = [() => engine.stop()];
  try {
    await applyCrds(engine);
    await succeed(engine, ['apply', '-f', '-'], JSON.stringify(rights()));
    const objects = openObjects(engine);
    ends.push(objects.close);
    await objects.zone(ZONE);
    const admin = kubeconfigTransport('admin', engine.kubeconfig);
    ends.push(() => admin.close());
    tell(`${size}: writing the Ingresses`);
    const wanted = Array.from({ length: size }, (_, index) => wantedAt(index, 0));
    await inParallel(wanted, WRITES_AT_ONCE, (one) => createIngress(admin, one));
    const open = async (peer: keyof typeof PEERS): Promise<Session> => {
      const account = await openAccount([ZONE], size, { double: 'local' });
      ends.push(account.close);
      const table = `ingresses-${size}`;
      const place = {
        engine,
        account,
        externalDns,
        ledger: ledger && { url: ledger.url, table, pid: ledger.pid },
        ingresses: { flags: FLAGS },
      };
      const session = await openSession(peer, place, objects);
      ends.push(session.process.end);
      tell(`${size}: first publish of ${PEERS[peer]}`);
      if ((await standing(session, wanted, FIRST_PUBLISH_MS_MAX)) === null)
        throw new Error(`${PEERS[peer]} did not publish ${size} Ingresses in ${FIRST_PUBLISH_MS_MAX / 1_000} s`);
      await session.process.ready(FIRST_PUBLISH_MS_MAX);
      await untilCalm(session, 3_000, 60_000);
      return session;
    };
    const sessions = await Promise.all([open('zone53'), open('external-dns, events')]);
    return await measureChanges(admin, sessions, size);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

async function measureChanges(
  admin: KubernetesTransport,
  sessions: readonly [Session, Session],
  size: number,
): Promise<Measured> {
  const ms: readonly [number[], number[]] = [[], []];
  const begin = sessions.map(markNow);
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    // So that the change comes at any moment of external-dns's interval.
    await sleep(1_000 + Math.random() * 5_000);
    const wanted = wantedAt((sample * 7) % size, sample + 1);
    await writeStatus(admin, wanted);
    const begunMs = performance.now();
    const atMs = await Promise.all(sessions.map((session) => standing(session, [wanted], CHANGE_MS_MAX)));
    for (const [index, at] of atMs.entries()) ms[index as 0 | 1].push((at ?? begunMs + CHANGE_MS_MAX) - begunMs);
    tell(`${size}: change ${sample + 1}: ${ms.map((one) => `${Math.round(one.at(-1) ?? 0)} ms`).join(', ')}`);
  }
  const sooner = median(ms[1]) / median(ms[0]);
  const rows = sessions.map((session, index) => {
    const { calls, throttled, cpuSeconds, peakMiB } = usedSince(session, begin[index] as (typeof begin)[number]);
    const took = ms[index as 0 | 1];
    return {
      Ingresses: size,
      peer: PEERS[session.peer as keyof typeof PEERS],
      changes: SAMPLES,
      'median s': rounded(median(took) / 1_000, 3),
      'times sooner': index === 0 ? rounded(sooner, 1) : '',
      'p99 s': rounded(percentile(took, 0.99) / 1_000, 3),
      'calls a change': rounded(total(calls) / SAMPLES, 1),
      throttled,
      'CPU ms a change': cpuSeconds === null ? '-' : Math.round((cpuSeconds * 1_000) / SAMPLES),
      'peak MiB': peakMiB ?? '-',
    };
  });
  return { size, rows, sooner };
}

/** The hostname of the Ingress `index`, with an address that no other round uses. */
function wantedAt(index: number, round: number): Wanted {
  return { label: `i${index}`, zone: ZONE, address: `10.${round}.${index >> 8}.${index & 255}` };
}

async function createIngress(admin: KubernetesTransport, wanted: Wanted): Promise<void> {
  const host = `${wanted.label}.${wanted.zone.slice(0, -1)}`;
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const spec = { rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] };
  await admin.send({
    action: `create ${wanted.label}`,
    method: 'POST',
    path: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    body: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: wanted.label }, spec },
    rule: { group: 'networking.k8s.io', resource: 'ingresses', verb: 'create' },
  });
  await writeStatus(admin, wanted);
}

/** Writes the status as the controller of a load balancer does. */
async function writeStatus(admin: KubernetesTransport, { label, address }: Wanted): Promise<void> {
  await admin.send({
    action: `write the status of ${label}`,
    method: 'PATCH',
    path: `/apis/networking.k8s.io/v1/namespaces/default/ingresses/${label}/status`,
    contentType: 'application/merge-patch+json',
    body: { status: { loadBalancer: { ingress: [{ ip: address }] } } },
    rule: { group: 'networking.k8s.io', resource: 'ingresses/status', verb: 'patch' },
  });
}

/** The RBAC objects that zone53 needs to read Ingresses, in addition to crds/rbac.yaml. */
function rights(): object {
  const group = 'rbac.authorization.k8s.io';
  const metadata = { name: 'zone53-ingresses' };
  const rules = rbacRules(kindsRead(sourcesOn({ ingresses: DEFAULT_SETTINGS })));
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata, rules },
      {
        apiVersion: `${group}/v1`,
        kind: 'ClusterRoleBinding',
        metadata,
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: metadata.name },
        subjects: [{ kind: 'Group', apiGroup: group, name: 'zone53' }],
      },
    ],
  };
}

function tell(text: string): void {
  process.stderr.write(`ingresses: ${text}\n`);
}
