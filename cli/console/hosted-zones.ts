// The screen "Hosted zone": what the ledger has of each, and of one its record sets: those of the ledger, or when asked
// all that Route 53 has, with whose they are.
import { compareText } from '../../lib/dns/names/compare-text.ts';
import { reversedKey } from '../../lib/dns/names/name.ts';
import { type RecordSet, recordSetId } from '../../lib/dns/record-set.ts';
import { ownerOfExisting } from '../../lib/inspect/explain-name.ts';
import { guardLimitsOf } from '../../lib/ports/config.ts';
import { readWhole } from '../../lib/publish/existing/read-existing.ts';
import { recentDeletions } from '../../lib/publish/plan/guard.ts';
import { type HostedZoneItem, hostedZoneIdOf } from '../../lib/record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../lib/record-sets/record-set-item.ts';
import { readSweepNotes, type SweepNote } from '../../lib/sweep/last-swept.ts';
import { withAnyExternalDns } from '../account/run-explain.ts';
import { describeContent } from '../print/describe-plan.ts';
import type { HostedZoneAnswer, HostedZoneRow, HostedZonesAnswer, RecordSetRow } from './answers.ts';
import type { KnownHostedZone, KnownNames } from './known-names.ts';
import { verdictOf } from './name-rows.ts';
import { pageOf } from './page-of-rows.ts';
import { ProblemError } from './problem.ts';
import { type ConsoleWorld, noting, type Unread } from './world.ts';

type Asked = { readonly limit?: number | undefined; readonly after?: string | undefined };

/** The hosted zones, by name. */
export async function hostedZonesAnswerOf(
  world: ConsoleWorld,
  hostedZones: readonly HostedZoneItem[],
  asked: Asked,
): Promise<HostedZonesAnswer> {
  const sorted = hostedZones
    .map((item) => ({ item, key: `${reversedKey(item.name)}/${item.id}` }))
    .toSorted((a, b) => compareText(a.key, b.key));
  const { rows, after } = pageOf(sorted, ({ key }) => key, asked);
  const notes = await sweepNotesOf(
    world,
    rows.map(({ item }) => item.cluster),
  );
  return { hostedZones: rows.map(({ item }) => hostedZoneRowOf(item, notes.get(item.id) ?? null)), after };
}

async function sweepNotesOf({ context }: ConsoleWorld, clusters: readonly string[]) {
  const notes = new Map<string, SweepNote>();
  for (const cluster of new Set(clusters))
    for (const note of await readSweepNotes(context.ledger, cluster)) notes.set(note.hostedZoneId, note);
  return notes;
}

function hostedZoneRowOf(item: HostedZoneItem, note: SweepNote | null): HostedZoneRow {
  const { name, zone, cluster, made, gone, held, full, denied, lease, epoch } = item;
  return {
    ...{ id: hostedZoneIdOf(item.id), name, zone, cluster },
    view: item.isPrivate ? 'private' : 'public',
    nameServers: [...item.nameServers],
    ...{ made, gone, denied, epoch },
    published: item.publishedCount,
    held: held?.count ?? 0,
    full: full?.message ?? null,
    lease: lease === null ? null : { holder: lease.holder, until: timeOf(lease.expiresAtMs) },
    lastCompared: note === null ? null : timeOf(note.begunMs),
    lastSweep: note === null || note.wholeMs === null ? null : timeOf(note.wholeMs),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Answers about one hosted zone. Keeps what it has read of Route 53 for its next pages. */
export function hostedZoneAnswers(
  world: ConsoleWorld,
  known: KnownNames,
): (
  hostedZones: readonly HostedZoneItem[],
  id: string,
  asked: Asked & { readonly reads: boolean },
) => Promise<HostedZoneAnswer> {
  const readings = new Map<string, Reading>();
  return async (hostedZones, id, { reads, ...asked }) => {
    const [hostedZone, ...others] = hostedZones.filter((one) => hostedZoneIdOf(one.id) === id);
    if (hostedZone === undefined) throw new ProblemError(404, `The ledger has no hosted zone ${id}.`);
    const whole = await Promise.all([hostedZone, ...others].map(known.of));
    let reading = readings.get(id);
    if (reads && (reading === undefined || asked.after === undefined)) {
      reading = await readRoute53(world, whole);
      readings.set(id, reading);
    }
    const all = reads && reading !== undefined ? reading : { rows: whole.flatMap(rowsOfLedger), unread: null };
    const sorted = all.rows.toSorted((a, b) => compareText(keyOf(a), keyOf(b)));
    const { rows, after } = pageOf(sorted, keyOf, asked);
    const notes = await sweepNotesOf(world, [hostedZone.cluster]);
    const { deletesMax = 0, deletesShareMax = 0 } = guardLimitsOf(world.context.config);
    const count = (owner: string) => sorted.filter((row) => row.owner === owner).length;
    return {
      hostedZone: hostedZoneRowOf(hostedZone, notes.get(hostedZone.id) ?? null),
      counts: {
        zone53: count('zone53'),
        externalDns: count('external-dns'),
        foreign: count('foreign'),
        drifted: count('drifted'),
      },
      guard: {
        published: hostedZone.publishedCount,
        deletedLastHour: recentDeletions(hostedZone.deletions, world.context.clock.nowMs()),
        ...{ deletesMax, deletesShareMax },
      },
      quota: null,
      rows: [...rows],
      after,
      unread: all.unread,
    };
  };
}

type Reading = { readonly rows: readonly RecordSetRow[]; readonly unread: Unread | null };

/** NUL sorts before every character of a type or an identifier. */
function keyOf({ name, type, setIdentifier }: RecordSetRow): string {
  return [reversedKey(name), type, setIdentifier ?? ''].join('\0');
}

/** What zone53 published, and what was seen in the way of what is desired. */
function rowsOfLedger({ hostedZone, items, held }: KnownHostedZone): readonly RecordSetRow[] {
  return items.flatMap((item) => {
    const verdict = verdictOf(hostedZone, item, held);
    if (verdict === null) return [];
    const { name, type, setIdentifier, published, desired } = item;
    const owner = { ForeignRecord: 'foreign', Drifted: 'drifted' }[verdict.reason as string] ?? 'zone53';
    const objects = [...(item.objects.length > 0 ? item.objects : item.publishedObjects)];
    const content = describeContent(published ?? desired) as RecordSetRow['content'];
    return [{ name, type, setIdentifier, content, owner, objects, ...verdict }];
  });
}

/** All that Route 53 has. */
async function readRoute53(world: ConsoleWorld, whole: readonly KnownHostedZone[]): Promise<Reading> {
  const noted = noting(world.context);
  const { account } = withAnyExternalDns(noted.context);
  const { hostedZones, externalDns = [] } = account;
  const [first] = whole;
  if (first === undefined) return { rows: [], unread: null };
  const { id, name: apex } = first.hostedZone;
  let sets: readonly RecordSet[] = [];
  try {
    sets = (await readWhole({ hostedZones, id: hostedZoneIdOf(id), apex })) ?? [];
  } catch (error) {
    if (noted.unread() === null) throw error;
  }
  const items = new Map<string, { readonly item: RecordSetItem; readonly of: KnownHostedZone }>();
  for (const of of whole) for (const item of of.items) items.set(recordSetId(item), { item, of });
  const existing = new Map(sets.map((set) => [recordSetId(set), set]));
  const rows = sets.map((set): RecordSetRow => {
    const found = items.get(recordSetId(set));
    const verdict = found === undefined ? null : verdictOf(found.of.hostedZone, found.item, found.of.held);
    const { name, type, setIdentifier, content } = set;
    return {
      ...{ name, type, setIdentifier },
      content: describeContent(content) as RecordSetRow['content'],
      owner: ownerOfExisting(externalDns, { apex, existing }, set, found?.item),
      objects: [...(found?.item.objects ?? [])],
      reason: verdict?.reason ?? '',
      message: verdict?.message ?? '',
    };
  });
  return { rows, unread: noted.unread() };
}
