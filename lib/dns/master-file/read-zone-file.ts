// Reads the record sets of one zone from a master file. The zone is the owner of the SOA. A record that the zone or its
// neighbours exclude is a problem of that record alone: one outside the zone, a second SOA, a CNAME beside another
// type, or another CNAME of the same name.
import { buildRecordSet } from '../build-record-set.ts';
import { isAtOrBelow } from '../names/name.ts';
import { type RecordSet, recordSetId } from '../record-set.ts';
import type { Origin } from './complete-name.ts';
import { type FileProblem, type FileRecord, readRecords } from './read-records.ts';

export type ZoneFile = {
  /** The name of the zone; null: neither an SOA nor an origin says it, and there are no record sets. */
  readonly apex: string | null;
  readonly recordSets: readonly RecordSet[];
  /** The line of the first record of each record set, by its id. */
  readonly lines: ReadonlyMap<string, number>;
  /** Sorted by line. */
  readonly problems: readonly FileProblem[];
};

/** Reads the text of a file, whose characters are octets. `origin`: until the file has `$ORIGIN`, and without SOA. */
export function readZoneFile(text: string, origin: Origin): ZoneFile {
  const { records, problems, soaName } = readRecords(text, origin);
  const apex = soaName ?? origin;
  if (apex === null) {
    const message = 'the file has no SOA, so nobody knows which zone it is; write --origin';
    return { apex, recordSets: [], lines: new Map(), problems: [...problems, { line: 1, message }].sort(byLine) };
  }
  const soa = records.find(({ type }) => type === 'SOA');
  const told = [...problems];
  const inZone = keepRight(told, records, (record) => wrongInZone(record, apex, soa));
  const kept = keepRight(told, inZone, wrongCname(inZone, apex));
  return { apex, ...buildRecordSets(kept, minimumOf(soa)), problems: told.sort(byLine) };
}

function byLine(a: FileProblem, b: FileProblem): number {
  return a.line - b.line;
}

/** The records with which nothing is wrong; what is wrong with the others is added to `told`. */
function keepRight(
  told: FileProblem[],
  records: readonly FileRecord[],
  wrongWith: (record: FileRecord) => string | null,
): readonly FileRecord[] {
  return records.filter((record) => {
    const message = wrongWith(record);
    if (message !== null) told.push({ line: record.line, message });
    return message === null;
  });
}

function wrongInZone(record: FileRecord, apex: string, soa: FileRecord | undefined): string | null {
  const { name, type, ttl, rdata } = record;
  if (type === 'SOA') {
    if (name === apex && rdata === soa?.rdata) return null;
    return `SOA ${name}: a file has one zone with one SOA, and ${apex} has its own before`;
  }
  if (!isAtOrBelow(name, apex)) return `${type} ${name} is outside the zone ${apex}`;
  return ttl === null && soa === undefined ? 'it has no TTL, and there is no $TTL, no TTL before it and no SOA' : null;
}

/** A name with a CNAME has no other record (RFC 1034 §3.6.2), and an apex has SOA and NS. */
function wrongCname(records: readonly FileRecord[], apex: string): (record: FileRecord) => string | null {
  const others = new Map<string, FileRecord>();
  const first = new Map<string, FileRecord>();
  for (const record of records) {
    const seen = record.type === 'CNAME' ? first : others;
    if (!seen.has(record.name)) seen.set(record.name, record);
  }
  return ({ name, type, rdata }) => {
    if (type !== 'CNAME') return null;
    const other = others.get(name);
    if (other !== undefined) return `CNAME ${name} has ${other.type} beside it, on line ${other.line}`;
    if (name === apex) return `CNAME ${name} is at the apex, which has SOA and NS; in Route 53 use an alias`;
    const before = first.get(name);
    if (before === undefined || before.rdata === rdata) return null;
    return `CNAME ${name} is on line ${before.line} with another target, and a name has one`;
  };
}

/** What records without a TTL have: the last number of the SOA. */
function minimumOf(soa: FileRecord | undefined): number {
  return Number(soa?.rdata.split(' ').at(-1) ?? 0);
}

function buildRecordSets(records: readonly FileRecord[], minimum: number): Pick<ZoneFile, 'recordSets' | 'lines'> {
  const groups = Map.groupBy(records, ({ name, type }) => recordSetId({ name, type, setIdentifier: null }));
  const lines = new Map([...groups].map(([id, [first]]) => [id, first?.line ?? 1]));
  const recordSets = [...groups.values()].map((group) => {
    const { name, type } = group[0] as FileRecord;
    return buildRecordSet(
      name,
      type,
      group.map(({ ttl, rdata }) => ({ ttl: ttl ?? minimum, rdata })),
    );
  });
  return { recordSets, lines };
}
