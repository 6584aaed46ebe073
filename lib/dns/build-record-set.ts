// Entries of one name and type form one record set: values deduplicated, in canonical order, the lowest TTL wins (RFC
// 2181 §5.2 wants one TTL).
import { sortRdata } from './rdata/rdata.ts';
import type { RecordSet } from './record-set.ts';

/** What an entry gives to its record set: a TTL in seconds and canonical rdata. */
export type RecordSetEntry = { readonly ttl: number; readonly rdata: string };

/** The record set of all entries at `name` (canonical) of `type`. There must be one entry at least. */
export function buildRecordSet(name: string, type: string, entries: readonly RecordSetEntry[]): RecordSet {
  if (entries.length === 0) throw new Error(`no entry for the record set ${name} ${type}`);
  const values = sortRdata(type, new Set(entries.map(({ rdata }) => rdata)));
  const ttlSeconds = entries.reduce((lowest, { ttl }) => Math.min(lowest, ttl), Number.POSITIVE_INFINITY);
  return { name, type, setIdentifier: null, content: { kind: 'values', ttlSeconds, values } };
}
