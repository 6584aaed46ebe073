// Writes a Zone's entries as a master file (RFC 1035 §5) that named-checkzone accepts: SOA first, absolute names,
// decimal escapes. Some entries become comments: aliases and entries with routing, which zone files cannot express, and
// entries whose type or class Route 53 does not have. The rdata of the latter was never validated, and one bad line
// would make the whole file unreadable.
import type { Entry } from './entry.ts';
import { isRoute53Type } from './record-type.ts';

/** The zone file of the zone `fqdn`, ending in a line break. The SOA comes first; other entries keep their order. */
export function formatZoneText(fqdn: string, entries: readonly Entry[]): string {
  const isSoa = (entry: Entry): boolean => entry.type === 'SOA' && entry.class === 'IN' && entry.fqdn === fqdn;
  // A file may have only one SOA, which is the Zone's own. It comes first; a Record of type SOA is never published.
  const soa = entries.find(isSoa);
  const rest = entries.filter((entry) => entry !== soa);
  const lines = [...(soa === undefined ? [] : [formatLine(soa)]), ...rest.map(formatRest)];
  return [`$ORIGIN ${fqdn}`, ...lines, ''].join('\n');
}

function formatRest(entry: Entry): string {
  const { class: recordClass, type, routing } = entry;
  if (recordClass !== 'IN' || !isRoute53Type(type) || type === 'SOA') return `; not in Route 53: ${onOneLine(entry)}`;
  if ('alias' in entry) return `; alias: ${onOneLine(entry)}`;
  return routing === undefined ? formatLine(entry) : `; routed: ${onOneLine(entry)}`;
}

function onOneLine(entry: Entry): string {
  return formatLine(entry).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
}

function formatLine(entry: Entry): string {
  const { fqdn, class: recordClass, type, routing } = entry;
  const routed = routing === undefined ? '' : ` ${JSON.stringify(routing)}`;
  if (!('alias' in entry)) return `${fqdn} ${entry.ttl} ${recordClass} ${type} ${entry.rdata}${routed}`;
  const { target, hostedZoneId, evaluateTargetHealth } = entry.alias;
  const details = [hostedZoneId ?? 'in its own hosted zone', ...(evaluateTargetHealth ? ['with its health'] : [])];
  return `${fqdn} ${recordClass} ${type} ALIAS ${target} (${details.join(', ')})${routed}`;
}
