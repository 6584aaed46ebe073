// Remembers how Route 53 spells the values that it has, for DELETE. Route 53 keeps a value as somebody spelled it
// (foo.net without a dot, 2001:DB8::1), and a DELETE must spell it so. Our record sets have one canonical form. So each
// reading notes the spellings that differ from it, and a DELETE uses those. If nothing was noted, Route 53 refuses the
// DELETE, publish reads the name, and tries it once more.
import type { Change, ResourceRecord, ResourceRecordSet } from '@aws-sdk/client-route-53';
import { type RecordSet, type RecordSetChange, recordSetId } from '../../dns/record-set.ts';
import { fromResourceRecordSet, toChange, toResourceRecordSet } from './translate.ts';

/** The most record sets that are noted; the oldest are forgotten first. */
const NOTED_MAX = 10_000;

export type Spellings = {
  /** A record set from the shape of Route 53; notes how its values are spelled. */
  readonly read: (hostedZoneId: string, found: ResourceRecordSet) => RecordSet;
  /** A change in the shape of Route 53. A DELETE spells its values as they were last read. */
  readonly write: (hostedZoneId: string, change: RecordSetChange) => Change;
};

export function spellings(): Spellings {
  const noted = new Map<string, { readonly canonical: string; readonly records: ResourceRecord[] }>();
  const keyOf = (hostedZoneId: string, recordSet: RecordSet) => `${hostedZoneId} ${recordSetId(recordSet)}`;
  return {
    read: (hostedZoneId, found) => {
      const recordSet = fromResourceRecordSet(found);
      const key = keyOf(hostedZoneId, recordSet);
      noted.delete(key);
      const canonical = sortedValues(toResourceRecordSet(recordSet));
      if (sortedValues(found) === canonical) return recordSet;
      noted.set(key, { canonical, records: found.ResourceRecords ?? [] });
      const [oldest] = noted.keys();
      if (noted.size > NOTED_MAX && oldest !== undefined) noted.delete(oldest);
      return recordSet;
    },
    write: (hostedZoneId, change) => {
      const written = toChange(change);
      const set = written.ResourceRecordSet;
      const spelled = change.action === 'DELETE' ? noted.get(keyOf(hostedZoneId, change.recordSet)) : undefined;
      if (set === undefined || spelled === undefined || spelled.canonical !== sortedValues(set)) return written;
      return { ...written, ResourceRecordSet: { ...set, ResourceRecords: spelled.records } };
    },
  };
}

function sortedValues({ ResourceRecords = [] }: ResourceRecordSet): string {
  const [only, ...more] = ResourceRecords;
  if (more.length === 0) return only?.Value ?? '';
  return JSON.stringify(ResourceRecords.map(({ Value }) => Value).sort());
}
