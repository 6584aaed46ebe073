// The cases that are measured of one peer. A case begins at a write to the API server and ends when the proxy has seen
// Route 53 accept the change. A case that does not end in time stays in the table, and a remark gives that time.
import { setTimeout as sleep } from 'node:timers/promises';
import { median, percentile } from '../statistics.ts';
import type { Wanted } from './objects.ts';
import { isOurs } from './peer.ts';
import {
  type Mark,
  markNow,
  type PeerRow,
  type Session,
  standing,
  untilCalm,
  untilIdle,
  usedSince,
} from './session.ts';

/** The hosted zone of all cases but the backlog. */
export const ZONE = 'example.org.';
/** How long a case is waited for, in milliseconds. */
export const CASE_MS_MAX = 300_000;
/** The part of a first publish that comes after Route 53 has accepted everything. */
export const STATUSES = 'its statuses, after that';
export const BAD_RECORD = 'a bad record among the changes';
/** In large zones the first publish gets more time, because the other cases in that zone need it. */
const FIRST_PUBLISH_MS_MAX = 600_000;
const LARGE_NAMES = 10_000;
/** A peer whose first publish did not end in time gets this much more, so that its other cases can be measured. */
const READY_AFTER_MS_MAX = 120_000;
/** The default interval of external-dns. */
const INTERVAL_MS = 60_000;
const STRANGER = '203.0.113.99';

let addresses = 0;

/** An address that was not used before. */
function newAddress(): string {
  addresses += 1;
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

/** `count` names r0, r1, … of the zone, all with the same new address. */
export function namesOf(count: number, first = 0): Wanted[] {
  const address = newAddress();
  return Array.from({ length: count }, (_, index) => ({ label: `r${first + index}`, zone: ZONE, address }));
}

function row(session: Session, name: string, names: number, ms: readonly (number | null)[], part: Partial<PeerRow>) {
  const ended = ms.filter((one) => one !== null);
  const whole = ended.length === ms.length && ms.length > 0;
  return {
    case: name,
    names,
    peer: session.peer,
    samples: ms.length,
    median: ended.length === 0 ? null : median(ended) / 1_000,
    p99: whole ? percentile(ended, 0.99) / 1_000 : null,
    calls: {},
    per: 'in all',
    throttled: 0,
    cpuSeconds: null,
    peakMiB: null,
    ledgerCpuSeconds: null,
    remark: whole ? '' : `${ms.length - ended.length} of ${ms.length} not finished within ${CASE_MS_MAX / 1_000} s`,
    ...part,
  } satisfies PeerRow;
}

/**
 * From the start of the peer until Route 53 has everything. For zone53 a second row has what it then took until all
 * objects were reported.
 */
export async function firstPublish(session: Session, wanted: readonly Wanted[]): Promise<readonly PeerRow[]> {
  const mark = { ...markNow(session), calls: 0, cpuSeconds: 0 };
  const begunMs = performance.now();
  const msMax = wanted.length < LARGE_NAMES ? CASE_MS_MAX : FIRST_PUBLISH_MS_MAX;
  const atMs = await standing(session, wanted, msMax);
  const reached = wanted.filter(({ label, zone }) => session.account.proxy.standing.has(`${label}.${zone}`)).length;
  const remark = atMs === null ? { remark: `${reached} of ${wanted.length} within ${msMax / 1_000} s` } : {};
  const result = row(session, 'first publish', wanted.length, [atMs === null ? null : atMs - begunMs], {
    ...usedSince(session, mark),
    ...remark,
  });
  const published = markNow(session);
  const publishedMs = performance.now();
  await session.process.ready(atMs === null ? READY_AFTER_MS_MAX : msMax);
  const told = row(session, STATUSES, wanted.length, [performance.now() - publishedMs], usedSince(session, published));
  await untilCalm(session, 3_000, 60_000);
  return isOurs(session.peer) ? [result, told] : [result];
}

/** One record gets another address, again and again. */
export async function oneChange(session: Session, names: number, samples: number): Promise<PeerRow> {
  const ms: (number | null)[] = [];
  const calls: Record<string, number> = {};
  const used = { throttled: 0, cpuSeconds: 0, ledgerCpuSeconds: 0 };
  for (let sample = 0; sample < samples; sample += 1) {
    await pauseBefore(session, sample, samples);
    const mark = markNow(session);
    const wanted = { label: `r${(sample * 7) % names}`, zone: ZONE, address: newAddress() };
    await session.objects.write(session.world, [wanted]);
    const begunMs = performance.now();
    const atMs = await standing(session, [wanted], CASE_MS_MAX);
    ms.push(atMs === null ? null : atMs - begunMs);
    await sleep(500);
    const since = usedSince(session, mark);
    for (const [kind, count] of Object.entries(since.calls)) calls[kind] = (calls[kind] ?? 0) + count;
    used.throttled += since.throttled;
    used.cpuSeconds += since.cpuSeconds ?? Number.NaN;
    used.ledgerCpuSeconds += since.ledgerCpuSeconds ?? Number.NaN;
    // Where one change does not end in time, the next would not either.
    if (atMs === null) break;
  }
  const { peakMiB } = usedSince(session, markNow(session));
  return row(session, 'one change', names, ms, {
    calls: Object.fromEntries(Object.entries(calls).map(([kind, count]) => [kind, count / ms.length])),
    per: 'a change',
    throttled: used.throttled,
    cpuSeconds: used.cpuSeconds / ms.length,
    ledgerCpuSeconds: used.ledgerCpuSeconds / ms.length,
    peakMiB,
  });
}

/** Waits, so that changes come at any moment of a peer's interval. The samples divide external-dns's minute evenly. */
async function pauseBefore(session: Session, sample: number, samples: number): Promise<void> {
  if (session.peer === 'external-dns, defaults') await sleep(((sample + 0.5) / samples) * INTERVAL_MS);
  else await sleep((session.peer === 'zone53' ? 500 : 2_000) + Math.random() * 1_000);
}

/** Many names change at once. For zone53 a second row has what it then took until all objects were reported. */
export async function burst(session: Session, names: number, changes: number): Promise<readonly PeerRow[]> {
  const mark = markNow(session);
  const wanted = namesOf(changes);
  const begunMs = performance.now();
  await session.objects.write(session.world, wanted);
  const wroteMs = performance.now() - begunMs;
  const atMs = await standing(session, wanted, CASE_MS_MAX);
  const remark = `the API server took ${(wroteMs / 1_000).toFixed(1)} s for the writes`;
  const name = `${changes} changes at once`;
  const result = row(session, name, names, [atMs === null ? null : atMs - begunMs], {
    ...usedSince(session, mark),
    ...(atMs === null ? {} : { remark }),
  });
  const published = markNow(session);
  const publishedMs = performance.now();
  const idleMs = isOurs(session.peer) ? await untilIdle(session, 120_000) : publishedMs;
  const told = row(session, `${name}, ${STATUSES}`, names, [idleMs - publishedMs], usedSince(session, published));
  await untilCalm(session, 3_000, 60_000);
  return isOurs(session.peer) ? [result, told] : [result];
}

/** All names change at once, with a new one that Route 53 refuses. The time ends when all the others are published. */
export async function badRecord(session: Session, names: number, afterMs: number): Promise<PeerRow> {
  const { proxy } = session.account;
  const bad = { label: 'bad', zone: ZONE, address: newAddress() };
  proxy.refuse(`bad.${ZONE}`);
  const mark = markNow(session);
  const wanted = namesOf(names - 1);
  const begunMs = performance.now();
  await session.objects.write(session.world, [...wanted.slice(0, names / 2), bad, ...wanted.slice(names / 2)]);
  const atMs = await standing(session, wanted, CASE_MS_MAX);
  const used = usedSince(session, mark);
  const after = markNow(session);
  await sleep(afterMs);
  const later = total(usedSince(session, after).calls);
  const reached = wanted.filter(({ label, address }) => proxy.standing.get(`${label}.${ZONE}`) === address).length;
  const says = session.world === 'zone53' ? await session.objects.reason(`bad.${ZONE.slice(0, -1)}`, 'Programmed') : '';
  const remark = [
    ...(atMs === null ? [`${reached} of ${wanted.length} others within ${CASE_MS_MAX / 1_000} s`] : []),
    `${later} more calls in the ${afterMs / 1_000} s after`,
    says === '' ? 'nothing on its object' : `its object says ${says}`,
  ].join('; ');
  const result = row(session, BAD_RECORD, names, [atMs === null ? null : atMs - begunMs], {
    ...used,
    remark,
  });
  // So that the refused record does not disturb the next case.
  await session.objects.remove(session.world, bad);
  await untilCalm(session, 5_000, 90_000);
  proxy.refuse(null);
  return result;
}

/** A stranger changes one record in Route 53. External-dns overwrites it; zone53 keeps and reports it. */
export async function handEdit(session: Session, names: number): Promise<PeerRow> {
  const name = `r3.${ZONE}`;
  const { account, objects, process } = session;
  const before = account.proxy.standing.get(name) ?? '';
  const mark = markNow(session);
  await account.edit(ZONE, name, STRANGER);
  const begunMs = performance.now();
  if (session.world === 'external-dns') {
    const atMs = await standing(session, [{ label: 'r3', zone: ZONE, address: before }], CASE_MS_MAX);
    const remark = 'overwritten and reported nowhere';
    return row(session, 'a hand edit', names, [atMs === null ? null : atMs - begunMs], {
      ...usedSince(session, mark),
      remark,
    });
  }
  process.tell('sweep');
  const says = () => objects.reason(`r3.${ZONE.slice(0, -1)}`, 'Programmed');
  while ((await says()) !== 'Drifted' && performance.now() - begunMs < CASE_MS_MAX) await sleep(20);
  const tookMs = performance.now() - begunMs;
  const remark = 'kept and reported on its object; the time begins with the sweep that sees it';
  const result = row(session, 'a hand edit', names, [tookMs < CASE_MS_MAX ? tookMs : null], {
    ...usedSince(session, mark),
    remark,
  });
  await account.edit(ZONE, name, before);
  const swept = process.count(/^swept$/);
  process.tell('sweep');
  while (process.count(/^swept$/) < swept + 2 && performance.now() - begunMs < CASE_MS_MAX) await sleep(50);
  return result;
}

/** Nothing changes. Several peers are measured at the same time. */
export async function quiet(sessions: readonly Session[], names: number, minutes: number): Promise<PeerRow[]> {
  const marks = sessions.map(markNow);
  await sleep(minutes * 60_000);
  return sessions.map((session, index) =>
    row(session, `quiet for ${minutes} min`, names, [], {
      ...usedSince(session, marks[index] as Mark),
      samples: 1,
      // The ledger's process works for other cases meanwhile.
      ledgerCpuSeconds: null,
      remark: session.process.death() ?? '',
    }),
  );
}

/** One change in each of many hosted zones. A batch is for one hosted zone, so there are at least as many calls. */
export async function backlog(
  session: Session,
  zones: readonly string[],
): Promise<PeerRow & { readonly atMs: number[] }> {
  const mark = markNow(session);
  const address = newAddress();
  const wanted = zones.map((zone) => ({ label: 'www', zone, address }));
  const begunMs = performance.now();
  await session.objects.write(session.world, wanted);
  const atMs = await standing(session, wanted, CASE_MS_MAX);
  const changes = session.account.proxy.calls
    .slice(mark.calls)
    .filter(({ action, outcome }) => action === 'ChangeResourceRecordSets' && outcome === 'accepted');
  const result = row(session, 'backlog, a change in each zone', zones.length, [atMs === null ? null : atMs - begunMs], {
    ...usedSince(session, mark),
  });
  return { ...result, atMs: changes.map((call) => call.atMs) };
}

/** Calls of all kinds. */
export function total(calls: Readonly<Record<string, number>>): number {
  return Object.values(calls).reduce((sum, count) => sum + count, 0);
}
