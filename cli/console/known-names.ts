// All names that the console knows, part by part: each hosted zone of the ledger is a part, and the last one has what
// is in none. What was read is kept, and a question reads at most one part that is not: for more there is `after`.
import { compareText } from '../../lib/dns/names/compare-text.ts';
import { reversedKey } from '../../lib/dns/names/name.ts';
import { eachItem } from '../../lib/ledger/pages.ts';
import { readable } from '../../lib/ledger/skip-unreadable.ts';
import { dirtyCodec, dirtyPartition } from '../../lib/record-sets/dirty-mark.ts';
import { heldCodec, heldPartition } from '../../lib/record-sets/held-name.ts';
import type { HostedZoneItem } from '../../lib/record-sets/hosted-zone-item.ts';
import { type RecordSetItem, recordSetCodec, recordSetsPartition } from '../../lib/record-sets/record-set-item.ts';
import { askedByName } from './adoptions.ts';
import { ROWS_MAX } from './answers.ts';
import { type KnownName, namesAsked, namesOfHostedZone } from './name-rows.ts';
import { cursorText, parseCursor } from './page-of-rows.ts';
import type { ConsoleWorld } from './world.ts';

/** A hosted zone with all that the ledger has of it. */
export type KnownHostedZone = {
  readonly hostedZone: HostedZoneItem;
  readonly items: readonly RecordSetItem[];
  /** Names of which the guard holds the delete. */
  readonly held: ReadonlySet<string>;
  readonly names: readonly KnownName[];
};

type Page = { readonly rows: readonly KnownName[]; readonly after: string | null };
type Asked = { readonly limit?: number | undefined; readonly after?: string | undefined };

export type KnownNames = {
  /** The next rows that match. */
  page(hostedZones: readonly HostedZoneItem[], matches: (name: KnownName) => boolean, asked: Asked): Promise<Page>;
  /** One hosted zone. */
  of(hostedZone: HostedZoneItem): Promise<KnownHostedZone>;
};

/** The part that is in no hosted zone; ids of hosted zones are no such text. */
const ASKED = '-';

type Kept<T> = { readonly value: T; readonly of: string; readonly atMs: number };

export function knownNames(world: ConsoleWorld): KnownNames {
  const { context, ledgerMsMax, sourceMsMax, hasSource } = world;
  const kept = new Map<string, Kept<KnownHostedZone>>();
  let asked: Kept<readonly KnownName[]> | null = null;
  const isTrue = (one: Kept<unknown> | null | undefined, of: string, msMax = ledgerMsMax) =>
    one != null && one.of === of && context.clock.nowMs() - one.atMs <= msMax;

  const hostedZoneNow = async (hostedZone: HostedZoneItem) => {
    const of = markOf(world, hostedZone);
    const known = kept.get(hostedZone.id);
    if (known !== undefined && isTrue(known, of)) return known.value;
    const value = await readHostedZone(world, hostedZone);
    kept.set(hostedZone.id, { value, of, atMs: context.clock.nowMs() });
    return value;
  };
  const askedNow = async (hostedZones: readonly HostedZoneItem[]) => {
    const of = String(world.generation());
    if (asked !== null && isTrue(asked, of, hasSource ? Math.min(sourceMsMax, ledgerMsMax) : ledgerMsMax))
      return asked.value;
    const { adoptions, nameOf } = await (hasSource || world.isEmbedded ? world.asked() : askedByName(context));
    const all = new Set(hostedZones.flatMap(({ id }) => kept.get(id)?.value.names.map(({ row }) => row.name) ?? []));
    const value = namesAsked(context.config.clusterId, adoptions.endpoints, nameOf, (name) => all.has(name));
    asked = { value, of, atMs: context.clock.nowMs() };
    return value;
  };

  return {
    of: hostedZoneNow,
    page: async (hostedZones, matches, { limit = ROWS_MAX, after }) => {
      const parts = [...hostedZones].sort((a, b) => compareText(partOf(a), partOf(b)));
      const from = parseCursor(after);
      const most = Math.min(limit, ROWS_MAX);
      const rows: { readonly part: string; readonly name: KnownName }[] = [];
      let reads = 0;
      const take = (part: string, names: readonly KnownName[]): boolean => {
        for (const name of names) {
          if (from !== null && from.part === part && name.key <= from.row && from.row !== '') continue;
          if (!matches(name)) continue;
          // One more than asked for: there is another page.
          if (rows.length === most) return false;
          rows.push({ part, name });
        }
        return true;
      };
      const pageUntilNow = (after: string | null): Page => ({ rows: rows.map(({ name }) => name), after });
      const lastOf = () => {
        const last = rows.at(-1);
        return last === undefined ? null : cursorText({ part: last.part, row: last.name.key });
      };
      for (const hostedZone of parts) {
        const part = partOf(hostedZone);
        if (from !== null && part < from.part) continue;
        if (!isTrue(kept.get(hostedZone.id), markOf(world, hostedZone))) {
          if (reads === 1) return pageUntilNow(cursorText({ part, row: '' }));
          reads += 1;
        }
        if (!take(part, (await hostedZoneNow(hostedZone)).names)) return pageUntilNow(lastOf());
      }
      if (reads === 1 && !world.isEmbedded) return pageUntilNow(cursorText({ part: ASKED, row: '' }));
      if (!take(ASKED, await askedNow(hostedZones))) return pageUntilNow(lastOf());
      return pageUntilNow(null);
    },
  };
}

/** Hosted zones are sorted by name. Every such text sorts before ASKED, as it begins with a space. */
function partOf({ id, name }: HostedZoneItem): string {
  return ` ${reversedKey(name)}/${id}`;
}

/** What changes with each run of the hosted zone, and with each look at files that have changed. */
function markOf(world: ConsoleWorld, { epoch, concluded, held, lease }: HostedZoneItem): string {
  return JSON.stringify([world.generation(), epoch, concluded, held?.digest ?? null, lease?.holder ?? null]);
}

async function readHostedZone({ context }: ConsoleWorld, hostedZone: HostedZoneItem): Promise<KnownHostedZone> {
  const { ledger, log } = context;
  const items: RecordSetItem[] = [];
  for await (const stored of eachItem(ledger, recordSetsPartition(hostedZone.id))) {
    const item = readable({ log }, recordSetCodec, stored);
    if (item !== null) items.push(item);
  }
  const dirtySince = new Map<string, number>();
  for await (const stored of eachItem(ledger, dirtyPartition(hostedZone.id))) {
    const mark = readable({ log }, dirtyCodec, stored);
    if (mark !== null) dirtySince.set(mark.name, mark.sinceMs);
  }
  const held = new Set<string>();
  for await (const stored of eachItem(ledger, heldPartition(hostedZone.id))) {
    const mark = readable({ log }, heldCodec, stored);
    if (mark !== null && !mark.released) held.add(mark.name);
  }
  const names = namesOfHostedZone(hostedZone, items, { dirtySince, held });
  return { hostedZone, items, held, names };
}
