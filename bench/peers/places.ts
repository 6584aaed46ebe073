// Where peers are measured: clusters, accounts and processes, each ended when it is no longer needed. The results are
// collected here too, so that a failure loses nothing that was already measured.
import { fileURLToPath } from 'node:url';
import { engine, type RunningEngine, startDynamodbLocal } from '../../test/engines/engines.ts';
import { applyCrds, eventually, succeed } from '../../test/engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../../test/engines/kubernetes/start.ts';
import { type Account, openAccount } from './double.ts';
import { type Objects, openObjects } from './objects.ts';
import type { PeerName, PeerPlace } from './peer.ts';
import { rowText } from './present.ts';
import { openSession, type PeerRow, type Session } from './session.ts';

export type PeersBench = {
  readonly ledger: RunningEngine | null;
  readonly externalDns: string | null;
  readonly rows: PeerRow[];
  readonly notes: string[];
  /** Measurements of quiet minutes that still run. */
  readonly background: Promise<void>[];
  backlogAtMs: readonly number[];
};

const NOTE_CHARACTERS_MAX = 400;

/** A cluster and the peers that work in it. */
export type Place = {
  readonly engine: KubernetesEngine;
  readonly objects: Objects;
  readonly sessions: Session[];
  readonly accounts: Account[];
};

/** Starts DynamoDB Local. Returns null, with a note, where it is not installed. */
export async function startLedger(notes: string[]): Promise<RunningEngine | null> {
  try {
    if (engine('dynamodb-local') !== null) return await startDynamodbLocal();
    notes.push("DynamoDB Local is not installed (it needs Java): zone53's ledger was embedded in its process");
  } catch (error) {
    notes.push(`zone53's ledger was embedded in its process: ${messageOf(error)}`);
  }
  return null;
}

/**
 * Starts a cluster for `work`. A failure is noted. The function that `work` returns runs in the background while the
 * next place is measured; the cluster ends after it.
 */
export async function inPlace(
  bench: PeersBench,
  what: string,
  work: (place: Place) => Promise<(() => Promise<void>) | null>,
): Promise<void> {
  let after: (() => Promise<void>) | null = null;
  let end = async () => {};
  try {
    const kube = await startKubernetes();
    const place: Place = { engine: kube, objects: openObjects(kube), sessions: [], accounts: [] };
    end = async () => {
      for (const { process } of place.sessions) await process.end();
      for (const account of place.accounts) await account.close();
      place.objects.close();
      await kube.stop();
    };
    await prepare(place);
    after = await work(place);
  } catch (error) {
    fail(bench, `${what}: the rest was not measured`, error);
  }
  const rest = after;
  if (rest === null) return end();
  bench.background.push(
    rest()
      .catch((error: unknown) => fail(bench, `${what}, quiet: not measured`, error))
      .then(end),
  );
}

function fail({ notes }: PeersBench, what: string, error: unknown): void {
  // One line, because a note is an item of a list. The message may quote many lines of a log.
  const note = `${what}: ${messageOf(error)}`.replaceAll('\n', ' | ').slice(0, NOTE_CHARACTERS_MAX);
  notes.push(note);
  tell(note);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function record(bench: PeersBench, row: PeerRow): void {
  bench.rows.push(row);
  tell(rowText(row));
}

async function prepare({ engine: kube }: Place): Promise<void> {
  await applyCrds(kube);
  await succeed(kube, ['apply', '-f', fileURLToPath(new URL('./dnsendpoint-crd.yaml', import.meta.url))]);
  await eventually(async () => (await kube.kubectl(['get', 'dnsendpoints'])).code === 0);
}

export async function account({ accounts }: Place, zones: readonly string[], names: number): Promise<Account> {
  const opened = await openAccount(zones, names);
  accounts.push(opened);
  return opened;
}

/** Runs a peer, which keeps running when `work` returns true. A failure is noted, and the other peers are measured. */
export async function withPeer(
  bench: PeersBench,
  { engine: kube, objects, sessions }: Place,
  peer: PeerName,
  { names, account }: { readonly names: number; readonly account: Account },
  work: (session: Session) => Promise<boolean>,
): Promise<void> {
  tell(`${names} names: ${peer} (${account.kind})`);
  let stays = false;
  let session: Session | null = null;
  try {
    const place = {
      engine: kube,
      account,
      ledger: peer === 'zone53' ? freshLedger(bench.ledger) : null,
      externalDns: bench.externalDns,
    };
    session = await openSession(peer, place, objects);
    sessions.push(session);
    stays = await work(session);
  } catch (error) {
    fail(bench, `${peer} at ${names} names: the rest was not measured`, error);
  }
  if (!stays) await session?.process.end();
}

let tables = 0;

/** A new table for the ledger. */
function freshLedger(ledger: RunningEngine | null): PeerPlace['ledger'] {
  tables += 1;
  return ledger === null ? null : { url: ledger.url, table: `ledger-${tables}`, pid: ledger.pid };
}

const begunMs = performance.now();

export function tell(text: string): void {
  process.stderr.write(`peers, ${Math.round((performance.now() - begunMs) / 1_000)} s: ${text}\n`);
}
