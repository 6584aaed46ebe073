// zone53 compared with external-dns: the same names on the same kube-apiserver. Each peer has a double of Route 53 of
// its own, behind a proxy that adds 20 ms to each call, has Route 53's bucket of requests and counts. One peer works at
// a time. The quiet minutes are measured in a cluster of their own, while the next size is measured in another. A
// failure is noted, and the rest is measured.
import { engine } from '../test/engines/engines.ts';
import { findKubernetes } from '../test/engines/kubernetes/binaries.ts';
import { backlog, badRecord, burst, firstPublish, handEdit, namesOf, oneChange, quiet, ZONE } from './peers/cases.ts';
import type { Account } from './peers/double.ts';
import { findExternalDns, NOT_MEASURED } from './peers/external-dns.ts';
import type { World } from './peers/objects.ts';
import type { PeerName, RivalName } from './peers/peer.ts';
import { account, inPlace, type PeersBench, type Place, record, startLedger, tell, withPeer } from './peers/places.ts';
import { presentPeers } from './peers/present.ts';
import type { Session } from './peers/session.ts';
import { FULL, PEER_CASES, type PeerCase, type PeersOptions, QUICK, type Sizes } from './peers/sizes.ts';
import type { BenchResult } from './result.ts';

type Bench = PeersBench & { readonly sizes: Sizes; readonly cases: ReadonlySet<PeerCase> };

/**
 * Throws when there is no API server. Without external-dns, moto or DynamoDB Local it measures what it can, and notes
 * what is missing.
 */
export async function benchPeers({ quick, cases, names: only }: PeersOptions): Promise<BenchResult> {
  const kubernetes = findKubernetes();
  if (!kubernetes.found) throw new Error(`peers needs an API server: ${kubernetes.message}; npm run engines gets it`);
  const externalDns = findExternalDns();
  const notes: string[] = [];
  if (externalDns === null) notes.push(NOT_MEASURED);
  if (engine('moto') === null) notes.push('moto is not installed (it needs Python): our own Route 53 was used instead');
  const ledger = await startLedger(notes);
  const bench: Bench = {
    ledger,
    externalDns,
    sizes: quick ? QUICK : FULL,
    cases: new Set(cases.length === 0 ? PEER_CASES : cases),
    rows: [],
    notes,
    background: [],
    backlogAtMs: [],
  };
  if (bench.cases.has('backlog')) await inPlace(bench, 'backlog', (place) => manyZones(bench, place));
  for (const names of sizesOf(bench).filter((one) => only.length === 0 || only.includes(one)))
    await atNames(bench, names);
  await Promise.all(bench.background);
  await ledger?.close();
  return presentPeers({ ...bench, ledger: ledger === null ? 'embedded (SQLite)' : 'DynamoDB Local', quick });
}

async function atNames(bench: Bench, names: number): Promise<void> {
  await inPlace(bench, `${names} names, in one process`, (place) => firstOnly(bench, place, names));
  await inPlace(bench, `${names} names`, (place) => atSize(bench, place, names));
}

function sizesOf({ cases, sizes }: Bench): number[] {
  const others = ['bad-record', 'hand-edit', 'quiet'] as const;
  const ofChange = cases.has('one-change') || cases.has('first-publish') ? sizes.oneChange : [];
  const wanted = [...new Set([...ofChange, ...(cases.has('burst') ? sizes.burst : [])])];
  if (others.some((one) => cases.has(one)) && !wanted.includes(sizes.others)) wanted.push(sizes.others);
  return wanted;
}

/** Measures the first publish alone, of zone53 with its ledger in its own process and of the bare loop. */
async function firstOnly(bench: Bench, place: Place, names: number): Promise<null> {
  await place.objects.zone(ZONE);
  const wanted = namesOf(names);
  await place.objects.write('zone53', wanted);
  // The bare loop runs second: its Records have a status already, and it writes another one.
  for (const peer of ['zone53, SQLite', 'bare loop'] as const)
    await withPeer(bench, place, peer, { names, account: await account(place, [ZONE], names) }, async (session) => {
      for (const row of await firstPublish(session, wanted)) record(bench, row);
      return false;
    });
  return null;
}

/** Measures everything in a zone of so many names. Returns the measurement of the quiet minutes, or null. */
async function atSize(bench: Bench, place: Place, names: number): Promise<(() => Promise<void>) | null> {
  const { cases, sizes } = bench;
  const others = names === sizes.others;
  const staysQuiet = others && cases.has('quiet');
  const wanted = namesOf(names);
  await place.objects.zone(ZONE);
  const written = new Set<World>();
  const measure = async (peer: RivalName, account: Account, begin: 'empty' | 'as it is') => {
    const world = peer === 'zone53' ? 'zone53' : 'external-dns';
    if (!written.has(world)) {
      tell(`${names} names: writing the objects of ${world}`);
      await place.objects.write(world, wanted);
      written.add(world);
    }
    await withPeer(bench, place, peer, { names, account }, async (session) => {
      if (begin === 'empty')
        for (const row of await firstPublish(session, place.objects.written(world))) record(bench, row);
      if (cases.has('one-change') && sizes.oneChange.includes(names))
        record(bench, await oneChange(session, names, others ? sizes.samples[peer] : half(sizes.samples[peer])));
      if (peer !== 'external-dns, defaults') await changesAtOnce(bench, session, names);
      return staysQuiet;
    });
  };
  await measure('zone53', await account(place, [ZONE], names), 'empty');
  if (bench.externalDns !== null) {
    const shared = await account(place, [ZONE], names);
    await measure('external-dns, events', shared, 'empty');
    if (names < sizes.defaultsNames) return null;
    // Two external-dns would disturb each other in one account. For the quiet minutes both run, so each has its own.
    // Otherwise the second starts after the first has ended, in the same account.
    if (staysQuiet) await measure('external-dns, defaults', await account(place, [ZONE], names), 'empty');
    else await measure('external-dns, defaults', shared, 'as it is');
  }
  if (!staysQuiet) return null;
  const calm = place.sessions.filter(({ process }) => process.death() === null);
  return async () => {
    tell(`${names} names: all quiet for ${sizes.quietMinutes} min`);
    for (const row of await quiet(calm, names, sizes.quietMinutes)) record(bench, row);
  };
}

function half(samples: number): number {
  return Math.max(1, Math.round(samples / 2));
}

async function changesAtOnce(bench: Bench, session: Session, names: number): Promise<void> {
  const { cases, sizes } = bench;
  if (cases.has('burst') && sizes.burst.includes(names))
    for (const row of await burst(session, names, sizes.burstChanges)) record(bench, row);
  if (names !== sizes.others) return;
  if (cases.has('hand-edit')) record(bench, await handEdit(session, names));
  if (cases.has('bad-record')) record(bench, await badRecord(session, names, sizes.afterBadMs));
}

/** Measures one change in each of many hosted zones at the same time. */
async function manyZones(bench: Bench, place: Place): Promise<null> {
  const zones = Array.from({ length: bench.sizes.zones }, (_, index) => `b${index}.example.net.`);
  for (const zone of zones) await place.objects.zone(zone);
  const peers: PeerName[] = bench.externalDns === null ? ['zone53'] : ['zone53', 'external-dns, events'];
  for (const peer of peers) {
    const opened = await account(place, zones, zones.length);
    await withPeer(bench, place, peer, { names: zones.length, account: opened }, async (session) => {
      await backlog(session, zones);
      await session.process.ready(300_000);
      const { atMs, ...measured } = await backlog(session, zones);
      record(bench, measured);
      if (peer === 'zone53') bench.backlogAtMs = atMs;
      return false;
    });
  }
  return null;
}
