// A Zone's entries as a master file (RFC 1035 §5) that named-checkzone reads: SOA first, absolute names, decimal escapes.
// An entry that Route 53 has not, by type or class, is only a comment: its rdata was never validated, and one such line
// would make the whole file unreadable.
import { isRoute53Type } from './record-type.ts';

/** One line of the file; `ttl` in seconds, names and rdata canonical. */
export type ZoneTextEntry = {
  readonly fqdn: string;
  readonly type: string;
  readonly class: string;
  readonly ttl: number;
  readonly rdata: string;
};

/** The master file of the zone `fqdn`, ending in a line break. Entries keep their order, save that the SOA comes first. */
export function formatZoneText(fqdn: string, entries: readonly ZoneTextEntry[]): string {
  const isSoa = (entry: ZoneTextEntry): boolean => entry.type === 'SOA' && entry.class === 'IN' && entry.fqdn === fqdn;
  // Only one SOA may stand in a file; the Zone's own is the first (a Record of type SOA is never published).
  const soa = entries.find(isSoa);
  const rest = entries.filter((entry) => entry !== soa);
  const lines = [...(soa === undefined ? [] : [formatEntry(soa)]), ...rest.map(formatLine)];
  return [`$ORIGIN ${fqdn}`, ...lines, ''].join('\n');
}

function formatLine(entry: ZoneTextEntry): string {
  if (entry.class === 'IN' && isRoute53Type(entry.type) && entry.type !== 'SOA') return formatEntry(entry);
  return `; not in Route 53: ${formatEntry(entry).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')}`;
}

function formatEntry({ fqdn, ttl, class: recordClass, type, rdata }: ZoneTextEntry): string {
  return `${fqdn} ${ttl} ${recordClass} ${type} ${rdata}`;
}
