// Reads what Route 53 has at some names, in as few calls as possible: few names one by one, many in pages of 300 record
// sets, each page from the next name that is not known yet. So there are never more calls than names, nor more than the
// hosted zone has pages. If record sets of external-dns may be taken over, the TXT records that speak for them are read
// too.
import { compareText } from '../../dns/names/compare-text.ts';
import { isAtOrBelow } from '../../dns/names/name.ts';
import { type RecordSet, type RecordSetKey, recordSetId } from '../../dns/record-set.ts';
import {
  type ExternalDnsRegistry,
  isOwnershipText,
  namesSpokenFor,
  txtNamesOf,
  wildcardCounterparts,
} from '../../external-dns/ownership.ts';
import type { HostedZones, RecordSetsPage } from '../../ports/hosted-zones.ts';
import { route53SortKey } from '../../route53/listing-order.ts';

/** Up to so many names, each is read by itself: the answers are short. */
const FEW_NAMES = 10;
/** The first type that Route 53 lists at a name. */
const FIRST_TYPE = 'A';

/** What was read so far: every record set of the names in `covered` or in `ranges`. */
type Scan = {
  readonly sets: Map<string, RecordSet>;
  readonly covered: Set<string>;
  /** Ranges of sort keys that were read in whole. `to` is exclusive; null: to the end. */
  readonly ranges: { readonly from: string; to: string | null }[];
  /** Names that were asked for and were not known before. */
  readonly asked: Set<string>;
};

/** Reads one hosted zone. `progress` is told how many record sets were read. */
export type ExistingReader = {
  readonly hostedZones: Pick<HostedZones, 'readName' | 'readPage'>;
  readonly id: string;
  /** The hosted zone's name. Names outside of it are not read. */
  readonly apex: string;
  readonly progress?: (recordSets: number) => void;
  /** Recent readings by name. These names are not read again, and new readings are added. */
  readonly known?: Map<string, readonly RecordSet[]>;
};

/** All record sets at these names, by id; null if the hosted zone is gone. */
export async function readExisting(
  reader: ExistingReader,
  names: Iterable<string>,
): Promise<Map<string, RecordSet> | null> {
  return readExistingWithTexts(reader, names, []);
}

/** The same, with the TXT records that speak for these record sets, and all that those may speak for besides. */
export async function readExistingWithTexts(
  reader: ExistingReader,
  names: Iterable<string>,
  registries: readonly ExternalDnsRegistry[],
): Promise<Map<string, RecordSet> | null> {
  const { known } = reader;
  const scan: Scan = { sets: new Map(), covered: new Set(known?.keys()), ranges: [], asked: new Set() };
  for (const set of [...(known?.values() ?? [])].flat()) scan.sets.set(recordSetId(set), set);
  const wanted = new Set(names);
  if (!(await scanNames(reader, wanted, scan))) return null;
  if (registries.length > 0) {
    const at = () => [...scan.sets.values()].filter(({ name }) => wanted.has(name));
    const notes = at().filter((set) => isOwnershipText(registries, set));
    const spoken = notes.flatMap(({ name }) => namesSpokenFor(registries, name));
    if (!(await scanNames(reader, spoken, scan))) return null;
    for (const name of spoken) wanted.add(name);
    const existing = at();
    const together = existing.flatMap(({ name }) => wildcardCounterparts(registries, name));
    if (!(await scanNames(reader, together, scan))) return null;
    const texts = existing.flatMap((set) => txtNamesOf(registries, set));
    if (!(await scanNames(reader, texts, scan))) return null;
  }
  if (known !== undefined && scan.asked.size > 0) {
    const byName = Map.groupBy(scan.sets.values(), ({ name }) => name);
    for (const name of scan.asked) known.set(name, byName.get(name) ?? []);
  }
  return scan.sets;
}

/** Every record set of a hosted zone, in Route 53's order; null if it is gone. */
export async function readWhole({ hostedZones, id, progress }: ExistingReader): Promise<readonly RecordSet[] | null> {
  const sets: RecordSet[] = [];
  let from: RecordSetKey | null = null;
  do {
    const page: RecordSetsPage | null = await hostedZones.readPage(id, from);
    if (page === null) return null;
    for (const set of page.recordSets) sets.push(set);
    progress?.(sets.length);
    from = page.next;
  } while (from !== null);
  return sets;
}

/** Reads the names that are not known yet. False if the hosted zone is gone. */
async function scanNames(reader: ExistingReader, names: Iterable<string>, scan: Scan): Promise<boolean> {
  const { hostedZones, id, apex } = reader;
  const open = new Map<string, string>();
  for (const name of names) {
    if (scan.covered.has(name) || open.has(name)) continue;
    if (!isAtOrBelow(name, apex)) continue;
    scan.asked.add(name);
    const key = route53SortKey(name);
    if (!isCovered(scan, key)) open.set(name, key);
  }
  if (open.size <= FEW_NAMES) {
    for (const name of open.keys()) {
      const recordSets = await hostedZones.readName(id, name);
      if (recordSets === null) return false;
      for (const set of recordSets) scan.sets.set(recordSetId(set), set);
      scan.covered.add(name);
    }
    return true;
  }
  const sorted = [...open].sort(([, a], [, b]) => compareText(a, b));
  for (const [name, key] of sorted) {
    if (isCovered(scan, key)) continue;
    const page = await hostedZones.readPage(id, { name, type: FIRST_TYPE, setIdentifier: null });
    if (page === null) return false;
    for (const set of page.recordSets) scan.sets.set(recordSetId(set), set);
    const end = page.next === null ? null : await endOfPage(reader, scan, page.next.name, key);
    if (end === 'gone') return false;
    addRange(scan, key, end);
    reader.progress?.(scan.sets.size);
  }
  return true;
}

/** Where the next page begins. A name with more record sets than one page holds is read by itself. */
async function endOfPage(
  { hostedZones, id }: ExistingReader,
  scan: Scan,
  next: string,
  from: string,
): Promise<string | 'gone'> {
  const key = route53SortKey(next);
  if (key !== from) return key;
  const recordSets = await hostedZones.readName(id, next);
  if (recordSets === null) return 'gone';
  for (const set of recordSets) scan.sets.set(recordSetId(set), set);
  // This key sorts right behind the name, and before every other name.
  return `${key}\u0000`;
}

function addRange({ ranges }: Scan, from: string, to: string | null): void {
  const last = ranges.at(-1);
  if (last !== undefined && last.to !== null && last.from <= from && from <= last.to) last.to = to;
  else ranges.push({ from, to });
}

function isCovered({ ranges }: Scan, key: string): boolean {
  return ranges.some(({ from, to }) => from <= key && (to === null || key < to));
}
