// zone53 and external-dns side by side: the same names on the same kube-apiserver, each with a double of Route 53 of its own
// behind a proxy that adds 20 ms, keeps to 5 calls a second and counts. One peer works at a time, except while all are quiet.
import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { engine, type RunningEngine, startDynamodbLocal } from '../test/engines/engines.ts';
import { applyCrds, eventually, succeed } from '../test/engines/kubernetes/apply.ts';
import { findKubernetes } from '../test/engines/kubernetes/binaries.ts';
import { type KubernetesEngine, startKubernetes } from '../test/engines/kubernetes/start.ts';
import { backlog, badRecord, burst, firstPublish, handEdit, namesOf, oneChange, quiet, ZONE } from './peers/cases.ts';
import { type Account, openAccount } from './peers/double.ts';
import { type Objects, openObjects, type Wanted } from './peers/objects.ts';
import type { PeerName, PeerPlace } from './peers/peer.ts';
import { prefill } from './peers/prefill.ts';
import { presentPeers } from './peers/present.ts';
import { openSession, type PeerRow, type Session } from './peers/session.ts';
import type { BenchResult } from './result.ts';

export const PEER_CASES = [
  'first-publish',
  'one-change',
  'burst',
  'bad-record',
  'hand-edit',
  'quiet',
  'backlog',
] as const;
export type PeerCase = (typeof PEER_CASES)[number];

export type PeersOptions = {
  /** Smaller zones, fewer samples, a shorter quiet. */
  readonly quick: boolean;
  /** Empty: all. External-dns's first publishes are measured with whatever else is. */
  readonly cases: readonly PeerCase[];
  /** Only zones of so many names; empty: all. */
  readonly names: readonly number[];
};

const HOW_TO_GET =
  'go install sigs.k8s.io/external-dns@v0.21.0 (some 5 minutes), then EXTERNAL_DNS=PATH npm run bench -- peers';

/** In a larger zone, zone53's changes are measured on a ledger that was filled beforehand (peers/prefill.ts). */
const FIRST_PUBLISH_NAMES_MAX = 1_000;

type Sizes = {
  readonly oneChange: readonly number[];
  readonly samples: Readonly<Record<PeerName, number>>;
  /** Names of the zone in which all other cases are measured. */
  readonly others: number;
  readonly quietMinutes: number;
  readonly afterBadMs: number;
  readonly zones: number;
};

const FULL: Sizes = {
  oneChange: [100, 1_000, 10_000],
  samples: { zone53: 20, 'external-dns, events': 5, 'external-dns, defaults': 2 },
  others: 1_000,
  quietMinutes: 5,
  afterBadMs: 60_000,
  zones: 60,
};
const QUICK: Sizes = {
  oneChange: [100, 300],
  samples: { zone53: 10, 'external-dns, events': 2, 'external-dns, defaults': 1 },
  others: 300,
  quietMinutes: 0.5,
  afterBadMs: 10_000,
  zones: 12,
};

type Bench = {
  readonly engine: KubernetesEngine;
  readonly objects: Objects;
  readonly ledger: RunningEngine | null;
  readonly externalDns: string | null;
  readonly sizes: Sizes;
  readonly cases: ReadonlySet<PeerCase>;
  readonly rows: PeerRow[];
  readonly notes: string[];
  backlogAtMs: readonly number[];
};

/** Where external-dns is; null when it is not to be had. */
export function findExternalDns(): string | null {
  const file = process.env.EXTERNAL_DNS;
  if (file === undefined) return null;
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return null;
  }
}

/** Throws, saying what is missing, when there is no API server or no moto; goes on without external-dns. */
export async function benchPeers({ quick, cases, names: only }: PeersOptions): Promise<BenchResult> {
  const kubernetes = findKubernetes();
  if (!kubernetes.found) throw new Error(`peers needs an API server: ${kubernetes.message}; npm run engines gets it`);
  if (engine('moto') === null) throw new Error('peers needs moto, which needs Python: npm run engines gets it');
  const externalDns = findExternalDns();
  const notes: string[] = [];
  if (externalDns === null) notes.push(`external-dns was not measured: it is not at EXTERNAL_DNS. ${HOW_TO_GET}`);
  const ledger = engine('dynamodb-local') === null ? null : await startDynamodbLocal();
  const kube = await startKubernetes();
  const bench: Bench = {
    engine: kube,
    objects: openObjects(kube),
    ledger,
    externalDns,
    sizes: quick ? QUICK : FULL,
    cases: new Set(cases.length === 0 ? PEER_CASES : cases),
    rows: [],
    notes,
    backlogAtMs: [],
  };
  try {
    await prepare(bench);
    // First, and taken away again: later every peer would carry its objects along.
    if (bench.cases.has('backlog')) await manyZones(bench);
    await bench.objects.zone(ZONE);
    for (const names of sizesOf(bench).filter((one) => only.length === 0 || only.includes(one))) {
      await atSize(bench, names);
    }
  } finally {
    bench.objects.close();
    await kube.stop();
    await ledger?.close();
  }
  return presentPeers({ ...bench, ledger: ledger === null ? 'embedded (dynalite)' : 'DynamoDB Local', quick });
}

function sizesOf({ cases, sizes }: Bench): number[] {
  const others = ['burst', 'bad-record', 'hand-edit', 'quiet'] as const;
  const wanted = cases.has('one-change') || cases.has('first-publish') ? [...sizes.oneChange] : [];
  if (others.some((one) => cases.has(one)) && !wanted.includes(sizes.others)) wanted.push(sizes.others);
  return wanted;
}

async function prepare({ engine: kube }: Bench): Promise<void> {
  await applyCrds(kube);
  await succeed(kube, ['apply', '-f', fileURLToPath(new URL('./peers/dnsendpoint-crd.yaml', import.meta.url))]);
  await eventually(async () => (await kube.kubectl(['get', 'dnsendpoints'])).code === 0);
}

/** Everything that is measured in a zone of so many names. */
async function atSize(bench: Bench, names: number): Promise<void> {
  const { cases, sizes, objects } = bench;
  const others = names === sizes.others;
  tell(`${names} names: writing the objects`);
  const wanted = namesOf(names);
  const calm: Session[] = [];
  const accounts: Account[] = [];
  const opened = async () => {
    const account = await openAccount([ZONE], names);
    accounts.push(account);
    return account;
  };
  const measure = async (peer: PeerName, account: Account, begin: 'empty' | 'filled' | 'as it is') => {
    if (begin !== 'as it is') await objects.write(peer === 'zone53' ? 'zone53' : 'external-dns', wanted);
    const fill = begin === 'filled' ? wanted : [];
    await withPeer(bench, peer, { names, account, fill }, async (session) => {
      calm.push(session);
      if (begin === 'empty') bench.rows.push(await firstPublish(session, wanted));
      if (begin === 'filled') await session.process.ready(300_000);
      if (begin === 'empty' && filledApart(peer)) return false;
      if (cases.has('one-change') && sizes.oneChange.includes(names))
        bench.rows.push(
          await oneChange(session, names, names <= 100 ? half(sizes.samples[peer]) : sizes.samples[peer]),
        );
      if (others && peer !== 'external-dns, defaults') await changesAtOnce(bench, session, names);
      return others && cases.has('quiet');
    });
  };
  const filledApart = (peer: PeerName) => peer === 'zone53' && names > FIRST_PUBLISH_NAMES_MAX;
  try {
    if (cases.has('first-publish') || !filledApart('zone53')) await measure('zone53', await opened(), 'empty');
    if (filledApart('zone53')) await measure('zone53', await opened(), 'filled');
    if (bench.externalDns !== null) {
      const account = await opened();
      await measure('external-dns, events', account, 'empty');
      // Both settings at once would disturb each other; where they need not run together, one goes on where the other ended.
      if (others && cases.has('quiet')) await measure('external-dns, defaults', await opened(), 'empty');
      else await measure('external-dns, defaults', account, 'as it is');
    }
    if (others && cases.has('quiet')) {
      tell(`${names} names: all quiet for ${sizes.quietMinutes} min`);
      bench.rows.push(
        ...(await quiet(
          calm.filter(({ process }) => process.death() === null),
          names,
          sizes.quietMinutes,
        )),
      );
    }
  } finally {
    for (const { process } of calm) await process.end();
    for (const account of accounts) await account.close();
  }
}

function half(samples: number): number {
  return Math.max(1, Math.round(samples / 2));
}

async function changesAtOnce({ cases, rows, sizes }: Bench, session: Session, names: number): Promise<void> {
  if (cases.has('burst')) rows.push(await burst(session, names));
  if (cases.has('hand-edit')) rows.push(await handEdit(session, names));
  if (cases.has('bad-record')) rows.push(await badRecord(session, names, sizes.afterBadMs));
}

/** Runs a peer; what goes wrong is noted, and the others are measured. The peer goes on running when `work` says so. */
async function withPeer(
  bench: Bench,
  peer: PeerName,
  { names, account, fill }: { readonly names: number; readonly account: Account; readonly fill: readonly Wanted[] },
  work: (session: Session) => Promise<boolean>,
): Promise<void> {
  tell(`${names} names: ${peer} (${account.kind})`);
  const { engine: kube, ledger, externalDns, objects } = bench;
  const place = { engine: kube, account, ledger: freshLedger(ledger), externalDns };
  let stays = false;
  let session: Session | null = null;
  try {
    if (fill.length > 0) await prefill(place, fill);
    session = await openSession(peer, place, objects);
    stays = await work(session);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    bench.notes.push(`${peer} at ${names} names: the rest was not measured: ${message}`);
    tell(message);
  }
  if (!stays) await session?.process.end();
}

let tables = 0;

/** A table that nobody has used. */
function freshLedger(ledger: RunningEngine | null): PeerPlace['ledger'] {
  tables += 1;
  return ledger === null ? null : { url: ledger.url, table: `ledger-${tables}`, pid: ledger.pid };
}

/** Whole zones side by side: what a peer makes of a change in each of them at once. */
async function manyZones(bench: Bench): Promise<void> {
  const zones = Array.from({ length: bench.sizes.zones }, (_, index) => `b${index}.example.net.`);
  for (const zone of zones) await bench.objects.zone(zone);
  const peers: PeerName[] = bench.externalDns === null ? ['zone53'] : ['zone53', 'external-dns, events'];
  for (const peer of peers) {
    const account = await openAccount(zones, zones.length);
    try {
      await withPeer(bench, peer, { names: zones.length, account, fill: [] }, async (session) => {
        await backlog(session, zones);
        await session.process.ready(300_000);
        const { atMs, ...measured } = await backlog(session, zones);
        bench.rows.push(measured);
        if (peer === 'zone53') bench.backlogAtMs = atMs;
        return false;
      });
    } finally {
      await account.close();
    }
  }
  await succeed(bench.engine, ['delete', 'zones,records,dnsendpoints', '--all', '--wait=false']);
}

function tell(text: string): void {
  process.stderr.write(`peers: ${text}\n`);
}
