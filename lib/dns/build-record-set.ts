// Makes one record set of the entries of one name and type: values without duplicates, in canonical order, with the
// lowest TTL (RFC 2181 §5.2 requires a single TTL).
import { sortRdata } from './rdata/rdata.ts';
import type { RecordSet } from './record-set.ts';

/** The part of an entry that goes into its record set: a TTL in seconds and canonical rdata. */
export type RecordSetEntry = { readonly ttl: number; readonly rdata: string };

/** The record set of `type` at `name` (canonical) with the values of all entries. There must be at least one entry. */
export function buildRecordSet(name: string, type: string, entries: readonly RecordSetEntry[]): RecordSet {
  if (entries.length === 0) throw new Error(`no entry for the record set ${name} ${type}`);
  const values = sortRdata(type, new Set(entries.map(({ rdata }) => rdata)));
  const ttlSeconds = entries.reduce((lowest, { ttl }) => Math.min(lowest, ttl), Number.POSITIVE_INFINITY);
  return { name, type, setIdentifier: null, content: { kind: 'values', ttlSeconds, values } };
}
