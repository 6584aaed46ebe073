// Where peers are measured: clusters, accounts and processes, each ended when nobody needs it any more; and what was
// measured, of which nothing is lost when something fails.
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
  /** What is still quiet. */
  readonly background: Promise<void>[];
  backlogAtMs: readonly number[];
};

const NOTE_CHARACTERS_MAX = 400;

/** A cluster, and whoever is at work in it. */
export type Place = {
  readonly engine: KubernetesEngine;
  readonly objects: Objects;
  readonly sessions: Session[];
  readonly accounts: Account[];
};

/** DynamoDB Local; null, with a note, where there is none. */
export async function startLedger(notes: string[]): Promise<RunningEngine | null> {
  try {
    if (engine('dynamodb-local') !== null) return await startDynamodbLocal();
    notes.push("no DynamoDB Local, which needs Java: zone53's ledger was embedded in its process");
  } catch (error) {
    notes.push(`zone53's ledger was embedded in its process: ${messageOf(error)}`);
  }
  return null;
}

/**
 * A cluster for what is measured together. What fails is noted. What `work` returns goes on while the next is measured,
 * and ends the cluster.
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
  // A line of a list, also when it quotes the end of a log.
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

/** Runs a peer; what goes wrong is noted, and the others are measured. The peer goes on running when `work` says so. */
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

/** A table that nobody has used. */
function freshLedger(ledger: RunningEngine | null): PeerPlace['ledger'] {
  tables += 1;
  return ledger === null ? null : { url: ledger.url, table: `ledger-${tables}`, pid: ledger.pid };
}

const begunMs = performance.now();

export function tell(text: string): void {
  process.stderr.write(`peers, ${Math.round((performance.now() - begunMs) / 1_000)} s: ${text}\n`);
}
